"""Formats that are named and not read, by what they are of."""
