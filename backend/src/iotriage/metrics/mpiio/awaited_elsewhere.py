"""What the rank that comes last to collective calls does in other files, as long as all others wait for it."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from iotriage.metrics.core.metric import NO_TIME, Absent, Outcome, Value
from iotriage.metrics.core.prefix import PREFIX
from iotriage.metrics.core.registry import metric
from iotriage.metrics.core.selection import LogRows, Selection, unique_inverse
from iotriage.metrics.core.selection_cache import cached_per_selection
from iotriage.metrics.mpiio.late_arriver import late_arriver
from iotriage.metrics.tables.files.alone import alone_time
from iotriage.metrics.tables.files.names import file_named
from iotriage.metrics.tables.rank_times import known_seconds, rank_times
from iotriage_parsers.evidence import CounterTable
from iotriage_parsers.frozen import frozen

MOSTLY = 0.5
"""Of the waiting, from which the rank's seconds in other files are what the others wait for."""

NEEDS = "a Darshan log with shared MPI-IO records of eight ranks or more"


@frozen
class AwaitedElsewhere:
    """The `rank` that is awaited, and the `seconds` of the waiting that it is in other files; the longest of these."""

    rank: int
    seconds: float
    file: Outcome


@cached_per_selection
def awaited_elsewhere(s: Selection) -> AwaitedElsewhere | Absent:
    late = late_arriver(s)
    if isinstance(late, Absent):
        return late
    rows = next(rows for rows in s.whole.logs if rows.source == late.source)
    waits = late.mean_s - late.seconds
    spent = _beyond_others(rows, late.rank) + sum(took for took, _ in _named_slowest(rows, late.rank))
    longest = max([*_longest_own(rows, late.rank), *_named_slowest(rows, late.rank)], default=None)
    if longest is None or spent < MOSTLY * waits:
        return Absent("the rank that comes last does not spend as long in other files")
    return AwaitedElsewhere(late.rank, min(spent, waits), file_named(rows, longest[1]))


def _beyond_others(rows: LogRows, rank: int) -> float:
    """Seconds of the rank in files of which it has a record of its own, beyond what the mean of the others has in
    theirs; 0 where another has more."""
    own = [(t.ranks[mine], rank_times(t)[mine]) for t in rows.highest for mine in [t.ranks >= 0]]
    if not own:
        return 0.0
    ranks, index = unique_inverse(np.concatenate([ranks for ranks, _ in own]))
    took = np.bincount(index, np.concatenate([times for _, times in own]), len(ranks))
    its = float(took[ranks == rank].sum())
    if its < float(took.max(initial=0.0)):
        return 0.0
    return its - (float(took.sum()) - its) / max(1, (rows.nprocs or 2) - 1)


def _longest_own(rows: LogRows, rank: int) -> Iterator[tuple[float, int]]:
    """Of each layer the rank's longest file, its seconds first."""
    for table in rows.highest:
        took = np.where(table.ranks == rank, rank_times(table), 0.0)
        if len(took) and float(took.max()) > NO_TIME:
            yield _at(table, took)


def _named_slowest(rows: LogRows, rank: int) -> list[tuple[float, int]]:
    """Files that all ranks share and in which it is the slowest, each with the seconds beyond the mean: not those of
    MPI-IO, where ranks wait for one another."""
    found = []
    for table in rows.highest:
        number = f"{PREFIX[table.module]}_SLOWEST_RANK"
        if table.module == "MPI-IO" or number not in table.int_names or not rows.nprocs:
            continue
        slowest = known_seconds(table.seconds(f"{PREFIX[table.module]}_F_SLOWEST_RANK_TIME"))
        beyond = slowest - rank_times(table) / rows.nprocs
        mine = (table.ranks < 0) & (table.count(number) == rank) & (beyond > NO_TIME)
        found += list(zip(beyond[mine].tolist(), table.ids[mine].tolist(), strict=True))
    return found


def _at(table: CounterTable, took: np.ndarray[tuple[int], np.dtype[np.float64]]) -> tuple[float, int]:
    at = int(took.argmax())
    return float(took[at]), int(table.ids[at])


@metric(
    "mpiio.awaited_elsewhere",
    "Time that the others wait in MPI-IO calls for a rank that is in other files",
    "s",
    formula="of mpiio.late_arriver_rank: its seconds in files of which it has a record of its own, beyond the mean of "
    "what the others have in theirs, where it has most, and beyond the mean in files that all share and that name it "
    f"as the slowest, but not of MPI-IO; at most mpiio.late_arriver_wait, absent below {MOSTLY:.0%} of it",
    needs=NEEDS,
    of=awaited_elsewhere,
)
def mpiio_awaited_elsewhere(found: AwaitedElsewhere) -> Outcome:
    return Value(found.seconds, "inferred")


@metric(
    "mpiio.awaited_file",
    "File in which a rank is while the others wait for it in MPI-IO calls",
    "word",
    formula="that in which the rank of mpiio.awaited_elsewhere spends most of it",
    needs=NEEDS,
    of=awaited_elsewhere,
)
def awaited_file(found: AwaitedElsewhere) -> Outcome:
    return found.file


@metric(
    "mpiio.awaited_alone",
    "Time that the others wait in MPI-IO calls for the rank that is in files that it alone uses",
    "s",
    formula="mpiio.awaited_elsewhere, at most balance.alone_time, where that is of the same rank",
    needs=NEEDS,
    scopes=["job"],
)
def awaited_alone(s: Selection) -> Outcome:
    found, alone = awaited_elsewhere(s), alone_time(s)
    if isinstance(found, Absent):
        return found
    if isinstance(alone, Absent) or alone.rank != found.rank:
        return Absent("the rank that comes last has no files that it alone uses")
    return Value(min(found.seconds, alone.seconds), "inferred")
