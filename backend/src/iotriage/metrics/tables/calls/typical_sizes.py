"""The size that nearly all accesses of a layer have. A header of a hundred bytes among pieces of exactly 1 MiB makes
the average less than that; what a document says of 1 MiB is still meant of these pieces."""

from __future__ import annotations

from collections import Counter

import numpy as np

from iotriage.metrics.core.metric import Absent, Outcome, Value
from iotriage.metrics.core.outcomes import joined
from iotriage.metrics.core.prefix import PREFIX
from iotriage.metrics.core.selection import Selection
from iotriage.metrics.core.table_cache import cached_per_table
from iotriage.metrics.tables.calls.size_bins import HIGHS, bin_counts, bins_of, common_accesses
from iotriage.metrics.tables.calls.small_accesses import BYTES
from iotriage_parsers.evidence import CounterTable
from iotriage_parsers.evidence.mpiio_stats import Direction

NEARLY_ALL = 0.9
"""Share of the accesses, and of their bytes, that must have one size. That size is then within a tenth or so of the
average, and is used in its place."""
_ENDS = np.array(HIGHS[:-1])


def formula_of(module: str, direction: Direction) -> str:
    """How the metric says that it is made."""
    prefix = PREFIX[module]
    return (
        f"the size that nine tenths of the {module} {direction}s have, and of their bytes, by {prefix}_ACCESS1_ACCESS "
        f"to {prefix}_ACCESS4_ACCESS of each record and their counts; "
        f"{prefix.lower()}.average_{direction}_size where none has"
    )


def typical_size(s: Selection, module: str, direction: Direction, average: Outcome) -> Outcome:
    """Bytes of nearly every access of a module in one direction; where no size is that of nearly all, and where no
    source counts sizes, the average."""
    tables = s.tables(module)
    if isinstance(average, Absent) or not tables:
        return average
    counts, calls, moved = Counter[int](), 0, 0
    for _, table in tables:
        counts.update(_of_each_size(table, direction))
        calls += int(bin_counts(table, bins_of(table, direction)).sum())
        moved += table.total(BYTES[direction].format(PREFIX[module])) or 0
    size, times = max(counts.items(), key=lambda one: (one[1], one[0]), default=(0, 0))
    if times <= 0 or times < NEARLY_ALL * calls or not NEARLY_ALL * moved <= times * size <= moved:
        return average
    return Value(size, average.confidence, joined(*(r.where(t, f"{PREFIX[module]}_ACCESS1_ACCESS") for r, t in tables)))


@cached_per_table
def _of_each_size(table: CounterTable, direction: Direction) -> dict[int, int]:
    """Accesses of one direction by size, at least, of the four commonest of each record. Darshan counts these of both
    directions together: of a size as many are the other's as that has in the histogram's bin."""
    sizes, times = common_accesses(table)
    used = (times > 0).nonzero()
    sizes, times = np.maximum(sizes[used], 0), times[used]
    other: Direction = "read" if direction == "write" else "write"
    where = used[0], _ENDS.searchsorted(sizes)
    mine, others = (bin_counts(table, bins_of(table, way))[where] for way in (direction, other))
    surely = np.minimum(times - others, mine)
    found: Counter[int] = Counter()
    for size, count in zip(sizes[surely > 0].tolist(), surely[surely > 0].tolist(), strict=True):
        found[size] += count
    return dict(found)
