"""Records worked out from Darshan's extended traces, where a log has no others: DXT has every read and write call.

What a trace does not tell is not available in these records: opens, metadata calls and their time, and whether an
MPI-IO call was collective. Order of accesses as Darshan's own counters have it (darshan-runtime, POSIX module): an
access is sequential where it begins after the last byte of the one before, consecutive where it begins right there.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

from iotriage.metrics.tables.calls.size_bins import HIGHS, bins_of_module
from iotriage_parsers.evidence import (
    NOT_AVAILABLE,
    CounterTable,
    DarshanLog,
    DarshanSummary,
    DxtTrace,
    Job,
    ModuleInfo,
    Part,
)
from iotriage_parsers.frozen import frozen_identity
from iotriage_parsers.readers.darshan_log.counters import (
    MPIIO_COUNTERS,
    MPIIO_F_COUNTERS,
    POSIX_COUNTERS,
    POSIX_F_COUNTERS,
)

_NAMES: Final = {
    "POSIX": ("POSIX", POSIX_COUNTERS, POSIX_F_COUNTERS, bins_of_module("POSIX")),
    "MPI-IO": ("MPIIO", MPIIO_COUNTERS, MPIIO_F_COUNTERS, bins_of_module("MPI-IO")),
}

_UP_TO: Final = np.array([high for high in HIGHS if high is not None], np.int64)

_COMMONEST: Final = 4


@frozen_identity
class LogOfTraces:
    """A log with what its traces tell: `tables` of the layers that have no records of their own, and the ids of the
    files whose MPI-IO calls reach POSIX as they are."""

    log: DarshanLog
    tables: Mapping[str, CounterTable]
    passed_on: frozenset[int]


def traced_logs(parts: Sequence[tuple[int, Part]]) -> dict[int, LogOfTraces]:
    """By source: logs with traces where records are missing; and traces given as text, unless a log or its totals tell
    of the run."""
    found: dict[int, LogOfTraces] = {}
    logs = {i: p for i, p in parts if isinstance(p, DarshanLog)}
    has_counters = bool(logs) or any(isinstance(p, DarshanSummary) for _, p in parts)
    for source in dict.fromkeys(i for i, p in parts if isinstance(p, DxtTrace)):
        traces = [p for i, p in parts if i == source and isinstance(p, DxtTrace) and len(p)]
        log = logs.get(source)
        if not traces or (log is None and has_counters):
            continue
        log = log or _log_of(traces)
        present = {module: table for module in _NAMES if (table := log.tables.get(module)) is not None and len(table)}
        if present:
            # A file that a layer's records leave out would be counted at another layer too.
            continue
        tables = {m: t for m in _NAMES if (t := _table(m, traces)) is not None}
        found[source] = LogOfTraces(log, tables, _passed_on(tables))
    return found


def _log_of(traces: Sequence[DxtTrace]) -> DarshanLog:
    """The log that a text of traces was made from, as far as the text has it."""
    job = next((t.job for t in traces if t.job is not None), Job())
    return DarshanLog(
        log_version="",
        byte_order=None,
        compression=None,
        job=job,
        metadata=(),
        names={record: name for t in traces for record, name in t.names.items()},
        modules=tuple(
            # A text that was cut is no sign that Darshan ran out of memory.
            ModuleInfo(
                f"DXT_{t.layer}",
                None,
                None,
                partial=False,
                status="partly-read" if t.partial else "read",
                records=len(t),
            )
            for t in traces
        ),
        lustre=tuple({layout.record: layout for t in traces for layout in t.lustre}.values()),
    )


def _table(module: str, traces: Sequence[DxtTrace]) -> CounterTable | None:
    prefix, names, float_names, bins = _NAMES[module]
    mine = [t for t in traces if t.layer == prefix]
    if not mine:
        return None
    segments = np.concatenate([t.segments for t in mine])
    keys = np.stack([segments["record"].view(np.int64), segments["rank"]], axis=1)
    rows, of_row = np.unique(keys, axis=0, return_inverse=True)
    of_row = of_row.reshape(-1)
    n = len(rows)
    ints = np.full((n, len(names)), NOT_AVAILABLE, np.int64)
    floats = np.full((n, len(float_names)), np.nan)

    def put(name: str, values: NDArray[np.int64]) -> None:
        ints[:, names.index(f"{prefix}_{name}")] = values

    for way, done, write in (("READ", "BYTES_READ", False), ("WRITE", "BYTES_WRITTEN", True)):
        chosen = segments["write"] == write
        calls, at = segments[chosen], of_row[chosen]
        put(done, _summed(at, np.maximum(calls["length"], 0), n))
        floats[:, float_names.index(f"{prefix}_F_{way}_TIME")] = _seconds(calls, at, n)
        sizes = np.searchsorted(_UP_TO, calls["length"])
        for column, name in enumerate(bins["write" if write else "read"]):
            ints[:, names.index(name)] = np.bincount(at[sizes == column], minlength=n)
        if module == "POSIX":
            put(f"{way}S", np.bincount(at, minlength=n).astype(np.int64))
            last = np.full(n, NOT_AVAILABLE, np.int64)
            known = calls["offset"] >= 0
            np.maximum.at(last, at[known], (calls["offset"] + calls["length"] - 1)[known])
            put(f"MAX_BYTE_{'WRITTEN' if write else 'READ'}", last)
            consecutive, sequential = _in_order(calls, at)
            put(f"CONSEC_{way}S", np.bincount(at[consecutive], minlength=n).astype(np.int64))
            put(f"SEQ_{way}S", np.bincount(at[sequential], minlength=n).astype(np.int64))
    for place, (size, count) in enumerate(_commonest(segments["length"], of_row, n), 1):
        put(f"ACCESS{place}_ACCESS", size)
        put(f"ACCESS{place}_COUNT", count)
    ids = rows[:, 0].copy().view(np.uint64)
    return CounterTable(
        module=module,
        int_names=names,
        float_names=float_names,
        ids=ids,
        ranks=rows[:, 1].copy(),
        ints=ints,
        floats=floats,
        partial=any(t.partial for t in mine),
    ).without_notes()


def _summed(at: NDArray[np.int64], amounts: NDArray[np.int64], n: int) -> NDArray[np.int64]:
    """Exact, as a float sum of bytes would not be."""
    out = np.zeros(n, np.int64)
    np.add.at(out, at, amounts)
    return out


def _seconds(calls: NDArray[np.void], at: NDArray[np.int64], n: int) -> NDArray[np.float64]:
    """Seconds in calls by row, those of calls that overlap counted once, as Darshan's timers do."""
    order = np.lexsort((calls["start"], at))
    group = at[order]
    start, end = np.nan_to_num(calls["start"][order]), np.nan_to_num(calls["end"][order])
    # Rows are set so far apart in time that the latest end of an earlier row is before any start of the next.
    apart = group * (float(end.max(initial=0.0)) + 1.0)
    latest = np.maximum.accumulate(end + apart)
    before = np.concatenate(([0.0], latest[:-1])) - apart
    return np.bincount(group, np.maximum(end - np.maximum(start, before), 0.0), n).astype(np.float64)


