"""How many processes moved the bytes, and how much each of them."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from iotriage.metrics.core.about import About
from iotriage.metrics.core.metric import Absent, Outcome, Value
from iotriage.metrics.core.outcomes import quotient
from iotriage.metrics.core.prefix import prefix_of
from iotriage.metrics.core.registry import metric, outcome
from iotriage.metrics.core.selection import LogRows, Selection, unique
from iotriage.metrics.tables.counters import lacks_records
from iotriage.metrics.tables.stages import logs_by_stage

NEEDS = "a Darshan log or MPICH_MPIIO_STATS"


@metric(
    "io.writers",
    "Processes that write",
    "ranks",
    about=About(direction="write"),
    formula="distinct ranks whose own records have bytes written, at the highest layer of each file; all ranks "
    "(inferred) where a file that all of them opened was written, records are missing or no log was given; 1 of a "
    "serial file, and of a job of such files whose log is incomplete; of logs that ran at the same time together, of "
    "others the most",
    needs=NEEDS,
)
def writers(s: Selection) -> Outcome:
    return _processes(s, "BYTES_WRITTEN")


@metric(
    "io.readers",
    "Processes that read",
    "ranks",
    about=About(direction="read"),
    formula="as io.writers, of bytes read",
    needs=NEEDS,
)
def readers(s: Selection) -> Outcome:
    return _processes(s, "BYTES_READ")


@metric(
    "io.written_per_writer",
    "Bytes written by each process that writes",
    "B",
    about=About(direction="write"),
    formula="io.bytes_written / io.writers",
    needs=NEEDS,
)
def written_per_writer(s: Selection) -> Outcome:
    return _of_each(outcome(s, "io.bytes_written"), outcome(s, "io.writers"))


@metric(
    "io.read_per_reader",
    "Bytes read by each process that reads",
    "B",
    about=About(direction="read"),
    formula="io.bytes_read / io.readers",
    needs=NEEDS,
)
def read_per_reader(s: Selection) -> Outcome:
    return _of_each(outcome(s, "io.bytes_read"), outcome(s, "io.readers"))


def _of_each(moved: Outcome, processes: Outcome) -> Outcome:
    if isinstance(moved, Value) and moved.value == 0:
        return replace(moved, value=0.0)
    return quotient(moved, processes, zero="no process moved any")


def _processes(s: Selection, counter: str) -> Outcome:
    moved = outcome(s, "io.bytes_read" if counter == "BYTES_READ" else "io.bytes_written")
    if s.logs and isinstance(moved, Absent):
        return moved
    if s.logs and isinstance(moved, Value) and moved.value == 0 and moved.bound is not None:
        return Absent("records are missing: those that are there moved none")
    if s.pattern == "serial" and not _tells_the_ranks(s):
        # The files that most bytes are of are one rank's; of others nobody knows which are missing.
        lower = s.scope == "job" and any(map(lacks_records, s.logs))
        return Value(1, bound="lower" if lower else None)
    if not s.logs:
        return Absent("no source states the number of ranks") if s.nprocs is None else Value(s.nprocs, "inferred")
    tables = [table for rows in s.logs for table in rows.highest]
    if tables and all(table.total(f"{prefix_of(table)}_{counter}") is None for table in tables):
        return Absent(f"{counter} is not available in any record of this log")
    most, sure = 0, True
    for stage, logs in logs_by_stage(s):
        found = [_of_log(rows, counter) for rows in logs]
        told = [one if one is not None else rows.nprocs for rows, one in zip(logs, found, strict=True)]
        known = [n for n in told if n is not None]
        if len(known) < len(told):
            return Absent("the log does not state the number of ranks")
        together = sum(known) if stage.ranks is None else min(sum(known), stage.ranks)
        most, sure = max(most, together), sure and None not in found
    return Value(most, "measured" if sure else "inferred")


def _tells_the_ranks(s: Selection) -> bool:
    """Whether the records of the job say who has its other files, beside those that most bytes are of."""
    return s.scope == "job" and bool(s.logs) and not any(rows.cut or lacks_records(rows) for rows in s.logs)


def _of_log(rows: LogRows, counter: str) -> int | None:
    """The ranks of the log that moved bytes; None where its records do not tell them apart."""
    if rows.cut or lacks_records(rows):
        return None
    ranks = [np.zeros(0, np.int64)]
    for table in rows.highest:
        name = f"{prefix_of(table)}_{counter}"
        if name in table.int_names:
            ranks.append(table.ranks[table.count(name) > 0])
    who = unique(np.concatenate(ranks))
    return None if len(who) and who[0] < 0 else len(who)
