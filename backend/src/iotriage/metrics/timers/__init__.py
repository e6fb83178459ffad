"""Metrics `timers.*`: phases of MPI-IO, by the library's own times."""
