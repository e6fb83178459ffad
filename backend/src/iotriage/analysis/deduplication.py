"""Removes duplicate evidence from the sources of a case. One run may be given twice: a Darshan log and its own
darshan-parser text, one log under two names, or what MPI-IO prints in a job's output and in a copy of it that `tee`
kept.

Steps of a job are logs of their own and add up; a copy must not. Two logs are of the same run when job, start, ranks,
program, files, and everything they counted and timed agree: of processes that start in the same second and do the same,
the times differ.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Mapping, Sequence

import numpy as np

from iotriage.analysis.inputs import UnpackedSource
from iotriage.analysis.jobs import OtherJobs, drop_foreign_statistics, drop_other_accounting, without_later_launches
from iotriage_parsers.evidence import (
    CounterTable,
    DarshanLog,
    DxtTrace,
    Evidence,
    MpiioStats,
    MpiioTimers,
    Part,
    Problem,
)
from iotriage_parsers.frozen import frozen_identity

Signature = tuple[object, ...]


@frozen_identity
class Deduplicated:
    """Each with the index of its source: the sources that could be read, without duplicates; the parts that are
    counted; those that are shown, parts of another run too; the warnings for sources whose parts are not counted; and
    the jobs that a source lists, of which nothing is counted."""

    evidence: Sequence[tuple[int, Evidence]]
    parts: Sequence[tuple[int, Part]]
    shown: Sequence[tuple[int, Part]]
    problems: Mapping[int, tuple[Problem, ...]]
    others: Mapping[int, OtherJobs]


def deduplicate(sources: Sequence[UnpackedSource]) -> Deduplicated:
    evidence = [(i, s.outcome) for i, s in enumerate(sources) if isinstance(s.outcome, Evidence) and s.same_as is None]
    every, copy_of = without_copies([(i, part) for i, e in evidence for part in e.parts])
    fresh, told_in = _without_copied_blocks(every)
    ours, not_in_logs = drop_foreign_statistics(fresh, evidence)
    parts, of_several = drop_other_accounting(without_later_launches(ours), evidence)
    problems: dict[int, tuple[Problem, ...]] = {}
    for i, source in enumerate(sources):
        mine: list[Problem] = []
        if source.same_as is not None or i in copy_of:
            what, original = ("file", source.same_as) if source.same_as is not None else ("run", copy_of[i])
            text = f"this is the same {what} as {sources[original].name}: its figures are not counted again."
            mine.append(Problem("duplicate-block", text))
        if i in told_in:
            text = f"what MPI-IO printed stands in {sources[told_in[i]].name} too, and is not counted again."
            mine.append(Problem("duplicate-block", text))
        if i in not_in_logs:
            mine.append(not_in_logs[i])
        if i in of_several:
            mine.append(of_several[i].problem)
        if mine:
            problems[i] = tuple(mine)
    return Deduplicated(evidence, parts, fresh, problems, of_several)


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


def _without_copied_blocks(
    parts: Sequence[tuple[int, Part]],
) -> tuple[Sequence[tuple[int, Part]], dict[int, int]]:
    """The parts without what another source's statistics and times repeat, and which source has them. Ticks are never
    the same twice. Statistics may be: they are copies where their times are, or, where nothing is timed, where the
    other source has all that this one has."""
    sources = list(dict.fromkeys(i for i, part in parts if isinstance(part, MpiioStats | MpiioTimers)))
    if len(sources) < 2:
        return parts, {}
    blocks = {i: [p for at, p in parts if at == i and isinstance(p, MpiioStats | MpiioTimers)] for i in sources}
    dropped: set[int] = set()
    told_in: dict[int, int] = {}
    for place, source in enumerate(sources):
        for earlier in sources[:place]:
            copies = _copied_blocks(blocks[source], blocks[earlier])
            if copies:
                dropped |= copies
                told_in.setdefault(source, earlier)
    return [(i, part) for i, part in parts if id(part) not in dropped], told_in


Block = MpiioStats | MpiioTimers


def _copied_blocks(mine: Sequence[Block], others: Sequence[Block]) -> set[int]:
    """The ids of the blocks that repeat blocks of the other sources."""
    times = {_printed(b) for b in others if isinstance(b, MpiioTimers) and b.trusted and b.total_ticks is not None}
    timed = [b for b in mine if isinstance(b, MpiioTimers)]
    copied = {id(b) for b in timed if _printed(b) in times}
    printed = Counter(_printed(b) for b in others if isinstance(b, MpiioStats) and b.trusted and b.fields)
    counted = [b for b in mine if isinstance(b, MpiioStats)]
    if not timed:
        every = Counter(map(_printed, counted))
        return {id(b) for b in counted} if every and every <= printed else set()
    again = {(b.direction, b.file) for b in timed if id(b) in copied}
    again -= {(b.direction, b.file) for b in timed if id(b) not in copied}
    return copied | {id(b) for b in counted if (b.direction, b.file) in again and _printed(b) in printed}


def _printed(block: Block) -> Signature:
    """The content of the block, without its place."""
    if isinstance(block, MpiioStats):
        fields = tuple((f.label, f.text) for f in block.fields)
        return block.direction, block.file, fields, tuple(c.text for c in block.pfl)
    rows = tuple((p.label, p.ticks) for p in block.phases)
    return block.direction, block.file, block.ranks, block.scale_exponent, block.total_ticks, rows


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
"""A text gives the seconds of each record to six decimals."""


def _timed_alike(one: DarshanLog, other: DarshanLog) -> bool:
    """Whether the seconds of logs that counted the same agree, as far as a text has them."""
    tables = ((log.posix, log.mpiio, log.stdio) for log in (one, other))
    return all(
        bool((np.abs(np.nansum(a.floats, axis=0) - np.nansum(b.floats, axis=0)) <= ROUNDED_S * (len(a) + 1)).all())
        for a, b in zip(*tables, strict=True)
        if a is not None and b is not None
    )
