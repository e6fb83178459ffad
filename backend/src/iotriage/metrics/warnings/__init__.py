"""Metrics `warnings.*`: what the MPI library warns of."""
