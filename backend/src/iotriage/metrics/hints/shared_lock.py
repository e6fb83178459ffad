"""Calls that the lock forbids which the writers of a file share."""

from __future__ import annotations

import numpy as np

from iotriage.metrics.core.metric import Absent, Outcome, Value
from iotriage.metrics.core.missing_evidence import HINTS
from iotriage.metrics.core.outcomes import plus
from iotriage.metrics.core.registry import metric, outcome
from iotriage.metrics.core.selection import Selection, unique
from iotriage.metrics.hints.values import LOCK_MODE, SHARED_LOCK, hint_of
from iotriage.metrics.tables.selecting import select_files
from iotriage.metrics.tables.settings import (
    displayed,
    displayed_by_file,
    displayed_for,
    requested_of_file,
    requested_settings,
)
from iotriage.metrics.tables.texts.opened_by_mpiio import opened_by_mpiio


@metric(
    "hints.shared_lock_independent",
    "Independent calls on files whose writers share a lock",
    "calls",
    formula="mpiio.independent_reads + mpiio.independent_writes of files for which cray_cb_write_lock_mode is 1, as "
    "displayed, else as MPICH_MPIIO_HINTS asks for it; of files that no source names, where it is 1 for any",
    needs="MPICH_MPIIO_HINTS_DISPLAY or the job script, and a Darshan log with MPI-IO records or MPICH_MPIIO_STATS",
    scopes=["job"],
)
def shared_lock_independent(s: Selection) -> Outcome:
    if hint_of(s, LOCK_MODE) is None:
        return Absent(f"no source says what the hint {LOCK_MODE} was", (HINTS,))
    ids = {log.source: unique(log.mpiio.ids) for log in s.logs if log.mpiio is not None}
    shared = {
        log.source: np.array([r for r in ids[log.source].tolist() if _shares(s, log.name_of(r))], np.uint64)
        for log in s.logs
        if log.source in ids
    }
    named = {block.block.file for block in s.stats}
    paths = {file for file in named if _shares(s, file)}
    paths |= {n for log in s.logs for r in shared.get(log.source, ()) if (n := log.name_of(int(r))) is not None}
    if not any(len(its) for its in shared.values()) and not paths:
        counted = _independent(s)
        none = named or ids or (isinstance(counted, Value) and not _shares(s, None))
        return Value(0) if none else counted
    every = named <= paths and all(len(shared[source]) == len(its) for source, its in ids.items())
    return _independent(s if every else select_files(s, shared, paths, "", len(paths)))


@metric(
    "hints.shared_lock_mode",
    "Write lock mode of collective buffering, 1 where any file has that",
    "1",
    formula="1 where cray_cb_write_lock_mode is 1 for any file, as displayed, else for any pattern of "
    "MPICH_MPIIO_HINTS, which must fit a file that MPI-IO opened where all of them are known; else hints.lock_mode",
    needs="MPICH_MPIIO_HINTS_DISPLAY, or the job script",
)
def shared_lock_mode(s: Selection) -> Outcome:
    every = [known for _, known in displayed_by_file(s, LOCK_MODE)]
    if not every and not displayed(s, LOCK_MODE):
        every = [*requested_settings(s, LOCK_MODE)]
        opened = opened_by_mpiio(s) if every and s.scope == "job" else None
        if opened is not None:
            every = [known for file in sorted(opened) for known in requested_of_file(s, LOCK_MODE, file)]
            if not every:
                return Absent(f"the hint {LOCK_MODE} is for none of the files that MPI-IO opened")
    shared = next((known for known in every if known.value == SHARED_LOCK), None)
    if shared is None:
        return outcome(s, "hints.lock_mode")
    return Value(int(SHARED_LOCK), "inferred" if shared.requested else "measured", (shared.where,))


@metric(
    "hints.shared_lock_file",
    "File whose writers share a lock, beside others whose writers do not",
    "word",
    formula="the first file for which cray_cb_write_lock_mode is displayed as 1, where it is another for others",
    needs="MPICH_MPIIO_HINTS_DISPLAY",
)
def shared_lock_file(s: Selection) -> Outcome:
    every = displayed_by_file(s, LOCK_MODE)
    shared = [(file, known) for file, known in every if known.value == SHARED_LOCK]
    if not shared or len(shared) == len(every):
        return Absent("no file has another lock mode than the others")
    return Value(shared[0][0], where=(shared[0][1].where,))


def _shares(s: Selection, file: str | None) -> bool:
    """Whether the writers of the file share a lock; where no source names it, those of any."""
    if file is None:
        known = displayed(s, LOCK_MODE) or requested_settings(s, LOCK_MODE)
    else:
        known = displayed_for(s, LOCK_MODE, file)[:1] or requested_of_file(s, LOCK_MODE, file)
    return any(one.value == SHARED_LOCK for one in known)


def _independent(s: Selection) -> Outcome:
    return plus(*(outcome(s, f"mpiio.independent_{way}") for way in ("writes", "reads")))
