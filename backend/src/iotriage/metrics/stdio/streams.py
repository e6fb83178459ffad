"""Buffered streams (STDIO): how much of the job goes through them, and in what pieces."""

from __future__ import annotations

from dataclasses import replace
from operator import itemgetter
from typing import Literal

import numpy as np

from iotriage.metrics.core.about import About
from iotriage.metrics.core.families import metrics_unless
from iotriage.metrics.core.metric import Absent, Outcome, Value
from iotriage.metrics.core.outcomes import joined, quotient, scaled
from iotriage.metrics.core.prefix import PREFIX, access_counters
from iotriage.metrics.core.registry import metric, outcome
from iotriage.metrics.core.selection import LogRows, Selection, isin, of_files, select_rows
from iotriage.metrics.tables.calls.stream_calls import BUFFER, COPY_S, system_calls, system_seconds
from iotriage.metrics.tables.counters import is_partial, no_records_of, no_table, sum_counters, total
from iotriage.metrics.tables.files.imported import streams_of_data
from iotriage.metrics.tables.files.opened import opened_by_a_rank, used_by_a_rank
from iotriage.metrics.tables.files.uses import standard_streams
from iotriage.metrics.tables.rank_times import longest_possible_of_a_rank, rank_times, timer
from iotriage.metrics.tables.stages import over_stages
from iotriage.metrics.tables.texts.printed_totals import layer_time, totals_of
from iotriage_parsers.evidence import CounterTable
from iotriage_parsers.evidence.darshan import exact_sum

CALLS = ("STDIO_READS", "STDIO_WRITES")

_CALLS_OF = {module: access_counters(module, "read", "write") for module in ("MPI-IO", "POSIX", "STDIO", "DFS")}

NEEDS = "a Darshan log with STDIO records"
NO_SECONDS = "the timers of the streams show no time"


_metric_of_streams = metrics_unless(no_records_of("STDIO"), needs=NEEDS)
_metric_of_data_streams = metrics_unless(no_records_of("STDIO"), needs=NEEDS, scopes=["job"])
"""Of streams that are no modules."""


@_metric_of_streams(
    "stdio.calls",
    "Reads and writes of streams",
    "calls",
    formula="STDIO_READS + STDIO_WRITES, summed over ranks; fprintf and fgets are one call each",
)
def calls(s: Selection) -> Outcome:
    return total(s, "STDIO", *CALLS)


@_metric_of_streams(
    "stdio.average_size",
    "Average access to a stream",
    "B",
    formula="(STDIO_BYTES_READ + STDIO_BYTES_WRITTEN) / stdio.calls; what the C library makes of it below its "
    "buffer is not recorded",
)
def average_size(s: Selection) -> Outcome:
    moved = total(s, "STDIO", "STDIO_BYTES_READ", "STDIO_BYTES_WRITTEN")
    return quotient(moved, outcome(s, "stdio.calls"), zero="no stream was read or written")


@_metric_of_streams(
    "stdio.flushes",
    "Flushes of streams",
    "calls",
    formula="STDIO_FLUSHES, summed over ranks",
)
def flushes(s: Selection) -> Outcome:
    return total(s, "STDIO", "STDIO_FLUSHES")


@_metric_of_streams(
    "stdio.seeks_each",
    "Seeks of streams for each read or write",
    "ratio",
    about=About(time=False),
    formula="STDIO_SEEKS / stdio.calls: a seek out of the buffer has all of it read anew",
)
def seeks_each(s: Selection) -> Outcome:
    return quotient(total(s, "STDIO", "STDIO_SEEKS"), outcome(s, "stdio.calls"), zero="no stream was read or written")


@_metric_of_streams(
    "stdio.system_call_time",
    "Average time of a system call for streams",
    "s",
    formula=f"(STDIO_F_READ_TIME + STDIO_F_WRITE_TIME − {COPY_S * 1e6:.0f} µs × stdio.calls, of each record at least "
    f"0) / (of each record (STDIO_BYTES_READ + STDIO_BYTES_WRITTEN) / {BUFFER}, but not more than its calls, + "
    "STDIO_FLUSHES + STDIO_SEEKS; of a standard stream each call), all ranks together: other calls only copy into the "
    "buffer",
)
def system_call_time(s: Selection) -> Outcome:
    tables = s.tables("STDIO")
    if not tables:
        return no_table(s, "STDIO")
    where = joined(*(rows.where(t, "STDIO_F_READ_TIME", "STDIO_F_WRITE_TIME") for rows, t in tables))
    took = Value(sum(float(system_seconds(t).sum()) for _, t in tables), where=where)
    asked = sum(float(system_calls(rows, t).sum()) for rows, t in tables)
    return quotient(took, Value(asked, "inferred"), zero="no stream was read or written")


