"""Rules about buffered streams."""
