"""The sources that a diagnosis starts from: the files given for one job, with archives unpacked, each with its reader's
evidence or the reason why reading failed."""

from __future__ import annotations

import os
import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace

from iotriage_parsers.evidence import Archive, Evidence, Failure, JobContext
from iotriage_parsers.frozen import frozen_identity

FROM_STANDARD_INPUT = "standard input"
"""The name of a source that was read from standard input."""
INSIDE = " › "
"""Separates the name of an archive from the name of a file in it."""
STATS_FILES = "cray_mpiio_stats"
"""What the names of the files of MPICH_MPIIO_STATS=2 begin with, unless MPICH_MPIIO_STATS_FILE says otherwise."""

_LAST_NUMBER = re.compile(r"(\d+)\D*$")


@frozen_identity
class ReadSource:
    """`sha256` in hexadecimal; `name` is the client's and is shown, never used as a path."""

    name: str
    sha256: str
    size_bytes: int
    outcome: Evidence | Archive | Failure


@frozen_identity
class UnpackedSource:
    """One source of the case: a file as it was given, or a member of an archive. `given` is the index of the file among
    those given, `member` the index within the archive. `same_as` is the index of an earlier source with the same bytes:
    this one adds no figures."""

    name: str
    sha256: str
    size_bytes: int
    outcome: Evidence | Failure
    given: int
    member: int | None = None
    same_as: int | None = None


def name_of(path: str) -> str:
    """The name of a file as text: a byte of it that is not UTF-8 stands as \\xNN."""
    return os.fsencode(path).decode("utf-8", "backslashreplace")


def unpack_archives(sources: Sequence[ReadSource]) -> tuple[UnpackedSource, ...]:
    """The sources in order, with the members of an archive in its place. What an archive had to leave out becomes a
    source that failed."""
    found: list[UnpackedSource] = []
    prefixes = {STATS_FILES, *_prefixes(sources)}
    first: dict[str, int] = {}
    for source in (one for i, given in enumerate(sources) for one in _unpacked(i, given)):
        read = isinstance(source.outcome, Evidence)
        earlier = first.setdefault(source.sha256, len(found)) if read else len(found)
        if isinstance(source.outcome, Failure):
            source = replace(source, outcome=failure_by_name(source.name, source.outcome, prefixes))
        found.append(source if earlier == len(found) else replace(source, same_as=earlier))
    return tuple(found)


def _unpacked(index: int, given: ReadSource) -> Iterator[UnpackedSource]:
    outcome = given.outcome
    if not isinstance(outcome, Archive):
        yield UnpackedSource(given.name, given.sha256, given.size_bytes, outcome, index)
        return
    for position, m in enumerate(outcome.members):
        yield UnpackedSource(f"{given.name}{INSIDE}{m.name}", m.sha256, m.size_bytes, m.outcome, index, position)
    if outcome.left_out is not None:
        yield UnpackedSource(given.name, given.sha256, given.size_bytes, outcome.left_out, index)


def failure_by_name(name: str, failure: Failure, prefixes: Collection[str] = (STATS_FILES,)) -> Failure:
    """The failure, or for a file whose content says nothing, what its name says: a rank's of MPICH_MPIIO_STATS=2, of
    which no layout is published."""
    last = re.split(rf"[/\\{INSIDE.strip()}]", name)[-1].strip()
    if failure.code != "unrecognised" or not last.startswith(tuple(prefixes)):
        return failure
    number = _LAST_NUMBER.search(last)
    which = f", number {number[1]}" if number else ""
    return Failure(
        "unsupported",
        f"by its name a file that MPICH_MPIIO_STATS=2 writes for one rank{which}: it is kept, but the layout of such "
        "files is not documented, so nothing is read from it",
        "Set MPICH_MPIIO_STATS=1 for one run: then Cray MPICH prints statistics that can be read.",
    )


def _prefixes(sources: Sequence[ReadSource]) -> Iterator[str]:
    """Names for those files that a job script sets."""
    for source in sources:
        if isinstance(source.outcome, Evidence):
            for script in source.outcome.of(JobContext):
                for setting in script.environment:
                    if setting.name == "MPICH_MPIIO_STATS_FILE" and setting.value:
                        yield setting.value.rsplit("/", 1)[-1] or STATS_FILES
