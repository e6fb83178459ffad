"""How large the largest file is."""

from __future__ import annotations

from collections.abc import Sequence

from iotriage.metrics.core.metric import Absent, Outcome, Value, Where
from iotriage.metrics.core.missing_evidence import DARSHAN
from iotriage.metrics.core.prefix import PREFIX
from iotriage.metrics.core.registry import metric
from iotriage.metrics.core.selection import Selection, StatsBlock
from iotriage.metrics.tables.counters import is_partial
from iotriage.metrics.tables.files.largest import largest_file
from iotriage.metrics.tables.texts.printed_totals import largest
from iotriage.metrics.tables.texts.profiled import other_files
from iotriage.metrics.tables.texts.stats_fields import place
from iotriage_parsers.evidence import Counter


@metric(
    "file.size",
    "Size of the largest file",
    "B",
    formula="largest POSIX_MAX_BYTE_READ or _WRITTEN + 1; without Darshan, total bytes of the STATS write block that "
    "has most, at least where a file has several, or of CrayPAT's largest file that was written (inferred)",
    needs="a Darshan log with POSIX records, MPICH_MPIIO_STATS, or a CrayPAT report",
)
def size(s: Selection) -> Outcome:
    best = largest_file(s)
    if best is not None:
        rows, module, record, found = best
        names = (f"{PREFIX[module]}_MAX_BYTE_WRITTEN", f"{PREFIX[module]}_MAX_BYTE_READ")
        if module in rows.traced:
            return Value(found, bound="lower" if is_partial(rows, module) else None)
        where = tuple(
            Where(rows.source_of(record), Counter(module, n, str(record), file=rows.name_of(record))) for n in names
        )
        return Value(found, where=where)
    last_byte = largest(s, *(f"{m}_MAX_BYTE_{w}" for m in ("POSIX", "STDIO") for w in ("READ", "WRITTEN")))
    if last_byte is not None and last_byte[0] > 0:
        return Value(int(last_byte[0]) + 1, where=(last_byte[1],))
    written = _written_by_statistics(s.writes)
    if written is not None:
        return written
    profiled = max((f for f in other_files(s) if f.bytes_written), key=lambda f: f.bytes, default=None)
    if profiled is not None:
        return Value(profiled.bytes_written or 0, "inferred", profiled.where)
    return Absent("no source states the size of a file", (DARSHAN,))


def _written_by_statistics(closes: Sequence[StatsBlock]) -> Value | None:
    """The bytes of one close are its file's. Of several closes of a file nobody says whether it grew or was written
    again: it has those of the largest of them at least."""
    moved = [(b.block.total_bytes, b) for b in closes if b.block.total_bytes is not None]
    if not moved:
        return None
    largest, block = max(moved, key=lambda one: one[0])
    of_file: dict[str, int] = {}
    for total, b in moved:
        of_file[b.block.file] = of_file.get(b.block.file, 0) + total
    grew = max(of_file.values()) > largest
    return Value(largest, "inferred", place(block, "total bytes"), bound="lower" if grew else None)
