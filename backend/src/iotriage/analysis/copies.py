"""One run given twice: a Darshan log and its own darshan-parser text, or one log under two names.

Steps of a job are logs of their own and add up; a copy must not. Two logs are of the same run when job, start, ranks,
program and everything they counted agree.
"""

from __future__ import annotations

from collections.abc import Sequence

from iotriage_parsers.evidence import CounterTable, DarshanLog, Part

Signature = tuple[object, ...]


def without_copies(parts: Sequence[tuple[int, Part]]) -> tuple[list[tuple[int, Part]], dict[int, int]]:
    """The parts with each run's log once, and which source is a copy of which. The binary log stays where there is
    one, for its text rounds the times."""
    logs = sorted(
        ((i, p) for i, p in parts if isinstance(p, DarshanLog)), key=lambda found: found[1].byte_order is None
    )
    if len(logs) < 2:
        return list(parts), {}
    first: dict[Signature, int] = {}
    copy_of: dict[int, int] = {}
    for source, log in logs:
        kept = first.setdefault(_signature(log), source)
        if kept != source:
            copy_of[source] = kept
    return [(i, p) for i, p in parts if not (isinstance(p, DarshanLog) and i in copy_of)], copy_of


def _signature(log: DarshanLog) -> Signature:
    start = None if log.job.start_time is None else int(log.job.start_time)
    counted = tuple(_counted(t) for t in (log.posix, log.mpiio, log.stdio))
    return log.job.job_id, start, log.job.nprocs, log.job.executable, counted


def _counted(table: CounterTable | None) -> tuple[object, ...] | None:
    if table is None or not len(table):
        return None
    return len(table), *(int(total or 0) for name in table.int_names[:16] if (total := table.total(name)) is not None)
