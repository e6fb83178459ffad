"""The slowest of the ranks that write or read a file, beside the others that do, from MPICH_MPIIO_TIMERS.

The row of the file access has the slowest and the mean of those ranks; what lies between them the mean one waits for
the slowest, as far as it is in MPI-IO meanwhile: no block of which the slowest rank takes longer in the file than the
mean rank is in MPI-IO at all says that anybody waited.
"""

from __future__ import annotations

from iotriage.metrics.core.about import About
from iotriage.metrics.core.families import MetricsOf
from iotriage.metrics.core.metric import Absent, Outcome, Value, Where
from iotriage.metrics.core.outcomes import joined
from iotriage.metrics.core.selection import Selection
from iotriage.metrics.core.selection_cache import cached_per_selection
from iotriage.metrics.tables.texts.phases import (
    MOST_LINES,
    TimersBlock,
    named_ranks_of,
    seconds_added_up,
    seconds_of,
    timed_blocks,
)
from iotriage.metrics.timers.phases import NEEDS, NEEDS_BOTH
from iotriage_parsers.evidence import NamedRank, Phase
from iotriage_parsers.frozen import frozen

OF_WAITED = (
    "added up over the TIMERS blocks of all ranks in which several ranks access the file and the largest of that row "
    "is not above `total`; of writes or of reads, whichever leaves more between the two"
)


@frozen
class _Row:
    """One block, its row of the file access, the slowest and mean rank's ticks of the clock there, and its seconds."""

    block: TimersBlock
    row: Phase
    slowest: float
    mean: float
    seconds: float | Absent

    @property
    def lost(self) -> float:
        return self.slowest - self.mean


@frozen
class _Slowest:
    """The rows of the direction in which most was lost, the one that lost most first; the ticks of all blocks; and the
    slowest rank where the first of the rows says which that is."""

    rows: tuple[_Row, ...]
    every: int
    rank: NamedRank | None

    @property
    def at(self) -> tuple[Where, ...]:
        return joined(*(r.block.at(r.row.line) for r in self.rows[:MOST_LINES]))


@cached_per_selection
def _slowest(s: Selection) -> _Slowest | Absent:
    blocks = timed_blocks(s)
    if isinstance(blocks, Absent):
        return blocks
    found = [row for block in blocks if (row := _row(block, s)) is not None]
    if not found:
        return Absent(
            f"the MPICH_MPIIO_TIMERS block of {blocks[0].file} prints no largest and average time in the file of "
            "several ranks, or none in which the others can have waited for the slowest"
        )
    by_way = [mine for way in ("write", "read") if (mine := [r for r in found if r.block.block.direction == way])]
    rows = sorted(max(by_way, key=lambda rows: sum(r.lost for r in rows)), key=lambda r: -r.lost)
    named = (n for n in named_ranks_of(rows[0].block, s) if n.role == "slowest access" and n.ticks)
    return _Slowest(tuple(rows), sum(_ticks(b, b.block.total_ticks or 0) for b in blocks), next(named, None))


def _row(block: TimersBlock, s: Selection) -> _Row | None:
    b = block.block
    row = b.phase("file access")
    if row is None or row.ticks.maximum is None or not row.ticks.average or b.active_ranks == 1:
        return None
    if not b.total_ticks or row.ticks.maximum > b.total_ticks:
        return None
    total = seconds_of(block, s)
    seconds = total if isinstance(total, Absent) else total.seconds
    return _Row(block, row, _ticks(block, row.ticks.maximum), _ticks(block, row.ticks.average), seconds)


def _ticks(block: TimersBlock, ticks: float) -> int:
    """Ticks of the clock, unscaled."""
    return int(ticks) << (block.block.scale_exponent or 0)


_metrics_of_slowest = MetricsOf(_slowest, needs=NEEDS)
_metrics_of_slowest.value(
    "timers.slowest_mover",
    "Time of the slowest writer or reader over the mean",
    "ratio",
    lambda found: Value(sum(r.slowest for r in found.rows) / sum(r.mean for r in found.rows), where=found.at),
    about=About(time=True),
    formula=f"largest of `file write` or `file read` / average of it, which is over the ranks that write or read, both "
    f"{OF_WAITED}",
)


@_metrics_of_slowest(
    "timers.slowest_mover_fraction",
    "Share of the MPI-IO time in which all but the slowest writer or reader are done",
    "share",
    about=About(time=True),
    formula=f"(largest − average of `file write` or `file read`), {OF_WAITED} / `total` of all blocks of all ranks",
)
def slowest_mover_fraction(found: _Slowest) -> Outcome:
    totals = joined(*(r.block.at(r.block.block.line_of("total")) for r in found.rows[:MOST_LINES]))
    return Value(min(1.0, sum(r.lost for r in found.rows) / found.every), where=joined(found.at, totals))


_metrics_of_slowest.value(
    "timers.slowest_mover_time",
    "MPI-IO time in which all but the slowest writer or reader are done",
    "s",
    lambda found: seconds_added_up([_lost_seconds(r) for r in found.rows], found.at),
    formula=f"(largest − average of `file write` or `file read`) / `total` × the seconds of that total, {OF_WAITED}",
    needs=NEEDS_BOTH,
)


def _lost_seconds(row: _Row) -> float | Absent:
    if isinstance(row.seconds, Absent):
        return row.seconds
    return row.seconds * row.lost / _ticks(row.block, row.block.block.total_ticks or 0)


_metrics_of_slowest.value(
    "timers.slowest_mover_operation",
    "What the slowest writer or reader is slowest to do",
    "word",
    lambda found: Value(found.rows[0].block.block.direction, where=found.at),
    formula=f"write or read: `file write` or `file read`, {OF_WAITED}",
)
_metrics_of_slowest.value(
    "timers.slowest_mover_file",
    "File in which the others waited longest for the slowest writer or reader",
    "word",
    lambda found: Value(found.rows[0].block.file, where=found.at[:1]),
    formula="file of the TIMERS block in which most lies between the largest and the average of `file write` or "
    "`file read`",
)


@_metrics_of_slowest(
    "timers.movers",
    "Ranks that write or read the file of the slowest writer or reader",
    "ranks",
    formula="`number of ranks writing` or `number of ranks reading` of the block of timers.slowest_mover_file",
)
def movers(found: _Slowest) -> Outcome:
    block = found.rows[0].block
    label = f"number of ranks {'writing' if block.block.direction == 'write' else 'reading'}"
    if block.block.active_ranks is None:
        return Absent(f"the MPICH_MPIIO_TIMERS block of {block.file} does not print `{label}`")
    return Value(block.block.active_ranks, where=block.at(block.block.line_of(label)))


@_metrics_of_slowest(
    "timers.slowest_mover_rank",
    "Slowest writer or reader",
    "1",
    formula="`Rank` of `Slow writer file write` or `Slow reader file read` in the details of level 2 of the block of "
    "timers.slowest_mover_file",
)
def slowest_mover_rank(found: _Slowest) -> Outcome:
    block = found.rows[0].block
    if found.rank is None:
        return Absent(f"the MPICH_MPIIO_TIMERS block of {block.file} has no details of level 2 that name it")
    return Value(found.rank.rank, where=block.at(found.rank.line))
