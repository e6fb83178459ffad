"""Of files that all ranks use alike, such as the checkpoints of a run: those that took far longer than the others."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from math import isfinite

import numpy as np
from numpy.typing import NDArray

from iotriage.metrics.core.about import About
from iotriage.metrics.core.families import MetricsOf
from iotriage.metrics.core.metric import NO_TIME, Absent, Outcome, Value
from iotriage.metrics.core.missing_evidence import DARSHAN
from iotriage.metrics.core.outcomes import quotient
from iotriage.metrics.core.prefix import prefix_of
from iotriage.metrics.core.registry import metric, outcome
from iotriage.metrics.core.selection import LogRows, Selection, base_name, select_rows
from iotriage.metrics.core.selection_cache import cached_per_selection
from iotriage.metrics.group.slower_files import slower_files
from iotriage.metrics.tables.files.alike import ALIKE, calls_of, first_moved, near_median
from iotriage.metrics.tables.files.names import file_named
from iotriage.metrics.tables.files.outputs import Outputs, outputs_of_ranks
from iotriage.metrics.tables.files.slower import SlowerFiles
from iotriage.metrics.tables.files.slower_by_timers import closes_alike
from iotriage.metrics.tables.outliers import FEW, median
from iotriage.metrics.tables.rank_times import known_seconds, rank_bytes, rank_times
from iotriage.metrics.tables.stages import over_stages, since_first_log
from iotriage_parsers.evidence import CounterTable
from iotriage_parsers.frozen import frozen_identity

FEWEST = 4
"""Files alike, from which one can be told to be unlike the others."""
OVER_MEDIAN = 2.0
"""How many times as long as the median one a file must take to be counted among the slow ones."""

NEEDS = f"a Darshan log with {FEWEST} files that all ranks used alike, or MPICH_MPIIO_TIMERS and _STATS of so many"


@frozen_identity
class SlowFiles:
    """`compared` files alike, of which `slow` took longer: together `beyond_s` more than the median one, `usual_s`,
    each. The slowest, of this `name`, took `took_s`, and began `began_s` after the job; None where that is not known.
    `osts` are those that slow ones lie on, and those of the others; None where the layouts are not known."""

    name: Outcome
    compared: int
    slow: int
    usual_s: float
    took_s: float
    beyond_s: float
    began_s: float | None
    osts: tuple[frozenset[int], frozenset[int]] | None


@cached_per_selection
def slow_files(s: Selection) -> SlowFiles | Absent:
    """Of each log the layer in which they took most beyond the usual: files of two steps are not compared with one
    another, whatever they are called. Where the later ones take longer than the first did, the slowest of them are no
    moment."""
    later = slower_files(s)
    grow = isinstance(later, SlowerFiles) and later.found is not None
    tables = [(rows, table) for rows in s.logs for table in rows.highest]
    every = (
        (rows, of)
        for rows, table in tables
        for of in (_shared(table), outputs_of_ranks(table, FEWEST))
        if of is not None
    )
    found = [(rows, one) for rows, of in every if (one := _compared(s, rows, of, grow)) is not None]
    timed = None if s.logs else _of_timers(s, grow)
    if timed is not None:
        return timed
    if not found:
        return Absent(f"no {FEWEST} files that all ranks used alike were compared", (DARSHAN,))
    return _of_steps(s, found)


def _of_steps(s: Selection, found: Sequence[tuple[LogRows, SlowFiles]]) -> SlowFiles:
    """The slowest of all steps, and how many and how much there is in each."""
    of_logs: dict[int, tuple[LogRows, SlowFiles]] = {}
    for rows, one in found:
        before = of_logs.get(rows.source)
        if before is None or one.beyond_s > before[1].beyond_s:
            of_logs[rows.source] = (rows, one)
    every = [one for _, one in of_logs.values()]
    osts = [one.osts for one in every if one.osts is not None]
    slow, others = (frozenset[int]().union(*(of[i] for of in osts)) for i in range(2))
    return replace(
        max(every, key=lambda one: one.beyond_s),
        compared=sum(one.compared for one in every),
        slow=sum(one.slow for one in every),
        beyond_s=over_stages(s, [(rows, one.beyond_s) for rows, one in of_logs.values()]),
        osts=(slow, others) if len(osts) == len(every) else None,
    )


def _shared(table: CounterTable) -> Outputs | None:
    """The files that all ranks used alike."""
    if len(table) < FEWEST or len(shared := select_rows(table, table.ranks < 0)) < FEWEST:
        return None
    took = known_seconds(shared.seconds(f"{prefix_of(shared)}_F_SLOWEST_RANK_TIME"))
    alike = near_median(rank_bytes(shared)) & near_median(calls_of(shared)) & (took > NO_TIME)
    return Outputs(shared.ids[alike], took[alike], rank_times(shared)[alike], first_moved(shared)[alike])


def _compared(s: Selection, rows: LogRows, of: Outputs, grow: bool) -> SlowFiles | None:
    if len(of.records) < FEWEST:
        return None
    usual = median(of.slowest)
    # One late rank is another matter: the mean one must have taken longer too.
    slow = (of.slowest >= OVER_MEDIAN * usual) & (of.mean >= OVER_MEDIAN * median(of.mean))
    if grow or int(slow.sum()) > FEW * len(of.slowest):
        slow = np.zeros(len(of.slowest), np.bool_)
    slowest = _slowest_of(of.slowest, slow)
    began = float(of.began[slowest])
    return SlowFiles(
        name=file_named(rows, int(of.records[slowest])),
        compared=len(of.slowest),
        slow=int(slow.sum()),
        usual_s=usual,
        took_s=float(of.slowest[slowest]),
        beyond_s=float((of.slowest[slow] - usual).sum()),
        began_s=since_first_log(s, rows.source, began) if isfinite(began) else None,
        osts=None if of.every is not None else _osts(rows, of.records[slow].tolist(), of.records[~slow].tolist()),
    )


def _slowest_of(took: NDArray[np.float64], slow: NDArray[np.bool_]) -> int:
    """The place of the longest of the slow ones: one that only a late rank makes longer is none of them. Of all, where
    none is slow."""
    return int(np.where(slow | ~slow.any(), took, -1.0).argmax())


def _of_timers(s: Selection, grow: bool) -> SlowFiles | None:
    """By what MPICH_MPIIO_TIMERS printed when each was closed: the storage was slow where the ranks that call it took
    longer too."""
    closes = closes_alike(s)
    if len(closes) < FEWEST:
        return None
    seconds, access = (np.array([timed[i] for timed in closes], np.float64) for i in (1, 2))
    usual = median(seconds)
    slow = (seconds >= OVER_MEDIAN * usual) & (access >= OVER_MEDIAN * median(access))
    if grow or int(slow.sum()) > FEW * len(seconds):
        slow = np.zeros(len(seconds), np.bool_)
    slowest = _slowest_of(seconds, slow)
    return SlowFiles(
        name=Value(base_name(closes[slowest][0].file), "inferred"),
        compared=len(seconds),
        slow=int(slow.sum()),
        usual_s=usual,
        took_s=float(seconds[slowest]),
        beyond_s=float((seconds[slow] - usual).sum()),
        began_s=None,
        osts=None,
    )


def _osts(rows: LogRows, slow: list[int], others: list[int]) -> tuple[frozenset[int], frozenset[int]] | None:
    layouts = [[rows.layout_of(record) for record in records] for records in (slow, others)]
    if any(layout is None or not layout.osts for of in layouts for layout in of):
        return None
    theirs, usual = (frozenset(ost for layout in of if layout is not None for ost in layout.osts) for of in layouts)
    return theirs, usual


_metrics_of_slow_files = MetricsOf(slow_files, needs=NEEDS, scopes=["group"])
_metrics_of_slow_files.value(
    "group.slowest_file_times",
    "Time in the slowest file over that in the median one",
    "ratio",
    lambda found: Value(found.took_s / found.usual_s, "inferred") if found.slow else Value(1.0, "inferred"),
    about=About(time=True),
    formula="largest F_SLOWEST_RANK_TIME / median, over group.files_compared; 1 where group.slow_files is 0; without a "
    "log the totals of MPICH_MPIIO_TIMERS",
)


@metric(
    "group.slow_files_fraction",
    "Share of the files' I/O time that a few of them took beyond the others",
    "share",
    about=About(time=True),
    formula=f"seconds beyond the median, of those that took {OVER_MEDIAN:.0f} times as long and are a quarter at most, "
    "over group.io_time",
    needs=NEEDS,
    scopes=["group"],
)
def slow_files_fraction(s: Selection) -> Outcome:
    found = slow_files(s)
    if isinstance(found, Absent):
        return found
    beyond, took = Value(found.beyond_s, "inferred"), outcome(s, "group.io_time")
    return quotient(beyond, took, zero="the files took no time", confidence="inferred", at_most=1.0)


_metrics_of_slow_files.value(
    "group.slow_files",
    "Files that took far longer than similar ones",
    "files",
    lambda found: Value(found.slow, "inferred"),
    formula=f"those that took {OVER_MEDIAN:.0f} times as long as the median of their log, in the slowest rank and in "
    "the mean one, where they are a quarter of its files at most and group.later_times is 1",
)
_metrics_of_slow_files.value(
    "group.files_compared",
    "Similar files that were compared",
    "files",
    lambda found: Value(found.compared, "inferred"),
    formula=f"files that all ranks used, whose bytes and calls are within a factor of {ALIKE} of the median; or the "
    "outputs of which each rank has a file, one after the other, alike in the same way",
)
_metrics_of_slow_files.value(
    "group.slowest_file",
    "Slowest file",
    "word",
    lambda found: found.name,
    formula="the file of group.slowest_file_times",
)
_metrics_of_slow_files.value(
    "group.slowest_file_time",
    "Time in the slowest file",
    "s",
    lambda found: Value(found.took_s),
    formula="F_SLOWEST_RANK_TIME of group.slowest_file",
)
_metrics_of_slow_files.value(
    "group.slowest_file_began",
    "When the slowest file was first read or written",
    "s",
    lambda found: (
        Absent("the log does not say when the file was used") if found.began_s is None else Value(found.began_s)
    ),
    formula="the earlier of READ_START and WRITE_START of group.slowest_file, from the start of the job's first log",
    needs=f"{NEEDS}, and its times of day",
)


@_metrics_of_slow_files(
    "group.slow_files_own_osts",
    "OSTs that only the slow files lie on",
    "OSTs",
    formula="OSTs of the layouts of group.slow_files that no other of the files compared has",
    needs="a Darshan log with LUSTRE records",
)
def slow_files_own_osts(found: SlowFiles) -> Outcome:
    if found.osts is None:
        return Absent("the layouts of the files are not known")
    slow, others = found.osts
    return Value(len(slow - others))
