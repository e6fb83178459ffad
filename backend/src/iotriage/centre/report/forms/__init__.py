"""A report in the forms in which it is taken away."""