@_metric_of_streams(
    "stdio.stream_rate",
    "Rate of a rank in its calls to streams",
    "B/s",
    formula="(STDIO_BYTES_READ + STDIO_BYTES_WRITTEN) / (STDIO_F_READ_TIME + STDIO_F_WRITE_TIME), summed over ranks",
)
def stream_rate(s: Selection) -> Outcome:
    moved = total(s, "STDIO", "STDIO_BYTES_READ", "STDIO_BYTES_WRITTEN")
    return quotient(moved, _seconds(s, "READ", "WRITE"), zero=NO_SECONDS)


@_metric_of_streams(
    "stdio.read_time_fraction",
    "Share of reads in the time of calls to streams",
    "share",
    about=About(time=True, direction="read"),
    formula="STDIO_F_READ_TIME / (STDIO_F_READ_TIME + STDIO_F_WRITE_TIME), summed over ranks",
)
def read_time_fraction(s: Selection) -> Outcome:
    return quotient(_seconds(s, "READ"), _seconds(s, "READ", "WRITE"), zero=NO_SECONDS)


def _seconds(s: Selection, *kinds: Literal["READ", "WRITE", "META"]) -> Outcome:
    """The seconds in calls of these kinds to streams, all ranks together."""
    tables = s.tables("STDIO")
    if not tables:
        return no_table(s, "STDIO")
    took = sum(float(timer(t, f"{kind}_TIME").sum()) for _, t in tables for kind in kinds)
    return Value(
        took, where=joined(*(rows.where(t, *(f"STDIO_F_{kind}_TIME" for kind in kinds)) for rows, t in tables))
    )


@_metric_of_streams(
    "stdio.sharing_ranks",
    "Ranks that use the stream on which most of the time passes",
    "ranks",
    formula="of the stream with the largest sum of read, write and metadata seconds: its records, of which one that is "
    "reduced stands for all ranks",
)
def sharing_ranks(s: Selection) -> Outcome:
    tables = [(rows, t) for rows, t in s.tables("STDIO") if rows.nprocs is not None]
    if not tables:
        return no_table(s, "STDIO")
    users, took = max((_of_longest(rows, t) for rows, t in tables), key=itemgetter(1))
    return Value(users) if took > 0 else Absent(NO_SECONDS)


def _of_longest(rows: LogRows, table: CounterTable) -> tuple[int, float]:
    """The ranks that use the stream with most seconds, and these."""
    known = table.by_id
    took = np.bincount(known.index, rank_times(table))
    longest = int(took.argmax())
    by_all = bool((table.ranks[known.index == longest] < 0).any())
    return (rows.nprocs or 1) if by_all else int(known.records[longest]), float(took[longest])


@metric(
    "stdio.calls_fraction",
    "Share of the calls that went through STDIO",
    "share",
    about=About(time=False),
    formula="stdio.calls over the reads and writes of all layers, each file counted at the highest layer that saw it",
    needs="a Darshan log with STDIO records and records by file",
    unless=no_records_of("STDIO"),
)
def calls_fraction(s: Selection) -> Outcome:
    if not s.tables("STDIO"):
        return no_table(s, "STDIO")
    tables = [(rows, t) for rows in s.logs for t in rows.highest if t.module in _CALLS_OF]
    every = sum(sum_counters(t, *_CALLS_OF[t.module]) for _, t in tables)
    where = joined(*(rows.where(t, *_CALLS_OF[t.module][-1:]) for rows, t in tables))
    lower = any(is_partial(rows, module) for rows in s.logs for module in PREFIX)
    return quotient(
        outcome(s, "stdio.calls"),
        Value(every, where=where, bound="lower" if lower else None),
        zero="nothing was read or written",
    )


@_metric_of_streams(
    "stdio.opens",
    "Opens of streams",
    "calls",
    formula="STDIO_OPENS, all ranks",
)
def opens(s: Selection) -> Outcome:
    return total(s, "STDIO", "STDIO_OPENS")


@metric(
    "stdio.opens_by_a_rank",
    "Opens of a stream by each rank that uses it",
    "calls",
    formula="STDIO_OPENS / records, of which one that is reduced stands for all ranks",
    needs="a Darshan log whose STDIO module is whole",
)
def opens_by_a_rank(s: Selection) -> Outcome:
    return opened_by_a_rank(s, "STDIO")


@metric(
    "stdio.files_of_a_rank",
    "Streams per rank that uses any",
    "files",
    formula="records, of which one that is reduced stands for all ranks / ranks that have one",
    needs="a Darshan log whose STDIO module is whole",
)
def files_of_a_rank(s: Selection) -> Outcome:
    return used_by_a_rank(s, "STDIO")


