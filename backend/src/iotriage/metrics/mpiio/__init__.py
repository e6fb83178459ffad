"""Metrics `mpiio.*`: MPI-IO, above and below the library."""
