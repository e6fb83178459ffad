"""Ranks that take turns, by what a log has of each."""
