"""Where the time of reading or writing a file goes inside the MPI-IO library, from MPICH_MPIIO_TIMERS.

Shares are those of all files together, each by how long it took; the least and most of the ranks, and bandwidths, are
the longest block's. The phases overlap (sending and file access run at once on different ranks), so their shares do
not add to 1 and are never summed.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from iotriage.metrics.core.about import About
from iotriage.metrics.core.families import metrics_unless
from iotriage.metrics.core.metric import NO_TIME, Absent, Confidence, Outcome, Value, Where
from iotriage.metrics.core.outcomes import joined
from iotriage.metrics.core.registry import metric, outcome
from iotriage.metrics.core.selection import LogRows, Selection, base_name, select_rows
from iotriage.metrics.tables.account.beside import ranks_of_mean
from iotriage.metrics.tables.rank_times import total_time as time_of_records
from iotriage.metrics.tables.texts.phases import (
    MOST_LINES,
    OPENING,
    BlockSeconds,
    TimersBlock,
    all_rank_blocks,
    leading_timers,
    no_timers,
    printed_seconds,
    share_missed,
    share_of_all,
    timed_blocks,
    times_every_close,
)
from iotriage.metrics.tables.texts.side_by_side import (
    PassingBlocks,
    passing_blocks,
    perhaps_in_turn,
    seconds_of_all,
    ticks_that_pass,
)
from iotriage.metrics.tables.texts.stats_fields import place
from iotriage_parsers.evidence import CounterTable, Phase
from iotriage_parsers.evidence.mpiio_stats import Direction

NEEDS = "MPICH_MPIIO_TIMERS"

NEEDS_BOTH = "MPICH_MPIIO_TIMERS and MPICH_MPIIO_STATS, or TIMERS that print the seconds of the file access"

LEADING = "of the longest TIMERS block of all ranks (where no ticks are printed, of the one with the most bytes)"

OF_ALL = (
    "added up over the TIMERS blocks of all ranks, of reads and writes, those of files that each rank opened by itself "
    "/ ranks"
)

OF_READS = Absent("the MPICH_MPIIO_TIMERS blocks are of reads: nothing was written")

OF_WRITES = Absent("the MPICH_MPIIO_TIMERS blocks are of writes: nothing was read")

FRACTIONS = (
    ("imbalance", ("imbalance",), "imbalance", "Time lost to imbalance"),
    ("open_close", OPENING, "open/close/trunc", "Time in opening, closing and truncating"),
    ("local_compute", ("local compute",), "local compute", "Time in the library's own computing"),
    ("wait_for_coll", ("wait for coll",), "wait for coll", "Time waiting for collective operations"),
    ("collective", ("collective",), "collective", "Time in collective operations"),
    ("exchange", ("exchange",), "exchange/write", "Time exchanging what will be written where"),
    ("data_send", ("data send",), "data send (*)", "Time sending data to the aggregators"),
    ("data_receive", ("data receive",), "data receive", "Time receiving data from the aggregators"),
    ("sieve_read", ("sieve read",), "sieve read", "Time reading what data sieving writes back"),
    ("file_write", ("file access",), "file write", "Time writing the file, of the ranks that write"),
    ("file_read", ("file access",), "file read", "Time reading the file, of the ranks that read"),
    ("other", ("other",), "other", "Time in none of the named phases"),
)
"""Of the metric's id, the evidence's labels, of which the block's own are added; the printed one, and the title."""

OF_ONE_DIRECTION: Mapping[str, tuple[Direction, Absent]] = {
    "file_write": ("write", OF_READS),
    "sieve_read": ("write", OF_READS),
    "file_read": ("read", OF_WRITES),
    "data_receive": ("read", OF_WRITES),
}

SPREAD = (("min", "least", "minimum"), ("max", "most", "maximum"))


def _direction_of(name: str) -> Direction | None:
    return OF_ONE_DIRECTION[name][0] if name in OF_ONE_DIRECTION else None


