"""Which ranks on which nodes are aggregators of a file, as MPICH_MPIIO_AGGREGATOR_PLACEMENT_DISPLAY shows it."""

from __future__ import annotations

from dataclasses import field
from typing import Literal

from iotriage_parsers.evidence.locator import Lines
from iotriage_parsers.frozen import frozen


@frozen
class PlacedAggregator:
    """The aggregator's number, its rank in the communicator that opened the file, and its node as written."""

    number: int
    rank: int
    node: str
    line: int


@frozen
class AggregatorPlacement:
    """One table. Its layout is documented nowhere in public: `aggregators` is filled only where the columns `AGG`,
    `Rank` and `nid` have their header, else it is empty; `text` holds the lines as they stand, the first of many.
    `complete` is false where the table was cut off or not understood, and then the number of aggregators is not
    known."""

    file: str
    aggregators: tuple[PlacedAggregator, ...]
    text: tuple[str, ...]
    lines: Lines
    complete: bool
    kind: Literal["aggregator_placement"] = field(default="aggregator_placement")

    @property
    def nodes(self) -> tuple[str, ...]:
        """The nodes that hold an aggregator, each once, in order of appearance."""
        return tuple(dict.fromkeys(a.node for a in self.aggregators))
