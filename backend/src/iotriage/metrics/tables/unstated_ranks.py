"""Logs that do not state how many ranks they are of, as a text of darshan-parser without its first lines: what all
ranks together took or moved is then no rank's, and none of it is divided by one."""

from __future__ import annotations

from collections.abc import Iterable

from iotriage.metrics.core.metric import Absent
from iotriage.metrics.core.missing_evidence import DARSHAN
from iotriage.metrics.core.selection import LogRows, Selection
from iotriage.metrics.tables.rank_times import has_shared
from iotriage_parsers.evidence import CounterTable

NO_RANKS = Absent("no source states the number of ranks", (DARSHAN,))


def ranks_not_stated(s: Selection) -> Absent | None:
    """Why nothing has a mean over the ranks; None where each log states them."""
    return NO_RANKS if any(rows.nprocs is None for rows in s.logs) else None


def reduced_over_unknown(tables: Iterable[tuple[LogRows, CounterTable]]) -> Absent | None:
    """Why nothing of these records is one rank's: some are reduced over ranks that nobody counts."""
    return NO_RANKS if any(rows.nprocs is None and has_shared(table) for rows, table in tables) else None
