"""The account of the time by sources without records: darshan-parser's totals, MPICH_MPIIO_TIMERS, CrayPAT."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from math import inf

from iotriage.metrics.core.metric import Absent, Where
from iotriage.metrics.core.prefix import PREFIX
from iotriage.metrics.core.selection import Selection
from iotriage.metrics.tables.account.cells import Cell, Cells, SlowestRank, TimeAccount, UnknownCell, sum_cells
from iotriage.metrics.tables.account.from_logs import NO_MPIIO
from iotriage.metrics.tables.calls.size_bins import DIRECTIONS
from iotriage.metrics.tables.grouping import templates_of
from iotriage.metrics.tables.rank_times import longest_possible
from iotriage.metrics.tables.texts.phases import (
    OPENING,
    TimersBlock,
    all_rank_blocks,
    seconds_of,
    share_of_total,
    times_every_close,
)
from iotriage.metrics.tables.texts.printed_totals import RunTotals, io_time, lacks_records, least_times, totals_of
from iotriage.metrics.tables.texts.profiled import (
    MPIIO_CALL,
    lacks_files,
    profile_of,
    slowest_at_least,
    slowest_shown,
    timed_rows,
)
from iotriage.metrics.tables.texts.side_by_side import files_at_a_time, perhaps_in_turn
from iotriage_parsers.evidence import CrayPatReport, PatIoRow, PatProfileRow

NOT_TOLD_APART = "totals do not tell which of the files MPI-IO and the calls below it both have"
ONE_WAY = "MPICH_MPIIO_TIMERS has no block of a file that was {}"
MEANS_OVER_RANKS = "MPICH_MPIIO_TIMERS has means over the ranks"
NO_OPENS = "CrayPAT's tables have reads and writes, no opens"
NO_LAYERS = "CrayPAT's tables do not tell MPI-IO's time from that of the calls below it"
OPENS = re.compile(
    r"(?:_*(?:open|openat|creat|close|fopen|fdopen|fclose|[lf]?stat|statx?|access|unlink|rename|mkdir|rmdir|opendir|readdir|"
    r"scandir)(?:64)?(?:_2|at)?|mpi_file_(?:open|close|delete|set_size|set_view|preallocate))_*$",
    re.IGNORECASE,
)
"""Functions of a profile that open, close or ask about files."""


_READS = re.compile(r"_*(?:f?read|p?readv?2?|fgets?|fgetc|getc|getline|v?fscanf)(?:64)?(?:_unlocked|_nocancel)?_*$")
_WRITES = re.compile(
    r"_*(?:f?write|p?writev?2?|fputs?|fputc|putc|v?fprintf|fflush|f(?:data)?sync)(?:64)?(?:_chk|_unlocked|_nocancel)?_*$"
)
"""Functions of a profile that move data, in a group of those that do I/O."""


def account_from_totals(s: Selection) -> TimeAccount | None:
    """The account by the totals that darshan-parser prints; None without them, or where nothing states the ranks."""
    runs, ranks = totals_of(s), s.nprocs
    if not runs or not ranks:
        return None
    cells, slowest = sum_cells(_of_run(run, ranks) for run in runs), io_time(s)
    if cells.total <= 0 or any(least > longest_possible(run_s) for least, run_s in least_times(s)):
        return None
    most = None if slowest is None or isinstance(slowest, Absent) else float(slowest.value)
    if most is not None and 0 < most < cells.total:
        cells = cells.times(most / cells.total)
    partial = lacks_records(runs)
    of_slowest = None if not most else SlowestRank(min(cells.total, most), most, None, None)
    why = slowest.reason if isinstance(slowest, Absent) else "the text states no time of the slowest rank"
    without = all("MPI-IO" not in run.modules() for run in runs)
    exchange = None if cells.exchange > 0 else NO_MPIIO if without else NOT_TOLD_APART if cells.not_split > 0 else None
    unknown = () if exchange is None else (UnknownCell("exchange", exchange),)
    return TimeAccount("darshan-parser", cells, of_slowest, partial, unknown, None if of_slowest else why)


def _of_run(run: RunTotals, ranks: int) -> Cells:
    def seconds(module: str, *ways: str) -> float:
        prefix = PREFIX[module]
        return sum(max(0.0, float(run.value(module, f"{prefix}_F_{way}_TIME"))) for way in ways) / ranks

    every = ("READ", "WRITE", "META")
    above, below = seconds("MPI-IO", *every), seconds("POSIX", *every)
    beyond = max(0.0, above - below)
    sure = run.only_below_mpiio() and not run.partial("POSIX") and not run.partial("MPI-IO")
    return Cells(
        seconds("POSIX", "READ"), seconds("POSIX", "WRITE"), seconds("POSIX", "META"),
        beyond if sure else 0.0, seconds("STDIO", *every), not_split=0.0 if sure else beyond,
    )  # fmt: skip


def account_from_timers(s: Selection) -> TimeAccount | None:
    """The phases overlap on different ranks; of the mean rank, what is neither file access nor opening is waiting and
    exchange. What ranks do side by side is waited for once."""
    timed = [(block, cells) for block in all_rank_blocks(s) if (cells := _of_block(block, s)) is not None]
    if not timed:
        return None
    cells = sum_cells(cells.times(1 / files_at_a_time(block, s)) for block, cells in timed)
    ways: tuple[tuple[Cell, str, float], ...] = (("reads", "read", cells.reads), ("writes", "written", cells.writes))
    unknown = tuple(UnknownCell(cell, ONE_WAY.format(way)) for cell, way, seconds in ways if seconds <= 0)
    partial = not times_every_close(s) or perhaps_in_turn(s)
    return TimeAccount("MPICH_MPIIO_TIMERS", cells, None, partial, unknown, MEANS_OVER_RANKS)


def _of_block(block: TimersBlock, s: Selection) -> Cells | None:
    found = seconds_of(block, s)
    if isinstance(found, Absent):
        return None
    total = found.seconds
    shares = {p.label: share_of_total(block, p) or 0.0 for p in block.block.phases}
    active, idle = block.block.active_ranks, block.block.idle_ranks
    # The row of the file access is the average over the ranks that read or write.
    mean = active / (active + idle) if active is not None and idle is not None and active + idle else 1.0
    access = min(total, total * mean * shares.get("file access", 0.0))
    opening = min(total - access, total * sum(shares.get(label, 0.0) for label in OPENING))
    reads, writes = (access, 0.0) if block.block.direction == "read" else (0.0, access)
    return Cells(reads, writes, opening, total - access - opening)


def account_from_profile(s: Selection) -> TimeAccount | None:
    """The means of the tables of files; of the job also what the profile's functions show of opening files and of
    MPI-IO, and without such tables of reads and writes. One rank's file that the others wait for is known by the number
    of its ranks."""
    profile = profile_of(s)
    ranks = profile.report.ranks if profile is not None else None
    if profile is None or not ranks:
        return None
    reads, writes = (_summed(timed_rows(s, way)) / ranks for way in DIRECTIONS)
    metadata, exchange = _of_functions(profile.report, reads + writes) if s.scope == "job" else (0.0, 0.0)
    if s.scope == "job" and not profile.report.io_tables:
        reads, writes = (_seconds_in(profile.report, moving) for moving in (_READS, _WRITES))
    mean = Cells(reads, writes, metadata, exchange)
    least, most = _slowest_rank(s, profile.report, ranks)
    run = profile.report.process_time_average_s
    if mean.total <= 0 or least > longest_possible(run):
        return None
    cells = sum_cells((mean, Cells(imbalance=max(0.0, least - reads - writes))))
    most = max(cells.total, min(most + metadata + exchange, inf if run is None else run))
    of_slowest = SlowestRank(cells.total, cells.total if profile.limited else most, None, None)
    unknown = [UnknownCell("metadata", NO_OPENS)] if metadata <= 0 else []
    if exchange <= 0:
        unknown.append(UnknownCell("exchange", NO_LAYERS))
    return TimeAccount("CrayPAT", cells, of_slowest, profile.limited or lacks_files(s), tuple(unknown))


def account_from_timers_and_profile(s: Selection) -> TimeAccount | None:
    """Of the closes that MPICH_MPIIO_TIMERS times its seconds, of other files CrayPAT's. What the profile's functions
    show is of all files: of MPI-IO it is among the first, and of opens what is beyond theirs is of others."""
    timed, beside = account_from_timers(s), account_from_profile(s)
    if timed is None or beside is None:
        return timed or beside
    opens = max(0.0, beside.cells.metadata - timed.cells.metadata)
    cells = sum_cells((timed.cells, replace(beside.cells, metadata=opens, exchange=0.0)))
    unknown = tuple(one for one in timed.unknown if cells.of(one.cell) <= 0)
    return replace(timed, cells=cells, partial=timed.partial or beside.partial, unknown=unknown)


def _slowest_rank(s: Selection, report: CrayPatReport, ranks: int) -> tuple[float, float]:
    """Seconds of the slowest rank in reads and writes, at least and at most."""
    shown = slowest_shown(report) if s.scope == "job" else None
    if shown is not None:
        return shown, shown
    rows = [row for row, _ in timed_rows(s, *DIRECTIONS)]
    found = slowest_at_least(rows, ranks)
    least = 0.0 if isinstance(found, Absent) else found.seconds
    return least, max(least, sum(_of_every_file(timed_rows(s, way)) for way in DIRECTIONS))


def _of_every_file(rows: Sequence[tuple[PatIoRow, Where]]) -> float:
    """Seconds of a rank that takes the mean in every file; of those that one rank each has, with names that differ in
    digits only, in one. More is not known of any."""
    longest: dict[str, float] = {}
    for (row, _), template in zip(rows, templates_of([row.file or "" for row, _ in rows]), strict=True):
        seconds = row.time_summed_over_ranks_s
        if seconds is not None and row.ranks:
            name = template if row.ranks == 1 else row.file or ""
            longest[name] = max(longest.get(name, 0.0), seconds / row.ranks)
    return sum(longest.values())


def _summed(rows: Sequence[tuple[PatIoRow, Where]]) -> float:
    return sum(seconds for row, _ in rows if (seconds := row.time_summed_over_ranks_s) is not None)


def _of_functions(report: CrayPatReport, moving: float) -> tuple[float, float]:
    """The mean rank's seconds in functions that open, close or ask about files, and in MPI-IO. Where the profile shows
    no read or write by itself, those of the tables, `moving`, are in MPI-IO's."""
    shown = [(row.function, seconds) for row in report.profile if row.function and (seconds := _seconds(row, report))]
    opening = _seconds_in(report, OPENS)
    moved = [seconds for function, seconds in shown if MPIIO_CALL.match(function)]
    below = any(not MPIIO_CALL.match(function) and not OPENS.match(function) for function, _ in shown)
    return opening, max(0.0, sum(moved) - (0.0 if below else moving))


def _seconds_in(report: CrayPatReport, functions: re.Pattern[str]) -> float:
    """The mean rank's seconds in the functions of the profile that these are."""
    rows = (row for row in report.profile if row.function and functions.match(row.function))
    return sum(_seconds(row, report) or 0.0 for row in rows)


def _seconds(row: PatProfileRow, report: CrayPatReport) -> float | None:
    if row.time_s is not None or row.percent is None or report.process_time_average_s is None:
        return row.time_s
    return row.percent / 100 * report.process_time_average_s
