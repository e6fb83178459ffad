"""Our reading of a log held against pydarshan's, value by value. What is known to be wrong in one of the two is said
beside the difference; where nothing is known, nothing is said."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from iotriage.metrics.tables.rank_times import slowest_rank_time
from iotriage.verification import reading
from iotriage.verification.known_reasons import CUT, NO_MOUNTS, NO_WIDE_SEGMENTS, reason_for_counter
from iotriage_parsers.evidence import SEGMENT, CounterTable, DarshanLog, DxtTrace, LustreLayout
from iotriage_parsers.evidence.dxt import LAYER_OF_MODULE
from iotriage_parsers.frozen import frozen

Shown = str | int | float | None


@frozen
class Difference:
    """`values` values of one kind that differ, with the first of them: ours and pydarshan's, and the record and rank
    where it has them. None is a value that a side does not have. `reason` says why where that is known."""

    what: str
    values: int
    ours: Shown
    theirs: Shown
    record: int | None = None
    rank: int | None = None
    reason: str | None = None


@frozen
class Compared:
    """One part of the log: "job", "POSIX", "derived from POSIX"."""

    part: str
    agreed: int
    differences: tuple[Difference, ...] = ()

    @property
    def differing(self) -> int:
        return sum(difference.values for difference in self.differences)


def compare(log: DarshanLog, traces: Sequence[DxtTrace], theirs: reading.PydarshanReading) -> tuple[Compared, ...]:
    """Every part that either of the two has."""
    tables = [_table(log, theirs_table) for theirs_table in theirs.tables]
    wrong = {found.part for found in tables if found.differences}
    parts = (
        _job(log, theirs),
        _mapped("metadata", dict(log.metadata), dict(theirs.metadata)),
        _listed("mounts", _mounts((m.path, m.fs_type) for m in log.job.mounts), _mounts(theirs.mounts)),
        _mapped("names", {str(k): v for k, v in log.names.items()}, {str(k): v for k, v in theirs.names}),
        _modules(log, theirs),
        *tables,
        *(_derived(log, figures, figures.module in wrong) for figures in theirs.derived),
        _heatmaps(log, theirs),
        _layouts(log, theirs),
        *(_trace(log, traces, module, theirs) for module in LAYER_OF_MODULE),
        _mapped("nodes", {str(k): v for k, v in log.hostnames.items()}, {str(k): v for k, v in theirs.nodes}),
    )
    return tuple(part for part in parts if part.agreed or part.differences)


def _job(log: DarshanLog, theirs: reading.PydarshanReading) -> Compared:
    job = theirs.job
    command = theirs.executable.rstrip() or None
    return _values(
        "job",
        [
            ("log version", log.log_version, job.log_ver, None),
            ("uid", log.job.uid, job.uid, None),
            ("job id", log.job.job_id, str(job.jobid), None),
            ("processes", log.job.nprocs, job.nprocs, None),
            ("start", log.job.start_time, job.start, None),
            ("end", log.job.end_time, job.end, None),
            ("run time", log.job.runtime_s, job.run_time if job.end is not None else None, None),
            ("command", log.job.command_line, command, NO_MOUNTS if command is None and not theirs.mounts else None),
        ],
        absolute=1e-6,
    )


def _mounts(mounts: Iterable[tuple[str, str]]) -> list[str]:
    """libdarshan-util sorts them by the length of their path."""
    return sorted(f"{path} {kind}" for path, kind in mounts)


def _modules(log: DarshanLog, theirs: reading.PydarshanReading) -> Compared:
    def of(name: str, version: int | None, size: int | None, partial: bool) -> dict[str, str]:
        return {f"{name} version": str(version), f"{name} bytes": str(size), f"{name} partial": str(partial)}

    ours = {k: v for m in log.modules for k, v in of(m.name, m.version, m.compressed_bytes, m.partial).items()}
    other = {k: v for m in theirs.modules for k, v in of(m.name, m.version, m.compressed_bytes, m.partial).items()}
    return _mapped("modules", ours, other)


def _table(log: DarshanLog, theirs: reading.Table) -> Compared:
    """The counters of one module, record by record; each counter's differences together."""
    ours = log.tables.get(theirs.module)
    if ours is None:
        if not theirs.ids:
            return Compared(theirs.module, 0)
        return Compared(
            theirs.module,
            0,
            (Difference("records", len(theirs.ids), 0, len(theirs.ids), reason=_cut(log, theirs.module)),),
        )
    names = _listed(theirs.module, [*ours.int_names, *ours.float_names], [*theirs.int_names, *theirs.float_names])
    if names.differences:
        return names
    mine, other = _paired(ours, theirs)
    agreed, found = 2 * len(mine), []
    if len(mine) < max(len(ours), len(theirs.ids)):
        lost = max(len(ours), len(theirs.ids)) - len(mine)
        found.append(Difference("records", lost, len(ours), len(theirs.ids), reason=_cut(log, theirs.module)))
    if ours.file_ids is not None and theirs.file_ids is not None:
        files = ours.file_ids[mine] == np.array(theirs.file_ids, np.uint64)[other]
        agreed += int(files.sum())
        found += [Difference("file", int((~files).sum()), None, None)] if not files.all() else []
    ints = np.array(theirs.ints, np.int64).reshape(len(theirs.ids), -1)[other]
    floats = np.array(theirs.floats, np.float64).reshape(len(theirs.ids), len(theirs.float_names))[other]
    my_ints, my_floats = ours.ints[mine], ours.floats[mine]
    equal_ints, equal_floats = my_ints == ints, (my_floats == floats) | (np.isnan(my_floats) & np.isnan(floats))
    agreed += int(equal_ints.sum()) + int(equal_floats.sum())
    ids, ranks = ours.ids[mine], ours.ranks[mine]
    columns = [(name, my_ints[:, i], ints[:, i], equal_ints[:, i]) for i, name in enumerate(ours.int_names)]
    found += [d for name, a, b, same in columns for d in _column(log, theirs.module, name, ids, ranks, a, b, same)]
    real = [(name, my_floats[:, i], floats[:, i], equal_floats[:, i]) for i, name in enumerate(ours.float_names)]
    found += [d for name, a, b, same in real for d in _column(log, theirs.module, name, ids, ranks, a, b, same)]
    return Compared(theirs.module, agreed, tuple(found))


