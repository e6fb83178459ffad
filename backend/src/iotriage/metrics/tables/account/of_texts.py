"""The account of the time by sources without records: darshan-parser's totals, MPICH_MPIIO_TIMERS, CrayPAT."""

from __future__ import annotations

from iotriage.metrics.core.metric import Absent
from iotriage.metrics.core.selection import Selection
from iotriage.metrics.tables.account.cells import Cell, Cells, SlowestRank, TimeAccount, UnknownCell, added_up
from iotriage.metrics.tables.account.of_logs import NO_MPIIO
from iotriage.metrics.tables.phases import ALL_RANKS, TimersBlock, share_of_total, timers_blocks, total_seconds
from iotriage.metrics.tables.printed_totals import RunTotals, io_time, least_times, totals_of
from iotriage.metrics.tables.profiled import profile_of
from iotriage.metrics.tables.rank_times import longest_possible

OPENING = ("open/close/trunc", "open/trunc", "close sys", "close fsync", "close group-unlock", "close other + wait")

NOT_TOLD_APART = "totals do not tell which of the files MPI-IO and the calls below it both have"
ONE_WAY = "MPICH_MPIIO_TIMERS has no block of a file that was {}"
MEANS_OVER_RANKS = "MPICH_MPIIO_TIMERS has means over the ranks"
NO_OPENS = "CrayPAT's tables have reads and writes, no opens"
NO_LAYERS = "CrayPAT's tables do not tell MPI-IO's time from that of the calls below it"
MEANS_OF_PROFILE = "CrayPAT's report has means over the ranks"


def of_totals(s: Selection) -> TimeAccount | None:
    runs, ranks = totals_of(s), s.nprocs
    if not runs or not ranks:
        return None
    cells, slowest = added_up(_of_run(run, ranks) for run in runs), io_time(s)
    if cells.total <= 0 or any(least > longest_possible(run_s) for least, run_s in least_times(s)):
        return None
    most = None if slowest is None or isinstance(slowest, Absent) else float(slowest.value)
    if most is not None and 0 < most < cells.total:
        cells = cells.times(most / cells.total)
    partial = any(run.partial(m) for run in runs for m in ("POSIX", "MPI-IO", "STDIO"))
    of_slowest = None if not most else SlowestRank(min(cells.total, most), most, None, None)
    why = slowest.reason if isinstance(slowest, Absent) else "the text states no time of the slowest rank"
    without = all("MPI-IO" not in run.modules() for run in runs)
    exchange = None if cells.exchange > 0 else NO_MPIIO if without else NOT_TOLD_APART if cells.not_split > 0 else None
    unknown = () if exchange is None else (UnknownCell("exchange", exchange),)
    return TimeAccount("darshan-parser", cells, of_slowest, partial, unknown, None if of_slowest else why)


def _of_run(run: RunTotals, ranks: int) -> Cells:
    def seconds(module: str, *ways: str) -> float:
        prefix = {"MPI-IO": "MPIIO"}.get(module, module)
        return sum(max(0.0, float(run.value(module, f"{prefix}_F_{way}_TIME"))) for way in ways) / ranks

    every = ("READ", "WRITE", "META")
    above, below = seconds("MPI-IO", *every), seconds("POSIX", *every)
    beyond = max(0.0, above - below)
    sure = run.only_below_mpiio() and not run.partial("POSIX") and not run.partial("MPI-IO")
    return Cells(
        seconds("POSIX", "READ"), seconds("POSIX", "WRITE"), seconds("POSIX", "META"),
        beyond if sure else 0.0, seconds("STDIO", *every), not_split=0.0 if sure else beyond,
    )  # fmt: skip


def of_timers(s: Selection) -> TimeAccount | None:
    """The phases overlap on different ranks; of the mean rank, what is neither file access nor opening is waiting and
    exchange."""
    found = [cells for block in timers_blocks(s) if (cells := _of_block(block, s)) is not None]
    if not found:
        return None
    cells = added_up(found)
    ways: tuple[tuple[Cell, str, float], ...] = (("reads", "read", cells.reads), ("writes", "written", cells.writes))
    unknown = tuple(UnknownCell(cell, ONE_WAY.format(way)) for cell, way, seconds in ways if seconds <= 0)
    return TimeAccount("MPICH_MPIIO_TIMERS", cells, None, False, unknown, MEANS_OVER_RANKS)


def _of_block(block: TimersBlock, s: Selection) -> Cells | None:
    total = total_seconds(block, s) if block.block.ranks == ALL_RANKS else None
    if total is None or isinstance(total, Absent):
        return None
    shares = {p.label: share_of_total(block, p) or 0.0 for p in block.block.phases}
    active, idle = block.block.active_ranks, block.block.idle_ranks
    # The row of the file access is the average over the ranks that read or write.
    mean = active / (active + idle) if active is not None and idle is not None and active + idle else 1.0
    access = min(total, total * mean * shares.get("file access", 0.0))
    opening = min(total - access, total * sum(shares.get(label, 0.0) for label in OPENING))
    reads, writes = (access, 0.0) if block.block.direction == "read" else (0.0, access)
    return Cells(reads, writes, opening, total - access - opening)


def of_profile(s: Selection) -> TimeAccount | None:
    profile = profile_of(s) if s.scope == "job" else None
    ranks = profile.report.ranks if profile is not None else None
    if profile is None or not ranks:
        return None
    reads, writes = (
        sum(
            seconds
            for table in profile.report.tables(way)[:1]
            for row in table.rows
            if row.file is not None and row.noise is None and (seconds := row.time_summed_over_ranks_s) is not None
        )
        / ranks
        for way in ("read", "write")
    )
    if not (reads or writes):
        return None
    unknown = (UnknownCell("metadata", NO_OPENS), UnknownCell("exchange", NO_LAYERS))
    return TimeAccount("CrayPAT", Cells(reads, writes), None, profile.limited, unknown, MEANS_OF_PROFILE)
