"""How evenly the ranks that move a collective file's bytes share the time at the layer that touches the storage.

In a collective call every rank takes as long as the slowest: at the layer of MPI-IO all look alike. Below it only the
ranks that move the bytes are busy, and one of them may keep all others waiting.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from iotriage.metrics.core.about import About
from iotriage.metrics.core.by_file import summed
from iotriage.metrics.core.families import MetricsOf
from iotriage.metrics.core.metric import NO_TIME, Absent, Outcome, Value
from iotriage.metrics.core.outcomes import quotient
from iotriage.metrics.core.registry import metric, outcome
from iotriage.metrics.core.selection import LogRows, Selection, of_files, own_records, select_rows, unique_inverse
from iotriage.metrics.core.selection_cache import cached_per_log, cached_per_selection
from iotriage.metrics.tables.counters import no_table
from iotriage.metrics.tables.files.names import file_named, path_of
from iotriage.metrics.tables.files.shared import movers as movers_of
from iotriage.metrics.tables.files.shared import movers_of_variance
from iotriage.metrics.tables.nodes import ALL_OF_A_NODE, node_of_all
from iotriage.metrics.tables.outliers import ALIKE, FEW, slow_outliers
from iotriage.metrics.tables.rank_times import MOST, known_seconds, lacks_slowest_rank, rank_times
from iotriage.metrics.tables.stages import over_stages
from iotriage.metrics.tables.steps import steps_with_io
from iotriage.metrics.tables.unseen_time import posted_files
from iotriage.metrics.tables.unstated_ranks import ranks_not_stated
from iotriage_parsers.evidence import CounterTable
from iotriage_parsers.evidence.darshan import Float64s
from iotriage_parsers.frozen import frozen

NOT_BY_RANK = "of a file that all ranks share, the calls of single ranks are not recorded"

FEWEST = 4.0
"""Ranks from which a mean says something."""

MOST_FILES = 64
"""Files looked at in a log, those with most time."""


@frozen
class StorageTime:
    """One file below MPI-IO. `slowest_s` and `mean_s` are seconds of the `slowest` rank, and of the mean over the
    `movers` that shared the bytes; `slowest_bytes` what the slowest moved, over the mean. `everybody_s` all ranks take,
    whether they move the bytes or not; `next_s` is the most that the slowest of the other movers can have taken.
    `calls` are those of the slowest, `other_calls` the mean of the other movers; None where ranks have no records of
    their own. Where they have, `slow` are the ranks that are about as slow as the slowest, which `next_s` leaves out,
    and `busy` all that move as much as the others, with their seconds, bytes and calls."""

    rows: LogRows
    record: int
    slowest: int
    movers: float
    slowest_s: float
    mean_s: float
    slowest_bytes: float
    everybody_s: float
    next_s: float
    calls: int | None = None
    other_calls: float | None = None
    slow: tuple[int, ...] = ()
    busy: tuple[int, ...] = ()
    busy_s: tuple[float, ...] = ()
    busy_bytes: tuple[int, ...] = ()
    busy_calls: tuple[int, ...] = ()


@cached_per_selection
def worst_file(s: Selection) -> StorageTime | Absent:
    """The file in which most seconds pass between the mean and the slowest of the ranks that move its bytes."""
    found = files_below(s)
    return found if isinstance(found, Absent) else max(found, key=lambda one: one.slowest_s - one.mean_s)


@cached_per_selection
def files_below(s: Selection) -> tuple[StorageTime, ...] | Absent:
    """The longest files below MPI-IO whose bytes several ranks move."""
    if not s.tables("POSIX"):
        return no_table(s, "POSIX")
    if (unknown := ranks_not_stated(s)) is not None:
        return unknown
    found = tuple(one for rows in steps_with_io(s) for one in _files(rows))
    return found or Absent(f"no file below MPI-IO has its bytes moved by {FEWEST:.0f} ranks or more, with their times")


@frozen
class Waited:
    """Seconds that ranks wait for one rank in all files in which it is the slowest: in all, at most for the next slow
    one instead, and within their calls of MPI-IO."""

    seconds: float
    next_s: float
    within_s: float


@cached_per_selection
def waited(s: Selection) -> Waited | Absent:
    """For the slowest rank of the worst file, and those about as slow there: where others are the slowest in other
    files, or one that is not named, it is not that rank which is slow."""
    worst, found = worst_file(s), files_below(s)
    if isinstance(worst, Absent):
        return worst
    if isinstance(found, Absent):
        return found
    slow = {worst.slowest, *worst.slow}
    mine = [one for one in found if one is worst or (one.slowest >= 0 and one.slowest in slow)]

    def over(seconds: Callable[[StorageTime], float]) -> float:
        return over_stages(s, [(one.rows, max(0.0, seconds(one))) for one in mine])

    return Waited(
        over(lambda one: one.slowest_s - one.mean_s),
        over(lambda one: one.next_s - one.mean_s),
        over(lambda one: one.slowest_s - one.mean_s - _beyond_above(one)),
    )


def _files(rows: LogRows) -> list[StorageTime]:
    below = _below(rows)
    if below is None:
        return []
    reduced = np.where(below.ranks < 0, known_seconds(below.seconds("POSIX_F_SLOWEST_RANK_TIME")), 0.0)
    found = [_of_reduced(rows, below, at) for at in _largest(reduced)]
    own = own_records(below)
    if len(own):
        took = np.bincount(own.by_id.index, rank_times(own))
        several = _largest(np.where(own.by_id.records > 1, took, 0.0))
        found += [_of_ranks(rows, select_rows(own, own.by_id.index == at), int(own.by_id.ids[at])) for at in several]
    return [one for one in found if one is not None and one.movers >= FEWEST and one.mean_s > NO_TIME]


@cached_per_log
def _below(rows: LogRows) -> CounterTable | None:
    """Its POSIX records of files below MPI-IO whose calls MPI-IO waits for."""
    below = rows.posix_below_mpiio
    if below is None or not len(below) or "POSIX" in rows.cut:
        return None
    return select_rows(below, ~of_files(below, posted_files(rows)))


def _lacks_movers(rows: LogRows) -> bool:
    """Whether reduced records below MPI-IO, with most of the seconds there, have no variance of the bytes: who moved
    them is not known."""
    below = _below(rows)
    if below is None:
        return False
    without_variance = (below.ranks < 0) & ~np.isfinite(below.seconds("POSIX_F_VARIANCE_RANK_BYTES"))
    took = rank_times(below)
    return bool(took[without_variance].sum() > NO_TIME and took[without_variance].sum() >= MOST * took.sum())


@metric(
    "balance.ranks_uncounted",
    "Whether records of all ranks lack the figures of single ones",
    "word",
    formula="no where they have F_SLOWEST_RANK_TIME at the highest layer, and that and F_VARIANCE_RANK_BYTES below "
    "MPI-IO, or few of the seconds pass in those that have not; else absent, since nobody knows whether a rank was "
    "slower than others",
    needs="any source",
    where_lacking="judged",
    scopes=["job"],
)
def ranks_uncounted(s: Selection) -> Outcome:
    if any(lacks_slowest_rank(rows.highest) for rows in s.logs):
        return Absent("records of all ranks do not say how long the slowest took")
    if any((below := _below(rows)) is not None and lacks_slowest_rank((below,)) for rows in s.logs):
        return Absent("records of all ranks below MPI-IO do not say how long the slowest took")
    if any(map(_lacks_movers, s.logs)):
        return Absent("records of all ranks below MPI-IO do not say how many of them moved the bytes")
    return Value("no")


def _largest(took: Float64s) -> list[int]:
    """Where the longest times are: in others nobody waits as long."""
    most = np.argsort(-took, kind="stable")[:MOST_FILES]
    return [at for at in most.tolist() if took[at] > NO_TIME]


def _of_reduced(rows: LogRows, table: CounterTable, at: int) -> StorageTime | None:
    one = select_rows(table, np.arange(len(table)) == at)
    n, moved = rows.nprocs, int(_bytes(one)[0])
    slowest = float(one.seconds("POSIX_F_SLOWEST_RANK_TIME")[0])
    variance = float(one.seconds("POSIX_F_VARIANCE_RANK_BYTES")[0])
    theirs = max(0, int(one.count("POSIX_SLOWEST_RANK_BYTES")[0]))
    movers = None if n is None else movers_of_variance(moved, variance, theirs, n)
    if movers is None or movers < FEWEST or not np.isfinite(slowest) or slowest < NO_TIME:
        return None
    fastest = min(slowest, float(known_seconds(one.seconds("POSIX_F_FASTEST_RANK_TIME"))[0]))
    every, nprocs = float(rank_times(one)[0]), rows.nprocs or 1
    beyond = max(0.0, every - nprocs * fastest)
    mean = min(slowest, fastest + beyond / movers)
    of_time = float(one.seconds_as_recorded("POSIX_F_VARIANCE_RANK_TIME")[0])
    squares = nprocs * max(0.0, of_time) + beyond * beyond / nprocs
    # Without a variance another may have taken as long.
    following = fastest + _next(beyond, squares, slowest - fastest, movers) if np.isfinite(of_time) else slowest
    return StorageTime(
        rows=rows,
        record=int(one.ids[0]),
        slowest=int(one.as_recorded("POSIX_SLOWEST_RANK")[0]),
        movers=movers,
        slowest_s=slowest,
        mean_s=mean,
        slowest_bytes=theirs * movers / moved,
        everybody_s=fastest,
        next_s=min(slowest, following),
    )


def _next(every: float, squares: float, slowest: float, movers: float) -> float:
    """The most that the second of `movers` can have, whose sum is `every` and whose sum of squares is `squares`, beside
    the slowest: their mean and as far above it as one of them can lie."""
    others = movers - 1
    mean = max(0.0, every - slowest) / others
    variance = max(0.0, (squares - slowest * slowest) / others - mean * mean)
    return mean + math.sqrt(variance * max(0.0, others - 1))


def _of_ranks(rows: LogRows, table: CounterTable, record: int) -> StorageTime | None:
    ranks, index = unique_inverse(table.ranks)
    amounts = summed([_bytes(table)], index, len(ranks)).tolist()
    movers, took = movers_of(amounts), np.bincount(index, rank_times(table))
    if movers < FEWEST:
        return None
    slowest = int(took.argmax())
    everybody = float(took.min()) if len(ranks) == rows.nprocs else 0.0
    mean = min(float(took[slowest]), everybody + float((took - everybody).sum()) / movers)
    busy = np.array(amounts) >= ALIKE * max(amounts)
    slow = np.arange(len(ranks)) == slowest
    if busy[slowest]:
        slow[busy] |= slow_outliers(took[busy])
    following = float(took[~slow].max(initial=0.0))
    share = amounts[slowest] * movers / sum(amounts)
    made = np.bincount(index, _calls(table), minlength=len(ranks))
    others = np.delete(np.where(np.array(amounts) > 0, made, 0), slowest)
    return StorageTime(
        rows=rows,
        record=record,
        slowest=int(ranks[slowest]),
        movers=float(movers),
        slowest_s=float(took[slowest]),
        mean_s=mean,
        slowest_bytes=share,
        everybody_s=everybody,
        next_s=following,
        calls=int(made[slowest]),
        other_calls=float(others.sum()) / max(1, int((others > 0).sum())),
        slow=tuple(ranks[slow].tolist()),
        busy=tuple(ranks[busy].tolist()),
        busy_s=tuple(took[busy].tolist()),
        busy_bytes=tuple(np.array(amounts)[busy].tolist()),
        busy_calls=tuple(made[busy].astype(np.int64).tolist()),
    )


def _calls(table: CounterTable) -> np.ndarray[tuple[int], np.dtype[np.int64]]:
    return np.maximum(table.count("POSIX_READS"), 0) + np.maximum(table.count("POSIX_WRITES"), 0)


def _bytes(table: CounterTable) -> np.ndarray[tuple[int], np.dtype[np.int64]]:
    return np.maximum(table.count("POSIX_BYTES_READ"), 0) + np.maximum(table.count("POSIX_BYTES_WRITTEN"), 0)


_metrics_of_worst_file = MetricsOf(worst_file, needs="a Darshan log with MPI-IO and POSIX records", scopes=["job"])


@_metrics_of_worst_file(
    "balance.storage_time",
    "Time in the storage of the slowest rank over the mean of those that move the bytes",
    "ratio",
    about=About(time=True, seen_below=True),
    formula="of the file below MPI-IO that loses most by it: seconds of its slowest rank in POSIX calls / (seconds of "
    f"all ranks / ranks that move the bytes, the busiest as one of them, at least {FEWEST:.0f}), each beyond the "
    "fastest rank's, which all take",
)
def storage_time(found: StorageTime) -> Outcome:
    table, counter = found.rows.posix, "POSIX_F_SLOWEST_RANK_TIME"
    where = () if table is None else found.rows.where(table, counter, record=found.record)
    mean = found.mean_s - found.everybody_s
    if mean < NO_TIME:
        return Absent("no rank takes longer in the file than all do")
    return Value((found.slowest_s - found.everybody_s) / mean, "inferred", where)


_metrics_of_waited = MetricsOf(waited, needs="a Darshan log with MPI-IO and POSIX records", scopes=["job"])
_metrics_of_waited.value(
    "balance.storage_waiting_time",
    "Time that the ranks which move the bytes wait for the slowest of them",
    "s",
    lambda found: Value(found.seconds, "inferred"),
    formula="of the file of balance.storage_time: seconds of its slowest rank − the mean; with those of every other of "
    f"the {MOST_FILES} longest files of a log in which that rank is the slowest",
)
_metrics_of_waited.value(
    "balance.storage_waiting_within",
    "Time that all ranks wait for the slowest within their MPI-IO calls",
    "s",
    lambda found: Value(found.within_s, "inferred"),
    formula="balance.storage_waiting_time − what the slowest rank takes in MPI-IO beyond the mean, in the same files: "
    "nobody waits within a call for what it does outside of that",
)


def _beyond_above(found: StorageTime) -> float:
    """Seconds of the slowest rank in MPI-IO beyond the mean of those that use the file."""
    above = found.rows.mpiio
    mine = None if above is None else select_rows(above, above.ids == found.record)
    if mine is None or not len(mine):
        return 0.0
    reduced = mine.ranks < 0
    if reduced.any():
        slowest = float(known_seconds(mine.seconds("MPIIO_F_SLOWEST_RANK_TIME"))[reduced][0])
        return max(0.0, slowest - float(rank_times(mine)[reduced][0]) / (found.rows.nprocs or 1))
    ranks, index = unique_inverse(mine.ranks)
    took = np.bincount(index, rank_times(mine), minlength=len(ranks))
    return float(took.max() - took.mean())


_metrics_of_waited.value(
    "balance.storage_next_waiting_time",
    "Time that the others would wait for the next slowest rank, at most",
    "s",
    lambda found: Value(found.next_s, "inferred"),
    formula="of the files of balance.storage_waiting_time: the most seconds that another of the ranks that move the "
    "bytes can have taken, by the variance of the ranks' times, − the mean",
)


@metric(
    "balance.storage_waiting_fraction",
    "Share of the I/O time in which the ranks that move the bytes wait for the slowest of them",
    "share",
    about=About(time=True, seen_below=True),
    formula="balance.storage_waiting_time / job.io_time, at most 1",
    needs="a Darshan log with MPI-IO and POSIX records",
    scopes=["job"],
)
def storage_waiting_fraction(s: Selection) -> Outcome:
    return quotient(
        outcome(s, "balance.storage_waiting_time"),
        outcome(s, "job.io_time"),
        zero="the timers show no I/O time",
        confidence="inferred",
        at_most=1.0,
    )


_metrics_of_worst_file.value(
    "balance.storage_bytes",
    "Bytes of the slowest rank over the mean of those that move the bytes",
    "ratio",
    lambda found: Value(found.slowest_bytes, "inferred"),
    about=About(time=False),
    formula="of the file of balance.storage_time: bytes of its slowest rank / (bytes / ranks that move them)",
)
_metrics_of_worst_file.value(
    "balance.storage_ranks",
    "Ranks among which the slowest in the storage stands out",
    "ranks",
    lambda found: Value(found.movers, "inferred"),
    formula="of the file of balance.storage_time: the ranks that move its bytes, the busiest as one of them",
)


@metric(
    "balance.storage_slow_ranks",
    "Ranks about as slow in the storage as the slowest",
    "ranks",
    formula="of the file of balance.storage_time: ranks with at least "
    f"{ALIKE:.0%} of the most bytes whose seconds lie nearer to the slowest's than to the median, where no more than "
    f"{FEW:.0%} of them do, else the slowest",
    needs="a Darshan log with MPI-IO and POSIX records, one a rank",
    scopes=["job"],
    of=worst_file,
)
def storage_slow_ranks(found: StorageTime) -> Outcome:
    return Value(len(found.slow), "inferred") if found.slow else Absent(NOT_BY_RANK)


@metric(
    "balance.storage_slow_node",
    "Node on which all ranks are that are slow in the storage",
    "word",
    formula="the node of all ranks of balance.storage_slow_ranks, where these are two or more, and at least "
    f"{ALL_OF_A_NODE:.0%} of those there that move the bytes",
    needs="a Darshan log with one record a rank, and the nodes of the ranks",
    scopes=["job"],
)
def storage_slow_node(s: Selection) -> Outcome:
    found = worst_file(s)
    return found if isinstance(found, Absent) else node_of_all(s, found.rows, found.slow, found.busy)


_metrics_of_worst_file.value(
    "balance.storage_file",
    "File in which one rank keeps the others waiting",
    "word",
    lambda found: file_named(found.rows, found.record),
    formula="the file of balance.storage_time",
)
_metrics_of_worst_file.value(
    "balance.storage_file_path",
    "Path of the file in which one rank keeps the others waiting",
    "word",
    lambda found: path_of(found.rows, found.record),
    formula="all of the path of balance.storage_file",
)


@metric(
    "balance.storage_calls",
    "Calls of the rank that keeps the others waiting in the storage",
    "calls",
    formula="of the file of balance.storage_time: POSIX_READS + POSIX_WRITES of its slowest rank",
    needs="a Darshan log with MPI-IO and POSIX records, one a rank",
    scopes=["job"],
    of=worst_file,
)
def storage_calls(found: StorageTime) -> Outcome:
    return Absent(NOT_BY_RANK) if found.calls is None else Value(found.calls, "inferred")


@metric(
    "balance.storage_calls_over_others",
    "Calls of the rank that keeps the others waiting over those of the others that move bytes",
    "ratio",
    about=About(time=False),
    formula="balance.storage_calls / the mean of POSIX_READS + POSIX_WRITES over the other ranks that move bytes",
    needs="a Darshan log with MPI-IO and POSIX records, one a rank",
    scopes=["job"],
    of=worst_file,
)
def storage_calls_over_others(found: StorageTime) -> Outcome:
    if found.calls is None or found.other_calls is None:
        return Absent(NOT_BY_RANK)
    if not found.other_calls:
        return Absent("no other rank made calls")
    return Value(found.calls / found.other_calls, "inferred")