def _printing(s: Selection, name: str) -> tuple[TimersBlock, ...] | Absent:
    """The blocks in which a row of this name can stand, the longest first."""
    blocks = timed_blocks(s)
    if isinstance(blocks, Absent) or name not in OF_ONE_DIRECTION:
        return blocks
    direction, of_another = OF_ONE_DIRECTION[name]
    return tuple(b for b in blocks if b.block.direction == direction) or of_another


def _share(s: Selection, name: str, labels: tuple[str, ...]) -> float | None:
    found = passing_blocks(s)
    return None if isinstance(found, Absent) else share_of_all(found.blocks, found.ticks, labels, _direction_of(name))


def _not_printed(block: TimersBlock, printed: str) -> Absent:
    return Absent(f"the MPICH_MPIIO_TIMERS block of {block.file} does not print `{printed}`")


def _where(block: TimersBlock, phases: list[Phase]) -> tuple[Where, ...]:
    return joined(*(block.at(p.line) for p in phases), block.at(block.block.line_of("total")))


_metric_of_timers = metrics_unless(no_timers, needs=NEEDS)


def _declare_fraction(name: str, labels: tuple[str, ...], printed: str, title: str) -> None:
    several = " or of the rows in which later versions print it," if len(labels) > 1 else ""

    @_metric_of_timers(
        f"timers.{name}_fraction",
        title,
        "share",
        about=About(time=True, direction=_direction_of(name)),
        formula=f"average of `{printed}`,{several} / `total`, both {OF_ALL}. Phases overlap: shares do not add to 1",
    )
    def fraction(s: Selection) -> Outcome:
        blocks, share = _printing(s, name), _share(s, name, labels)
        if isinstance(blocks, Absent):
            return blocks
        if share is None:
            return _not_printed(blocks[0], printed)
        phases = [(b, [p for p in b.block.phases if p.label in labels]) for b in blocks[:MOST_LINES]]
        return Value(share, where=joined(*(_where(block, rows) for block, rows in phases)))


def _declare_spread(name: str, label: str, printed: str, title: str, end: tuple[str, str, str]) -> None:
    short, word, column = end

    @_metric_of_timers(
        f"timers.{name}_{short}_fraction",
        f"{title}: the rank with {word}",
        "share",
        about=About(time=True, direction=_direction_of(name)),
        formula=f"{column} of `{printed}` / `total` {LEADING}",
    )
    def of_one_rank(s: Selection) -> Outcome:
        blocks = _printing(s, name)
        if isinstance(blocks, Absent):
            return blocks
        block, phase = blocks[0], blocks[0].block.phase(label)
        ticks = None if phase is None else phase.ticks.minimum if short == "min" else phase.ticks.maximum
        if phase is None or ticks is None or not block.block.total_ticks:
            return _not_printed(block, printed)
        return Value(ticks / block.block.total_ticks, where=_where(block, [phase]))


for _name, _labels, _printed, _title in FRACTIONS:
    _declare_fraction(_name, _labels, _printed, _title)
    if len(_labels) == 1:
        for _end in SPREAD:
            _declare_spread(_name, _labels[0], _printed, _title, _end)


@metric(
    "timers.late_fraction",
    "Time in which the ranks wait for the last of them, at least",
    "share",
    about=About(time=True),
    formula="(averages of `wait for coll` and `imbalance` − what the rank that waits least waits − the largest of "
    "every other row) / `total`, at least 0, added up over the TIMERS blocks of all ranks. What the rank that waits "
    "least waits is the least of one of the two rows and the largest of the other, whichever is less together: the "
    "rest of the time it is at work in the library, for no longer than the largest rows together, or has not come",
    needs=NEEDS,
    of=passing_blocks,
)
def late_fraction(found: PassingBlocks) -> Outcome:
    blocks = found.blocks
    share = share_missed(blocks, found.ticks)
    if share is None:
        return Absent(
            f"the MPICH_MPIIO_TIMERS block of {blocks[0].file} does not print `wait for coll` and `imbalance`, "
            "and the least and most of every row"
        )
    return Value(share, "inferred", joined(*(_where(b, list(b.block.phases)) for b in blocks[:MOST_LINES])))


