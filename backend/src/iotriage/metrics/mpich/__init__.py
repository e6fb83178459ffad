"""Metrics `mpich.*`: the MPI library."""
