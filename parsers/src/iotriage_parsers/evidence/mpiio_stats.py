"""One block of MPICH_MPIIO_STATS=1 output: what Cray MPICH says of one file, one direction, one open."""

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
    """A `pfl comp[...]` line, kept whole: the meaning of its bracketed numbers is documented nowhere."""

    text: str
    line: int


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

    def line_of(self, label: str) -> int | None:
        """The line on which the field with this normalised label stands."""
        return next((f.line for f in self.fields if f.label == label), None)
