"""What a helpdesk works with."""
