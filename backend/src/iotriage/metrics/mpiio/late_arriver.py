"""Whether a few ranks come late to collective calls: they spend far less time in them than all others, which wait."""

from __future__ import annotations

import numpy as np

from iotriage.metrics.core.about import About
from iotriage.metrics.core.families import MetricsOf
from iotriage.metrics.core.metric import NO_TIME, Absent, Value, Where
from iotriage.metrics.core.selection import LogRows, Selection, select_rows
from iotriage.metrics.core.selection_cache import cached_per_selection
from iotriage.metrics.tables.files.pairs import file_pairs
from iotriage.metrics.tables.rank_times import known_seconds, longest_possible_of_a_rank, rank_times
from iotriage_parsers.evidence import CounterTable
from iotriage_parsers.evidence.darshan import Float64s
from iotriage_parsers.frozen import frozen


@frozen
class LateArriver:
    """The rank that is in the calls for the shortest time, `seconds`, and the mean rank's, `mean_s`; `share` of the
    ranks would have to be as quick, the others all alike, for the variance that the log has. `below_s` is what the
    slowest rank has in the system calls below; `source` is the log's."""

    source: int
    rank: int
    seconds: float
    mean_s: float
    share: float
    below_s: float
    where: tuple[Where, ...]


@cached_per_selection
def late_arriver(s: Selection) -> LateArriver | Absent:
    pairs = file_pairs(s)
    if isinstance(pairs, Absent):
        return pairs
    found = [one for rows, above, below in pairs if (one := _of_log(rows, above, below)) is not None]
    if not found:
        return Absent("in no file that all ranks share is one of them far quicker in the calls of MPI-IO")
    return max(found, key=lambda one: one.mean_s - one.seconds)


def _of_log(rows: LogRows, above: CounterTable, below: CounterTable) -> LateArriver | None:
    """Of the files whose quickest rank is that which is quickest by most seconds in all."""
    ranks = rows.nprocs or 1
    if ranks < FEW:
        return None
    files = [_reduced(above, ranks), _of_own_records(above, ranks)]
    quickest, mean, least, variance = (np.concatenate(column) for column in zip(*files, strict=True))
    apart = mean - least
    usable = (quickest >= 0) & (apart > NO_TIME)
    if not usable.any():
        return None
    waited = np.bincount(quickest[usable].astype(np.int64), apart[usable])
    rank = int(waited.argmax())
    its = usable & (quickest == rank)
    seconds = float(apart[its].sum())
    if seconds < A_MOMENT_S:
        return None
    # k of n ranks that are d quicker than the others: the mean is k·d/n below these, the variance k/n·(1 − k/n)·d².
    over = variance[its] / apart[its] ** 2
    share = float((over / (1 + over) * apart[its]).sum()) / seconds
    counter = "MPIIO_F_FASTEST_RANK_TIME"
    return LateArriver(
        rows.source,
        rank,
        float(mean.sum()) - seconds,
        float(mean.sum()),
        share,
        longest_possible_of_a_rank((below,), rows.nprocs),
        rows.where(above, counter) if (above.ranks < 0).any() else (),
    )


_Files = tuple[Float64s, Float64s, Float64s, Float64s]
"""Of each file the rank that is quickest, the mean seconds, those of that rank, and the variance over the ranks."""


def _reduced(above: CounterTable, ranks: int) -> _Files:
    table = select_rows(above, above.ranks < 0)
    return (
        table.count("MPIIO_FASTEST_RANK").astype(np.float64),
        rank_times(table) / ranks,
        known_seconds(table.seconds("MPIIO_F_FASTEST_RANK_TIME")),
        np.nan_to_num(table.seconds("MPIIO_F_VARIANCE_RANK_TIME")),
    )


NEARLY_ALL = 0.9
"""Of the ranks, from which those that have records of their own of a file are as good as all."""


