"""The blocks of MPICH_MPIIO_TIMERS, and the seconds of their ticks.

The rate of the clock is not printed. It follows from the block's bytes, which MPICH_MPIIO_STATS prints, and its net
bandwidth: total seconds = bytes / net bandwidth. That is checked before it is used: the clock that it makes must be one
that processors have, and the same as that of some other close in the output: several runs may stand there, each with
a clock of its own. Where it does not stand, or there are no statistics, a phase that is printed both in seconds and in
ticks makes the clock, if its two decimals are enough for that: Cray MPICH prints that of the file access since 8.1.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from itertools import islice, takewhile
from operator import attrgetter
from typing import NamedTuple

from iotriage.metrics.core.metric import Absent, Outcome, Value, Where
from iotriage.metrics.core.missing_evidence import STATS, TIMERS
from iotriage.metrics.core.selection import Selection, StatsBlock, named_file
from iotriage.metrics.core.selection_cache import cached_per_job, cached_per_selection
from iotriage_parsers.evidence import Lines, MpiioStats, MpiioTimers, NamedRank, Phase, PhaseSeconds
from iotriage_parsers.evidence.mpiio_stats import Direction
from iotriage_parsers.frozen import frozen, frozen_identity

OPENING = (
    "open/close/trunc", "open/trunc", "close sys", "close fsync", "close group-unlock", "close other + wait"
)  # fmt: skip
"""The five rows that version 8.1 prints in place of the first row of earlier versions."""

SLOWEST_CLOCK_HZ = 0.5e9

FASTEST_CLOCK_HZ = 5e9

CLOCKS_AGREE = 0.02
"""Clocks of two closes, their difference over the larger: nominal rates are kept to parts in a million, and the
printed bandwidths have three decimals."""

BANDWIDTH_ROUNDED_TO = 0.001 * 2**20
"""B/s: bandwidths are printed in MiB/s with three decimals."""

COARSEST_ROUNDING = 0.01

ALL_RANKS = "all ranks"


@frozen_identity
class TimersBlock:
    """One trusted block, the index of its source, and the STATS block of the same close, where there is one."""

    source: int
    block: MpiioTimers
    stats: StatsBlock | None

    @property
    def file(self) -> str:
        """What its file is called, with or without a title."""
        return named_file(self.block)

    @property
    def bytes(self) -> int | None:
        """What the library read or wrote between the open and the close."""
        return self.stats.block.total_bytes if self.stats is not None else None

    @property
    def opened_by(self) -> int | None:
        """How many ranks opened the file together."""
        active, idle = self.block.active_ranks, self.block.idle_ranks
        return None if active is None or idle is None else active + idle

    @property
    def of_one_rank(self) -> bool:
        """Whether one rank alone opened the file."""
        return self.opened_by == 1

    @property
    def clock_ticks(self) -> int | None:
        """The total in ticks of the clock; None without the scale."""
        if self.block.total_ticks is None or self.block.scale_exponent is None:
            return None
        return self.block.total_ticks << self.block.scale_exponent

    def at(self, line: int | None) -> tuple[Where, ...]:
        """The place of a line of the block; of the whole block where it does not have the line."""
        return (Where(self.source, self.block.lines if line is None else Lines(line, line)),)


@cached_per_selection
def timers_blocks(s: Selection) -> tuple[TimersBlock, ...]:
    """The trusted blocks of the selection, in the order of the sources and their lines."""
    found = [TimersBlock(i, b, _stats_of(s, i, b)) for i, b in s.of(MpiioTimers) if b.trusted]
    return tuple(sorted(found, key=lambda t: (t.source, t.block.lines.first)))


@cached_per_selection
def all_rank_blocks(s: Selection) -> tuple[TimersBlock, ...]:
    """The blocks over all ranks. Averages over the writers or readers are another quantity."""
    return tuple(t for t in timers_blocks(s) if t.block.ranks == ALL_RANKS)


def totals_at(blocks: Sequence[TimersBlock]) -> tuple[Where, ...]:
    """Where the totals of the first of them stand."""
    return tuple(w for t in blocks[:MOST_LINES] for w in t.at(t.block.line_of("total")))


@cached_per_selection
def timed_blocks(s: Selection) -> tuple[TimersBlock, ...] | Absent:
    """The blocks of all ranks, the longest first; where no ticks are printed, the one with most bytes."""
    every, of_all = timers_blocks(s), all_rank_blocks(s)
    if not every:
        return Absent("no MPICH_MPIIO_TIMERS block was given", (TIMERS,))
    if not of_all:
        return Absent(f"the MPICH_MPIIO_TIMERS blocks are of {every[0].block.ranks}, none is of all ranks")
    return tuple(sorted(of_all, key=lambda t: (-(t.clock_ticks or 0), -(t.bytes or 0))))


def no_timers(s: Selection) -> Absent | None:
    found = timed_blocks(s)
    return found if isinstance(found, Absent) else None


@cached_per_selection
def leading_timers(s: Selection) -> TimersBlock | Absent:
    """The block with the longest time."""
    found = timed_blocks(s)
    return found if isinstance(found, Absent) else found[0]


def share_of_all(
    blocks: Sequence[TimersBlock],
    ticks: Sequence[float],
    labels: Collection[str],
    direction: Direction | None = None,
) -> float | None:
    """The share that the rows with these labels, of blocks of the direction, have in the totals of all blocks, each of
    which has so many `ticks`. A block that does not print them, as one without collective calls, has nothing of them;
    None where none does."""
    of_each = [_share_of_rows(b, labels) if direction in (None, b.block.direction) else None for b in blocks]
    shares = [share for share in of_each if share is not None]
    if not shares:
        return None
    # What was cut off before its total has no weight.
    every = sum(ticks)
    return sum((share or 0.0) * n for share, n in zip(of_each, ticks, strict=True)) / every if every else shares[0]


WAITING = ("wait for coll", "imbalance")
"""Rows for the time in which a rank waits for others; in all other rows it is working."""


def share_missed(blocks: Sequence[TimersBlock], ticks: Sequence[float]) -> float | None:
    """The share of the totals of all blocks, each of so many `ticks`, in which the mean rank waited and the rank that
    waited least was not in the library at all; the least that it can be, None where no block tells."""
    of_each = [_missed(b) for b in blocks]
    if all(share is None for share in of_each):
        return None
    every = sum(ticks)
    missed = [share or 0.0 for share in of_each]
    return sum(share * n for share, n in zip(missed, ticks, strict=True)) / every if every else missed[0]


def _missed(block: TimersBlock) -> float | None:
    """The rank that waits least is in the library for its waiting and its work; the work is at most the largest of
    each row together, whoever has it. Where each call has another late rank, or another slow one, every rank waits
    long, and nothing is left."""
    b = block.block
    wait, imbalance = (b.phase(label) for label in WAITING)
    # Rows that a block lost may be those of the work.
    if wait is None or imbalance is None or not b.total_ticks or not b.complete:
        return None
    work = [p.ticks.maximum for p in b.phases if p.label not in WAITING]
    of_all = wait.ticks, imbalance.ticks
    numbers = [n for t in of_all for n in (t.minimum, t.maximum, t.average)]
    if any(n is None for n in (*work, *numbers)):
        return None
    (least, most, mean), (least_imbalance, most_imbalance, mean_imbalance) = (
        (t.minimum or 0, t.maximum or 0, t.average or 0) for t in of_all
    )
    waited_least = min(least + most_imbalance, least_imbalance + most)
    missed = mean + mean_imbalance - waited_least - sum(n or 0 for n in work)
    return min(1.0, max(0.0, missed / b.total_ticks))


def _share_of_rows(block: TimersBlock, labels: Collection[str]) -> float | None:
    rows = [p for p in block.block.phases if p.label in labels]
    shares = [share for p in rows if (share := share_of_total(block, p)) is not None]
    return sum(shares) if rows and len(shares) == len(rows) else None


@frozen
class BlockSeconds:
    """`seconds` of a block, or of several together. They are its `own` where its statistics give them: those of one
    without statistics follow from its ticks and the clock of the others of its source."""

    seconds: float
    own: bool


def seconds_of(block: TimersBlock, s: Selection) -> BlockSeconds | Absent:
    own = total_seconds(block, s)
    if not isinstance(own, Absent):
        return BlockSeconds(own, own=True)
    clock = _mean_clocks(s).get(block.source)
    if block.stats is not None or clock is None or not block.clock_ticks:
        return own
    return BlockSeconds(block.clock_ticks / clock, own=False)


@cached_per_job
def _mean_clocks(s: Selection) -> Mapping[int, float]:
    """Hz, by source, over all its blocks that have seconds."""
    known: dict[int, list[tuple[int, float]]] = {}
    for block in timers_blocks(s):
        seconds = total_seconds(block, s)
        if not isinstance(seconds, Absent) and block.clock_ticks:
            known.setdefault(block.source, []).append((block.clock_ticks, seconds))
    return {source: sum(t for t, _ in found) / sum(x for _, x in found) for source, found in known.items()}


@cached_per_selection
def blocks_by_file(s: Selection) -> Mapping[str, Sequence[TimersBlock]]:
    """Those of all ranks."""
    found: dict[str, list[TimersBlock]] = {}
    for block in all_rank_blocks(s):
        found.setdefault(block.file, []).append(block)
    return found


def least_run_of(blocks: Sequence[TimersBlock], s: Selection) -> float:
    """The seconds that the run of these blocks of one file lasted at least, by those that have any: all ranks open and
    close it one time after the other. Parts of the ranks may each have it open at the same time as the others."""
    known = [(block, found.seconds) for block in blocks if not isinstance(found := seconds_of(block, s), Absent)]
    in_turn = [took for block, took in known if not _of_some_ranks(block, s)]
    return max(sum(in_turn), max((took for _, took in known), default=0.0))


def _of_some_ranks(block: TimersBlock, s: Selection) -> bool:
    return block.opened_by is not None and (s.nprocs is None or block.opened_by < s.nprocs)


@cached_per_selection
def times_every_close(s: Selection) -> bool:
    """Whether each file read or written between an open and a close, of which any block tells, has its seconds: times
    of some closes are the least that all took."""
    timed = Counter(_file_and_way(t.block) for t in all_rank_blocks(s) if not isinstance(seconds_of(t, s), Absent))
    of_stats = Counter(_file_and_way(b.block) for b in s.stats if b.block.total_bytes)
    of_all = Counter(_file_and_way(b) for _, b in s.of(MpiioTimers) if b.ranks == ALL_RANKS)
    of_others = Counter(_file_and_way(b) for _, b in s.of(MpiioTimers) if b.ranks != ALL_RANKS)
    # The same close may be told of by each kind.
    return all((of_stats | of_all | of_others)[close] <= timed[close] for close in of_stats | of_all | of_others)


def _file_and_way(block: MpiioStats | MpiioTimers) -> tuple[str | None, Direction]:
    return block.file, block.direction


@cached_per_selection
def named_ranks(s: Selection) -> tuple[TimersBlock, tuple[NamedRank, ...]] | Absent:
    """The ranks that the details of level 2 name for the leading block."""
    leading = leading_timers(s)
    if isinstance(leading, Absent):
        return leading
    named = named_ranks_of(leading, s)
    if not named:
        reason = f"the MPICH_MPIIO_TIMERS block of {leading.file} names no rank: it has no details of level 2"
        return Absent(reason, (TIMERS,))
    return leading, named


def named_ranks_of(block: TimersBlock, s: Selection) -> tuple[NamedRank, ...]:
    """Who wrote or read slowest stands with the block of the writers or readers alone where not all ranks do."""
    b = block.block
    of_users = [
        t
        for t in timers_blocks(s)
        if (t.source, t.block.file, t.block.direction, t.block.occurrence)
        == (block.source, b.file, b.direction, b.occurrence)
        and t.block.ranks != ALL_RANKS
    ]
    return (*b.named_ranks, *(n for t in of_users for n in t.block.named_ranks if n.role != "late arriver"))


def seconds_added_up(parts: Sequence[float | Absent], where: tuple[Where, ...]) -> Outcome:
    """The seconds of several blocks, of at least one: a lower bound where some have none, absent where none has any."""
    known = [part for part in parts if not isinstance(part, Absent)]
    if not known:
        return next(part for part in parts if isinstance(part, Absent))
    return Value(sum(known), "inferred", where, None if len(known) == len(parts) else "lower")


def share_of_total(block: TimersBlock, phase: Phase) -> float | None:
    """The phase's average over the total; of the printed percent where one of the two is missing."""
    if phase.ticks.average is not None and block.block.total_ticks:
        return phase.ticks.average / block.block.total_ticks
    return None if phase.percent is None else phase.percent / 100


