"""Where in a source a number stands: a range of lines, or one counter of one record."""

from __future__ import annotations

from typing import Literal

from iotriage_parsers.frozen import frozen


@frozen
class Lines:
    """Lines `first` to `last` of a text source, both counted from 1 and included."""

    first: int
    last: int
    kind: Literal["lines"] = "lines"


@frozen
class Counter:
    """One counter of a binary log.

    `record` is the 64-bit record id in decimal (JavaScript numbers cannot hold it), or None where the figure is
    summed over all records of the module. `rank` is −1 for a record shared by all ranks, None where summed.
    """

    module: str
    counter: str
    record: str | None = None
    rank: int | None = None
    file: str | None = None
    kind: Literal["counter"] = "counter"

    def __hash__(self) -> int:
        # Places are told apart by the hundred in each diagnosis: the other fields seldom differ where these do not.
        return hash((self.counter, self.record, self.rank))


Locator = Lines | Counter
