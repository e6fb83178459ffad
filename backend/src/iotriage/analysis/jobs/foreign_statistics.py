"""Drops statistics of files that no Darshan log beside them has: they are of another run, or of a step that left no
log. None of the time that the logs counted was spent in such files, so the statistics are left out, and a note says so.
Where all statistics of a text are dropped, and the text starts another program on another number of ranks, the whole
text is taken to be of another job."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from iotriage.metrics.core.listing import first_named
from iotriage.metrics.core.selection import base_name
from iotriage_parsers.evidence import DarshanLog, Evidence, JobContext, MpiioStats, MpiioTimers, Part, Problem

MOST_NAMED = 3
_FILE_SYSTEM = re.compile(r"[a-z0-9]{2,12}:")
"""The prefix that ROMIO removes from a name: "lustre:out.dat"."""


def drop_foreign_statistics(
    parts: Sequence[tuple[int, Part]], sources: Iterable[tuple[int, Evidence]]
) -> tuple[list[tuple[int, Part]], dict[int, Problem]]:
    """The parts without the statistics of files that no log has, and what to say about their sources. Where a log lacks
    something, every part stays."""
    if not any(isinstance(part, MpiioStats | MpiioTimers) for _, part in parts):
        return [*parts], {}
    logs = {i: part for i, part in parts if isinstance(part, DarshanLog)}
    if not logs or any(read.status == "partial" for i, read in sources if i in logs):
        return [*parts], {}
    if not all(map(_names_every_file, logs.values())):
        return [*parts], {}
    names = {base_name(path) for log in logs.values() for path in log.names.values()}
    kept: list[tuple[int, Part]] = []
    left_out: dict[int, dict[str, None]] = {}
    for source, part in parts:
        named = part.file if isinstance(part, MpiioStats | MpiioTimers) and part.trusted else None
        if named is not None and not _is_named(named, names):
            left_out.setdefault(source, {})[named] = None
        else:
            kept.append((source, part))
    strange = {i: other for i in left_out if (other := _other_program(i, kept, [*logs.values()])) is not None}
    ours = [(source, part) for source, part in kept if source not in strange]
    return ours, {
        source: _of_another_program(strange[source]) if source in strange else _problem([*files], len(logs))
        for source, files in left_out.items()
    }


def _other_program(source: int, kept: Sequence[tuple[int, Part]], logs: Sequence[DarshanLog]) -> str | None:
    """The program that the text starts, where it is none of the logs' and runs on other ranks; None where some of its
    statistics are of the logs, or nobody says. A wrapper starts as many ranks as the program in it."""
    mine = [part for i, part in kept if i == source]
    launches = [launch for part in mine if isinstance(part, JobContext) for launch in part.launches]
    programs = {base_name(launch.program) for launch in launches if launch.program is not None}
    ranks = {launch.ranks for launch in launches}
    of_logs = {base_name(log.job.executable) for log in logs if log.job.executable}
    if any(isinstance(part, MpiioStats | MpiioTimers) for part in mine) or not programs or not of_logs:
        return None
    same = programs & of_logs or None in ranks or ranks & {log.job.nprocs for log in logs}
    return None if same else min(programs)


def _names_every_file(log: DarshanLog) -> bool:
    """Whether no record lacks its name, and the names are those that the program used: an anonymised log has hashes."""
    tables = [t for t in (log.posix, log.mpiio, log.stdio) if t is not None]
    if not any("/" in path for path in log.names.values()):
        return False
    return all(record in log.names for t in tables for record in t.by_id.ids.tolist())


def _is_named(file: str, names: set[str]) -> bool:
    name = base_name(file)
    return name in names or _FILE_SYSTEM.sub("", name, count=1) in names


def _problem(files: Sequence[str], logs: int) -> Problem:
    named = first_named(files, MOST_NAMED)
    which = "the Darshan log does" if logs == 1 else "the Darshan logs do"
    return Problem(
        "other-job",
        f"it has statistics of {named}, which {which} not have: they are of another run, or of a step without a log, "
        "and are not counted here. Give this text by itself to see what they say.",
    )


def _of_another_program(program: str) -> Problem:
    return Problem(
        "other-job",
        f"it is the output of another program: it starts {program}, on another number of ranks, and has statistics of "
        "files that the Darshan log does not have. Nothing of it is counted here: give it by itself to see what it "
        "says.",
    )
