"""What a case's evidence is asked, one module a resource: its process answers, and the answer is passed on."""
