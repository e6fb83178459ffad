"""Metrics `job.*`: the run as a whole."""
