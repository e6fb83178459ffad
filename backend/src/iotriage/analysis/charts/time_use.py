"""Where a rank's time in I/O goes: reads, writes, metadata, and what MPI-IO takes beyond the calls to the storage.

The mean is over all ranks of the job, since Darshan sums a reduced record's read, write and metadata times over the
ranks. Of the slowest rank such a record keeps the total only.
"""

from __future__ import annotations

from typing import Literal

import numpy as np
from numpy.typing import NDArray

from iotriage.metrics import outcome
from iotriage.metrics.core.metric import Absent, Value
from iotriage.metrics.core.prefix import prefix_of
from iotriage.metrics.core.selection import LogRows, Selection, distinct, is_among, only_rows
from iotriage.metrics.tables.counters import is_partial
from iotriage.metrics.tables.profiled import profile_of
from iotriage.metrics.tables.rank_times import rank_times
from iotriage_parsers.evidence import CounterTable
from iotriage_parsers.frozen import frozen

TimeKind = Literal["read", "write", "metadata", "waiting"]
KINDS: tuple[TimeKind, ...] = ("read", "write", "metadata", "waiting")
COUNTERS: dict[TimeKind, str] = {"read": "READ_TIME", "write": "WRITE_TIME", "metadata": "META_TIME"}

NO_MPIIO = "the program did not use MPI-IO"
NOT_BELOW = "the calls below MPI-IO were not recorded: its times hold the waiting"
LONGER_BELOW = "the calls below took longer than MPI-IO's own: threads, or a clock that was moved"
REDUCED = "Darshan keeps the slowest rank's total of a file that all ranks opened, not its parts"
PROFILE_METADATA = "CrayPAT's tables have reads and writes, no opens"


@frozen
class TimePart:
    """Seconds of one rank, or None with the reason. "waiting" is MPI-IO's time less that of the storage calls of the
    same files: exchange, waiting for other ranks, and copying."""

    kind: TimeKind
    seconds: float | None
    reason: str | None = None


@frozen
class RankTime:
    """`total_s` of which the parts are. `rank` is None of the mean, and where several files have slowest ranks."""

    rank: int | None
    total_s: float
    parts: tuple[TimePart, ...]


@frozen
class TimeUse:
    """Of all steps of the job together; `slowest` is None where no source has it. `partial` where records are
    missing."""

    runtime_s: float | None
    runtime_reason: str | None
    mean: RankTime
    slowest: RankTime | None
    slowest_reason: str | None
    basis: Literal["Darshan", "CrayPAT"]
    partial: bool


def time_use(job: Selection) -> TimeUse | None:
    """None where no source has the times of calls."""
    found = _of_logs(job) if job.logs else _of_profile(job)
    if found is None:
        return None
    run = outcome(job, "job.runtime")
    mean, slowest, reason, basis, partial = found
    if isinstance(run, Absent) or not isinstance(run.value, int | float):
        return TimeUse(None, getattr(run, "reason", None), mean, slowest, reason, basis, partial)
    return TimeUse(float(run.value), None, mean, slowest, reason, basis, partial)


Found = tuple[RankTime, RankTime | None, str | None, Literal["Darshan", "CrayPAT"], bool]


def _of_logs(job: Selection) -> Found | None:
    if any(rows.nprocs is None or rows.nprocs < 1 for rows in job.logs):
        return None
    sums = dict.fromkeys(KINDS, 0.0)
    missing: dict[TimeKind, str] = {}
    for rows in job.logs:
        n = rows.nprocs or 1
        for kind, seconds in _summed(rows, missing).items():
            sums[kind] += seconds / n
    if not any(sums.values()):
        return None
    if not any(rows.mpiio is not None and len(rows.mpiio) for rows in job.logs):
        missing["waiting"] = NO_MPIIO
    mean = RankTime(None, sum(sums.values()), _parts(sums, missing))
    partial = any(is_partial(rows, t.module) for rows in job.logs for t in rows.log.tables.values())
    slowest = _slowest(job, missing)
    return mean, slowest, None if slowest is not None else "no record names a slowest rank", "Darshan", partial


def _parts(sums: dict[TimeKind, float], missing: dict[TimeKind, str]) -> tuple[TimePart, ...]:
    return tuple(TimePart(k, None, missing[k]) if k in missing else TimePart(k, sums[k]) for k in KINDS)


def _storage(rows: LogRows) -> list[CounterTable]:
    """The tables in which each call to the storage is counted once: POSIX below MPI-IO in the place of MPI-IO."""
    unseen = None
    if rows.mpiio is not None:
        seen = rows.posix.ids if rows.posix is not None else np.array([], dtype=np.uint64)
        unseen = only_rows(rows.mpiio, ~is_among(rows.mpiio.ids, seen))
    others = [t for t in rows.highest if t.module not in ("MPI-IO", "POSIX")]
    return [t for t in (rows.posix, unseen, *others) if t is not None and len(t)]


