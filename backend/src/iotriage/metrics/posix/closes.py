"""Whether the metadata time passes in closing files that were written: there what caches hold is sent at the latest.

Of a file that a rank opened once, the log has when that one open and that one close began and ended.
"""

from __future__ import annotations

import numpy as np

from iotriage.metrics.core.derived import derived
from iotriage.metrics.core.metric import NO_TIME, Absent, Outcome, Value
from iotriage.metrics.core.missing_evidence import DARSHAN
from iotriage.metrics.core.of_table import of_table
from iotriage.metrics.core.registry import metric
from iotriage.metrics.core.selection import Selection
from iotriage.metrics.tables.counters import no_table
from iotriage.metrics.tables.files.imported import posix_of_data
from iotriage.metrics.tables.rank_times import timer, total_time
from iotriage_parsers.evidence import CounterTable

SENT = 2**20
"""Bytes written to a file from which a close may wait for them: less is sent as soon as anything else is asked."""
MOSTLY = 0.5
"""Share of the metadata seconds from which closes are what takes them."""
TIMES = 5.0
"""Closes take so many times as long as the opens of the same files where it is not the server that answers slowly."""

NEEDS = "a Darshan log with POSIX records of single ranks and the times of their opens and closes"


@of_table
def _once(table: CounterTable) -> tuple[float, float]:
    """Seconds of opens and of closes, of written files that a rank opened once."""
    wrote = (table.ranks >= 0) & (table.count("POSIX_OPENS") == 1) & (table.count("POSIX_BYTES_WRITTEN") >= SENT)
    opens, closes = (
        np.maximum(timer(table, f"{call}_END_TIMESTAMP") - timer(table, f"{call}_START_TIMESTAMP"), 0.0)
        for call in ("OPEN", "CLOSE")
    )
    # What is longer than all metadata calls of the file is no one close.
    closes = np.minimum(closes, timer(table, "META_TIME"))
    return float(opens[wrote].sum()), float(closes[wrote].sum())


@derived
def _of_written_files(s: Selection) -> tuple[float, float]:
    found = [_once(table) for _, table in posix_of_data(s)]
    return sum(opens for opens, _ in found), sum(closes for _, closes in found)


@metric(
    "posix.close_fraction",
    "Share of the metadata time that passes in closing files that were written",
    "share",
    formula="Σ POSIX_F_CLOSE_END_TIMESTAMP − POSIX_F_CLOSE_START_TIMESTAMP of the files with a MiB and more written "
    "that one rank opened once / POSIX_F_META_TIME, but of modules and libraries",
    needs=NEEDS,
    scopes=["job"],
)
def close_fraction(s: Selection) -> Outcome:
    tables = posix_of_data(s)
    if not tables:
        return no_table(s, "POSIX")
    every = sum(total_time(t, "META_TIME") for _, t in tables)
    if every < NO_TIME:
        return Absent("the POSIX timers show no metadata time")
    _, closes = _of_written_files(s)
    if closes < NO_TIME:
        return Absent("no file with a MiB written that one rank opened once has the times of its close", (DARSHAN,))
    return Value(min(1.0, closes / every), "inferred")


@metric(
    "posix.metadata_mostly",
    "What the metadata time passes in",
    "word",
    formula=f"closes where posix.close_fraction is {MOSTLY:.0%} or more, and the closes took {TIMES:g} times as long "
    "as the opens of the same files; else unknown",
    needs="a Darshan log with POSIX records",
    scopes=["job"],
)
def metadata_mostly(s: Selection) -> Outcome:
    if not posix_of_data(s):
        return no_table(s, "POSIX")
    (opens, closes), part = _of_written_files(s), close_fraction(s)
    mostly = isinstance(part, Value) and float(part.value) >= MOSTLY and closes >= TIMES * opens
    return Value("closes", "inferred") if mostly else Value("unknown")
