"""Metrics `ost.*`: the OSTs, one beside the others."""
