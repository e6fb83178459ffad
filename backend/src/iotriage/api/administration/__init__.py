"""What administrators set up from the page, over HTTP."""