def _rate(s: Selection, name: str, printed: str) -> Outcome:
    block = leading_timers(s)
    if isinstance(block, Absent):
        return block
    b = block.block
    rate = {"raw": b.raw_bandwidth, "net": b.net_bandwidth, "data send": b.data_send_bandwidth}[name]
    if rate is None:
        return Absent(f"the MPICH_MPIIO_TIMERS block of {block.file} prints no {name} bandwidth")
    label = printed if b.direction == "write" else printed.replace(" write ", " read ")
    return Value(rate, where=block.at(b.line_of(label)))


@_metric_of_timers(
    "timers.raw_bandwidth",
    "Bandwidth of the file access alone",
    "B/s",
    formula=f"`raw write BW` (of reads: `raw read BW`) in MiB/s × 2^20, {LEADING}: bytes over the time of `file write`",
)
def raw_bandwidth(s: Selection) -> Outcome:
    return _rate(s, "raw", "raw write BW (MiB/s)")


@_metric_of_timers(
    "timers.net_bandwidth",
    "Bandwidth of the whole operation",
    "B/s",
    formula=f"`net write BW` (of reads: `net read BW`) in MiB/s × 2^20, {LEADING}: bytes over `total`",
)
def net_bandwidth(s: Selection) -> Outcome:
    return _rate(s, "net", "net write BW (MiB/s)")


@_metric_of_timers(
    "timers.data_send_bandwidth",
    "Bandwidth of sending data to the aggregators",
    "B/s",
    formula=f"`data send BW` in MiB/s × 2^20, {LEADING}: bytes over the time of `data send`",
)
def data_send_bandwidth(s: Selection) -> Outcome:
    return _rate(s, "data send", "data send BW (MiB/s)")


@metric(
    "timers.total_time",
    "Time in MPI-IO on the files",
    "s",
    formula=f"total bytes of the STATS block of the same close / net bandwidth, {OF_ALL}; of a close without that "
    "block, or where the two differ by more than 2 %, by the longest of its rows that is printed in seconds (0.5 s at "
    "least) and in ticks; else (inferred) by its ticks and the clock of the others. Absent where the clock that this "
    "makes of the ticks is not between 0.5 and 5 GHz, or, where no row has its seconds, differs by more than 2 % from "
    "that of every other close of the output; a lower bound where a close of which a block tells has no seconds, or "
    "where files of one rank each, which are taken to be in use at the same time, are printed in the order of their "
    "numbers, as one rank would close them",
    needs=NEEDS_BOTH,
    unless=no_timers,
)
def total_time(s: Selection) -> Outcome:
    blocks = timed_blocks(s)
    if isinstance(blocks, Absent):
        return blocks
    found = seconds_of_all(blocks, s)
    if isinstance(found, Absent):
        return found
    where = joined(*(_of_seconds(block) for block in blocks[:MOST_LINES]))
    whole = times_every_close(s) and not perhaps_in_turn(s)
    return Value(found.seconds, "measured" if found.own else "inferred", where, None if whole else "lower")


def _seconds_of_all(s: Selection, every: tuple[TimersBlock, ...]) -> BlockSeconds | Absent:
    """Of the blocks together; where they have none, what logs have of MPI-IO on their files for the mean rank of each
    step."""
    found = seconds_of_all(every, s)
    if not isinstance(found, Absent):
        return found
    files = frozenset(base_name(block.file) for block in every)
    theirs = [(rows, _named_so(files, rows, table)) for rows, table in s.tables("MPI-IO")]
    # Where the log has lost its names, nothing tells which are theirs.
    known = theirs if any(len(table) for _, table in theirs) else s.tables("MPI-IO")
    if not all(rows.nprocs for rows, _ in known):
        return found
    seconds = sum(time_of_records(table) / ranks_of_mean(s, rows) for rows, table in known)
    return BlockSeconds(seconds, own=False) if seconds > NO_TIME else found


