"""What the rank that comes last to collective calls does in other files, as long as all others wait for it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from iotriage.metrics.core.metric import NO_TIME, Absent, Outcome, Value
from iotriage.metrics.core.prefix import PREFIX
from iotriage.metrics.core.registry import metric
from iotriage.metrics.core.selection import LogRows, Selection, unique_inverse
from iotriage.metrics.core.selection_cache import cached_per_selection
from iotriage.metrics.mpiio.late_arriver import late_arriver, waiting_fraction
from iotriage.metrics.tables.files.alone import alone_time
from iotriage.metrics.tables.files.names import file_named
from iotriage.metrics.tables.rank_times import beyond_mean, rank_times, timer
from iotriage.metrics.tables.timestamps import first_at, last_at
from iotriage_parsers.evidence import CounterTable
from iotriage_parsers.evidence.darshan import Float64s
from iotriage_parsers.frozen import frozen

MOSTLY = 0.5
"""Of the waiting, from which the rank's seconds in other files are what the others wait for."""
SOME = 0.1
"""Of the time in the calls, from which ranks may wait in those of a kind."""
SPANS: Final = {
    "READ_TIME": ("READ_START", "READ_END"),
    "WRITE_TIME": ("WRITE_START", "WRITE_END"),
    "META_TIME": ("OPEN_START", "CLOSE_END"),
}
"""Of each timer the moments between which its calls lie."""

NEEDS = "a Darshan log with shared MPI-IO records of eight ranks or more"


@frozen
class LateArriverElsewhere:
    """The `rank` that is awaited, and the `seconds` of the waiting that it is in other files; the longest of these."""

    rank: int
    seconds: float
    file: Outcome


class Span(NamedTuple):
    """Seconds from the start of the job."""

    begin: float
    end: float


@cached_per_selection
def late_arriver_elsewhere(s: Selection) -> LateArriverElsewhere | Absent:
    late = late_arriver(s)
    if isinstance(late, Absent):
        return late
    if waiting_fraction(s) <= 0:
        return Absent("no rank is seen to come late to the calls in which all move the data")
    rows = next(rows for rows in s.whole.logs if rows.source == late.source)
    waits = late.mean_s - late.seconds
    called = _called(rows)
    shared = _named_slowest(rows, late.rank, called)
    spent = _beyond_others(rows, late.rank, called) + sum(took for took, _ in shared)
    longest = max([*_longest_own(rows, late.rank, called), *shared], default=None)
    if longest is None or spent < MOSTLY * waits:
        return Absent("the rank that comes last does not spend as long in other files")
    return LateArriverElsewhere(late.rank, min(spent, waits), file_named(rows, longest[1]))


def _called(rows: LogRows) -> Span:
    """From the first to the last of the MPI-IO calls in which ranks wait for one another; always, where the log has no
    moments of them."""
    begins, ends = list[float](), list[float]()
    for table in rows.highest:
        of_several = ~_of_one_rank(table)
        if table.module != "MPI-IO" or not of_several.any():
            continue
        every = float(rank_times(table)[of_several].sum())
        for counter, (begin, end) in SPANS.items():
            if float(timer(table, counter)[of_several].sum()) >= SOME * every:
                begins.append(float(first_at(table, begin)[of_several].min()))
                ends.append(float(last_at(table, end)[of_several].max()))
    known = bool(begins) and max(begins) < np.inf and min(ends) > 0
    return Span(min(begins), max(ends)) if known else Span(0.0, np.inf)


def _room(table: CounterTable, counter: str, called: Span) -> Float64s:
    """Seconds of each record's calls of this timer that can lie within `called`, infinite where it has no moments."""
    begin, end = first_at(table, SPANS[counter][0]), last_at(table, SPANS[counter][1])
    within = np.maximum(0.0, np.minimum(end, called.end) - np.maximum(begin, called.begin))
    found: Float64s = np.where(np.isfinite(begin) & (end > 0), within, np.inf)
    return found


def _meanwhile(table: CounterTable, called: Span) -> Float64s:
    """Seconds of each record, but what was over before these calls, or came after them: of one that all ranks share no
    rank can have more."""
    found = np.zeros(len(table), np.float64)
    for counter in SPANS:
        found += np.minimum(timer(table, counter), _room(table, counter, called))
    return found


