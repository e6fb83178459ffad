"""The run time of the job, and how much of it went into I/O."""

from __future__ import annotations

from dataclasses import replace
from typing import Literal

from iotriage.metrics.core.about import About
from iotriage.metrics.core.metric import NO_TIME, Absent, Outcome, Value
from iotriage.metrics.core.missing_evidence import DARSHAN
from iotriage.metrics.core.outcomes import joined
from iotriage.metrics.core.prefix import LIBRARIES, PREFIX, prefix_of
from iotriage.metrics.core.registry import metric, outcome
from iotriage.metrics.core.selection import LogRows, Selection
from iotriage.metrics.core.table_cache import cached_per_table
from iotriage.metrics.core.text_statements import Parts, stated_io_time, stated_runtime, time_in_steps
from iotriage.metrics.tables.account.from_logs import slowest_rank
from iotriage.metrics.tables.account.time_account import time_account
from iotriage.metrics.tables.calls.size_bins import DIRECTIONS
from iotriage.metrics.tables.counters import lacks_times, nothing_read
from iotriage.metrics.tables.rank_times import (
    NO_END,
    TOLERANCE,
    longest_possible,
    longest_possible_of_a_rank,
    not_plausible,
    summed_timers,
)
from iotriage.metrics.tables.stages import logs_by_stage, longest_chain, stages_of
from iotriage.metrics.tables.texts import printed_totals
from iotriage.metrics.tables.texts.phases import MOST_LINES, all_rank_blocks, blocks_by_file, least_run_of, totals_at
from iotriage.metrics.tables.texts.profiled import profile_of, shows_all_time, timed_rows
from iotriage.metrics.tables.unseen_time import lacks_seconds
from iotriage_parsers.evidence import CounterTable, JobContext, Part
from iotriage_parsers.frozen import frozen

OF_ANOTHER_RUN = (
    "the run that the other sources state is shorter than the time in MPI-IO on one of its files by "
    "MPICH_MPIIO_TIMERS: one of the two is of another run"
)
NEARLY = 0.99
"""Of the most that the slowest rank can have spent, what it is sure to have spent where its time counts as known."""


@metric(
    "job.runtime",
    "Run time",
    "s",
    formula="end − start of the job record, summed over the job's logs, those that ran at the same time as one; "
    "without Darshan (inferred) CrayPAT's mean process time, else the time of the job's steps of the program (those of "
    "one name and size that took the most of it), or of the job, by sacct or scontrol, or of the command that `time` "
    "was put before",
    needs="a Darshan log with an end time, a CrayPAT report, or sacct",
    scopes=["job"],
)
def runtime(s: Selection) -> Outcome:
    if all(rows.traced and rows.log.job.runtime_s is None for rows in s.logs):
        return _runtime_of_texts(s)
    stages = stages_of(s)
    known = [stage.runtime_s for stage in stages if stage.runtime_s is not None]
    if len(known) < len(stages):
        return NO_END
    return Value(sum(known))


def _runtime_of_texts(s: Selection) -> Outcome:
    in_totals = printed_totals.run_times(s)
    if in_totals:
        return Value(sum(in_totals))
    timed = outcome(s, "timers.total_time")
    parts: Parts = s.whole.parts
    if isinstance(timed, Value):
        parts = _without_shorter(parts, float(timed.value))
    stated = stated_runtime(parts)
    if stated is None:
        return Absent("no Darshan log was given, and the other sources do not state the run time", (DARSHAN,))
    longest = max((least_run_of(blocks, s) for blocks in blocks_by_file(s).values()), default=0.0)
    if longest > longest_possible(stated[0]):
        return Absent(OF_ANOTHER_RUN, (DARSHAN,))
    return Value(stated[0], "inferred", stated[1])


def _without_shorter(parts: Parts, seconds: float) -> Parts:
    """Without commands, and steps of a job, that took less than the files did: others used those."""
    left: list[tuple[int, Part]] = []
    for i, part in parts:
        took = part.took_s if isinstance(part, JobContext) and part.source == "time" else None
        if took is not None and took < NEARLY * seconds:
            continue
        in_steps = time_in_steps(part) if isinstance(part, JobContext) else None
        if isinstance(part, JobContext) and in_steps is not None and in_steps < NEARLY * seconds:
            part = replace(part, steps=())
        left.append((i, part))
    return left