@_metric_of_streams(
    "stdio.metadata_fraction",
    "Share of the stream time in opening, closing and seeking",
    "share",
    about=About(time=True),
    formula="STDIO_F_META_TIME / (STDIO_F_READ_TIME + STDIO_F_WRITE_TIME + STDIO_F_META_TIME), all ranks together",
)
def metadata_fraction(s: Selection) -> Outcome:
    return quotient(_seconds(s, "META"), _seconds(s, "READ", "WRITE", "META"), zero=NO_SECONDS)


@_metric_of_data_streams(
    "stdio.data_metadata_fraction",
    "Share of the stream time in opening, closing and seeking, without modules and libraries",
    "share",
    about=About(time=True),
    formula="STDIO_F_META_TIME of the files that are not of file.imported / (STDIO_F_READ_TIME + STDIO_F_WRITE_TIME + "
    "STDIO_F_META_TIME) of all, all ranks together",
)
def data_metadata_fraction(s: Selection) -> Outcome:
    opening = _seconds(s, "META")
    if isinstance(opening, Absent):
        return opening
    of_data = sum(float(timer(t, "META_TIME").sum()) for _, t in streams_of_data(s))
    return quotient(replace(opening, value=of_data), _seconds(s, "READ", "WRITE", "META"), zero=NO_SECONDS)


@_metric_of_data_streams(
    "stdio.data_metadata_io_fraction",
    "Share of the I/O time in opening, closing and seeking streams, without modules and libraries",
    "share",
    about=About(time=True),
    formula="stdio.data_metadata_fraction × stdio.time_fraction",
)
def data_metadata_io_fraction(s: Selection) -> Outcome:
    of_all = outcome(s, "stdio.time_fraction")
    if isinstance(of_all, Absent):
        return of_all
    found = scaled(outcome(s, "stdio.data_metadata_fraction"), float(of_all.value))
    return replace(found, confidence="inferred") if isinstance(found, Value) else found


@_metric_of_data_streams(
    "stdio.data_opens",
    "Opens of streams, without modules and libraries",
    "calls",
    formula="STDIO_OPENS of the files that are not of file.imported, all ranks",
)
def data_opens(s: Selection) -> Outcome:
    every = outcome(s, "stdio.opens")
    tables = streams_of_data(s)
    if isinstance(every, Absent) or not tables:
        return every
    return replace(every, value=sum(sum_counters(t, "STDIO_OPENS") for _, t in tables))


@_metric_of_data_streams(
    "stdio.data_files",
    "Files that are used as streams, without modules and libraries",
    "files",
    formula="files of the records of streams that are not of file.imported; standard streams left out",
)
def data_files(s: Selection) -> Outcome:
    if not s.tables("STDIO"):
        return no_table(s, "STDIO")
    found = {id for _, table in _data_files(s) for id in table.by_id.ids.tolist()}
    return Value(len(found)) if found else NO_STREAM


NO_STREAM = Absent("no file was used as a stream", none=True)


def _data_files(s: Selection) -> tuple[tuple[LogRows, CounterTable], ...]:
    return tuple((rows, _but_standard_streams(rows, table)) for rows, table in streams_of_data(s))


def _but_standard_streams(rows: LogRows, table: CounterTable) -> CounterTable:
    standard = np.array(sorted(standard_streams(rows)), np.uint64)
    return select_rows(table, ~isin(table.ids, standard)) if len(standard) else table


@_metric_of_data_streams(
    "stdio.data_bytes",
    "Bytes of files that are used as streams, without modules and libraries",
    "B",
    formula="STDIO_BYTES_READ + STDIO_BYTES_WRITTEN of the files of stdio.data_files",
)
def data_bytes(s: Selection) -> Outcome:
    return _of_data_files(s, "STDIO_BYTES_READ", "STDIO_BYTES_WRITTEN")


@_metric_of_data_streams(
    "stdio.data_read_fraction",
    "Share of reads in the bytes of files that are used as streams, without modules and libraries",
    "share",
    about=About(time=False, direction="read"),
    formula="STDIO_BYTES_READ of the files of stdio.data_files / stdio.data_bytes",
)
def data_read_fraction(s: Selection) -> Outcome:
    return quotient(_of_data_files(s, "STDIO_BYTES_READ"), outcome(s, "stdio.data_bytes"), zero="no bytes were moved")


def _of_data_files(s: Selection, *counters: str) -> Outcome:
    if not s.tables("STDIO"):
        return no_table(s, "STDIO")
    every, found = total(s, "STDIO", *counters), _data_files(s)
    if isinstance(every, Absent) or not any(len(t) for _, t in found):
        return every if isinstance(every, Absent) else NO_STREAM
    return replace(every, value=sum(sum_counters(t, *counters) for _, t in found))


