"""By module, the counters of the calls that make the system write data out, and of the writes before them."""

from __future__ import annotations

from typing import Final

SYNCS: Final = {
    "MPI-IO": ("MPIIO_SYNCS",),
    "POSIX": ("POSIX_FSYNCS", "POSIX_FDSYNCS"),
    "STDIO": ("STDIO_FLUSHES",),
}

WRITES: Final = {
    "MPI-IO": ("MPIIO_INDEP_WRITES", "MPIIO_COLL_WRITES", "MPIIO_SPLIT_WRITES", "MPIIO_NB_WRITES"),
    "POSIX": ("POSIX_WRITES",),
    "STDIO": ("STDIO_WRITES",),
}

WRITTEN: Final = {
    "MPI-IO": ("MPIIO_BYTES_WRITTEN",),
    "POSIX": ("POSIX_BYTES_WRITTEN",),
    "STDIO": ("STDIO_BYTES_WRITTEN",),
}