@metric(
    "job.io_time",
    "I/O time of the slowest rank",
    "s",
    formula=(
        "slowest rank's seconds in read, write and metadata calls at the highest layer of each file: "
        "F_SLOWEST_RANK_TIME of shared records plus the largest per-rank sum over the others, but of shared records "
        "whose slowest rank is another no more than F_VARIANCE_RANK_TIME leaves to one rank, and what the mean rank "
        "takes in HDF5 and PnetCDF beyond the calls below them, at most the run, and absent where one rank alone would "
        "exceed it; where records are missing, the number of ranks is, over which HDF5 and PnetCDF took theirs, "
        "nonblocking calls of MPI-IO leave only their posting in its timers, or a file is used both by MPI-IO and past "
        "it (a lower bound) what one rank is sure to have spent; of "
        "darshan-parser's totals agg_time_by_slowest of MPI-IO, or of POSIX where that is longer, plus that of STDIO, "
        "at most the run too, or where they are partial the mean rank's seconds (a lower bound). Without either "
        "(inferred): the time in MPI-IO by MPICH_MPIIO_TIMERS, that of files which each rank opened by itself / ranks "
        "(a lower bound where a close has none); "
        "or by CrayPAT what its profile shows of opens and MPI-IO, and the reads and writes of a rank that takes in "
        "every file the mean of the ranks that use it, at most the run, or where the report does not show all the "
        "least that one rank is sure of; or the most of "
        "IPM's I/O"
    ),
    needs="a Darshan log, MPICH_MPIIO_TIMERS with MPICH_MPIIO_STATS, a CrayPAT report, or IPM",
    scopes=["job"],
)
def io_time(s: Selection) -> Outcome:
    if not s.logs:
        return printed_totals.io_time(s) or _of_account(s)
    if (unread := nothing_read(s)) is not None:
        return unread
    lost = any(map(lacks_times, s.logs)) or any(map(_lacks_libraries, s.logs))
    slowest = _slowest(s, "least" if lost else "most")
    if isinstance(slowest, Absent):
        return slowest
    if not lost and any(lacks_seconds(rows, slowest.seconds) for rows in s.logs):
        lost, least = True, _slowest(s, "least")
        slowest = slowest if isinstance(least, Absent) else least
    tables = [(rows, t) for rows in s.logs for t in rows.highest]
    if not tables and any(int(h.read.sum()) + int(h.written.sum()) for rows in s.logs for h in rows.log.heatmaps):
        return Absent("the log has heatmaps alone, and no records of files: they show bytes and no time in calls")
    if slowest.seconds < NO_TIME and any(_moved(t) or not _has_timers(t) for _, t in tables):
        return Absent("the timers of the log show no time for the I/O that its counters show")
    return Value(
        slowest.seconds,
        where=joined(
            *(
                rows.where(t, f"{PREFIX[t.module]}_F_SLOWEST_RANK_TIME")
                for rows in s.logs
                for t in rows.highest
                if len(t)
            )
        ),
        # Traces do not show metadata calls, and how calls of threads lie beside one another is known on average.
        confidence="measured"
        if slowest.sure and not any(rows.traced or rows.side_by_side > 1 for rows in s.logs)
        else "inferred",
        bound="lower" if lost else None,
    )


def _lacks_libraries(rows: LogRows) -> bool:
    """Whether the seconds of HDF5 and PnetCDF beyond the calls below are left out: they are the mean rank's."""
    return rows.nprocs is None and any(len(t) for m in LIBRARIES if (t := rows.others.get(m)) is not None)


