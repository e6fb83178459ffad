"""One block of MPICH_MPIIO_TIMERS=1 output: how long Cray MPICH spent in each phase of a file's reads or writes."""

from __future__ import annotations

from dataclasses import field
from typing import Final, Literal

from iotriage_parsers.evidence.locator import Lines
from iotriage_parsers.evidence.mpiio_stats import Direction
from iotriage_parsers.frozen import frozen

RANKS_NOT_STATED: Final = "ranks not stated"


@frozen
class Spread:
    """The three columns of a row, as printed; None for NA, nan, and what is not there."""

    minimum: int | float | None
    maximum: int | float | None
    average: int | float | None


@frozen
class Phase:
    """One row below the time scale. `label` is the printed one with the direction taken out: "exchange" for
    "exchange/write", "file access" for "file write"; of the details of level 2, "wait for coll.3". `ticks` are in units
    of 2^scale_exponent clock ticks; of the file access the average is over the ranks that access the file, the minimum
    over all. `percent` is that of the average in the total, cut to an integer."""

    label: str
    ticks: Spread
    percent: int | None
    line: int


@frozen
class PhaseSeconds:
    """One row above the time scale. `label` is the printed one with the direction taken out, "file access time" for
    "file write time"; `seconds` are printed with two decimals."""

    label: str
    seconds: Spread
    line: int


RankRole = Literal[
    "late arriver", "slowest access", "quickest access", "slowest group unlock", "quickest group unlock", "unknown"
]


@frozen
class NamedRank:
    """A rank that the details of level 2 name. `ticks` are those of `MpiioTimers`: of a late arriver, how long it
    waited in collective call number `call` (from 1), the shortest of all; else how long it took. `printed` is the
    line's own words."""

    role: RankRole
    printed: str
    call: int | None
    ticks: int
    rank: int
    line: int


@frozen
class TimersRow:
    """One line with a figure, kept whole. `label` is the printed one, blanks made single."""

    label: str
    text: str
    line: int


@frozen
class MpiioTimers:
    """What is not printed, or not readable, is None. `ranks` is the title's word for whose times they are: "all ranks",
    "writers only" or "readers only"; averages over different ranks are never put together. `file` is None where
    the title line is not there, or not whole: such a block has what its rows tell of the others, and is not complete.

    `active_ranks` access the file, `idle_ranks` do not; their sum is the size of the communicator. Times but `seconds`
    are in units of 2^`scale_exponent` ticks of a clock whose rate is not printed. The phases overlap (sending and file
    access run at once on different ranks): their percents do not add to 100. Bandwidths are in B/s, of the block's
    bytes over the average of data send or data receive, over that of the file access, and over the total.

    `details` and `named_ranks` stand below the box where MPICH_MPIIO_TIMERS asks for `detail_level` 2.

    `complete` is false where the block was cut off or torn; `trusted` is false where its lines are mixed with another
    block's, and then it has no number. `occurrence` numbers the blocks of one file, direction and `ranks` from 1.
    """

    direction: Direction
    ranks: str
    file: str | None
    occurrence: int
    lines: Lines
    complete: bool
    trusted: bool
    active_ranks: int | None = None
    idle_ranks: int | None = None
    seconds: tuple[PhaseSeconds, ...] = ()
    scale_exponent: int | None = None
    total_ticks: int | None = None
    phases: tuple[Phase, ...] = ()
    data_send_bandwidth: float | None = None
    data_receive_bandwidth: float | None = None
    raw_bandwidth: float | None = None
    net_bandwidth: float | None = None
    detail_level: int | None = None
    details: tuple[Phase, ...] = ()
    named_ranks: tuple[NamedRank, ...] = ()
    rows: tuple[TimersRow, ...] = field(default=())
    kind: Literal["mpiio_timers"] = field(default="mpiio_timers")

    def phase(self, label: str) -> Phase | None:
        """The phase with this normalised label."""
        return next((p for p in self.phases if p.label == label), None)

    def seconds_of(self, label: str) -> Spread | None:
        """The seconds with this normalised label."""
        return next((s.seconds for s in self.seconds if s.label == label), None)

    def line_of(self, label: str) -> int | None:
        """The line on which the row with this printed label stands."""
        return next((r.line for r in self.rows if r.label == label), None)
