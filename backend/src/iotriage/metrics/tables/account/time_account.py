"""The account of the time of a job, or of a group of its files, by the best source there is."""

from __future__ import annotations

from iotriage.metrics.core.metric import NO_TIME
from iotriage.metrics.core.selection import LogRows, Selection
from iotriage.metrics.core.selection_cache import cached_per_selection
from iotriage.metrics.tables.account.beside import ranks_of_mean
from iotriage.metrics.tables.account.cells import Cells, SlowestRank, TimeAccount, as_bound, sum_cells
from iotriage.metrics.tables.account.from_logs import mean_rank, slowest_rank, unknown_cells, untimed_seconds
from iotriage.metrics.tables.account.from_texts import account_from_timers_and_profile, account_from_totals
from iotriage.metrics.tables.counters import lacks_times
from iotriage.metrics.tables.rank_times import longest_possible
from iotriage.metrics.tables.stages import logs_by_stage, longest_chain


@cached_per_selection
def time_account(s: Selection) -> TimeAccount | None:
    """None where no source has the times of calls, and where they do not fit in the run: by the records where there are
    any, else by darshan-parser's totals, else by MPICH_MPIIO_TIMERS and CrayPAT."""
    if s.logs:
        return _of_logs(s)
    return account_from_totals(s) or account_from_timers_and_profile(s)


def _of_logs(s: Selection) -> TimeAccount | None:
    logs = s.logs
    if any(rows.nprocs is None or rows.nprocs < 1 for rows in logs):
        return None
    slowest = [slowest_rank(rows) for rows in logs]
    if any(r.least_s > longest_possible(rows.log.job.runtime_s) for rows, r in zip(logs, slowest, strict=True)):
        return None
    stages = logs_by_stage(s)
    least = sum(longest_chain(mine, lambda rows: slowest_rank(rows).least_s) for _, mine in stages)
    most = sum(longest_chain(mine, lambda rows: slowest_rank(rows).most_s) for _, mine in stages)
    mean = _within(sum_cells(_mean(s, rows) for _, mine in stages for rows in mine), most)
    if mean.total < NO_TIME and most < NO_TIME:
        return None
    beyond = max(0.0, least - mean.total)
    # Where records lack a timer the mean is too small, and nobody knows which of so much is waiting.
    unsure = min(beyond, sum(map(untimed_seconds, logs)))
    cells = sum_cells((mean, Cells(not_split=unsure, imbalance=beyond - unsure)))
    partial = any(map(lacks_times, logs))
    one = slowest[0] if len(slowest) == 1 else SlowestRank(least, most, None, None)
    return TimeAccount("Darshan", cells, as_bound(one) if partial else one, partial, unknown_cells(logs, cells))


def _mean(s: Selection, rows: LogRows) -> Cells:
    """What a log adds to the mean rank of the job."""
    mean, ranks = mean_rank(rows), ranks_of_mean(s, rows)
    return mean if ranks == rows.nprocs else mean.times((rows.nprocs or 1) / ranks)


def _within(mean: Cells, most: float) -> Cells:
    """The mean rank takes no longer than the slowest: calls below nonblocking ones, or of threads, overlap with others
    and are waited for in part."""
    return mean if mean.total <= most or mean.total < NO_TIME else mean.times(most / mean.total)