def _of_account(s: Selection) -> Outcome:
    """Of TIMERS the time in MPI-IO, of CrayPAT that of a rank that takes the mean in every file."""
    account = time_account(s)
    if account is None:
        stated = stated_io_time(s.parts) if s.scope == "job" else None
        if stated is None or stated[0] < NO_TIME:
            return Absent("no source states how long the I/O took", (DARSHAN,))
        return Value(stated[0], "measured", stated[1])
    if account.basis == "CrayPAT":
        profile, most = profile_of(s), account.slowest
        where = tuple(w for _, w in timed_rows(s, *DIRECTIONS)[:MOST_LINES])
        whole = profile is not None and shows_all_time(profile)
        spent = account.cells.total if most is None else most.most_s if whole else most.least_s
        return Value(spent, "inferred", where, None if whole else "lower")
    blocks = all_rank_blocks(s)
    return Value(account.cells.total, "inferred", totals_at(blocks), "lower" if account.partial else None)


@metric(
    "job.io_time_fraction",
    "Share of the run spent in I/O",
    "share",
    about=About(time=True),
    formula="job.io_time / job.runtime; at most 1, since the slowest ranks of several files may differ",
    needs="a Darshan log with an end time",
    scopes=["job"],
)
def io_time_fraction(s: Selection) -> Outcome:
    time, run = outcome(s, "job.io_time"), outcome(s, "job.runtime")
    if isinstance(time, Absent):
        return time
    if isinstance(run, Absent):
        return run
    if not isinstance(time.value, int | float) or not isinstance(run.value, int | float) or run.value < NO_TIME:
        return Absent("the run time is zero")
    share = time.value / run.value
    if share > 2:
        return Absent(f"the timers show {share:.3g} times as much I/O as the run lasted: not plausible")
    sure = share <= 1 and time.confidence == run.confidence == "measured"
    return Value(min(share, 1.0), "measured" if sure else "inferred", time.where, time.bound)


@metric(
    "job.impossible_time",
    "I/O time of one rank beyond the run",
    "s",
    formula="the larger of the mean over ranks and of the largest time that one rank is known to have spent, less the "
    f"run, where it is longer than {TOLERANCE} times the run and a second; else 0",
    needs="a Darshan log with an end time",
    scopes=["job"],
)
def impossible_time(s: Selection) -> Outcome:
    if (unread := nothing_read(s)) is not None:
        return unread
    of_logs = ((slowest_rank(rows).least_s, rows.log.job.runtime_s) for rows in s.logs)
    known = [(least, run) for least, run in (*of_logs, *printed_totals.least_times(s)) if run is not None and run > 0]
    if not known:
        return Absent("no source has both the times of ranks and the run time", (DARSHAN,))
    beyond = [least - run for least, run in known if least > longest_possible(run)]
    return Value(max(beyond, default=0.0), "inferred")


@frozen
class _Slowest:
    """`seconds` of the slowest rank; `sure` where the least and the most that it can have spent are about the same."""

    seconds: float
    sure: bool


def _slowest(s: Selection, end: Literal["least", "most"]) -> _Slowest | Absent:
    """The slowest ranks of several shared files may differ, and the run ends by another clock than the timers: the most
    is their sum, with what HDF5 and PnetCDF add, at most the run; the least is what one rank is sure to have spent.
    Absent where that is longer than the run."""
    spent_by, sure = {}, True
    for rows in s.logs:
        run, slowest = rows.log.job.runtime_s, slowest_rank(rows)
        if slowest.least_s > longest_possible(run):
            return not_plausible(slowest.least_s, run)
        spent = slowest.most_s if end == "most" else slowest.least_s
        cut = longest_possible_of_a_rank(rows.highest, rows.nprocs) > slowest.most_s
        sure = sure and not cut and slowest.least_s >= NEARLY * slowest.most_s
        if run is not None and 0 < run < spent:
            spent, sure = run, False
        spent_by[rows.source] = spent
    seconds = sum(longest_chain(logs, lambda rows: spent_by[rows.source]) for _, logs in logs_by_stage(s))
    return _Slowest(seconds, sure)


@cached_per_table
def _moved(table: CounterTable) -> bool:
    """Whether any record of the table moved bytes."""
    prefix = prefix_of(table)
    return any(bool((table.count(f"{prefix}_{way}") > 0).any()) for way in ("BYTES_READ", "BYTES_WRITTEN"))


@cached_per_table
def _has_timers(table: CounterTable) -> bool:
    """Whether any timer was recorded: −1 is Darshan's mark for not available, NaN what no reader believes."""
    return bool((summed_timers(table) >= 0).any())