def total_seconds(block: TimersBlock, s: Selection) -> float | Absent:
    """The block's total in seconds, by its statistics, else by the rows that it prints in seconds. `s` is of its
    job."""
    by_statistics = _seconds_by_statistics(block, s)
    clock = _printed_clock(block.block)
    if clock is None or not block.clock_ticks:
        return by_statistics
    by_rows = block.clock_ticks / clock
    agree = not isinstance(by_statistics, Absent) and abs(by_statistics - by_rows) <= CLOCKS_AGREE * by_rows
    return by_statistics if agree else by_rows


SECONDS_ROUNDED_TO = 0.01
"""The rows in seconds above the time scale have two decimals."""


def printed_seconds(block: MpiioTimers) -> PhaseSeconds | None:
    """The longest row in seconds whose phase is printed in ticks too; None where it is so short that two decimals make
    no clock of it."""
    in_ticks = {f"{p.label} time" for p in block.phases if p.ticks.maximum}
    rows = [row for row in block.seconds if row.label in in_ticks and row.seconds.maximum is not None]
    longest = max(rows, key=lambda row: row.seconds.maximum or 0.0, default=None)
    if longest is None or (longest.seconds.maximum or 0.0) * COARSEST_ROUNDING < SECONDS_ROUNDED_TO / 2:
        return None
    return longest


