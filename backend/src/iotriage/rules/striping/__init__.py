"""Rules about stripes, OSTs and locks."""
