"""What a reader is: an id, a title, a function that recognises the format, and one that reads it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import BinaryIO

from iotriage_parsers.evidence import Evidence, Failure
from iotriage_parsers.frozen import frozen

HEAD_BYTES = 64 * 1024
"""Number of bytes from which a reader decides whether it knows the format."""


@dataclass(slots=True)
class Spent:
    """Counts the bytes inflated from one input so far, including those that were discarded."""

    inflated_bytes: int = 0


@frozen
class Limits:
    """What reading one source may cost. A reader stops at these limits and reports it as a problem."""

    inflated_bytes: int = 2 * 2**30
    """Of all that one source holds together, however deep: whatever inflates something adds it to `spent`."""
    line_bytes: int = 64 * 1024
    records: int = 20_000_000
    members: int = 500
    """Files of one archive."""
    spent: Spent = field(default_factory=Spent, compare=False, repr=False)

    @property
    def room_bytes(self) -> int:
        """The number of bytes that may still be inflated."""
        return max(0, self.inflated_bytes - self.spent.inflated_bytes)

    def for_another(self) -> Limits:
        """The same for a source of which nothing is inflated yet."""
        return replace(self, spent=Spent())


def no_room(limits: Limits) -> Failure:
    """Why a file is not read whose turn came when too much was inflated of others."""
    return Failure(
        "too-large",
        f"what is inflated of one input is at most {limits.inflated_bytes // 2**20:,} MiB, and this file is beyond "
        "that: it was not read",
        "Give it by itself, or without the files before it that are no logs.",
    )


@frozen
class Reader:
    """`recognises` gets the first 64 KiB and answers from 0.0 (not mine) to 1.0 (a magic number says so); the
    file's name is not asked. `read` gets a seekable binary stream at offset 0."""

    id: str
    title: str
    recognises: Callable[[bytes], float]
    read: Callable[[BinaryIO, Limits], Evidence | Failure]
