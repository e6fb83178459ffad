"""Metrics `hdf5.*`: HDF5, and MPI-IO below it."""
