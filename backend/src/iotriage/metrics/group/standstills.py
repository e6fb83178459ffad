"""Moments in which the traced calls of most ranks stood still together, each in a file of its own: what a rank does
there does not stop the others at the same time, a server or the way to it does. In a file that they share they may wait
for one another; and where most calls only copy to memory, those that do not are what is written out."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from iotriage.metrics.core.about import About
from iotriage.metrics.core.documented import UNSTRIPED_FILE
from iotriage.metrics.core.families import MetricsOf
from iotriage.metrics.core.metric import NO_TIME, Absent, Outcome, Value
from iotriage.metrics.core.selection import Selection, unique, unique_inverse
from iotriage.metrics.core.selection_cache import cached_per_job, cached_per_selection
from iotriage.metrics.tables.osts.traced_osts import files_in_log
from iotriage.metrics.tables.outliers import FEW, median
from iotriage.metrics.tables.stages import NO_START, since_first_log
from iotriage_parsers.evidence import DxtTrace
from iotriage_parsers.evidence.dxt import seconds_of_calls
from iotriage_parsers.frozen import frozen

RANKS = 4
"""Ranks with calls, from which they wait together and not by chance."""
TIMES, LEAST_S = 10.0, 1.0
"""How many times as long as the median call of its kind one takes that stands still, and the seconds at least."""
AS_LARGE = 2.0
"""Times the bytes of the median call, up to which they do not take the time."""
MOST = 0.5
"""Of the ranks: so many at least stand still together."""
ONE = 1.5
"""Times the longest call, up to which calls that overlap are one moment, and not one after the other."""
FROM_MEMORY = UNSTRIPED_FILE
"""Bytes a second of the median call, from which it is a copy in memory."""
NEEDS = "a Darshan log with DXT of POSIX"


@frozen
class Standstills:
    """`moments` in which together `beyond_s` more passed than these calls take usually (`usual_s` each), summed over
    ranks, of `all_s` of all calls; of the longest when it `began_s` after the job, None where that is not known, how
    long it took and how many of the `ranks` waited."""

    moments: int
    usual_s: float
    beyond_s: float
    all_s: float
    began_s: float | None
    took_s: float
    waited: int
    ranks: int


@cached_per_job
def _traces(job: Selection) -> tuple[tuple[int, DxtTrace], ...]:
    """The POSIX traces that have calls, each with its source."""
    return tuple((source, trace) for source, trace in job.of(DxtTrace) if trace.layer == "POSIX" and len(trace))


@cached_per_selection
def standstills(s: Selection) -> Standstills | Absent:
    """The standstills of the trace that has most seconds in them."""
    traces = _traces(s)
    if not traces:
        return Absent("no POSIX calls are traced")
    of_each = ((source, _found(trace, files_in_log(s, source))) for source, trace in traces)
    found = [
        replace(one, began_s=since_first_log(s, source, one.began_s or 0.0))
        for source, one in of_each
        if one is not None
    ]
    if not found:
        return Absent(f"fewer than {RANKS} ranks have traced calls in files of their own")
    return max(found, key=lambda one: one.beyond_s)


def _found(trace: DxtTrace, records: NDArray[np.uint64] | None) -> Standstills | None:
    calls = trace.segments if records is None else trace.segments[np.isin(trace.segments["record"], records)]
    took = np.nan_to_num(seconds_of_calls(calls))
    all_s = float(took.sum())
    own = _of_one_rank(calls)
    calls, took = calls[own], took[own]
    writes = float(took[calls["write"]].sum()) >= float(took[~calls["write"]].sum())
    mine = calls["write"] == writes
    calls, took = calls[mine], took[mine]
    ranks = len(unique(np.ascontiguousarray(calls["rank"])))
    if ranks < RANKS or all_s < NO_TIME:
        return None
    usual, length = median(took), median(calls["length"].astype(np.float64))
    alike = calls["length"] <= AS_LARGE * length
    long = alike & (took >= max(TIMES * usual, LEAST_S))
    nothing = Standstills(
        moments=0, usual_s=usual, beyond_s=0.0, all_s=all_s, began_s=0.0, took_s=0.0, waited=0, ranks=ranks
    )
    if length >= FROM_MEMORY * usual or not long.any() or int(long.sum()) > FEW * len(calls):
        return nothing
    found = list(_moments(calls[long], took[long], usual, MOST * ranks))
    if not found:
        return nothing
    longest = max(found, key=lambda one: one.took_s)
    return Standstills(
        moments=len(found),
        usual_s=usual,
        beyond_s=sum(one.beyond_s for one in found),
        all_s=all_s,
        began_s=longest.began_s,
        took_s=longest.took_s,
        waited=longest.waited,
        ranks=ranks,
    )


def _of_one_rank(calls: NDArray[np.void]) -> NDArray[np.bool_]:
    """Which calls are in files that no other rank has."""
    files, at = unique_inverse(np.ascontiguousarray(calls["record"]))
    low, high = np.full(len(files), np.iinfo(np.int64).max), np.full(len(files), -1)
    np.minimum.at(low, at, calls["rank"])
    np.maximum.at(high, at, calls["rank"])
    return np.asarray((low == high)[at], np.bool_)


@frozen
class _Moment:
    """Calls that overlap: when the first begins, how long the longest takes, how many ranks wait, and their seconds
    beyond the usual."""

    began_s: float
    took_s: float
    waited: int
    beyond_s: float


def _moments(calls: NDArray[np.void], took: NDArray[np.float64], usual: float, enough: float) -> Iterator[_Moment]:
    """Those in which `enough` ranks wait; `took` are the seconds of the calls, `usual` those of the median one."""
    order = np.argsort(calls["start"])
    start, end, rank, took = calls["start"][order], calls["end"][order], calls["rank"][order], took[order]
    reached = np.maximum.accumulate(end)
    new = np.flatnonzero(np.concatenate([[True], start[1:] > reached[:-1]]))
    for first, last in zip(new.tolist(), [*new[1:].tolist(), len(start)], strict=True):
        longest, waited = float(took[first:last].max()), len(unique(rank[first:last]))
        if waited >= enough and float(reached[last - 1] - start[first]) <= ONE * longest:
            yield _Moment(float(start[first]), longest, waited, float((took[first:last] - usual).sum()))


_metrics_of_standstills = MetricsOf(standstills, needs=NEEDS, scopes=["group"])
_metrics_of_standstills.value(
    "group.standstills",
    "Moments in which the calls of most ranks stood still together",
    "1",
    lambda found: Value(found.moments, "inferred"),
    formula=f"groups of traced POSIX calls that overlap, each in a file of one rank, {TIMES:.0f} times as long as the "
    f"median one, {LEAST_S:.0f} s or more and no larger than {AS_LARGE:.0f} times, of {MOST:.0%} of the ranks with "
    f"calls or more, where all take no more than {ONE:g} times the longest; a quarter of the calls at most",
)
_metrics_of_standstills.value(
    "group.standstill_fraction",
    "Share of the time of traced calls that passed while most ranks stood still together",
    "share",
    lambda found: Value(min(1.0, found.beyond_s / found.all_s), "inferred"),
    about=About(time=True),
    formula="seconds beyond the median call in group.standstills / seconds of all traced POSIX calls",
)


@_metrics_of_standstills(
    "group.standstill_began",
    "When the longest of the moments began in which most ranks stood still",
    "s",
    formula="the start of the first call of the longest of group.standstills, from the start of the run",
)
def standstill_began(found: Standstills) -> Outcome:
    if not found.moments:
        return Absent("the ranks did not stand still together")
    return Absent(NO_START) if found.began_s is None else Value(found.began_s)


_metrics_of_standstills.value(
    "group.standstill_time",
    "Longest call in the moments in which most ranks stood still",
    "s",
    lambda found: Value(found.took_s) if found.moments else Absent("the ranks did not stand still together"),
    formula="the longest call in group.standstills",
)
_metrics_of_standstills.value(
    "group.standstill_ranks",
    "Ranks that stood still together",
    "ranks",
    lambda found: Value(found.waited) if found.moments else Absent("the ranks did not stand still together"),
    formula="ranks with a call in the longest of group.standstills",
)
_metrics_of_standstills.value(
    "group.usual_call_time",
    "Median time of a traced call",
    "s",
    lambda found: Value(found.usual_s),
    formula="median over the traced POSIX reads or writes, whichever took longer together",
)
