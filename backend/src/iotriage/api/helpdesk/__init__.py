"""What a helpdesk works with. The queue and its tickets are for people of the helpdesk alone."""