def _paired(ours: CounterTable, theirs: reading.Table) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The rows of both that are of the same record and rank; of several such the first with the first."""
    keys = list(zip(ours.ids.tolist(), ours.ranks.tolist(), strict=True))
    other = list(zip(theirs.ids, theirs.ranks, strict=True))
    if keys == other:
        rows = np.arange(len(keys))
        return rows, rows
    places: dict[tuple[int, int], list[int]] = {}
    for row, key in enumerate(other):
        places.setdefault(key, []).append(row)
    pairs = [(row, places[key].pop(0)) for row, key in enumerate(keys) if places.get(key)]
    return np.array([a for a, _ in pairs], np.int64), np.array([b for _, b in pairs], np.int64)


def _column(
    log: DarshanLog,
    module: str,
    name: str,
    ids: NDArray[np.uint64],
    ranks: NDArray[np.int64],
    ours: NDArray[np.int64] | NDArray[np.float64],
    theirs: NDArray[np.int64] | NDArray[np.float64],
    same: NDArray[np.bool_],
) -> Iterator[Difference]:
    """One difference for each reason."""
    of_reason: dict[str | None, list[int]] = {}
    for row in np.flatnonzero(~same).tolist():
        of_reason.setdefault(reason_for_counter(log, module, name, float(ours[row]), float(theirs[row])), []).append(
            row
        )
    for reason, rows in of_reason.items():
        first = rows[0]
        values = (_shown(ours[first].item()), _shown(theirs[first].item()))
        yield Difference(name, len(rows), *values, int(ids[first]), int(ranks[first]), reason)


def _derived(log: DarshanLog, theirs: reading.Derived, counters_differ: bool) -> Compared:
    """The figures that the metrics start from, against those of libdarshan-util's accumulator."""
    table = log.tables.get(theirs.module)
    if table is None:
        return Compared(f"derived from {theirs.module}", 0)
    prefix = table.int_names[0].split("_", 1)[0]
    read, written = table.total(f"{prefix}_BYTES_READ") or 0, table.total(f"{prefix}_BYTES_WRITTEN") or 0
    seconds = slowest_rank_time((table,))
    mib_per_s = (read + written) / seconds / 2**20 if seconds else 0.0
    why = "it follows from the counters above that differ" if counters_differ else None
    return _values(
        f"derived from {theirs.module}",
        [
            ("files", len(np.unique(table.ids)), theirs.files, why),
            ("bytes read", read, theirs.bytes_read, why),
            ("bytes written", written, theirs.bytes_written, why),
            ("total_bytes", read + written, theirs.total_bytes, why),
            ("agg_time_by_slowest (s)", seconds, theirs.agg_time_by_slowest_s, why),
            ("agg_perf_by_slowest (MiB/s)", mib_per_s, theirs.agg_perf_by_slowest, why),
        ],
        absolute=1e-12,
    )


def _heatmaps(log: DarshanLog, theirs: reading.PydarshanReading) -> Compared:
    ours = {(h.layer, int(rank)): (h, row) for h in log.heatmaps for row, rank in enumerate(h.ranks)}
    agreed, found = 0, []
    other = {(log.names.get(one.record, "").removeprefix("heatmap:"), one.rank): one for one in theirs.heatmaps}
    for key in sorted({*ours, *other}):
        if key not in ours or key not in other:
            found.append(
                Difference(
                    f"record of {key[0]}",
                    1,
                    int(key in ours),
                    int(key in other),
                    rank=key[1],
                    reason=_cut(log, "HEATMAP"),
                )
            )
            continue
        (heatmap, row), one = ours[key], other[key]
        mine = [heatmap.bin_width_s, *heatmap.written[row].tolist(), *heatmap.read[row].tolist()]
        compared = _listed(key[0], mine, [one.bin_width_s, *one.written, *one.read])
        agreed += compared.agreed
        found += compared.differences
    return Compared("HEATMAP", agreed, tuple(found))


