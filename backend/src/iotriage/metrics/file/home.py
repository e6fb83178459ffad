"""How many bytes were moved below home."""

from __future__ import annotations

import numpy as np

from iotriage.metrics.core.metric import Absent, Outcome, Value, Where
from iotriage.metrics.core.missing_evidence import DARSHAN
from iotriage.metrics.core.outcomes import joined, quotient
from iotriage.metrics.core.prefix import PREFIX
from iotriage.metrics.core.registry import metric, outcome
from iotriage.metrics.core.selection import LogRows, Selection
from iotriage.metrics.tables.mounts import HOME

NOT_WORK = {"archer2": ("/epsrc/", "/general/", "/rdfaas/")}
"""By site: file systems that are mounted and not meant for the I/O of jobs, besides home."""


@metric(
    "file.home_bytes",
    "Bytes moved on home",
    "B",
    formula="bytes read and written, each counted once, in files whose path begins with a directory for homes (/home, "
    "/users, …), or with one that the site keeps for other ends",
    needs="a Darshan log with file names",
    scopes=["job"],
)
def home_bytes(s: Selection) -> Outcome:
    if not s.logs:
        return Absent("no source says where the bytes went", (DARSHAN,))
    return Value(sum(_on_home(rows, s.site) for rows in s.logs), where=joined(*(_where(rows) for rows in s.logs)))


@metric(
    "file.home_fraction",
    "Share of the bytes moved on home",
    "share",
    formula="file.home_bytes / io.bytes",
    needs="a Darshan log with file names",
    scopes=["job"],
)
def home_fraction(s: Selection) -> Outcome:
    return quotient(outcome(s, "file.home_bytes"), outcome(s, "io.bytes"), zero="no bytes were moved")


def _on_home(rows: LogRows, site: str | None) -> int:
    others = NOT_WORK.get(site or "", ())
    found, is_home = 0, HOME.match
    for table in rows.highest:
        prefix = PREFIX[table.module]
        records = table.by_id.ids.tolist()
        homes = [
            record
            for record, name in zip(records, map(rows.log.names.get, records), strict=True)
            if name is not None and (is_home(name) or name.startswith(others))
        ]
        if homes:
            mine = table.rows(np.isin(table.ids, np.array(homes, np.uint64)))
            found += sum(mine.total(f"{prefix}_BYTES_{way}") or 0 for way in ("READ", "WRITTEN"))
    return found


def _where(rows: LogRows) -> tuple[Where, ...]:
    return joined(*(rows.where(t, f"{PREFIX[t.module]}_BYTES_WRITTEN") for t in rows.highest if len(t)))
