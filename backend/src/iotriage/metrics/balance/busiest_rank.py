"""How evenly the ranks share the bytes and the time, at the highest layer of each file."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from iotriage.metrics.core.about import About
from iotriage.metrics.core.metric import NO_TIME, Absent, Confidence, Outcome, Value, Where
from iotriage.metrics.core.missing_evidence import DARSHAN
from iotriage.metrics.core.outcomes import joined
from iotriage.metrics.core.prefix import PREFIX
from iotriage.metrics.core.registry import metric, outcome
from iotriage.metrics.core.selection import LogRows, Selection, unique_inverse
from iotriage.metrics.core.selection_cache import cached_per_selection
from iotriage.metrics.tables.account.beside import ranks_of_mean
from iotriage.metrics.tables.at_a_time import ranks_of_job
from iotriage.metrics.tables.files.shared import movers
from iotriage.metrics.tables.grouping import templates_of
from iotriage.metrics.tables.rank_spread import Spread, bytes_spread, slowest_beyond_mean, time_spread
from iotriage.metrics.tables.rank_times import lacks_slowest_rank, rank_bytes, total_time
from iotriage.metrics.tables.stages import logs_by_stage, over_stages, programs_beside
from iotriage.metrics.tables.texts.phases import MOST_LINES
from iotriage.metrics.tables.texts.profiled import other_files, spread
from iotriage.metrics.tables.texts.stats_fields import place
from iotriage_parsers.evidence import Heatmap
from iotriage_parsers.evidence.darshan import Float64s


@cached_per_selection
def _of_longest_log(s: Selection, *, time: bool) -> tuple[LogRows, Spread] | Absent:
    """The spread in the step that moved most, or whose slowest rank took longest: steps have ranks of their own."""
    if not s.logs:
        return Absent("no source shows the ranks one by one", (DARSHAN,))
    whole = [rows for rows in s.logs if not rows.cut]
    if not whole:
        return Absent("the trace of the calls was cut off: ranks may be missing from it", (DARSHAN,))
    spreads = [(rows, x) for rows in whole if (x := (time_spread if time else bytes_spread)(rows)) is not None]
    if not spreads:
        return Absent("the timers show no time") if time else _no_bytes(s)
    if time and lacks_slowest_rank([table for rows, _ in spreads for table in rows.highest]):
        return Absent("records of all ranks do not say how long the slowest took")
    return max(spreads, key=lambda p: p[1].most if time else p[1].all)


def _bytes_of_longest_log(s: Selection) -> tuple[LogRows, Spread] | Absent:
    """What is held against the seconds of a step are its own bytes."""
    longest = _of_longest_log(s, time=True)
    moved = None if isinstance(longest, Absent) else bytes_spread(longest[0])
    return _of_longest_log(s, time=False) if isinstance(longest, Absent) or moved is None else (longest[0], moved)


def _no_bytes(s: Selection) -> Absent:
    """None were moved, or none were counted."""
    moved = outcome(s, "io.bytes")
    return moved if isinstance(moved, Absent) else Absent("no bytes were moved")


NEARLY_ALL = 0.9
"""Of the bytes of a step, from which one rank does its I/O, as `serial-io` has it."""

TIME_COUNTERS = ("F_SLOWEST_RANK_TIME",)

BYTE_COUNTERS = ("SLOWEST_RANK_BYTES", "FASTEST_RANK_BYTES")


def _where(rows: LogRows, counters: tuple[str, ...]) -> tuple[Where, ...]:
    """STDIO records name no slowest rank's bytes, and are left out."""
    tables = [t for t in rows.highest if t.module != "STDIO"]
    return joined(*(rows.where(t, *(f"{PREFIX[t.module]}_{c}" for c in counters)) for t in tables))


LITTLE = 0.01
"""Of the bytes of a profile, up to which those of other texts change nothing."""


def _profiled(s: Selection, *, over_mean: bool) -> Outcome | None:
    """The busiest rank's bytes over the mean, or over all, by CrayPAT; None without a report, and where it has little
    beside what MPICH_MPIIO_STATS tells of other files."""
    found, of_stats = spread(s), sum(b.block.total_bytes or 0 for b in s.stats)
    if found is None or isinstance(found, Absent):
        return None if of_stats else found
    if of_stats > LITTLE * found.all:
        return None
    if over_mean and found.ranks is None:
        return Absent("the report does not state the number of ranks")
    mean_or_all = found.all / found.ranks if over_mean and found.ranks else found.all
    sure: Confidence = "measured" if found.exact else "inferred"
    return Value(found.most / mean_or_all, sure, found.where, "lower" if found.lower else None)


