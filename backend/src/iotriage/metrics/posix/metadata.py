"""Time in opens, closes, stats and seeks: of all ranks, and of the one that waits longest."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import replace

import numpy as np

from iotriage.metrics.core.about import About
from iotriage.metrics.core.metric import NO_TIME, Absent, Outcome, Value
from iotriage.metrics.core.outcomes import quotient
from iotriage.metrics.core.registry import metric, outcome
from iotriage.metrics.core.selection import LogRows, Selection, unique_inverse
from iotriage.metrics.core.table_cache import cached_per_table
from iotriage.metrics.tables.account.beside import ranks_of_mean
from iotriage.metrics.tables.counters import has_times, is_partial, no_table, not_available, sum_timers, total
from iotriage.metrics.tables.files.folders import folder_above, folders_of
from iotriage.metrics.tables.files.imported import posix_of_data
from iotriage.metrics.tables.rank_times import known_seconds, rank_times, timer, total_time
from iotriage.metrics.tables.stages import over_stages
from iotriage.metrics.tables.unstated_ranks import ranks_not_stated, reduced_over_unknown
from iotriage_parsers.evidence import CounterTable
from iotriage_parsers.evidence.darshan import Float64s


@metric(
    "posix.metadata_time",
    "Time in POSIX metadata calls, summed over ranks",
    "s",
    formula="POSIX_F_META_TIME summed over the records",
    needs="a Darshan log with POSIX records",
)
def metadata_time(s: Selection) -> Outcome:
    tables = s.tables("POSIX")
    if not tables:
        return total(s, "POSIX", "POSIX_F_META_TIME")
    if not any(has_times(t, "POSIX_F_META_TIME") for _, t in tables):
        return not_available(tables, "POSIX_F_META_TIME")
    where = tuple(w for rows, t in tables for w in rows.where(t, "POSIX_F_META_TIME"))
    partial = any(is_partial(rows, "POSIX") for rows, _ in tables)
    found = sum(sum_timers(t, "POSIX_F_META_TIME") for _, t in tables)
    return Value(found, where=where, bound="lower" if partial else None)


@metric(
    "posix.metadata_time_fraction",
    "Metadata's share of POSIX time",
    "share",
    about=About(time=True),
    formula="POSIX_F_META_TIME / (POSIX_F_READ_TIME + POSIX_F_WRITE_TIME + POSIX_F_META_TIME), summed over ranks",
    needs="a Darshan log with POSIX records",
)
def metadata_time_fraction(s: Selection) -> Outcome:
    tables = s.tables("POSIX")
    if not tables:
        every_time = total(s, "POSIX", *(f"POSIX_F_{w}_TIME" for w in ("META", "READ", "WRITE")))
        return quotient(total(s, "POSIX", "POSIX_F_META_TIME"), every_time, zero="the POSIX timers show no time")
    if not any(has_times(t, "POSIX_F_META_TIME") for _, t in tables):
        return not_available(tables, "POSIX_F_META_TIME")
    meta = sum(sum_timers(t, "POSIX_F_META_TIME") for _, t in tables)
    every = meta + sum(sum_timers(t, "POSIX_F_READ_TIME", "POSIX_F_WRITE_TIME") for _, t in tables)
    if every < NO_TIME:
        return Absent("the POSIX timers show no time")
    where = tuple(w for rows, t in tables for w in rows.where(t, "POSIX_F_META_TIME"))
    partial = any(is_partial(rows, "POSIX") for rows, _ in tables)
    return Value(meta / every, "inferred" if partial else "measured", where)


@cached_per_table
def _busiest(table: CounterTable, nprocs: int | None) -> float:
    """Seconds: the largest sum of one rank over its own records, plus an equal part of the reduced ones."""
    spent = known_seconds(table.seconds("POSIX_F_META_TIME"))
    mine = table.ranks >= 0
    _, index = unique_inverse(table.ranks[mine])
    own = np.bincount(index, weights=spent[mine])
    reduced = float(spent[~mine].sum()) / max(1, nprocs or 1)
    return float(own.max(initial=0.0)) + reduced


@metric(
    "posix.metadata_time_busiest",
    "Metadata time of the busiest rank",
    "s",
    formula="largest sum over one rank's own records of POSIX_F_META_TIME, plus that of reduced records / ranks",
    needs="a Darshan log with POSIX records",
)
def metadata_time_busiest(s: Selection) -> Outcome:
    tables = s.tables("POSIX")
    if not tables:
        return no_table(s, "POSIX")
    if not any(has_times(t, "POSIX_F_META_TIME") for _, t in tables):
        return not_available(tables, "POSIX_F_META_TIME")
    if (unknown := reduced_over_unknown(tables)) is not None:
        return unknown
    where = tuple(w for rows, t in tables for w in rows.where(t, "POSIX_F_META_TIME"))
    shared = any(bool((t.ranks < 0).any()) for _, t in tables)
    partial = any(is_partial(rows, "POSIX") for rows, _ in tables)
    spent = over_stages(s, ((rows, _busiest(t, rows.nprocs)) for rows, t in tables))
    return Value(spent, "inferred" if shared else "measured", where, "lower" if partial else None)


@metric(
    "posix.metadata_io_fraction",
    "Metadata's share of the I/O time",
    "share",
    about=About(time=True),
    formula="posix.metadata_time_busiest / the slowest rank's I/O time, at most 1",
    needs="a Darshan log with POSIX records",
)
def metadata_io_fraction(s: Selection) -> Outcome:
    busiest = outcome(s, "posix.metadata_time_busiest")
    return quotient(busiest, outcome(s, "job.io_time"), zero="the timers show no I/O time", at_most=1.0)


@metric(
    "posix.metadata_busiest_share",
    "Share of the metadata time that is the busiest rank's",
    "share",
    about=About(time=True),
    formula="posix.metadata_time_busiest / posix.metadata_time, at most 1",
    needs="a Darshan log with POSIX records",
)
def metadata_busiest_share(s: Selection) -> Outcome:
    of = "the POSIX timers show no metadata time"
    return quotient(outcome(s, "posix.metadata_time_busiest"), outcome(s, "posix.metadata_time"), zero=of, at_most=1.0)


@metric(
    "posix.data_metadata_time_busiest",
    "Metadata time of the busiest rank, without modules and libraries",
    "s",
    formula="posix.metadata_time_busiest of the files that are not of file.imported",
    needs="a Darshan log with POSIX records",
    scopes=["job"],
)
def data_metadata_time_busiest(s: Selection) -> Outcome:
    whole = outcome(s, "posix.metadata_time_busiest")
    if isinstance(whole, Absent):
        return whole
    return replace(whole, value=over_stages(s, ((rows, _busiest(t, rows.nprocs)) for rows, t in posix_of_data(s))))


@metric(
    "posix.data_metadata_io_fraction",
    "Metadata's share of the I/O time, without modules and libraries",
    "share",
    about=About(time=True),
    formula="posix.data_metadata_time_busiest / job.io_time, at most 1",
    needs="a Darshan log with POSIX records",
    scopes=["job"],
)
def data_metadata_io_fraction(s: Selection) -> Outcome:
    busiest = outcome(s, "posix.data_metadata_time_busiest")
    return quotient(busiest, outcome(s, "job.io_time"), zero="the timers show no I/O time", at_most=1.0)


@metric(
    "posix.data_metadata_run_fraction",
    "Metadata's share of the run, without modules and libraries",
    "share",
    about=About(time=True),
    formula="posix.data_metadata_time_busiest / job.runtime, at most 1",
    needs="a Darshan log with POSIX records and an end time",
    scopes=["job"],
)
def data_metadata_run_fraction(s: Selection) -> Outcome:
    busiest = outcome(s, "posix.data_metadata_time_busiest")
    return quotient(busiest, outcome(s, "job.runtime"), zero="the run time is zero", at_most=1.0)


@metric(
    "posix.data_metadata_beyond_mean",
    "Metadata time of the busiest rank beyond the mean, without modules and libraries",
    "s",
    formula="posix.data_metadata_time_busiest − POSIX_F_META_TIME of the same files / ranks",
    needs="a Darshan log with POSIX records",
    scopes=["job"],
)
def data_metadata_beyond_mean(s: Selection) -> Outcome:
    busiest = outcome(s, "posix.data_metadata_time_busiest")
    if isinstance(busiest, Absent):
        return busiest
    if (unknown := ranks_not_stated(s)) is not None:
        return unknown
    mean = sum(sum_timers(t, "POSIX_F_META_TIME") / ranks_of_mean(s, rows) for rows, t in posix_of_data(s))
    return replace(busiest, value=max(0.0, float(busiest.value) - mean), confidence="inferred")


MOST_OF_IT = 0.8
"""Share of the metadata seconds from which a directory is where they pass."""
ALL_OF_IT = 0.95
"""Share of all seconds of I/O from which it says nothing that they pass there too."""


@metric(
    "posix.metadata_directory",
    "Directory below which most metadata time passes",
    "word",
    formula=f"the deepest directory below which {MOST_OF_IT:.0%} of POSIX_F_META_TIME passes, but the root, where less "
    f"than {ALL_OF_IT:.0%} of all I/O time does",
    needs="a Darshan log with POSIX records and file names",
    scopes=["job"],
)
def metadata_directory(s: Selection) -> Outcome:
    metadata = _by_directory((rows, t, timer(t, "META_TIME")) for rows, t in s.tables("POSIX"))
    most = MOST_OF_IT * sum(metadata.values())
    if most < NO_TIME:
        return Absent("the POSIX timers show no metadata time")
    deepest, below = _in_all(metadata, most), metadata
    while (child := _busiest_child(below, deepest, most)) is not None:
        deepest, below = child, _directories_below(below, child)
    if not deepest:
        return Absent("the files lie in several directories")
    every = [(rows, t) for rows in s.logs for t in rows.highest]
    there = sum(_spent_below(rows, t, deepest) for rows, t in every)
    if there >= ALL_OF_IT * sum(total_time(t) for _, t in every):
        return Absent("the time in other calls passes in the same directory")
    return Value(deepest, "inferred")


def _by_directory(tables: Iterable[tuple[LogRows, CounterTable, Float64s]]) -> dict[str, float]:
    """The seconds of records by the directory of their files, "" where that is not known."""
    found: dict[str, float] = defaultdict(float)
    for rows, table, took in tables:
        for folder, spent in _spent_in_folders(rows, table, took):
            found[folder[:-1]] += spent
    return found


def _spent_below(rows: LogRows, table: CounterTable, directory: str) -> float:
    """The seconds of records whose files lie below it."""
    of_folders = _spent_in_folders(rows, table, rank_times(table))
    return sum(spent for folder, spent in of_folders if folder.startswith(f"{directory}/"))


def _spent_in_folders(rows: LogRows, table: CounterTable, took: Float64s) -> Iterator[tuple[str, float]]:
    """Each folder and the seconds of the records of its files."""
    folders = folders_of(rows, table)
    of_files = np.bincount(table.by_id.index, took).astype(np.float64, copy=False)
    return zip(folders.names, folders.sums(of_files).tolist(), strict=True)


def _in_all(by_directory: dict[str, float], least: float) -> str:
    """The directory that all known ones lie in that take time, where they take `least` seconds; "" is the root."""
    known = [path for path, took in by_directory.items() if took > 0 and path[:1] == "/"]
    if not known or sum(map(by_directory.__getitem__, known)) < least:
        return ""
    return folder_above([f"{path}/" for path in known])


def _directories_below(by_directory: dict[str, float], directory: str) -> dict[str, float]:
    return {p: took for p, took in by_directory.items() if p == directory or p.startswith(f"{directory}/")}


def _busiest_child(by_directory: dict[str, float], directory: str, least: float) -> str | None:
    """The directory in `directory` below which `least` seconds pass."""
    of_child: dict[str, float] = {}
    for path, took in by_directory.items():
        if path.startswith(f"{directory}/"):
            child = f"{directory}/{path[len(directory) + 1 :].partition('/')[0]}"
            of_child[child] = of_child.get(child, 0.0) + took
    return next((child for child, took in of_child.items() if took >= least), None)
