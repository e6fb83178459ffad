"""How long opening files takes, beside what the site's documents measured."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from iotriage.metrics.core.about import About
from iotriage.metrics.core.documented import DocumentedOpens
from iotriage.metrics.core.metric import NO_TIME, Absent, Outcome, Value
from iotriage.metrics.core.outcomes import joined, quotient
from iotriage.metrics.core.registry import metric, outcome
from iotriage.metrics.core.selection import LogRows, Selection
from iotriage.metrics.tables.counters import has_times, is_partial, no_table, not_available
from iotriage.metrics.tables.rank_times import known_seconds
from iotriage_parsers.evidence import CounterTable

NO_FIGURES = "the site's documents have no rate of opening such files"
MOST_SEEKS = 10
"""Seeks for each other metadata call up to which they take none of its time that matters: they are of memory alone."""


def _documented(s: Selection) -> DocumentedOpens:
    return s.documented.opens if s.documented is not None else DocumentedOpens(reason=NO_FIGURES)


def _own(s: Selection) -> Iterator[tuple[LogRows, CounterTable, NDArray[np.bool_]]]:
    """The POSIX records of files that one rank each used."""
    for rows, table in s.tables("POSIX"):
        index, records = table.by_id.index, table.by_id.records
        yield rows, table, (records[index] == 1) & (table.ranks >= 0)


def _calls(s: Selection, *counters: str) -> int:
    return sum(int(np.maximum(t.count(c)[mine], 0).sum()) for _, t, mine in _own(s) for c in counters)


@metric(
    "expectation.open_time",
    "Mean time of a metadata call on files of one rank each",
    "s",
    formula="POSIX_F_META_TIME / (POSIX_OPENS + POSIX_STATS), of the files that one rank each used; absent where "
    f"seeks, which are in that time, are more than {MOST_SEEKS} for each",
    needs="a Darshan log with one record a rank",
    scopes=["group"],
)
def open_time(s: Selection) -> Outcome:
    tables = s.tables("POSIX")
    if not tables:
        return no_table(s, "POSIX")
    if not all(has_times(t, "POSIX_F_META_TIME") for _, t in tables):
        return not_available(tables, "POSIX_F_META_TIME")
    if any(is_partial(rows, "POSIX") for rows, _ in tables):
        return Absent("records are missing: of what calls the time is, is not known")
    calls = _calls(s, "POSIX_OPENS", "POSIX_STATS")
    if not calls:
        return Absent("no file that one rank used was opened")
    if _calls(s, "POSIX_SEEKS") > MOST_SEEKS * calls:
        return Absent("most of the calls are seeks, whose time is not known apart")
    spent = [t.seconds("POSIX_F_META_TIME")[mine] for _, t, mine in _own(s)]
    seconds = sum(float(known_seconds(one).sum()) for one in spent)
    if seconds < NO_TIME:
        return Absent("the timers show no time")
    return Value(seconds / calls, where=joined(*(r.where(t, "POSIX_F_META_TIME", "POSIX_OPENS") for r, t in tables)))


@metric(
    "expectation.bytes_per_open",
    "Bytes moved per open of such a file",
    "B",
    formula="(POSIX_BYTES_READ + POSIX_BYTES_WRITTEN) / POSIX_OPENS, of the files that one rank each used",
    needs="a Darshan log with one record a rank",
    scopes=["group"],
)
def bytes_per_open(s: Selection) -> Outcome:
    if not s.tables("POSIX"):
        return no_table(s, "POSIX")
    opens = _calls(s, "POSIX_OPENS")
    if not opens:
        return Absent("no file that one rank used was opened")
    return Value(_calls(s, "POSIX_BYTES_READ", "POSIX_BYTES_WRITTEN") / opens)


@metric(
    "expectation.documented_open_time",
    "Time of creating or opening such a file at the documented rate",
    "s",
    formula="ranks that opened the files / files a second that the site's documents measured with as many processes, "
    "each with files of its own, created where these are written and read where they are read; where several tables "
    "fit, the slowest",
    needs="a site with documented rates of file operations",
    scopes=["group"],
)
def documented_open_time(s: Selection) -> Outcome:
    found = _documented(s)
    return _as_outcome(found.seconds, found)


@metric(
    "expectation.open_statistic",
    "Statistic of the documented rate of opening",
    "word",
    formula="maximum, quartiles, typical or range, as the document gives it",
    needs="a site with documented rates of file operations",
    scopes=["group"],
)
def open_statistic(s: Selection) -> Outcome:
    found = _documented(s)
    return Absent(found.reason or NO_FIGURES) if found.statistic is None else Value(found.statistic)


@metric(
    "expectation.open_operation",
    "Operation whose rate is documented for such files",
    "word",
    formula="create where the files are only written, read where they are only read",
    needs="a site with documented rates of file operations",
    scopes=["group"],
)
def open_operation(s: Selection) -> Outcome:
    found = _documented(s)
    return Absent(found.reason or NO_FIGURES) if found.operation is None else Value(found.operation)


@metric(
    "expectation.open_ranks",
    "Ranks that opened the files",
    "ranks",
    formula="distinct ranks of the files, each used by one",
    needs="a site with documented rates of file operations, and a Darshan log",
    scopes=["group"],
)
def open_ranks(s: Selection) -> Outcome:
    found = _documented(s)
    return Absent(found.reason or NO_FIGURES) if found.processes is None else Value(found.processes)


@metric(
    "expectation.open_fraction",
    "Rate of opening over what is documented for such files",
    "share",
    about=About(time=False),
    formula="expectation.documented_open_time / expectation.open_time",
    needs="a Darshan log, and a site with documented rates of file operations",
    scopes=["group"],
)
def open_fraction(s: Selection) -> Outcome:
    return _documented_over_measured(s, outcome(s, "expectation.documented_open_time"))


@metric(
    "expectation.open_fraction_of_lower_quartile",
    "Rate of opening over the documented lower quartile",
    "share",
    about=About(time=False),
    formula="time of opening such a file at the documented lower quartile / expectation.open_time",
    needs="a Darshan log, and a site whose documents give quartiles of file operations",
    scopes=["group"],
)
def open_fraction_of_lower_quartile(s: Selection) -> Outcome:
    found = _documented(s)
    if found.seconds is not None and found.seconds_at_lower_quartile is None:
        return Absent("the document gives no quartiles")
    return _documented_over_measured(s, _as_outcome(found.seconds_at_lower_quartile, found))


def _as_outcome(seconds: float | None, found: DocumentedOpens) -> Outcome:
    if seconds is None:
        return Absent(found.reason or NO_FIGURES)
    return Value(seconds, "inferred" if found.interpolated else "measured")


def _documented_over_measured(s: Selection, documented: Outcome) -> Outcome:
    if isinstance(documented, Absent):
        return documented
    return quotient(documented, outcome(s, "expectation.open_time"), zero="the timers show no time")
