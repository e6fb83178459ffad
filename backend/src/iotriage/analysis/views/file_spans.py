"""When each file was in use, from the times that Darshan keeps of a record: its first opening and last close, its first
and last read and write. What was done in between, a log of counters cannot tell."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from iotriage.analysis.charts.activity import APART, joined, start_of, starts_after, timed_tables
from iotriage.analysis.document.charts.activity import Span
from iotriage.metrics.core.prefix import prefix_of
from iotriage.metrics.core.selection import LogRows, Selection, isin, nameless
from iotriage.metrics.tables.files.uses import STREAMS
from iotriage.metrics.tables.rank_times import rank_times
from iotriage_parsers.evidence import CounterTable
from iotriage_parsers.evidence.darshan import Float64s, Int64s
from iotriage_parsers.frozen import frozen, frozen_identity

MOST_FILES = 100

_TIMES = (("OPEN_START", "CLOSE_END"), ("READ_START", "READ_END"), ("WRITE_START", "WRITE_END"))


@frozen
class FileSpans:
    """Seconds from the start of the run. `opened_s` is the first opening, `closed_s` the last close, None where it was
    not recorded; `reads` and `writes` go from the first to the last of each record, those that overlap or touch as one.
    A file of which bytes moved and no time was recorded has none of these, and `untimed` says so."""

    path: str
    opened_s: float | None
    closed_s: float | None
    reads: tuple[Span, ...]
    writes: tuple[Span, ...]
    read_bytes: int
    written_bytes: int
    in_calls_s: float
    untimed: bool


@frozen
class FileSpansView:
    """The files on which calls took the most time, in the order in which they were first used; those without a time
    last. `run_s` is the length of the axis; `moved` from the first to the last byte of all files, None where no read or
    write has a time."""

    run_s: float
    moved: Span | None
    files: tuple[FileSpans, ...]
    files_total: int


def file_spans(job: Selection, most: int = MOST_FILES) -> FileSpansView | None:
    """None where no record has a time."""
    zero = start_of(job.logs)
    parts = [part for rows in job.logs for part in _parts(rows, starts_after(rows, zero))]
    if not parts:
        return None
    uses = _Uses.of(parts)
    records, index = np.unique(uses.record, return_inverse=True)
    in_calls = np.bincount(index, weights=uses.in_calls_s)
    names = {int(r): name for r in records if (name := _name(job.logs, int(r))) not in STREAMS}
    chosen = [i for i in np.argsort(-in_calls, kind="stable").tolist() if int(records[i]) in names]
    times = np.concatenate([spans.ravel() for spans in uses.spans])
    if np.isnan(times).all():
        return None
    runs = [starts_after(rows, zero) + (rows.log.job.runtime_s or 0.0) for rows in job.logs]
    run_s = max([*runs, float(np.nanmax(times))])
    order = np.argsort(index, kind="stable")
    bounds = np.searchsorted(index[order], np.arange(len(records) + 1))
    files = [
        _file(names[int(records[i])], uses.where(order[bounds[i] : bounds[i + 1]]), APART * run_s)
        for i in chosen[:most]
    ]
    files.sort(key=_first)
    no_stream = np.isin(uses.record, np.array(list(names), dtype=np.uint64))
    moved = [span for found in uses.spans[1:] for span in joined(found[_has_both_ends(found) & no_stream], run_s)]
    between = Span(min(s.from_s for s in moved), max(s.to_s for s in moved)) if moved else None
    return FileSpansView(run_s, between, tuple(files), len(chosen))


@frozen_identity
class _Uses:
    """One number a record and layer, shape (n,). `spans` has for opening, reading and writing the first and the last
    time, shape (n, 2), NaN where it was not recorded."""

    record: NDArray[np.uint64]
    spans: tuple[Float64s, ...]
    read: Int64s
    written: Int64s
    in_calls_s: Float64s

    @classmethod
    def of(cls, parts: Sequence[_Uses]) -> _Uses:
        return cls(
            np.concatenate([p.record for p in parts]),
            tuple(np.concatenate([p.spans[k] for p in parts]) for k in range(len(_TIMES))),
            np.concatenate([p.read for p in parts]),
            np.concatenate([p.written for p in parts]),
            np.concatenate([p.in_calls_s for p in parts]),
        )

    def where(self, rows: Int64s) -> _Uses:
        spans = tuple(found[rows] for found in self.spans)
        return _Uses(self.record[rows], spans, self.read[rows], self.written[rows], self.in_calls_s[rows])


def _parts(rows: LogRows, after: float) -> Iterator[_Uses]:
    """The tables of the layers; bytes and seconds of a file are those of the layer at which it counts."""
    counted = {table.module: table.ids for table in rows.highest}
    for table in timed_tables(rows):
        yield _of_table(table, after, isin(table.ids, counted.get(table.module, _NONE)))


_NONE = np.zeros(0, dtype=np.uint64)


def _of_table(table: CounterTable, after: float, counts: NDArray[np.bool_]) -> _Uses:
    prefix = prefix_of(table)

    def times(name: str) -> Float64s:
        found = table.seconds(f"{prefix}_F_{name}_TIMESTAMP")
        return np.where((found > 0) & np.isfinite(found), found + after, np.nan)

    def moved(name: str) -> Int64s:
        return np.where(counts, np.maximum(table.count(f"{prefix}_BYTES_{name}"), 0), 0)

    spans = tuple(np.stack([times(start), times(end)], axis=1) for start, end in _TIMES)
    return _Uses(table.ids, spans, moved("READ"), moved("WRITTEN"), np.where(counts, rank_times(table), 0.0))


def _file(path: str, uses: _Uses, gap: float) -> FileSpans:
    opened, reads, writes = uses.spans
    begun, ended = opened[:, 0][~np.isnan(opened[:, 0])], opened[:, 1][~np.isnan(opened[:, 1])]
    read, written = joined(reads[_has_both_ends(reads)], gap), joined(writes[_has_both_ends(writes)], gap)
    return FileSpans(
        path=path,
        opened_s=float(begun.min()) if len(begun) else None,
        closed_s=float(ended.max()) if len(ended) else None,
        reads=read,
        writes=written,
        read_bytes=int(uses.read.sum()),
        written_bytes=int(uses.written.sum()),
        in_calls_s=float(uses.in_calls_s.sum()),
        untimed=not len(begun) and not read and not written,
    )


def _has_both_ends(spans: Float64s) -> NDArray[np.bool_]:
    """Which have both ends, in their order."""
    known: NDArray[np.bool_] = spans[:, 1] >= spans[:, 0]
    return known


def _first(file: FileSpans) -> float:
    """When it was first used; after all others where that is not known."""
    begins = [span.from_s for span in (*file.reads, *file.writes)]
    return min([*begins, *([] if file.opened_s is None else [file.opened_s])], default=np.inf)


def _name(logs: Sequence[LogRows], record: int) -> str:
    return next((name for rows in logs if (name := rows.name_of(record)) is not None), nameless(record))
