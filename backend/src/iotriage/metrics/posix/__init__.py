"""Metrics `posix.*`: POSIX calls."""