def _layouts(log: DarshanLog, theirs: reading.PydarshanReading) -> Compared:
    """Ours has the stripes of one component, the one of the largest extent."""
    other = {layout.record: layout for layout in theirs.layouts}
    agreed, found = 0, []
    for layout in log.lustre:
        size = _as_component(layout)
        known = (
            [(*part.counters[:2], *part.osts) for part in other[layout.record].components]
            if layout.record in other
            else []
        )
        if size in known:
            agreed += len(size)
        else:
            shown = (" ".join(map(str, size)), " ".join(map(str, known[0])) if known else None)
            found.append(Difference("stripe size, count and OSTs", len(size), *shown, layout.record))
    missing = len(other) - len(log.lustre)
    if missing > 0:
        found.append(Difference("records", missing, len(log.lustre), len(other), reason=_cut(log, "LUSTRE")))
    return Compared("LUSTRE", agreed, tuple(found))


def _as_component(layout: LustreLayout) -> tuple[int | None, ...]:
    return (layout.stripe_size, layout.stripe_count, *layout.osts)


def _trace(log: DarshanLog, traces: Sequence[DxtTrace], module: str, theirs: reading.PydarshanReading) -> Compared:
    """Every segment: offset, length, start and end."""
    mine = next((t for t in traces if t.layer == LAYER_OF_MODULE[module]), None)
    records = [one for one in theirs.traces if one.module == module]
    rows = [
        (one.record, one.rank, write, *segment, 0)
        for one in records
        for write, segments in ((True, one.writes), (False, one.reads))
        for segment in segments
    ]
    other = np.array(rows, SEGMENT)
    ours = mine.segments if mine is not None else np.array([], SEGMENT)
    both = min(len(ours), len(other))
    fields = ("record", "rank", "write", "offset", "length", "start", "end")
    same = [ours[name][:both] == other[name][:both] for name in fields]
    agreed = sum(int(column.sum()) for column in same)
    found = [
        Difference(
            name,
            int((~column).sum()),
            _shown(ours[name][at].item()),
            _shown(other[name][at].item()),
            int(ours["record"][at]),
            int(ours["rank"][at]),
        )
        for name, column in zip(fields, same, strict=True)
        if not column.all()
        for at in [int(np.flatnonzero(~column)[0])]
    ]
    if len(ours) != len(other):
        reason = NO_WIDE_SEGMENTS if not len(other) and _cut(log, module) is None else _cut(log, module)
        found.append(Difference("segments", abs(len(ours) - len(other)), len(ours), len(other), reason=reason))
    hosts = _mapped(
        "", {str(k): v for k, v in mine.hostnames.items()} if mine else {}, {str(r.rank): r.host for r in records}
    )
    if records:
        agreed, found = agreed + hosts.agreed, found + list(hosts.differences)
    return Compared(module, agreed, tuple(found))


def _cut(log: DarshanLog, module: str) -> str | None:
    info = log.module(module)
    return CUT if info is not None and info.status in ("partly-read", "damaged") else None


def _values(part: str, rows: Iterable[tuple[str, Shown, Shown, str | None]], absolute: float = 0.0) -> Compared:
    agreed, found = 0, []
    for what, ours, theirs, reason in rows:
        if _same(ours, theirs, absolute):
            agreed += 1
        else:
            found.append(Difference(what, 1, _shown(ours), _shown(theirs), reason=reason))
    return Compared(part, agreed, tuple(found))


def _mapped(part: str, ours: dict[str, str], theirs: dict[str, str]) -> Compared:
    return _values(part, [(key, ours.get(key), theirs.get(key), None) for key in dict.fromkeys([*ours, *theirs])])


def _listed(part: str, ours: Sequence[Shown], theirs: Sequence[Shown]) -> Compared:
    """Two lists compared place by place."""
    most = max(len(ours), len(theirs))
    mine, other = ([*values, *[None] * (most - len(values))] for values in (ours, theirs))
    return _values(part, [(f"number {i + 1}", a, b, None) for i, (a, b) in enumerate(zip(mine, other, strict=True))])


def _same(ours: Shown, theirs: Shown, absolute: float) -> bool:
    if isinstance(ours, float) and isinstance(theirs, float):
        return math.isclose(ours, theirs, rel_tol=1e-9, abs_tol=absolute)
    return ours == theirs


def _shown(value: Shown) -> Shown:
    """As JSON can have it: what is not finite is not there."""
    return None if isinstance(value, float) and not math.isfinite(value) else value
