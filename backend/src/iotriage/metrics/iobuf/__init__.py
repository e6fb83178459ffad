"""Metrics `iobuf.*`: Cray's IOBUF library."""