def _beyond_others(rows: LogRows, rank: int, called: Span) -> float:
    """Seconds of the rank in files of which it has a record of its own, beyond what the mean of the others has in
    theirs; 0 where another has more."""
    own = [(t.ranks[mine], _meanwhile(t, called)[mine]) for t in rows.highest for mine in [_of_one_rank(t)]]
    if not own:
        return 0.0
    ranks, index = unique_inverse(np.concatenate([ranks for ranks, _ in own]))
    took = np.bincount(index, np.concatenate([times for _, times in own]), len(ranks))
    its = float(took[ranks == rank].sum())
    if its < float(took.max(initial=0.0)):
        return 0.0
    return its - (float(took.sum()) - its) / max(1, (rows.nprocs or 2) - 1)


def _of_one_rank(table: CounterTable) -> NDArray[np.bool_]:
    """The records of their own that ranks have, but of files that several open through MPI-IO, where they wait for one
    another."""
    of_several = table.by_id.records[table.by_id.index] > 1 if table.module == "MPI-IO" else np.False_
    found: NDArray[np.bool_] = (table.ranks >= 0) & ~of_several
    return found


def _longest_own(rows: LogRows, rank: int, called: Span) -> Iterator[tuple[float, int]]:
    """The rank's longest file of each layer: its seconds, and the record."""
    for table in rows.highest:
        took = np.where((table.ranks == rank) & _of_one_rank(table), _meanwhile(table, called), 0.0)
        if len(took) and float(took.max()) > NO_TIME:
            yield _at(table, took)


def _named_slowest(rows: LogRows, rank: int, called: Span) -> list[tuple[float, int]]:
    """Files that all ranks share and in which it is the slowest, each with the seconds beyond the mean: not those of
    MPI-IO, where ranks wait for one another."""
    found = []
    for table in rows.highest:
        number = f"{PREFIX[table.module]}_SLOWEST_RANK"
        if table.module == "MPI-IO" or number not in table.int_names or not rows.nprocs:
            continue
        beyond = np.minimum(beyond_mean(table, rows.nprocs), _meanwhile(table, called))
        mine = (table.ranks < 0) & (table.count(number) == rank) & (beyond > NO_TIME)
        found += list(zip(beyond[mine].tolist(), table.ids[mine].tolist(), strict=True))
    return found


def _at(table: CounterTable, took: NDArray[np.float64]) -> tuple[float, int]:
    at = int(took.argmax())
    return float(took[at]), int(table.ids[at])


@metric(
    "mpiio.late_arriver_elsewhere",
    "Time that the others wait in MPI-IO calls for a rank that is in other files",
    "s",
    formula="of mpiio.late_arriver_rank, where few come late: its seconds in files of which it has its own record, "
    "beyond the mean of what the others have in theirs, where it has most, and beyond the mean in files that all share "
    "and that name it as the slowest, but not in those of MPI-IO that several ranks open, nor what by its timestamps "
    "was over before the first of the calls of MPI-IO, or came after the last; at most mpiio.late_arriver_wait, absent "
    f"below {MOSTLY:.0%} of it",
    needs=NEEDS,
    of=late_arriver_elsewhere,
)
def mpiio_late_arriver_elsewhere(found: LateArriverElsewhere) -> Outcome:
    return Value(found.seconds, "inferred")


@metric(
    "mpiio.late_arriver_file",
    "File in which a rank is while the others wait for it in MPI-IO calls",
    "word",
    formula="that in which the rank of mpiio.late_arriver_elsewhere spends most of it",
    needs=NEEDS,
    of=late_arriver_elsewhere,
)
def late_arriver_file(found: LateArriverElsewhere) -> Outcome:
    return found.file


@metric(
    "mpiio.late_arriver_alone",
    "Time that the others wait in MPI-IO calls for the rank that is in files that it alone uses",
    "s",
    formula="mpiio.late_arriver_elsewhere, at most balance.alone_time, where that is of the same rank",
    needs=NEEDS,
    scopes=["job"],
)
def late_arriver_alone(s: Selection) -> Outcome:
    found, alone = late_arriver_elsewhere(s), alone_time(s)
    if isinstance(found, Absent):
        return found
    if isinstance(alone, Absent) or alone.rank != found.rank:
        return Absent("the rank that comes last has no files that it alone uses")
    return Value(min(found.seconds, alone.seconds), "inferred")
