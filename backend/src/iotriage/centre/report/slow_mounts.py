"""File systems that are slow for several users at once: each user's program against itself in the weeks before, in runs
of about as many processes that move about as much, most of it in the same direction: a rate grows with all of these."""

from __future__ import annotations

from datetime import date
from typing import Final

import duckdb

from iotriage.centre.report.questions import columns
from iotriage.centre.report.section import Period, Section

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


def slow_mounts(connection: duckdb.DuckDBPyConnection, period: Period) -> Section:
    found = connection.execute(_BY_DAY, {"first": period.first}).fetchall()
    by_mount: dict[tuple[str, str | None], list[tuple[date, int, float]]] = {}
    for mount, site, day, users, ratio in found:
        by_mount.setdefault((mount, site), []).append((day, users, ratio))
    rows: list[tuple[str, int, float, str, str | None]] = []
    for (mount, site), days in by_mount.items():
        slow = _slow_until_now(days)
        if slow and slow[0][0] >= period.first:
            _, users, ratio = slow[0]
            rows.append((mount, users, ratio, slow[-1][0].isoformat(), site))
    rows.sort(key=lambda row: row[2])
    return Section(
        "slow-mounts",
        "machine",
        "Slow file systems",
        f"Mount points on which the programs of {LEAST_USERS} users or more were at most half as fast as they had been "
        "there in the four weeks before, in runs of about as many processes (from one half to twice) and bytes (from a "
        "quarter to four times), most of them read, or written, as before: the machine's fault. It began on the first "
        "of the days in a row. One mount point of two sites is two.",
        columns(mount="words", users="count", rate_of_before="share", began="date", site="words"),
        tuple(rows),
        none=f"None found. To tell, it takes {LEAST_USERS} users whose programs ran there {LEAST_LOGS} times in the "
        "four weeks before in such runs: with about as many processes and bytes, and in the same direction.",
    )


def _slow_until_now(days: list[tuple[date, int, float]]) -> list[tuple[date, int, float]]:
    """The slow ones from the last backwards, until one is not; days on which too few can tell are passed over."""
    slow = []
    for day, users, ratio in days:
        if users < LEAST_USERS:
            continue
        if ratio > SLOW_OVER_USUAL:
            break
        slow.append((day, users, ratio))
    return slow
