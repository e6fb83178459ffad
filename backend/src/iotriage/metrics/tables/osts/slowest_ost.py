"""How long each OST took for a byte: by files that lie on one OST each and that one rank each used, or, where a trace
compares more of them, by the calls that lie on one OST each.

A transfer to several servers is timed as one, so it tells nothing of a single OST.
"""

from __future__ import annotations

import numpy as np

from iotriage.metrics.core.derived import derived
from iotriage.metrics.core.metric import NO_TIME, Absent, Where
from iotriage.metrics.core.missing_evidence import DARSHAN, LAYOUT
from iotriage.metrics.core.outcomes import joined
from iotriage.metrics.core.selection import LogRows, Selection
from iotriage.metrics.tables.osts.traced_osts import paces
from iotriage.metrics.tables.rank_times import rank_times
from iotriage_parsers.frozen import frozen

ENOUGH_FILES = 3
"""Files from which an OST is compared: a single slow file may be slow for other reasons."""

LEAST_BYTES = 2**20
"""Smaller files are left out: opening them takes longer than moving their bytes."""


@frozen
class SlowestOst:
    """`per_byte_s` is the median of its files, or calls, `others_s` the median over the other OSTs' medians: seconds a
    byte. `calls` by which it was compared; None where files were. `where` has no place for calls of a trace."""

    ost: int
    files: int
    calls: int | None
    compared: int
    per_byte_s: float
    others_s: float
    where: tuple[Where, ...]


@derived
def slowest_ost(s: Selection) -> SlowestOst | Absent:
    """The OST whose files, or calls, took longest for a byte, beside the others."""
    of_files, of_calls = _by_files(s), paces(s)
    if len(of_calls) < 2 or (isinstance(of_files, SlowestOst) and of_files.compared >= len(of_calls)):
        return of_files
    slowest = max(of_calls, key=lambda pace: pace.per_byte_s)
    others = float(np.median([pace.per_byte_s for pace in of_calls if pace is not slowest]))
    return SlowestOst(slowest.ost, slowest.files, slowest.calls, len(of_calls), slowest.per_byte_s, others, where=())


def _by_files(s: Selection) -> SlowestOst | Absent:
    if not s.logs:
        return Absent("no source lists the OSTs of files with their times", (DARSHAN,))
    if not any(layout.osts for rows in s.logs for layout in rows.lustre):
        return Absent("no log lists the OSTs of its files", (LAYOUT,))
    of_ost: dict[int, list[float]] = {}
    for rows in s.logs:
        for ost, per_byte in _files(rows):
            of_ost.setdefault(ost, []).append(per_byte)
    medians = {ost: float(np.median(times)) for ost, times in of_ost.items() if len(times) >= ENOUGH_FILES}
    if len(medians) < 2:
        return Absent(
            f"OSTs are compared by files of one stripe that one rank each used, at least {ENOUGH_FILES} an OST: "
            f"{len(medians)} {'OST has' if len(medians) == 1 else 'OSTs have'} them"
        )
    slowest = max(medians, key=lambda ost: medians[ost])
    others = float(np.median([t for ost, t in medians.items() if ost != slowest]))
    where = joined(*(rows.where(t, *_TIMES) for rows in s.logs if (t := rows.posix) is not None and rows.lustre))
    return SlowestOst(slowest, len(of_ost[slowest]), None, len(medians), medians[slowest], others, where)


_TIMES = ("POSIX_F_READ_TIME", "POSIX_F_WRITE_TIME", "POSIX_F_META_TIME")


def _files(rows: LogRows) -> list[tuple[int, float]]:
    """OST and seconds a byte of every file that one rank used and that has one stripe."""
    table = rows.posix
    if table is None or not len(table):
        return []
    on = {layout.record: layout.osts[0] for layout in rows.lustre if len(layout.osts) == 1 and layout.stripe_count == 1}
    index, records = table.by_id.index, table.by_id.records
    alone = (records[index] == 1) & (table.ranks >= 0)
    moved = np.maximum(table.count("POSIX_BYTES_READ"), 0) + np.maximum(table.count("POSIX_BYTES_WRITTEN"), 0)
    took = rank_times(table)
    wanted = np.flatnonzero(alone & (moved >= LEAST_BYTES) & (took >= NO_TIME)).tolist()
    return [(on[record], float(took[i] / moved[i])) for i in wanted if (record := int(table.ids[i])) in on]
