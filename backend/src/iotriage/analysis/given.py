"""What a diagnosis starts from: the files given for one job, each with what its reader found or why it failed."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from iotriage_parsers.evidence import Archive, Evidence, Failure

INSIDE = " › "
"""Between the name of an archive and that of a file in it."""


@dataclass(frozen=True, eq=False)
class GivenSource:
    """`sha256` in hexadecimal; `name` is the client's and is shown, never used as a path."""

    name: str
    sha256: str
    size_bytes: int
    outcome: Evidence | Archive | Failure


@dataclass(frozen=True, eq=False)
class OpenedSource:
    """One source of the case: a file as it was given, or one of those in an archive. `given` is the index of the file,
    `member` that of the file in it; `same_as` an earlier source with the same bytes, whose figures stand already."""

    name: str
    sha256: str
    size_bytes: int
    outcome: Evidence | Failure
    given: int
    member: int | None = None
    same_as: int | None = None


def opened(sources: Sequence[GivenSource]) -> tuple[OpenedSource, ...]:
    """The sources in order, an archive's in its place. What an archive had to leave out is one that failed."""
    found: list[OpenedSource] = []
    first: dict[str, int] = {}
    for source in (one for i, given in enumerate(sources) for one in _opened(i, given)):
        read = isinstance(source.outcome, Evidence)
        earlier = first.setdefault(source.sha256, len(found)) if read else len(found)
        found.append(source if earlier == len(found) else replace(source, same_as=earlier))
    return tuple(found)


def _opened(index: int, given: GivenSource) -> Iterator[OpenedSource]:
    outcome = given.outcome
    if not isinstance(outcome, Archive):
        yield OpenedSource(given.name, given.sha256, given.size_bytes, outcome, index)
        return
    for position, m in enumerate(outcome.members):
        yield OpenedSource(f"{given.name}{INSIDE}{m.name}", m.sha256, m.size_bytes, m.outcome, index, position)
    if outcome.left_out is not None:
        yield OpenedSource(given.name, given.sha256, given.size_bytes, outcome.left_out, index)
