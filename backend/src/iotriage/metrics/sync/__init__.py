"""Metrics `sync.*`: data that the program has written out."""
