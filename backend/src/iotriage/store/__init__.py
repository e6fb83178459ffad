"""What is stored: sources as they came, by their SHA-256, in a folder; cases and their documents in a database."""