def _printed_clock(block: MpiioTimers) -> float | None:
    """Hz, by that row; None where there is none, or it makes no clock that processors have."""
    row = printed_seconds(block)
    phase = block.phase(row.label.removesuffix(" time")) if row is not None else None
    if row is None or phase is None or block.scale_exponent is None:
        return None
    clock = (phase.ticks.maximum or 0) * 2**block.scale_exponent / (row.seconds.maximum or 1.0)
    return clock if _plausible(clock) else None


def _seconds_by_statistics(block: TimersBlock, s: Selection) -> float | Absent:
    """Where the clock that this makes stands the checks."""
    seconds = _seconds(block)
    clock = _clock(block)
    if isinstance(seconds, Absent):
        return seconds
    if isinstance(clock, Absent):
        return clock
    if not _plausible(clock):
        return Absent(
            f"bytes over bandwidth make a clock of {clock / 1e9:.3g} GHz: the statistics and the times of "
            f"{block.file} do not belong together"
        )
    clocks = _clocks(s).get(block.source, ())
    slowest = next((c.hz for c in clocks if c.close != _close(block)), None)
    fastest = next((c.hz for c in reversed(clocks) if c.close != _close(block)), None)
    if slowest is not None and fastest is not None and not _agrees(clock, _close(block), clocks):
        slowest, fastest = min(slowest, clock), max(fastest, clock)
        return Absent(
            f"bytes over bandwidth make clocks from {slowest / 1e9:.3g} to {fastest / 1e9:.3g} GHz in one output: some "
            "statistics and times do not belong together"
        )
    return seconds


