"""How many bytes moved."""

from __future__ import annotations

from typing import Literal

from iotriage.metrics.core.about import About
from iotriage.metrics.core.metric import Absent, Outcome, Value
from iotriage.metrics.core.outcomes import joined, plus
from iotriage.metrics.core.prefix import PREFIX
from iotriage.metrics.core.registry import metric, outcome
from iotriage.metrics.core.selection import Selection
from iotriage.metrics.tables.bandwidth import READ, WRITTEN
from iotriage.metrics.tables.counters import lacks_records, nothing_read
from iotriage.metrics.tables.texts import printed_totals
from iotriage.metrics.tables.texts.profiled import profiled_bytes
from iotriage.metrics.tables.texts.stats_fields import stats_total


def _highest(s: Selection, counter: Literal["BYTES_READ", "BYTES_WRITTEN"]) -> Outcome:
    if s.logs:
        tables = [(rows, t) for rows in s.logs for t in rows.highest]
        known = [v for _, t in tables if (v := t.total(f"{PREFIX[t.module]}_{counter}")) is not None]
        if tables and not known:
            return Absent(f"{counter} is not available in any record of this log")
        where = joined(*(rows.where(t, f"{PREFIX[t.module]}_{counter}") for rows, t in tables))
        if (unread := nothing_read(s)) is not None:
            return unread
        if not tables and (of_heatmaps := _in_heatmaps(s, counter)) is not None:
            return of_heatmaps
        lower = any(lacks_records(rows) or rows.past_mpiio.lacks_bytes for rows in s.logs)
        return Value(sum(known), where=where, bound="lower" if lower else None)
    elsewhere = printed_totals.highest_bytes(s, counter)
    if elsewhere is not None:
        return elsewhere
    blocks, word = (s.writes, "write") if counter == WRITTEN else (s.reads, "read")
    of_stats = stats_total(blocks, "total bytes", lambda b: b.total_bytes, word)
    of_profile = profiled_bytes(s, "write" if counter == WRITTEN else "read")
    return of_stats if of_profile is None else plus(of_profile, of_stats)


def _in_heatmaps(s: Selection, counter: Literal["BYTES_READ", "BYTES_WRITTEN"]) -> Outcome | None:
    """Bytes of a log that has heatmaps and no records of files; None where none has any, in either direction."""
    maps = [[h for h in rows.log.heatmaps if len(h.ranks)] for rows in s.logs] if s.scope == "job" else []
    if not any(int(h.read.sum()) + int(h.written.sum()) for of_log in maps for h in of_log):
        return None
    moved = 0
    for of_log in maps:
        by_layer = {h.layer: int((h.written if counter == WRITTEN else h.read).sum()) for h in of_log}
        moved += max(by_layer.get("POSIX", 0), by_layer.get("MPIIO", 0)) + by_layer.get("STDIO", 0)
    # What MPI-IO did and what POSIX did beside it cannot be told apart without files.
    return Value(moved, "inferred", bound="lower")


@metric(
    "io.bytes_read",
    "Bytes read",
    "B",
    about=About(direction="read"),
    formula="BYTES_READ of MPI-IO records, of POSIX records of files without one, or that POSIX calls beside MPI-IO's "
    "use longer, or for more bytes, than these (a lower bound where for less), of STDIO records, and of DFS and DAOS "
    "records of files that no layer above them has; where a log has heatmaps and no records, the larger of their "
    "POSIX and MPI-IO, plus STDIO (a lower bound); of darshan-parser's totals MPI-IO, POSIX beyond it, and "
    "STDIO; else total bytes of the STATS read blocks, and of CrayPAT's files that have none",
    needs="a Darshan log, MPICH_MPIIO_STATS or a CrayPAT report",
    where_lacking="lower",
)
def bytes_read(s: Selection) -> Outcome:
    return _highest(s, READ)


@metric(
    "io.bytes_written",
    "Bytes written",
    "B",
    about=About(direction="write"),
    formula="BYTES_WRITTEN at the highest layer that saw each file, each byte once; "
    "without Darshan, total bytes of the STATS write blocks, and of CrayPAT's files that have none",
    needs="a Darshan log, MPICH_MPIIO_STATS or a CrayPAT report",
    where_lacking="lower",
)
def bytes_written(s: Selection) -> Outcome:
    return _highest(s, WRITTEN)


@metric(
    "io.bytes",
    "Bytes read and written",
    "B",
    formula="io.bytes_read + io.bytes_written; else total_bytes of darshan-parser --perf",
    needs="a Darshan log, MPICH_MPIIO_STATS or a CrayPAT report",
)
def io_bytes(s: Selection) -> Outcome:
    both = plus(outcome(s, "io.bytes_written"), outcome(s, "io.bytes_read"))
    return both if isinstance(both, Value) else printed_totals.bytes_by_perf(s) or both
