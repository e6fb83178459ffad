"""How untrusted bytes are read: the interface, so that a stronger sandbox can take the place of the one we have."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import field
from pathlib import Path
from typing import Protocol

from iotriage.intake.excerpt import Excerpt
from iotriage_parsers.evidence import Failure
from iotriage_parsers.frozen import frozen
from iotriage_parsers.reader import Limits

MIB = 2**20

Take = Callable[[bytes], None]
"""Takes the next piece of an encoded result."""

Spent = Callable[[float], None]
"""Is told now and then how many more seconds of processor time were used; may raise to have the work given up."""


@frozen
class ReadingLimits:
    """What reading one source may cost: processor time and wall clock in seconds. `memory_bytes` is address space;
    `result_bytes` what the reader may send back."""

    cpu_seconds: float = 60.0
    wall_seconds: float = 180.0
    memory_bytes: int = 2048 * MIB
    result_bytes: int = 512 * MIB
    reader: Limits = field(default_factory=Limits)


@frozen
class LinesQuery:
    """Lines `first` to `last`, counted from 1, both included; of an archive those of the file with index `member`."""

    first: int
    last: int
    member: int | None = None


def ignore_usage(_: float) -> None:
    """Nobody counts the processor time."""


class SourceReading(Protocol):
    """Reads a stored source. Whatever the source does to its reader ends in a `Failure`, never in an exception; those
    of `take` and `spent` pass through."""

    def read(self, source: Path, limits: ReadingLimits, take: Take, spent: Spent = ignore_usage) -> Failure | None:
        """Gives `take` everything that the source holds, encoded (`iotriage.boundary.results`), piece by piece. Of a
        Failure what was taken before is void."""

    def lines(
        self, source: Path, query: LinesQuery, limits: ReadingLimits, spent: Spent = ignore_usage
    ) -> Excerpt | Failure | None:
        """Some lines; None where the source is not a text."""

    def close(self) -> None:
        """Gives up what is being read at this moment, and reads nothing any more."""
