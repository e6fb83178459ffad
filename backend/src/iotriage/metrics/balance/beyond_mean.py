"""What the ranks that do the I/O take in their calls beyond the mean of all ranks: the others do nothing meanwhile.

Where 64 of 512 ranks write for 300 s, the mean rank writes for 37 s; what makes the writes slow is waited for 300 s.
"""

from __future__ import annotations

from typing import Literal

from iotriage.metrics.core.about import About
from iotriage.metrics.core.metric import NO_TIME, Absent, Outcome, Value
from iotriage.metrics.core.registry import metric
from iotriage.metrics.core.selection import LogRows, Selection
from iotriage.metrics.tables.counters import no_table
from iotriage.metrics.tables.rank_spread import SHOWN, movers_of
from iotriage.metrics.tables.rank_times import total_time
from iotriage.metrics.tables.stages import over_stages
from iotriage.metrics.tables.texts.profiled import profile_of, slowest_at_least, summed_seconds, timed_rows

FEWEST = 2
"""Below so many ranks it is one alone that does the I/O (`balance.alone_time`)."""


def _declare(direction: Literal["read", "write"]) -> None:
    counter, done = f"{direction.upper()}_TIME", "read" if direction == "read" else "wrote"

    @metric(
        f"balance.{direction}s_beyond_mean",
        f"Time in {direction}s of the mean rank that {direction}s bytes, beyond the mean of all ranks",
        "s",
        about=About(direction=direction),
        formula=f"POSIX_F_{counter} / ranks that shared the bytes that they {done} (as in balance.bytes, without "
        f"records of all ranks of which these are less than {SHOWN:.0%}) − POSIX_F_{counter} / ranks; of logs that "
        "followed one another added up; by CrayPAT the largest mean of a file over its ranks − seconds over all ranks",
        needs="a Darshan log with POSIX records, or a CrayPAT report",
    )
    def beyond_mean(s: Selection) -> Outcome:
        if profile_of(s) is not None:
            return _of_profile(s, direction)
        tables = s.tables("POSIX")
        if not tables:
            return no_table(s, "POSIX")
        beyond, exact = list[tuple[LogRows, float]](), True
        for rows, table in tables:
            spent, movers = total_time(table, counter), movers_of(rows, direction)
            if spent < NO_TIME:
                continue
            if movers is None or rows.nprocs is None:
                return Absent(f"which ranks {done} the bytes is not known")
            if movers.ranks < FEWEST:
                return Absent("one rank moves the bytes")
            beyond.append((rows, spent * max(0.0, 1 / movers.ranks - 1 / rows.nprocs)))
            exact &= movers.of_each
        return Value(over_stages(s, beyond), "measured" if exact else "inferred")


def _of_profile(s: Selection, direction: Literal["read", "write"]) -> Outcome:
    rows = [row for row, _ in timed_rows(s, direction)]
    where = tuple(at for _, at in timed_rows(s, direction))
    if not rows or s.nprocs is None:
        return Absent(f"CrayPAT has no {direction}s of these files")
    summed, slowest = summed_seconds(rows), slowest_at_least(rows, s.nprocs)
    if isinstance(summed, Absent):
        return summed
    if isinstance(slowest, Absent):
        return slowest
    if slowest.one_rank:
        return Absent("one rank moves the bytes")
    return Value(max(0.0, slowest.seconds - summed / s.nprocs), "inferred", where)


_declare("read")
_declare("write")