def _max_over_mean(s: Selection, *, time: bool) -> Outcome:
    if not s.logs and not time and (of_profile := _profiled(s, over_mean=True)) is not None:
        return of_profile
    found = _of_longest_log(s, time=True) if time else _bytes_of_longest_log(s)
    if isinstance(found, Absent):
        return found
    rows, spread = found
    where = _where(rows, TIME_COUNTERS if time else BYTE_COUNTERS)
    return Value(spread.most / spread.mean, "measured" if spread.exact else "inferred", where)


@metric(
    "balance.bytes",
    "Bytes of the busiest rank over the mean",
    "ratio",
    about=About(time=False),
    formula="largest bytes of one rank / mean over the ranks that shared the bytes (the busiest, and of the others "
    "(Σb)² / Σb²), at the highest layer, in the step whose slowest rank takes longest; of a reduced record only its "
    "slowest and fastest rank are known; without Darshan, by CrayPAT's rows of single ranks (inferred from the files, "
    "where each rank has one)",
    needs="a Darshan log, or a CrayPAT report",
)
def balance_bytes(s: Selection) -> Outcome:
    return _max_over_mean(s, time=False)


@metric(
    "balance.time",
    "I/O time of the slowest rank over the mean",
    "ratio",
    about=About(time=True),
    formula="slowest rank's seconds / mean over the ranks that shared the bytes, of metadata calls over all that make "
    "some, at the highest layer, in the step whose slowest rank takes longest; of a reduced record its slowest rank "
    "has F_SLOWEST_RANK_TIME, and every other rank the mean",
    needs="a Darshan log",
)
def balance_time(s: Selection) -> Outcome:
    return _max_over_mean(s, time=True)


FEWEST = 3.0
"""Ranks that move the bytes, from which one is held against the mean of the others."""


@metric(
    "balance.time_over_others",
    "I/O time of the slowest rank over the mean of the others",
    "ratio",
    about=About(time=True),
    formula="slowest rank's seconds / mean of the others that shared the bytes, as in balance.time: of few ranks the "
    f"slowest is a good part of the mean of all; where {FEWEST:.0f} or more did",
    needs="a Darshan log",
    scopes=["job"],
)
def time_over_others(s: Selection) -> Outcome:
    found = _of_longest_log(s, time=True)
    if isinstance(found, Absent):
        return found
    rows, spread = found
    if spread.movers < FEWEST:
        return Absent("one or two ranks move the bytes")
    others = (spread.movers * spread.mean - spread.most) / (spread.movers - 1)
    if others < NO_TIME:
        return Absent("the other ranks spend no time in I/O")
    return Value(spread.most / others, "measured" if spread.exact else "inferred", _where(rows, TIME_COUNTERS))


@metric(
    "balance.time_beyond_mean",
    "I/O time of the slowest rank beyond the mean of those that do I/O",
    "s",
    formula="slowest rank's seconds − mean, both as in balance.time; of logs that followed one another added up",
    needs="a Darshan log",
)
def time_beyond_mean(s: Selection) -> Outcome:
    longest = _of_longest_log(s, time=True)
    if isinstance(longest, Absent):
        return longest
    beyond = over_stages(s, ((rows, slowest_beyond_mean(rows)) for rows in s.logs))
    return Value(beyond, "measured" if longest[1].exact else "inferred")


@metric(
    "balance.mean_time",
    "Mean I/O time of the ranks that do I/O",
    "s",
    formula="the mean of balance.time: seconds of all ranks over those that shared the bytes, of metadata calls over "
    "all that make some, in the step that took longest; at most what one rank can have taken, where others than these "
    "take long",
    needs="a Darshan log",
)
def mean_time(s: Selection) -> Outcome:
    found = _of_longest_log(s, time=True)
    if isinstance(found, Absent):
        return found
    rows, spread = found
    return Value(spread.mean, "measured" if spread.exact else "inferred", _where(rows, TIME_COUNTERS))


