"""What a cure could save of the seconds that its finding takes: at least and at most, and who says so.

Most is a part of the seconds that the finding takes (`iotriage.analysis.allotment`), least what is left of them when
the data still has to be moved, at a rate that a document states, or when a better rank of the job decides: neither is
more than the finding takes, whatever it takes. A rule that has no such bound states no saving.
"""

from __future__ import annotations

from iotriage.rules.core.rule import Context, Impact
from iotriage.rules.core.words import number, seconds, size

ONE_OST = 500.0 * 2**20
"""Bytes a second. ARCHER's guide, "Summary of performance advice": one writer with the default striping should reach
the rate of one OST, around 500 MiB/s."""
SLOWEST_SHARED = ((24, 662.0), (48, 1311.0), (96, 2270.0), (192, 3791.0), (384, 5396.0), (768, 5775.0))
"""Processes, and MiB a second. The same, "Single Shared File (SSF)": the slowest for so many or more, on all OSTs."""
OF_FOUR_OSTS = 815.0
"""The slowest of the same on four OSTs."""


def slowest_documented(context: Context, osts: str) -> float:
    """Bytes a second that data in large pieces reaches at least by ARCHER's guide: of one OST, or of the slowest shared
    files of as many processes, and on as many OSTs where these (metric `osts`) are known."""
    ranks, servers = context.number("job.nprocs") or 1.0, context.number(osts)
    shared = max((rate for processes, rate in SLOWEST_SHARED if processes <= ranks), default=0.0)
    if servers is not None:
        shared = min(shared, servers * OF_FOUR_OSTS / 4)
    return max(ONE_OST, shared * 2**20)


def as_documented(
    context: Context, cure: str, *, most: float = 1.0, bytes_left: float | None = None, osts: str = "file.osts"
) -> Impact | None:
    """All of it, or the share `most`; at least all but the time of `bytes_left` (all bytes of the scope where None) at
    the slowest documented rate. None where the bytes are not known."""
    left = context.number("io.bytes") if bytes_left is None else bytes_left
    if left is None or not 0 < most <= 1:
        return None
    rate = slowest_documented(context, osts)
    of = "for one OST" if rate == ONE_OST else "for so many processes"
    because = f"if {cure}; the least, if that then runs at {size(rate)}/s, the slowest that ARCHER's guide has {of}"
    return Impact(because, most, 1.0, left / rate)


def fewer_calls(calls: float | None, left: float | None, cure: str) -> Impact | None:
    """All of it; at least all but the share of the `calls` that `left` are, since each takes as long as one does now.
    None where none would be spared."""
    if not calls or left is None or left >= calls:
        return None
    because = f"if {cure}; the least, if {number(left)} of the {number(calls)} calls stay and take as long as now"
    return Impact(because, 1.0, 1 - left / calls, 0.0)


def but_the_slow(context: Context, cure: str) -> Impact | None:
    """All that the slowest rank takes beyond the mean; at least what it takes beyond the slowest of those that are not
    slow, which is the job's own better rank. None where not every rank has its own times."""
    slowest, over_mean = context.number("job.io_time"), context.number("balance.time")
    others = context.number("balance.others_time")
    if slowest is None or not over_mean or others is None:
        return None
    stays = max(0.0, others - slowest / over_mean)
    because = f"if {cure}; the least, if the run then waits for the slowest of the other ranks, {seconds(others)}"
    return Impact(because, 1.0, 1.0, stays)