class _Clock(NamedTuple):
    hz: float
    close: tuple[str, str, int]


@cached_per_job
def _clocks(s: Selection) -> Mapping[int, Sequence[_Clock]]:
    """The plausible clocks of each source, the slowest first: thousands of closes are not compared each with each."""
    found: dict[int, list[_Clock]] = {}
    for block in timers_blocks(s):
        hz = _clock(block)
        if not isinstance(hz, Absent) and _plausible(hz):
            found.setdefault(block.source, []).append(_Clock(hz, _close(block)))
    return {source: sorted(clocks) for source, clocks in found.items()}


def _close(block: TimersBlock) -> tuple[str, str, int]:
    """What all ranks and the writers alone print of one close has the same statistics."""
    return block.file, block.block.direction, block.block.occurrence


def _agrees(clock: float, close: tuple[str, str, int], clocks: Sequence[_Clock]) -> bool:
    """Whether some other close has a clock that differs by no more than 2 % of the larger."""
    slack = 1e-9  # What lies at the very end is decided below, as it is rounded there.
    first = bisect_left(clocks, clock * (1 - CLOCKS_AGREE - slack), key=attrgetter("hz"))
    near = takewhile(lambda c: c.hz <= clock / (1 - CLOCKS_AGREE - slack), islice(clocks, first, None))
    return any(c.close != close and abs(c.hz - clock) <= CLOCKS_AGREE * max(c.hz, clock) for c in near)


MOST_LINES = 8
"""Number of places given for a sum over blocks."""


def _stats_of(s: Selection, source: int, block: MpiioTimers) -> StatsBlock | None:
    """The STATS block of the same file, direction and occurrence, where it stands before this one and counts bytes."""
    stats = s.stats_of_close.get((source, named_file(block), block.direction, block.occurrence))
    if stats is None or stats.block.total_bytes is None or stats.block.lines.last > block.lines.first:
        return None
    return stats


def _seconds(block: TimersBlock) -> float | Absent:
    if block.bytes is None:
        return Absent(
            "the times are in ticks of a clock whose rate is not printed; without the MPICH_MPIIO_STATS block of the "
            "same file there are no seconds",
            (STATS,),
        )
    rate = block.block.net_bandwidth
    if rate is None:
        return Absent("the block prints no net bandwidth, from which seconds would follow")
    if rate * COARSEST_ROUNDING < BANDWIDTH_ROUNDED_TO / 2 or not block.bytes:
        return Absent("the net bandwidth is too small for its three decimals to make seconds of ticks")
    return block.bytes / rate


def _clock(block: TimersBlock) -> float | Absent:
    """Hz."""
    seconds = _seconds(block)
    if isinstance(seconds, Absent):
        return seconds
    if not block.clock_ticks:
        return Absent("the block prints no total or no time scale, by which its clock could be checked")
    return block.clock_ticks / seconds


def _plausible(clock: float) -> bool:
    return SLOWEST_CLOCK_HZ <= clock <= FASTEST_CLOCK_HZ
