"""What people of a helpdesk work with: the order of triage, and replies."""