SEEKS = 4
"""Seeks of streams for each open, from which they may be what takes the time: who asks how long a file is seeks to its
end and back."""


@_metric_of_streams(
    "stdio.open_time",
    "Average time of an open of a stream, with its close",
    "s",
    formula="STDIO_F_META_TIME / STDIO_OPENS, all ranks together, where there are fewer than four seeks for each open",
)
def open_time(s: Selection) -> Outcome:
    opens, seeks = outcome(s, "stdio.opens"), total(s, "STDIO", "STDIO_SEEKS")
    if isinstance(opens, Absent) or isinstance(seeks, Absent):
        return opens if isinstance(opens, Absent) else seeks
    if float(seeks.value) >= max(1.0, SEEKS * float(opens.value)):
        return Absent("seeks, which are in the same timer, are many more than opens")
    return quotient(_seconds(s, "META"), opens, zero="no stream was opened")


@_metric_of_streams(
    "stdio.time_fraction",
    "Share of the I/O time that streams take",
    "share",
    about=About(time=True),
    formula="slowest rank's seconds in the STDIO records, by the method of job.io_time, or agg_time_by_slowest of "
    "darshan-parser's totals / job.io_time, at most 1",
)
def time_fraction(s: Selection) -> Outcome:
    tables = s.tables("STDIO")
    of_totals = layer_time(s, "STDIO")
    if not tables and of_totals is None:
        return no_table(s, "STDIO")
    where = joined(*(rows.where(t, "STDIO_F_SLOWEST_RANK_TIME") for rows, t in tables))
    of_logs = ((rows, longest_possible_of_a_rank((t,), rows.nprocs)) for rows, t in tables)
    return quotient(
        of_totals or Value(over_stages(s, of_logs), where=where),
        outcome(s, "job.io_time"),
        zero="the timers show no I/O time",
        at_most=1.0,
    )


@metric(
    "stdio.bytes_fraction",
    "Share of the bytes that went through STDIO",
    "share",
    about=About(time=False),
    formula="STDIO_BYTES_READ + STDIO_BYTES_WRITTEN over the bytes of all layers, each counted once",
    needs="a Darshan log",
    unless=no_records_of("STDIO"),
)
def stdio_bytes_fraction(s: Selection) -> Outcome:
    if not s.logs and not totals_of(s):
        return Absent("no Darshan log was given")
    if s.logs and not s.tables("STDIO"):
        return no_table(s, "STDIO")
    return quotient(
        total(s, "STDIO", "STDIO_BYTES_READ", "STDIO_BYTES_WRITTEN"), outcome(s, "io.bytes"), zero="no bytes were moved"
    )


@metric(
    "stdio.standard_fraction",
    "Share of the stream calls that print to standard output or error",
    "share",
    about=About(time=False),
    formula="STDIO_WRITES of <STDOUT> and <STDERR> / STDIO_READS + STDIO_WRITES of all streams",
    needs=NEEDS,
    unless=no_records_of("STDIO"),
)
def standard_fraction(s: Selection) -> Outcome:
    tables = s.tables("STDIO")
    if not tables:
        return no_table(s, "STDIO")
    own = every = 0
    for rows, table in tables:
        reads, writes = (np.maximum(table.count(name), 0) for name in CALLS)
        standard = np.array([*standard_streams(rows)], dtype=np.uint64)
        own += exact_sum(writes[of_files(table, standard)])
        every += exact_sum(reads) + exact_sum(writes)
    return Value(own / every, "inferred") if every else Absent("nothing was read or written")


@metric(
    "stdio.awaited_fraction",
    "Share of the streams' time that passes in reading standard input",
    "share",
    about=About(time=True),
    formula="STDIO_F_READ_TIME of <STDIN> / (STDIO_F_READ_TIME + STDIO_F_WRITE_TIME + STDIO_F_META_TIME), all ranks "
    "together",
    needs=NEEDS,
    unless=no_records_of("STDIO"),
)
def awaited_fraction(s: Selection) -> Outcome:
    tables = s.tables("STDIO")
    if not tables:
        return no_table(s, "STDIO")
    where = joined(*(rows.where(t, "STDIO_F_READ_TIME") for rows, t in tables))
    standard = ((t, of_files(t, np.array([*standard_streams(rows)], dtype=np.uint64))) for rows, t in tables)
    awaited = Value(sum(float(timer(t, "READ_TIME")[own].sum()) for t, own in standard), where=where)
    return quotient(awaited, _seconds(s, "READ", "WRITE", "META"), zero=NO_SECONDS)
