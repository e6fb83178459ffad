"""What an answer claims, and whether a decoder that shares nothing with the reader agrees."""

from __future__ import annotations

from typing import Final, Literal

from iotriage_parsers.evidence import Archive, DarshanLog, Evidence, Failure
from mutants import archives, darshan
from mutants.drawn import Family

Answer = Literal["refused", "damage named", "complete"]

_TABLES: Final = {1: "posix", 2: "mpiio", 9: "stdio"}


def answer_of(found: Evidence | Archive | Failure) -> Answer:
    """What is claimed; of an archive by the archive itself, not by what is in it."""
    if isinstance(found, Failure):
        return "refused"
    if isinstance(found, Evidence):
        return "complete" if found.status == "complete" else "damage named"
    lost = found.left_out is not None or any(not member.sha256 for member in found.members)
    named = [p for m in found.members if isinstance(m.outcome, Evidence) for p in m.outcome.problems]
    doubted = any(p.message.startswith(("in the archive", "the gzip data", "the bzip2 data")) for p in named)
    return "damage named" if lost or doubted else "complete"


def second_opinion(
    family: Family, data: bytes, found: Evidence | Archive | Failure, answer: Answer
) -> tuple[bool | None, int]:
    """Whether a second decoder agrees that all is there, None where it has no say; and the size inflated."""
    if family == "texts":
        return None, len(data)
    if family == "archives":
        size = sum(m.size_bytes for m in found.members) if isinstance(found, Archive) else len(data)
        if answer != "complete" or not isinstance(found, Archive):
            return None, size
        try:
            return archives.whole(data) == sorted(m.sha256 for m in found.members), size
        except archives.UnsoundError:
            return False, size
    try:
        parts = darshan.apart(data)
        size = len(parts.job) + sum(len(region.data) for region in parts.regions)
    except darshan.UnsoundError:
        return (False if answer == "complete" else None), 2**20
    if answer != "complete" or not isinstance(found, Evidence):
        return None, size
    try:
        counted = darshan.sound(data)
    except darshan.UnsoundError:
        return False, size
    (log,) = found.of(DarshanLog)
    tables = {place: getattr(log, name) for place, name in _TABLES.items() if place in counted}
    return all((0 if t is None else len(t)) == counted[place] for place, t in tables.items()), size
