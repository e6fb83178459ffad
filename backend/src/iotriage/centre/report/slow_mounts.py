"""File systems that are slow for several users at once: each user's program against itself in the weeks before, in runs
of about as many processes that move about as much, most of it in the same direction: a rate grows with all of these."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from datetime import date
from statistics import median
from typing import Final

import duckdb

from iotriage.centre.report.questions import columns
from iotriage.centre.report.section import Period, Section
from iotriage_parsers.frozen import frozen

LEAST_BYTES: Final = 100 * 2**20
LEAST_LOGS: Final = 3
LEAST_USERS: Final = 3
SLOW_OVER_USUAL: Final = 0.5
"""These are ours: no document states them."""

_BY_DAY: Final = f"""
WITH rates AS (
    SELECT day, site, person, program, bandwidth,
        (round(log2(greatest(nprocs, 1))), round(log2(greatest(bytes, 1)) / 2), bytes_read > bytes_written) AS alike,
        list_reduce(mount_bytes, lambda a, b: CASE WHEN b.bytes > a.bytes THEN b ELSE a END).mount AS mount
    FROM recent_logs WHERE bytes >= {LEAST_BYTES} AND bandwidth > 0 AND len(mount_bytes) > 0
),
usual AS (
    SELECT site, mount, person, program, alike, median(bandwidth) AS usual FROM rates WHERE day < $first
    GROUP BY site, mount, person, program, alike HAVING count(*) >= {LEAST_LOGS}
),
compared AS (
    SELECT day, site, mount, person, median(bandwidth / usual) AS ratio
    FROM rates JOIN usual USING (site, mount, person, program, alike) GROUP BY day, site, mount, person
)
SELECT mount, site, day, count(*), median(ratio) FROM compared GROUP BY mount, site, day ORDER BY mount, site, day DESC
"""


@frozen
class _SlowDay:
    day: date
    users: int
    ratio: float


def slow_mounts(connection: duckdb.DuckDBPyConnection, period: Period) -> Section:
    found = connection.execute(_BY_DAY, {"first": period.first}).fetchall()
    by_mount: dict[tuple[str, str | None], list[_SlowDay]] = {}
    for mount, site, day, users, ratio in found:
        by_mount.setdefault((mount, site), []).append(_SlowDay(day, users, ratio))
    rows = [
        (mount, max(day.users for day in now), median(day.ratio for day in now), *_from_to(spell, days), site)
        for (mount, site), days in by_mount.items()
        for spell in _spells(days)
        if (now := [day for day in spell if day.day >= period.first])
    ]
    rows.sort(key=lambda row: (row[2], row[0], row[3]))
    return Section(
        "slow-mounts",
        "machine",
        "Slow file systems",
        f"Mount points on which the programs of {LEAST_USERS} users or more were at most half as fast as they had been "
        "there in the four weeks before, in runs of about as many processes (from one half to twice) and bytes (from a "
        "quarter to four times), most of them read, or written, as before: the machine's fault. A row is of days in a "
        "row, with the most users of one and the median rate; those that have not ended were slow on the last day that "
        "tells. One mount point of two sites is two.",
        (
            *columns(mount="words", users="count", rate_of_before="share", began="date"),
            *columns(empty="none", ended="date"),
            *columns(site="words"),
        ),
        tuple(rows),
        none=f"None found. To tell, it takes {LEAST_USERS} users whose programs ran there {LEAST_LOGS} times in the "
        "four weeks before in such runs: with about as many processes and bytes, and in the same direction.",
    )


def _from_to(spell: Sequence[_SlowDay], days: Sequence[_SlowDay]) -> tuple[str, str | None]:
    """The first and last day; None for the last where no day after it tells."""
    goes_on = not any(day.day > spell[-1].day and day.users >= LEAST_USERS for day in days)
    return spell[0].day.isoformat(), None if goes_on else spell[-1].day.isoformat()


def _spells(days: Iterable[_SlowDay]) -> Iterator[list[_SlowDay]]:
    """Slow days in a row, the earliest first; days on which too few can tell are passed over."""
    spell: list[_SlowDay] = []
    for day in sorted(days, key=lambda day: day.day):
        if day.users < LEAST_USERS:
            continue
        if day.ratio <= SLOW_OVER_USUAL:
            spell.append(day)
        elif spell:
            yield spell
            spell = []
    if spell:
        yield spell
