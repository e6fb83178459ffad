"""A report by mail: what is written to whom, and that nobody is written to about one thing twice in a week."""
