"""What lies on which OST, and how long it took."""
