"""What the opening and closing of files passes in: version 8.1 prints five rows of it."""

from __future__ import annotations

from iotriage.metrics.core.about import About
from iotriage.metrics.core.families import MetricsOf
from iotriage.metrics.core.metric import Absent, Outcome, Value, Where
from iotriage.metrics.core.outcomes import joined
from iotriage.metrics.core.registry import metric
from iotriage.metrics.core.selection import Selection
from iotriage.metrics.core.selection_cache import cached_per_selection
from iotriage.metrics.tables.texts.phases import (
    MOST_LINES,
    OPENING,
    TimersBlock,
    seconds_added_up,
    seconds_of,
    share_of_all,
    share_of_total,
    timed_blocks,
)
from iotriage.metrics.tables.texts.side_by_side import PassingBlocks, files_at_a_time, passing_blocks
from iotriage.metrics.timers.phases import NEEDS, NEEDS_BOTH, OF_ALL
from iotriage_parsers.evidence import Phase
from iotriage_parsers.frozen import frozen

ROWS = OPENING[1:]
"""Those of version 8.1; the first is what earlier ones print for all of them."""
MOSTLY = 0.5


@metric(
    "timers.open_close_mostly",
    "Where most of the time of opening and closing goes",
    "word",
    formula=f"the row of {', '.join(f'`{row}`' for row in ROWS)} that has {MOSTLY:.0%} or more of all of them, "
    f"{OF_ALL}; else unknown, as where `open/close/trunc` alone is printed",
    needs=NEEDS,
    of=passing_blocks,
)
def open_close_mostly(found: PassingBlocks) -> Outcome:
    blocks, ticks = found.blocks, found.ticks
    every = share_of_all(blocks, ticks, OPENING) or 0.0
    shares = {row: share_of_all(blocks, ticks, (row,)) or 0.0 for row in ROWS}
    most = max(ROWS, key=lambda row: shares[row])
    if every <= 0 or shares[most] < MOSTLY * every:
        return Value("unknown")
    lines = (b.at(p.line) for b in blocks[:MOST_LINES] for p in b.block.phases if p.label == most)
    return Value(most, where=joined(*lines))


OPEN_ROWS = OPENING[:2]
"""The row of opens of version 8.1, and that of earlier ones, in which closes are too."""
PRINTED = "`open/trunc`, or of versions before 8 `open/close/trunc`"


@frozen
class _Open:
    """One block, its row of the open, the ranks that each have such a block at once, and the block's seconds: of those
    side by side, what passes once."""

    block: TimersBlock
    row: Phase
    beside: int
    seconds: float | Absent


@cached_per_selection
def _opens(s: Selection) -> tuple[_Open, ...] | Absent:
    blocks = timed_blocks(s)
    if isinstance(blocks, Absent):
        return blocks
    found = []
    for block in blocks:
        row = next((p for p in block.block.phases if p.label in OPEN_ROWS), None)
        if row is not None and share_of_total(block, row) is not None:
            total, beside = seconds_of(block, s), files_at_a_time(block, s)
            found.append(_Open(block, row, beside, total if isinstance(total, Absent) else total.seconds / beside))
    return tuple(found) or Absent(
        f"the MPICH_MPIIO_TIMERS block of {blocks[0].file} does not print how long the open took"
    )


def _where(found: tuple[_Open, ...]) -> tuple[Where, ...]:
    return joined(*(one.block.at(one.row.line) for one in found[:MOST_LINES]))


@metric(
    "timers.open_fraction",
    "Time in opening files",
    "share",
    about=About(time=True),
    formula=f"average of {PRINTED}, / `total`, both {OF_ALL}",
    needs=NEEDS,
    of=passing_blocks,
)
def open_fraction(found: PassingBlocks) -> Outcome:
    blocks = found.blocks
    share = share_of_all(blocks, found.ticks, OPEN_ROWS) if len(_rows_of(blocks)) == 1 else None
    if share is None:
        return Absent("the MPICH_MPIIO_TIMERS blocks print no row of the open, or of different versions")
    lines = (b.at(p.line) for b in blocks[:MOST_LINES] for p in b.block.phases if p.label in OPEN_ROWS)
    return Value(share, where=joined(*lines))


def _rows_of(blocks: tuple[TimersBlock, ...]) -> set[str]:
    return {p.label for b in blocks for p in b.block.phases if p.label in OPEN_ROWS}


_metrics_of_opens = MetricsOf(_opens, needs=NEEDS)
_metrics_of_opens.value(
    "timers.open_time",
    "Time of the mean rank in opening files",
    "s",
    lambda found: seconds_added_up([_open_seconds(one) for one in found], _where(found)),
    formula=f"average of {PRINTED}, / `total` × the seconds of that total, added up over the TIMERS blocks of all "
    "ranks, those of files that each rank opened by itself / ranks",
    needs=NEEDS_BOTH,
)


def _open_seconds(one: _Open) -> float | Absent:
    if isinstance(one.seconds, Absent):
        return one.seconds
    return one.seconds * (share_of_total(one.block, one.row) or 0.0)


@_metrics_of_opens(
    "timers.quickest_open",
    "Time of the rank quickest to open the files over the mean",
    "ratio",
    about=About(time=True),
    formula=f"least of {PRINTED}, / its average, both {OF_ALL}. A rank that comes late to an open is quick: the others "
    "wait for it there",
)
def quickest_open(found: tuple[_Open, ...]) -> Outcome:
    rows = [(one.row.ticks, 2.0 ** (one.block.block.scale_exponent or 0) / one.beside) for one in found]
    known = [(t.minimum * n, t.average * n) for t, n in rows if t.minimum is not None and t.average]
    if not known:
        return Absent("the MPICH_MPIIO_TIMERS blocks print no least and average of the open, or 0")
    return Value(sum(least for least, _ in known) / sum(mean for _, mean in known), where=_where(found))


@_metrics_of_opens(
    "timers.open_file",
    "File whose opens took longest",
    "word",
    formula=f"file of the TIMERS blocks with the largest sum of averages of {PRINTED}",
)
def open_file(found: tuple[_Open, ...]) -> Outcome:
    took: dict[str, float] = {}
    for one in found:
        ticks = (share_of_total(one.block, one.row) or 0.0) * (one.block.clock_ticks or 1)
        took[one.block.file] = took.get(one.block.file, 0.0) + ticks
    return Value(max(took, key=lambda file: took[file]))


@metric(
    "timers.opens",
    "Opens of files through MPI-IO, one for all ranks that open a file together",
    "calls",
    formula="TIMERS blocks of all ranks, of reads or of writes, whichever are more of each file: a file that is read "
    "and written between an open and a close has one of each",
    needs=NEEDS,
    of=timed_blocks,
)
def opens(blocks: tuple[TimersBlock, ...]) -> Outcome:
    found: dict[str, dict[str, int]] = {}
    for block in blocks:
        by_way = found.setdefault(block.file, {})
        by_way[block.block.direction] = by_way.get(block.block.direction, 0) + 1
    return Value(sum(max(by_way.values()) for by_way in found.values()))


@metric(
    "timers.opened_files",
    "Files opened through MPI-IO",
    "files",
    formula="files of the TIMERS blocks of all ranks",
    needs=NEEDS,
    of=timed_blocks,
)
def opened_files(blocks: tuple[TimersBlock, ...]) -> Outcome:
    return Value(len({block.file for block in blocks}))
