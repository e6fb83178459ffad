"""Metrics `stdio.*`: buffered streams."""
