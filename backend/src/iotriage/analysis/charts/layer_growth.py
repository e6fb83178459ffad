"""How the bytes of the same files change from MPI-IO to the POSIX calls below: amplification and read-modify-write."""

from __future__ import annotations

import numpy as np

from iotriage.analysis.document.charts.layer_growth import FileGrowth, LayerGrowth
from iotriage.metrics.core.by_file import sums_by_file
from iotriage.metrics.core.metric import Absent
from iotriage.metrics.core.selection import Selection
from iotriage.metrics.tables.files.pairs import EXCESS, Pair, file_pairs
from iotriage_parsers.evidence.darshan import exact_sum
from iotriage_parsers.frozen import frozen

MOST_FILES = 5


def layer_growth(job: Selection) -> LayerGrowth | None:
    """None where no file has both layers, or one of them is recorded in part."""
    pairs = file_pairs(job)
    if isinstance(pairs, Absent):
        return None
    found = [_of_pair(pair) for pair in pairs]
    reported = [b.block.rmw_bytes for b in job.writes if b.block.rmw_bytes is not None]
    grown = [f for one in found for f in one.grown]
    grown.sort(key=lambda f: (-(f.unrequested_read + f.stored_written - f.requested_written), f.file))
    return LayerGrowth(
        requested_written=sum(one.requested_written for one in found),
        stored_written=sum(one.stored_written for one in found),
        requested_read=sum(one.requested_read for one in found),
        stored_read=sum(one.stored_read for one in found),
        unrequested_read=sum(one.unrequested_read for one in found),
        files_compared=sum(one.files for one in found),
        files=tuple(grown[:MOST_FILES]),
        rmw_reported=sum(reported) if reported else None,
    )


@frozen
class _OfPair:
    """The bytes of all files of one log, and those of the files that grow most."""

    requested_written: int
    stored_written: int
    requested_read: int
    stored_read: int
    unrequested_read: int
    files: int
    grown: tuple[FileGrowth, ...]


def _of_pair(pair: Pair) -> _OfPair:
    rows, above, below = pair
    # Both tables are of the same files, and so in the same order.
    written, read = sums_by_file(above, "MPIIO_BYTES_WRITTEN"), sums_by_file(above, "MPIIO_BYTES_READ")
    down, fetched = sums_by_file(below, "POSIX_BYTES_WRITTEN"), sums_by_file(below, "POSIX_BYTES_READ")
    rewrites = (written > 0) & ((read == 0) | (down > EXCESS * written))
    unasked = np.where(rewrites, np.maximum(0, fetched - read), 0)
    growth = unasked + down - written
    grows = np.flatnonzero((unasked > 0) | (down > written))
    if len(grows) > MOST_FILES:
        least = np.partition(growth[grows], -MOST_FILES)[-MOST_FILES]
        grows = grows[growth[grows] >= least]
    records = above.by_id.ids[grows].tolist()
    columns = [column[grows].tolist() for column in (written, down, read, fetched, unasked)]
    names = [rows.shown_name(record) for record in records]
    return _OfPair(
        exact_sum(written),
        exact_sum(down),
        exact_sum(read),
        exact_sum(fetched),
        exact_sum(unasked),
        len(written),
        tuple(map(FileGrowth, names, *columns)),
    )
