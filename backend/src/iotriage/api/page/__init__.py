"""The built front end."""
