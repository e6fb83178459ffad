"""Metrics `hints.*`: MPI-IO hints."""
