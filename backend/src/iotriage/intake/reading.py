"""How untrusted bytes are read: the interface, so that a stronger sandbox can take the place of the one we have."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

from iotriage.intake.excerpt import Excerpt
from iotriage_parsers.evidence import Archive, Evidence, Failure
from iotriage_parsers.reader import Limits

MIB = 2**20


@dataclass(frozen=True, slots=True)
class ReadingLimits:
    """What reading one source may cost. Wall clock in seconds; CPU time is bounded by the same figure, rounded up.
    `memory_bytes` is address space; `result_bytes` what the reader may send back."""

    seconds: float = 60.0
    memory_bytes: int = 2048 * MIB
    result_bytes: int = 512 * MIB
    reader: Limits = field(default_factory=Limits)


@dataclass(frozen=True, slots=True)
class LinesQuery:
    """Lines `first` to `last`, counted from 1, both included; of an archive those of the file with index `member`."""

    first: int
    last: int
    member: int | None = None


class SourceReading(Protocol):
    """Reads a stored source. Whatever the source does to its reader ends in a `Failure`, never in an exception."""

    def parse(self, source: Path, limits: ReadingLimits) -> Evidence | Archive | Failure:
        """Everything that the source holds, and of an archive what every file in it holds."""

    def lines(self, source: Path, query: LinesQuery, limits: ReadingLimits) -> Excerpt | Failure | None:
        """Some lines; None where the source is not a text."""

    def close(self) -> None:
        """Gives up what is being read at this moment, and reads nothing any more."""
