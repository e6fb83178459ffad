"""What is stored: sources whole, by their SHA-256, in a folder; cases and their documents in a database."""
