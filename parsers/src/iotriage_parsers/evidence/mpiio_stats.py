"""One block of MPICH_MPIIO_STATS=1 output: what Cray MPICH says about one file, one direction, one open."""

from __future__ import annotations

from dataclasses import field
from typing import Literal

from iotriage_parsers.evidence.locator import Lines
from iotriage_parsers.frozen import frozen

Direction = Literal["write", "read"]


@frozen
class StatsField:
    """One `label = value` line. `label` is normalised to the write form's words with the direction taken out
    ("system writes" and "system reads" are both "system accesses"). `number` is None for NA, nan, text, and what
    is out of the range 0 .. 2^63-1; `text` is always what stood there."""

    label: str
    text: str
    number: int | float | None
    line: int


@frozen
class AggregatorsActive:
    """In how many (rank-)collective calls one, at most half, more than half, or all of the `n` aggregators wrote.

    With n = 1 the four labels are the same and nothing can be concluded: `degenerate`.
    """

    one: int
    low: int
    high: int
    all: int
    n: int

    @property
    def degenerate(self) -> bool:
        return self.n < 2


@frozen
class PflComponent:
    """A `pfl comp[...]` line, kept whole: the meaning of its bracketed numbers is documented nowhere. The stripes and
    the bytes that went to or came from the component, to the MiB, are None in the line of their total, and where they
    are not printed so."""

    text: str
    line: int
    stripe_count: int | None = None
    stripe_size_bytes: int | None = None
    bytes_written: int | None = None
    bytes_read: int | None = None

    def moved(self, direction: Direction) -> int:
        """Its bytes of that direction; 0 where they are not printed."""
        return (self.bytes_written if direction == "write" else self.bytes_read) or 0


@frozen
class MpiioStats:
    """Counts are summed over ranks as MPICH prints them. A field that the block does not have is None.

    `complete` is false where the block was cut off or torn; `trusted` is false where its lines are mixed with
    another block's, and then none of its numbers may be used. `occurrence` numbers the blocks of the same file
    and direction from 1.
    """

    direction: Direction
    file: str
    occurrence: int
    lines: Lines
    complete: bool
    trusted: bool
    ranks_in_communicator: int | None = None
    independent_accesses: int | None = None
    collective_accesses: int | None = None
    independent_accessors: int | None = None
    aggregators: int | None = None
    stripe_count: int | None = None
    stripe_size_bytes: int | None = None
    system_accesses: int | None = None
    stripe_sized_accesses: int | None = None
    aggregators_active: AggregatorsActive | None = None
    total_bytes: int | None = None
    average_system_access_bytes: int | None = None
    rmw_count: int | None = None
    rmw_bytes: int | None = None
    gap_count: int | None = None
    average_gap_bytes: int | None = None
    pfl: tuple[PflComponent, ...] = ()
    fields: tuple[StatsField, ...] = field(default=())
    kind: Literal["mpiio_stats"] = field(default="mpiio_stats")

    @property
    def main_component(self) -> PflComponent | None:
        """Of a file whose components have different stripes, the one that most of the bytes went to: `stripe_count` and
        `stripe_size_bytes` are of one of them, and no document says of which. None of a file with one layout, and where
        no component has bytes."""
        several = [c for c in self.pfl if c.stripe_count is not None and c.stripe_size_bytes is not None]
        if len({(c.stripe_count, c.stripe_size_bytes) for c in several}) < 2:
            return None
        most = max(several, key=lambda c: c.moved(self.direction))
        return most if most.moved(self.direction) > 0 else None

    def line_of(self, label: str) -> int | None:
        """The line on which the field with this normalised label stands."""
        return next((f.line for f in self.fields if f.label == label), None)