@metric(
    "balance.slowest_rank_share",
    "Share of the bytes moved by the busiest rank",
    "share",
    about=About(time=False),
    formula="bytes of the busiest rank / all bytes, at the highest layer; without Darshan, by CrayPAT's rows of single "
    "ranks, or at least the bytes of a file that one rank has to itself; or by MPICH_MPIIO_STATS those of the files "
    "that have one independent reader or writer, and no collective calls (inferred)",
    needs="a Darshan log, a CrayPAT report, or MPICH_MPIIO_STATS",
)
def slowest_rank_share(s: Selection) -> Outcome:
    if not s.logs and (of_text := _profiled(s, over_mean=False) or _lone_by_statistics(s)) is not None:
        return of_text
    found = _of_longest_log(s, time=False)
    if isinstance(found, Absent):
        return found
    rows, spread = found
    where = joined(
        *(
            rows.where(t, f"{PREFIX[t.module]}_SLOWEST_RANK_BYTES")
            for t in rows.highest
            if len(t) and t.module != "STDIO"
        )
    )
    return Value(spread.most / spread.all, "measured" if spread.exact else "inferred", where)


@metric(
    "balance.busiest_share",
    "Share of all bytes moved by the busiest rank of the step that takes longest",
    "share",
    about=About(time=False),
    formula="bytes of the busiest rank, as in balance.bytes / those of all steps; without Darshan, "
    "balance.slowest_rank_share",
    needs="a Darshan log, a CrayPAT report, or MPICH_MPIIO_STATS",
)
def balance_busiest_share(s: Selection) -> Outcome:
    found = _bytes_of_longest_log(s)
    if not s.logs or isinstance(found, Absent):
        return outcome(s, "balance.slowest_rank_share")
    every = sum(float(rank_bytes(t).sum()) for rows in s.logs for t in rows.highest)
    return Value(found[1].most / every, "measured" if found[1].exact else "inferred")


@metric(
    "balance.slowest_time_share",
    "Share of the I/O time of all ranks that the slowest one has",
    "share",
    about=About(time=True),
    formula="slowest rank's seconds, as in balance.time / those of all ranks together, in the step that moved most, "
    "times its part of the mean rank's seconds in all steps; with the same of every other step of which one rank moved "
    f"{NEARLY_ALL:.0%} of the bytes or more, of one process where that is one, else of several; without Darshan, "
    "balance.slowest_rank_share",
    needs="a Darshan log, a CrayPAT report, or MPICH_MPIIO_STATS",
    scopes=["job"],
)
def slowest_time_share(s: Selection) -> Outcome:
    if not s.logs:
        return outcome(s, "balance.slowest_rank_share")
    found = _of_longest_log(s, time=False)
    if isinstance(found, Absent):
        return found
    spread = time_spread(found[0])
    if spread is None:
        return Absent("the timers show no time")
    alike = [rows for rows in s.logs if rows is found[0] or _does_as(found[0], rows)]
    of_each = [(of, _part_of_step(s, rows)) for rows in alike if (of := time_spread(rows)) is not None]
    share = sum(min(1.0, of.most / of.all) * of_step for of, of_step in of_each)
    exact = all(of.exact for of, _ in of_each)
    return Value(min(1.0, share), "measured" if exact else "inferred", _where(found[0], TIME_COUNTERS))


def _does_as(step: LogRows, other: LogRows) -> bool:
    """Whether one rank does nearly all of another step's I/O, too. A single process has no others that could."""
    moved = bytes_spread(other)
    if moved is None or other.cut:
        return False
    return moved.most >= NEARLY_ALL * moved.all and (step.nprocs == 1) == (other.nprocs == 1)


def _part_of_step(s: Selection, step: LogRows) -> float:
    """The part of the seconds of all steps, in the mean rank, that passes in this one."""
    of_each = {rows.source: sum(map(total_time, rows.highest)) / ranks_of_mean(s, rows) for rows in s.logs}
    return of_each[step.source] / sum(of_each.values())


@metric(
    "balance.step_ranks",
    "Ranks of the step that moved most bytes",
    "ranks",
    formula="nprocs of the log with most bytes read and written, at the highest layer",
    needs="a Darshan log",
    scopes=["job"],
)
def step_ranks(s: Selection) -> Outcome:
    found = _of_longest_log(s, time=False)
    if isinstance(found, Absent):
        return found
    ranks = found[0].nprocs
    return Absent("its log does not state them", (DARSHAN,)) if ranks is None else Value(ranks)


