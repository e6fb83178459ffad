"""What a diagnosis starts from: the sources of one job, each with what its reader found or why it failed."""

from __future__ import annotations

from dataclasses import dataclass

from iotriage_parsers.evidence import Evidence, Failure


@dataclass(frozen=True, eq=False)
class GivenSource:
    """`sha256` in hexadecimal; `name` is the client's and is shown, never used as a path."""

    name: str
    sha256: str
    size_bytes: int
    outcome: Evidence | Failure
