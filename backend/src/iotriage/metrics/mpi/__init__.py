"""Metrics `mpi.*`: MPI's communication calls."""
