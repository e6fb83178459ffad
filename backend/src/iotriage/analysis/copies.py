"""One run given twice: a Darshan log and its own darshan-parser text, or one log under two names.

Steps of a job are logs of their own and add up; a copy must not. Two logs are of the same run when job, start, ranks,
program, files, and everything they counted and timed agree: of processes that start in the same second and do the same,
the times differ.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence

import numpy as np

from iotriage_parsers.evidence import CounterTable, DarshanLog, DxtTrace, Part

Signature = tuple[object, ...]


def without_copies(parts: Sequence[tuple[int, Part]]) -> tuple[list[tuple[int, Part]], dict[int, int]]:
    """The parts with each run's log once, and which source is a copy of which. The binary log stays where there is
    one, for its text rounds the times."""
    parts = _without_copied_traces(parts)
    logs = sorted(
        ((i, p) for i, p in parts if isinstance(p, DarshanLog)), key=lambda found: found[1].byte_order is None
    )
    if len(logs) < 2:
        return list(parts), {}
    runs: dict[Signature, list[tuple[int, DarshanLog]]] = {}
    copy_of: dict[int, int] = {}
    for source, log in logs:
        alike = runs.setdefault(_signature(log), [])
        kept = next((i for i, other in alike if i == source or _timed_alike(other, log)), None)
        if kept is None:
            alike.append((source, log))
        elif kept != source:
            copy_of[source] = kept
    return [(i, p) for i, p in parts if not (isinstance(p, DarshanLog) and i in copy_of)], copy_of


def _without_copied_traces(parts: Sequence[tuple[int, Part]]) -> Sequence[tuple[int, Part]]:
    """The text of a trace that stands twice, as a job prints to its output and into a file, is of the same calls."""
    if sum(isinstance(part, DxtTrace) for _, part in parts) < 2:
        return parts
    seen: set[Signature] = set()
    kept: list[tuple[int, Part]] = []
    for source, part in parts:
        if isinstance(part, DxtTrace) and part.job is not None and len(part):
            job, calls = part.job, hashlib.blake2b(part.segments.tobytes(), digest_size=16).digest()
            same: Signature = (part.layer, job.job_id, job.start_time, job.nprocs, job.executable, calls)
            if same in seen:
                continue
            seen.add(same)
        kept.append((source, part))
    return kept


def _signature(log: DarshanLog) -> Signature:
    start = None if log.job.start_time is None else int(log.job.start_time)
    counted = tuple(_counted(t) for t in (log.posix, log.mpiio, log.stdio))
    return log.job.job_id, start, log.job.nprocs, log.job.executable, counted


def _counted(table: CounterTable | None) -> tuple[object, ...] | None:
    if table is None or not len(table):
        return None
    totals = (int(total or 0) for name in table.int_names[:16] if (total := table.total(name)) is not None)
    return np.sort(table.ids).tobytes(), *totals


ROUNDED_S = 1e-6
"""A text has the seconds of each record to six decimals."""


def _timed_alike(one: DarshanLog, other: DarshanLog) -> bool:
    """Whether the seconds of logs that counted the same agree, as far as a text has them."""
    tables = ((log.posix, log.mpiio, log.stdio) for log in (one, other))
    return all(
        bool((np.abs(np.nansum(a.floats, axis=0) - np.nansum(b.floats, axis=0)) <= ROUNDED_S * (len(a) + 1)).all())
        for a, b in zip(*tables, strict=True)
        if a is not None and b is not None
    )