def _passed_on(tables: Mapping[str, CounterTable]) -> frozenset[int]:
    """Files of which each rank's MPI-IO calls reach POSIX as they are, as many and as large: no rank did the I/O of
    another, whatever the calls were."""
    above, below = tables.get("MPI-IO"), tables.get("POSIX")
    if above is None or below is None:
        return frozenset()

    def told(table: CounterTable, prefix: str) -> dict[tuple[int, int], tuple[int, ...]]:
        _, _, _, bins = _NAMES[table.module]
        calls = [sum(table.count(name) for name in bins[way]) for way in ("read", "write")]
        moved = [table.count(f"{prefix}_{name}") for name in ("BYTES_READ", "BYTES_WRITTEN")]
        columns = np.stack([*calls, *moved], axis=1).tolist()
        keys = zip(table.ids.tolist(), table.ranks.tolist(), strict=True)
        return {key: tuple(row) for key, row in zip(keys, columns, strict=True)}

    of_calls, of_posix = told(above, "MPIIO"), told(below, "POSIX")
    changed = {record for (record, rank), row in of_calls.items() if of_posix.get((record, rank)) != row}
    changed |= {record for record, rank in of_posix if (record, rank) not in of_calls}
    return frozenset(record for record, _ in of_calls) - changed


def _in_order(calls: NDArray[np.void], at: NDArray[np.int64]) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """Which calls of one direction are consecutive, and which sequential, among those of the same file and rank."""
    order = np.lexsort((calls["start"], at))
    offset, size, group = calls["offset"][order], calls["length"][order], at[order]
    last = np.zeros(len(order), np.int64)
    same = group[1:] == group[:-1]
    last[1:] = np.where(same, offset[:-1] + size[:-1] - 1, 0)
    known = offset >= 0
    consecutive, sequential = np.zeros(len(order), np.bool_), np.zeros(len(order), np.bool_)
    consecutive[order] = known & (offset == last + 1)
    sequential[order] = known & (offset > last)
    return consecutive, sequential


def _commonest(
    sizes: NDArray[np.int64], at: NDArray[np.int64], n: int
) -> list[tuple[NDArray[np.int64], NDArray[np.int64]]]:
    """The four commonest sizes of each row with their counts, 0 where there are fewer."""
    found = [(np.zeros(n, np.int64), np.zeros(n, np.int64)) for _ in range(_COMMONEST)]
    pairs, counts = np.unique(np.stack([at, sizes], axis=1), axis=0, return_counts=True)
    order = np.lexsort((-counts, pairs[:, 0]))
    row, size, count = pairs[order, 0], pairs[order, 1], counts[order]
    place = np.arange(len(row)) - np.searchsorted(row, row)
    for number, (of_size, of_count) in enumerate(found):
        here = place == number
        of_size[row[here]], of_count[row[here]] = size[here], count[here]
    return found
