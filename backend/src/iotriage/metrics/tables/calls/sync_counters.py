"""By module, the counters of the calls that make the system write data out, and of the writes before them."""

from __future__ import annotations

from typing import Final

from iotriage.metrics.core.prefix import access_counters

SYNCS: Final = {
    "MPI-IO": ("MPIIO_SYNCS",),
    "POSIX": ("POSIX_FSYNCS", "POSIX_FDSYNCS"),
    "STDIO": ("STDIO_FLUSHES",),
}

WRITES: Final = {module: access_counters(module, "write") for module in SYNCS}

WRITTEN: Final = {
    "MPI-IO": ("MPIIO_BYTES_WRITTEN",),
    "POSIX": ("POSIX_BYTES_WRITTEN",),
    "STDIO": ("STDIO_BYTES_WRITTEN",),
}
