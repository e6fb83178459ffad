"""Metrics `errors.*`: what failed in the MPI library."""