def _lone_by_statistics(s: Selection) -> Value | None:
    """At least the share of the files that one rank alone reads or writes, by MPICH_MPIIO_STATS; None where it is not
    known to be the same rank: a file each of many ranks, or a communicator of one."""
    blocks = [b for b in s.stats if b.block.total_bytes]
    elsewhere = sum(file.bytes for file in other_files(s))
    lone = [b for b in blocks if b.block.independent_accessors == 1 and b.block.collective_accesses == 0]
    files = {b.block.file for b in lone}
    alike = len(files) > 1 and len(set(templates_of(sorted(files)))) < len(files)
    shared = all((b.block.ranks_in_communicator or (1 if alike else 2)) > 1 for b in lone)
    if not lone or not shared:
        return None
    moved = sum(b.block.total_bytes or 0 for b in lone)
    where = joined(*(place(b, "total bytes for accesses") for b in lone[:MOST_LINES]))
    every = sum(b.block.total_bytes or 0 for b in blocks) + elsewhere
    # Of the other files nobody knows what that rank has.
    return Value(moved / every, "inferred", where, None if moved == every else "lower")


@metric(
    "balance.busy_ranks",
    "Ranks that move about as much as the busiest",
    "ranks",
    formula="ranks with at least half of the busiest rank's bytes, at the highest layer, where every rank has its own "
    "records",
    needs="a Darshan log with one record a rank",
)
def busy_ranks(s: Selection) -> Outcome:
    found = _bytes_of_longest_log(s)
    if isinstance(found, Absent):
        return found
    rows, spread = found
    if not spread.exact:
        return Absent("of a file that all ranks share, the bytes of only two of them are recorded", (DARSHAN,))
    amounts = _bytes_by_rank(rows)
    return Value(int((amounts >= amounts.max() / 2).sum()))


@metric(
    "balance.movers",
    "Ranks that move the bytes",
    "ranks",
    formula="ranks that share the bytes at the highest layer, the busiest as one of them, and those with little beside "
    "the others left out; of the step that moved most, with those of programs that ran beside it when most ranks did; "
    "where every rank has its own records; of a log that has heatmaps and no records, by these",
    needs="a Darshan log with one record a rank",
    scopes=["job"],
)
def balance_movers(s: Selection) -> Outcome:
    found = _of_longest_log(s, time=False)
    if isinstance(found, Absent):
        return _by_heatmap(s) or found
    rows, spread = found
    beside = programs_beside(s, rows)
    spreads = [one for log in beside if (one := bytes_spread(log)) is not None]
    if not spread.exact or not all(one.exact for one in spreads):
        return Absent("of a file that all ranks share, the bytes of only two of them are recorded", (DARSHAN,))
    return Value(movers([moved for log in beside if log.highest for moved in _bytes_by_rank(log).tolist()]))


@metric(
    "balance.movers_among",
    "Ranks of the step that moved most bytes, and of programs beside it",
    "ranks",
    formula="as job.nprocs, of the log of balance.movers and those of programs that ran beside it",
    needs="a Darshan log",
    scopes=["job"],
)
def movers_among(s: Selection) -> Outcome:
    found = _of_longest_log(s, time=False)
    if isinstance(found, Absent):
        return outcome(s, "job.nprocs") if len(s.logs) < 2 else found
    ranks = ranks_of_job(next((logs for _, logs in logs_by_stage(s) if found[0] in logs), []))
    return Absent("its log does not state them", (DARSHAN,)) if ranks is None else Value(ranks)


def _by_heatmap(s: Selection) -> Value | None:
    """The movers of a log that has heatmaps and no records."""
    found = [_of_ranks(rows.log.heatmaps) for rows in s.logs if not rows.highest]
    return Value(max(map(movers, found)), "inferred") if any(found) else None


def _of_ranks(heatmaps: Sequence[Heatmap]) -> list[int]:
    """The bytes of each rank, of the layer that shows most."""
    of_layers = [(h.read + h.written).sum(axis=1) for h in heatmaps]
    most = max(of_layers, key=lambda moved: int(moved.sum()), default=np.zeros(0, np.int64))
    return [int(moved) for moved in most]


def _bytes_by_rank(rows: LogRows) -> Float64s:
    """The bytes of each rank with records of its own, in no order."""
    moved = [(table.ranks, rank_bytes(table)) for table in rows.highest]
    ranks, index = unique_inverse(np.concatenate([of_ranks for of_ranks, _ in moved]))
    amounts = np.concatenate([of_bytes for _, of_bytes in moved])
    return np.bincount(index, amounts, minlength=len(ranks)).astype(np.float64)
