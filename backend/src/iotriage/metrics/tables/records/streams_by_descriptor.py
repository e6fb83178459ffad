"""Files that are opened as streams and read or written by their descriptors.

The streams of C++ (libstdc++) open a file by `fopen` and move its bytes by `read` and `write` on its `fileno`. Darshan
then records the opens, and the time in them, in STDIO, and everything else in POSIX, where nobody seems to have opened
the file.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from iotriage.metrics.core.selection import LogRows
from iotriage.metrics.tables.rank_times import known_seconds
from iotriage_parsers.evidence import CounterTable

STAMPS = ("OPEN_START", "OPEN_END", "CLOSE_START", "CLOSE_END")


def with_stream_opens_in_posix(rows: LogRows) -> LogRows:
    """The log with the opens and metadata seconds of such files moved from their STDIO records to their POSIX
    records."""
    posix, stdio = rows.posix, rows.stdio
    if posix is None or stdio is None or not rows.traced.isdisjoint(("POSIX", "STDIO")):
        return rows
    by_descriptor = (posix.count("POSIX_OPENS") <= 0) & (posix.count("POSIX_FILENOS") > 0)
    opened_only = (stdio.count("STDIO_READS") <= 0) & (stdio.count("STDIO_WRITES") <= 0)
    opened_only &= stdio.count("STDIO_OPENS") > 0
    if not by_descriptor.any() or not opened_only.any():
        return rows
    place = {key: at for at in np.flatnonzero(by_descriptor).tolist() for key in (_key(posix, at),)}
    pairs = [(place[key], at) for at in np.flatnonzero(opened_only).tolist() if (key := _key(stdio, at)) in place]
    if not pairs:
        return rows
    below, above = (np.array(places, dtype=np.intp) for places in zip(*pairs, strict=True))
    kept = np.ones(len(stdio), dtype=np.bool_)
    kept[above] = False
    return replace(rows, posix=_with_opens(posix, below, stdio, above), stdio=stdio.rows(kept) if kept.any() else None)


def _key(table: CounterTable, at: int) -> tuple[int, int]:
    return int(table.ids[at]), int(table.ranks[at])


def _with_opens(
    posix: CounterTable, below: NDArray[np.intp], stdio: CounterTable, above: NDArray[np.intp]
) -> CounterTable:
    ints, floats = posix.ints.copy(), posix.floats.copy()
    ints[below, posix.int_names.index("POSIX_OPENS")] = stdio.count("STDIO_OPENS")[above]
    metadata = posix.float_names.index("POSIX_F_META_TIME")
    floats[below, metadata] = known_seconds(floats[below, metadata]) + known_seconds(
        stdio.seconds("STDIO_F_META_TIME")[above]
    )
    for stamp in STAMPS:
        at = posix.float_names.index(f"POSIX_F_{stamp}_TIMESTAMP")
        floats[below, at] = stdio.seconds(f"STDIO_F_{stamp}_TIMESTAMP")[above]
    return posix.copy(ints=ints, floats=floats)
