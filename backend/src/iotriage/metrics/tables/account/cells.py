"""The cells of the time account: each second of I/O is counted in exactly one of them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from operator import attrgetter
from typing import Literal, get_args

from iotriage_parsers.frozen import frozen

Cell = Literal["reads", "writes", "metadata", "exchange", "streams", "library", "imbalance", "not_split"]

CELLS: tuple[Cell, ...] = get_args(Cell)

_EACH: Callable[[object], tuple[float, ...]] = attrgetter(*CELLS)

DIRECTIONS: Mapping[Cell, Literal["read", "write"]] = {"reads": "read", "writes": "write"}
"""Of the cells that are of one alone."""


@frozen
class Cells:
    """Seconds. All but `imbalance` are the mean rank's: sums over the ranks, divided by their number.

    `reads`, `writes` and `metadata` are the calls to the storage (POSIX, DAOS); `exchange` is the time of MPI-IO beyond
    the calls below it on the same files: exchange, waiting for other ranks, copying. `streams` are all calls of
    buffered streams, `library` is what HDF5 and PnetCDF take beyond the layers below. `imbalance` is what the slowest
    rank is sure to take beyond the mean. `not_split` is time of which no source tells the kind; no cause has it.
    """

    reads: float = 0.0
    writes: float = 0.0
    metadata: float = 0.0
    exchange: float = 0.0
    streams: float = 0.0
    library: float = 0.0
    imbalance: float = 0.0
    not_split: float = 0.0

    def of(self, cell: Cell) -> float:
        seconds: float = getattr(self, cell)
        return seconds

    @property
    def each(self) -> tuple[float, ...]:
        """The seconds in the order of `CELLS`."""
        return _EACH(self)

    def times(self, factor: float) -> Cells:
        return Cells(*(seconds * factor for seconds in self.each))

    @property
    def mean_rank(self) -> float:
        """Seconds of the mean rank."""
        return self.total - self.imbalance

    @property
    def total(self) -> float:
        """The sum, in the order of the cells, as the page adds them up."""
        return sum(self.each)


def sum_cells(every: Iterable[Cells]) -> Cells:
    """Cell by cell; the fields of `Cells` stand in the order of `CELLS`."""
    return Cells(*map(sum, zip(*(cells.each for cells in every), strict=True)))


@frozen
class SlowestRank:
    """Seconds of the slowest rank: at least `least_s`, at most `most_s`; the two agree where its own records cover it.
    `rank` and `cells` are None where the evidence does not tell which rank it is."""

    least_s: float
    most_s: float
    rank: int | None
    cells: Cells | None


def as_bound(slowest: SlowestRank) -> SlowestRank:
    """Where records are missing the most is no bound, since what is missing adds to it: the least alone is sure."""
    return replace(slowest, most_s=slowest.least_s)


@frozen
class UnknownCell:
    """A cell of which the source tells nothing: that it has no seconds does not mean that there were none."""

    cell: Cell
    reason: str


Basis = Literal["Darshan", "darshan-parser", "MPICH_MPIIO_TIMERS", "CrayPAT"]


@frozen
class TimeAccount:
    """`partial` where records are missing: the seconds are then lower bounds. `slowest_reason` says why no slowest
    rank is known."""

    basis: Basis
    cells: Cells
    slowest: SlowestRank | None
    partial: bool
    unknown: tuple[UnknownCell, ...] = ()
    slowest_reason: str | None = None