def _summed(rows: LogRows, missing: dict[TimeKind, str]) -> dict[TimeKind, float]:
    found = dict.fromkeys(KINDS, 0.0)
    for table in _storage(rows):
        if table.module == "MPI-IO":
            missing["waiting"] = NOT_BELOW
        for kind, counter in COUNTERS.items():
            found[kind] += float(_column(table, counter).sum())
    above, below = rows.mpiio_seen_below, rows.posix_below_mpiio
    if above is not None and below is not None and len(above):
        gap = float(rank_times(above).sum()) - float(rank_times(below).sum())
        found["waiting"] = max(gap, 0.0)
        if gap < 0:
            missing.setdefault("waiting", LONGER_BELOW)
    return found


def _column(table: CounterTable, counter: str) -> NDArray[np.float64]:
    column = table.seconds(f"{prefix_of(table)}_F_{counter}")
    found: NDArray[np.float64] = np.where(np.isfinite(column) & (column > 0), column, 0.0)
    return found


def _slowest(job: Selection, missing: dict[TimeKind, str]) -> RankTime | None:
    """The rank whose calls take longest, with its parts where every record is a rank's own; else the total that
    job.io_time has."""
    if len(job.logs) == 1 and (own := _of_own_records(job.logs[0], missing)) is not None:
        return own
    total = outcome(job, "job.io_time")
    if not isinstance(total, Value) or not isinstance(total.value, int | float) or total.value <= 0:
        return None
    return RankTime(_only_slowest(job), float(total.value), tuple(TimePart(k, None, REDUCED) for k in KINDS))


def _only_slowest(job: Selection) -> int | None:
    """The slowest rank, where one record has nearly all of the time."""
    times: list[tuple[float, int]] = []
    for rows in job.logs:
        for table in rows.highest:
            if not len(table) or table.module == "STDIO":
                continue
            prefix = prefix_of(table)
            slowest = table.count(f"{prefix}_SLOWEST_RANK").tolist()
            seconds = table.seconds(f"{prefix}_F_SLOWEST_RANK_TIME").tolist()
            times += [(s, r) for s, r in zip(seconds, slowest, strict=True) if r >= 0 and s > 0]
    most = max(times, default=None)
    return most[1] if most is not None and most[0] >= 0.9 * sum(s for s, _ in times) else None


def _of_own_records(rows: LogRows, missing: dict[TimeKind, str]) -> RankTime | None:
    storage = _storage(rows)
    above = rows.mpiio_seen_below
    tables = [*storage, *([above] if above is not None and len(above) else [])]
    if not storage or any(bool((t.ranks < 0).any()) for t in tables):
        return None
    # The ranks that have records, and not as many as the header says that there are: that is any number.
    ranks = distinct(np.concatenate([t.ranks for t in tables]))

    def by_rank(table: CounterTable, amounts: NDArray[np.float64]) -> NDArray[np.float64]:
        at = np.searchsorted(ranks, table.ranks)
        return np.bincount(at, weights=amounts, minlength=len(ranks)).astype(np.float64)

    by_kind = {kind: np.zeros(len(ranks)) for kind in KINDS}
    for table in storage:
        for kind, counter in COUNTERS.items():
            by_kind[kind] += by_rank(table, _column(table, counter))
    below = rows.posix_below_mpiio
    if above is not None and len(above) and below is not None:
        gap = by_rank(above, rank_times(above)) - by_rank(below, rank_times(below))
        by_kind["waiting"] = np.maximum(gap, 0.0)
    totals = np.sum(list(by_kind.values()), axis=0)
    slowest = int(totals.argmax())
    if not totals[slowest] > 0:
        return None
    mine = {kind: float(column[slowest]) for kind, column in by_kind.items()}
    return RankTime(int(ranks[slowest]), float(totals[slowest]), _parts(mine, missing))


def _of_profile(job: Selection) -> Found | None:
    profile = profile_of(job)
    ranks = profile.report.ranks if profile is not None else None
    if profile is None or not ranks:
        return None
    sums: dict[TimeKind, float] = {}
    for kind in ("read", "write"):
        tables = profile.report.tables(kind)
        rows = [row for t in tables[:1] for row in t.rows if row.file is not None and row.noise is None]
        known = [s for row in rows if (s := row.time_summed_over_ranks_s) is not None]
        sums[kind] = sum(known) / ranks
    if not any(sums.values()):
        return None
    parts = (
        TimePart("read", sums["read"]),
        TimePart("write", sums["write"]),
        TimePart("metadata", None, PROFILE_METADATA),
        TimePart("waiting", None, "CrayPAT's tables do not tell MPI-IO's time from its calls below"),
    )
    mean = RankTime(None, sum(sums.values()), parts)
    return mean, None, "the report gives means over ranks, not the slowest rank's time", "CrayPAT", profile.limited
