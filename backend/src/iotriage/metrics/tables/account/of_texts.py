"""The account of the time by sources without records: darshan-parser's totals, MPICH_MPIIO_TIMERS, CrayPAT."""

from __future__ import annotations

from iotriage.metrics.core.metric import Absent
from iotriage.metrics.core.selection import Selection
from iotriage.metrics.tables.account.cells import Cells, SlowestRank, TimeAccount, added_up
from iotriage.metrics.tables.phases import ALL_RANKS, TimersBlock, share_of_total, timers_blocks, total_seconds
from iotriage.metrics.tables.printed_totals import RunTotals, io_time, totals_of
from iotriage.metrics.tables.profiled import profile_of

OPENING = ("open/close/trunc", "open/trunc", "close sys", "close fsync", "close group-unlock", "close other + wait")


def of_totals(s: Selection) -> TimeAccount | None:
    runs = totals_of(s)
    if not runs or not s.nprocs:
        return None
    found = [_of_run(run, s.nprocs) for run in runs]
    cells = added_up(found)
    if cells.total <= 0:
        return None
    slowest = io_time(s)
    most = None if slowest is None or isinstance(slowest, Absent) else float(slowest.value)
    partial = any(run.partial(m) for run in runs for m in ("POSIX", "MPI-IO", "STDIO"))
    of_slowest = None if most is None or most < cells.total else SlowestRank(cells.total, most, None, None)
    return TimeAccount("darshan-parser", cells, of_slowest, partial)


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
    return TimeAccount("MPICH_MPIIO_TIMERS", added_up(found), None, False)


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
    return TimeAccount("CrayPAT", Cells(reads, writes), None, profile.limited) if reads or writes else None