def _named_so(files: frozenset[str], rows: LogRows, table: CounterTable) -> CounterTable:
    mine = [base_name(rows.name_of(record) or "") in files for record in table.ids.tolist()]
    return select_rows(table, np.array(mine, np.bool_))


def _declare_time(name: str, labels: tuple[str, ...], printed: str, title: str) -> None:
    of_whom = "; average over the ranks that write" if name == "file_write" else ""

    @metric(
        f"timers.{name}_time",
        title if name == "file_write" else f"{title}, of the mean rank",
        "s",
        about=About(direction=_direction_of(name)),
        formula=f"timers.total_time × timers.{name}_fraction; of blocks without seconds, of the mean rank's time in "
        f"MPI-IO on their files by Darshan{of_whom}",
        needs=f"{NEEDS_BOTH}, or a Darshan log beside them",
        unless=no_timers,
    )
    def time(s: Selection) -> Outcome:
        blocks, every = _printing(s, name), timed_blocks(s)
        if isinstance(every, Absent):
            return every
        if isinstance(blocks, Absent):
            return blocks
        took, share = _seconds_of_all(s, every), _share(s, name, labels)
        if isinstance(took, Absent):
            return took
        if share is None:
            return _not_printed(blocks[0], printed)
        phases = [(b, [p for p in b.block.phases if p.label in labels]) for b in blocks[:MOST_LINES]]
        where = joined(*(joined(_where(block, rows), _of_seconds(block)) for block, rows in phases))
        least = perhaps_in_turn(s)
        sure: Confidence = "measured" if took.own else "inferred"
        return Value(took.seconds * share, sure, where, "lower" if least else None)


IN_SECONDS = ("imbalance", "wait_for_coll", "data_send", "data_receive", "file_write")
"""Phases that findings take the seconds of."""

for _name, _labels, _printed, _title in FRACTIONS:
    if _name in IN_SECONDS:
        _declare_time(_name, _labels, _printed, _title)


@metric(
    "timers.writing_ranks",
    "Ranks that write the file",
    "ranks",
    about=About(direction="write"),
    formula=f"`number of ranks writing`, {LEADING}",
    needs=NEEDS,
    of=leading_timers,
)
def writing_ranks(block: TimersBlock) -> Outcome:
    b = block.block
    if b.direction == "read":
        return OF_READS
    if b.active_ranks is None:
        return Absent(f"the MPICH_MPIIO_TIMERS block of {block.file} does not print `number of ranks writing`")
    return Value(b.active_ranks, where=block.at(b.line_of("number of ranks writing")))


@_metric_of_timers(
    "timers.weight",
    "Weight of the timed files in the job's I/O",
    "share",
    about=About(time=True),
    formula="group.weight; where it is absent, the share of these files in the totals of all TIMERS blocks of all "
    "ranks; 1 for the job",
)
def timers_weight(s: Selection) -> Outcome:
    block = leading_timers(s)
    if isinstance(block, Absent):
        return block
    if s.job is None:
        return Value(1.0)
    by_all_sources = outcome(s, "group.weight")
    if isinstance(by_all_sources, Value):
        return by_all_sources
    mine, every = (sum(ticks_that_pass(all_rank_blocks(of), of)) for of in (s, s.job))
    return Value(mine / every) if every else Absent("the MPICH_MPIIO_TIMERS blocks print no total or no time scale")


def _of_seconds(block: TimersBlock) -> tuple[Where, ...]:
    """The lines that make seconds: bytes, bandwidth, or the row in seconds, and the total that they are of."""
    b = block.block
    label = "net write BW (MiB/s)" if b.direction == "write" else "net read BW (MiB/s)"
    bytes_at = place(block.stats, "total bytes for accesses") if block.stats is not None else ()
    printed = printed_seconds(b) if block.stats is None else None
    by = block.at(b.line_of(label) if printed is None else printed.line)
    return joined(bytes_at, by, block.at(b.line_of("total")))
