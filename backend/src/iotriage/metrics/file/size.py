"""How large the largest file is."""

from __future__ import annotations

from iotriage.metrics.core.metric import Absent, Outcome, Value, Where
from iotriage.metrics.core.missing_evidence import DARSHAN
from iotriage.metrics.core.prefix import PREFIX
from iotriage.metrics.core.registry import metric
from iotriage.metrics.core.selection import Selection
from iotriage.metrics.tables.counters import is_partial
from iotriage.metrics.tables.files.largest import largest_file
from iotriage.metrics.tables.texts.printed_totals import largest
from iotriage.metrics.tables.texts.profiled import other_files
from iotriage.metrics.tables.texts.stats_fields import of_largest_file, stats_total
from iotriage_parsers.evidence import Counter


@metric(
    "file.size",
    "Size of the largest file",
    "B",
    formula="largest POSIX_MAX_BYTE_READ or _WRITTEN + 1; without Darshan, total bytes of the STATS write blocks of "
    "the file that has most, or of CrayPAT's largest file that was written (inferred)",
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
    written = stats_total(of_largest_file(s.writes), "total bytes", lambda b: b.total_bytes, "write")
    if isinstance(written, Value):
        return Value(written.value, "inferred", written.where)
    profiled = max((f for f in other_files(s) if f.bytes_written), key=lambda f: f.bytes, default=None)
    if profiled is not None:
        return Value(profiled.bytes_written or 0, "inferred", profiled.where)
    return Absent("no source states the size of a file", (DARSHAN,))