def _of_own_records(above: CounterTable, ranks: int) -> _Files:
    """The same of files of which nearly all ranks have records of their own, as where they are not reduced, or where a
    rank does not open them."""
    own = select_rows(above, above.ranks >= 0)
    own = select_rows(own, own.by_id.records[own.by_id.index] >= NEARLY_ALL * ranks)
    known, took = own.by_id, rank_times(own)
    mean = np.bincount(known.index, took, len(known.ids)) / known.records
    variance = np.bincount(known.index, (took - mean[known.index]) ** 2, len(known.ids)) / known.records
    # The quickest of each file stands first.
    order = np.lexsort((took, known.index))
    first = order[np.cumsum(known.records) - known.records]
    return own.ranks[first].astype(np.float64), mean, took[first], variance


A_MOMENT_S = 0.1
"""Seconds by which a rank is in the calls for a shorter time by chance."""

FEW = 8
"""Ranks below which one is not few."""

FEW_LATE, AT_WORK_LEAST = 0.10, 0.5
"""Share of the ranks up to which those that are quick come late, and the time of the quickest over that of the storage
from which it takes part: the defaults of the thresholds by which `wait-for-coll` judges."""


def waiting_fraction(s: Selection) -> float:
    """Share of the mean rank's time in MPI-IO in which it waits for few late ranks; 0 where none is seen to be late."""
    found = late_arriver(s)
    if isinstance(found, Absent) or found.share > FEW_LATE or found.seconds < AT_WORK_LEAST * found.below_s:
        return 0.0
    return (found.mean_s - found.seconds) / found.mean_s


_metrics_of_late_arriver = MetricsOf(
    late_arriver, needs="a Darshan log with shared MPI-IO records of eight ranks or more"
)
_metrics_of_late_arriver.value(
    "mpiio.late_arriver_rank",
    "Rank that comes last to the MPI-IO calls",
    "1",
    lambda found: Value(found.rank, "inferred", found.where),
    formula="the MPIIO_FASTEST_RANK that lies farthest below the mean in all, over the files that all ranks share; of "
    f"those of which {NEARLY_ALL:.0%} of the ranks have records of their own, the rank with least of their seconds",
)
_metrics_of_late_arriver.value(
    "mpiio.late_arrivers_fraction",
    "Share of the ranks that come about as late to the MPI-IO calls",
    "share",
    lambda found: Value(found.share, "inferred", found.where),
    about=About(time=True),
    formula="v / (1 + v), v = MPIIO_F_VARIANCE_RANK_TIME / (mean − MPIIO_F_FASTEST_RANK_TIME)², over the files of "
    "mpiio.late_arriver_rank: as if all others took alike",
)
_metrics_of_late_arriver.value(
    "mpiio.late_arriver_wait",
    "Time of the mean rank in MPI-IO calls before the last rank comes",
    "s",
    lambda found: Value(found.mean_s - found.seconds, "inferred", found.where),
    formula="seconds of the mean rank in MPI-IO − those of mpiio.late_arriver_rank; of shared files",
)
_metrics_of_late_arriver.value(
    "mpiio.late_arriver_wait_fraction",
    "Share of the mean rank's MPI-IO time before the last rank comes",
    "share",
    lambda found: Value((found.mean_s - found.seconds) / found.mean_s, "inferred", found.where),
    about=About(time=True),
    formula="mpiio.late_arriver_wait / seconds of the mean rank in MPI-IO; of shared files",
)
_metrics_of_late_arriver.value(
    "mpiio.late_arriver_to_posix_time",
    "MPI-IO time of the rank that comes last over its time in system calls",
    "ratio",
    lambda found: (
        Absent("the POSIX timers show no time")
        if found.below_s < NO_TIME
        else Value(found.seconds / found.below_s, "inferred", found.where)
    ),
    about=About(time=True),
    formula="seconds of mpiio.late_arriver_rank in MPI-IO / POSIX seconds of the slowest rank on the same files",
)
