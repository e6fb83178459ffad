"""What the list of files answers with: pages of files, pages of groups of files, and the sums of what was asked for."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

from iotriage.analysis.document import FileRow
from iotriage.analysis.views.file_list import (
    UNKNOWN,
    Column,
    FileList,
    FileQuery,
    Rows,
    Sort,
    float_or_none,
    int_or_none,
    known,
    matching,
    ordered,
    row,
)
from iotriage.metrics.tables.files.elapsed import elapsed
from iotriage_parsers.evidence.darshan import Float64s, Int64s
from iotriage_parsers.frozen import frozen


@frozen
class Sum:
    """Added up over the `files` that state it; null where none does."""

    value: int | float | None
    files: int


@frozen
class FileSums:
    """Of all files that were asked for. No rank takes longer than the seconds over all of them."""

    bytes_read: Sum
    bytes_written: Sum
    independent_calls: Sum
    collective_calls: Sum
    time_s: Sum


@frozen
class Choice:
    """A pattern or layer that files of the case have, and how many do."""

    name: str
    files: int


@frozen
class FilePage:
    """`total` counts the files of the case, `matched` those that were asked for, of which `files` are those from
    `offset` on. `patterns` and `layers` are those of the whole case."""

    total: int
    matched: int
    offset: int
    sums: FileSums
    patterns: tuple[Choice, ...]
    layers: tuple[Choice, ...]
    files: tuple[FileRow, ...]


@frozen
class FileGroupRow:
    """The files of one group that were asked for, together. Bytes and calls are added up. `time_s` is what no rank
    takes longer than over all of them, `mean_metadata_s` that of a rank on average over those that ranks share and of
    the rank with most over those of one rank each; all are null where a file does not state them. Ranks and stripes are
    there where all files have the same. `slowest_s` is the time of the slowest file, `one` the path of the first, and
    `template` has "#" for the digits in which they differ, or is the first and the last of names that are nothing but
    numbers ("/out/0000 … 0127")."""

    group: str
    template: str
    pattern: str | None
    files: int
    one: str
    layers: tuple[str, ...]
    bytes_read: int | None
    bytes_written: int | None
    size_bytes: int | None
    ranks: int | None
    independent_calls: int | None
    collective_calls: int | None
    time_s: float | None
    slowest_s: float | None
    mean_metadata_s: float | None
    stripe_count: int | None
    stripe_size_bytes: int | None
    effective_ranks: float | None


@frozen
class FileGroupPage:
    """As `FilePage`, with groups for files: `groups_matched` of them hold the files that were asked for."""

    total: int
    matched: int
    groups_matched: int
    offset: int
    sums: FileSums
    patterns: tuple[Choice, ...]
    layers: tuple[Choice, ...]
    groups: tuple[FileGroupRow, ...]


def page(files: FileList, query: FileQuery, sort: Sort, offset: int, limit: int) -> FilePage:
    """One page of the files that are asked for, in order."""
    rows = matching(files, query)
    shown = ordered(files, rows, sort)[offset : offset + limit]
    return FilePage(
        total=len(files),
        matched=len(rows),
        offset=offset,
        sums=_sums(files, rows),
        patterns=_patterns(files),
        layers=_layers(files),
        files=tuple(row(files, index) for index in shown.tolist()),
    )


def group_page(files: FileList, query: FileQuery, sort: Sort, offset: int, limit: int) -> FileGroupPage:
    """One page of the groups of the files that are asked for, in order."""
    rows = matching(files, query)
    groups = _in_order(_groups(files, rows), sort)
    return FileGroupPage(
        total=len(files),
        matched=len(rows),
        groups_matched=len(groups),
        offset=offset,
        sums=_sums(files, rows),
        patterns=_patterns(files),
        layers=_layers(files),
        groups=tuple(groups[offset : offset + limit]),
    )


def _sums(files: FileList, rows: Rows) -> FileSums:
    n = files.numbers
    return FileSums(
        bytes_read=_sum(n.bytes_read[rows]),
        bytes_written=_sum(n.bytes_written[rows]),
        independent_calls=_sum(n.independent_calls[rows]),
        collective_calls=_sum(n.collective_calls[rows]),
        time_s=_elapsed(n.time_s[rows], files.one_rank[rows]),
    )


def _elapsed(time_s: Float64s, one_rank: Int64s) -> Sum:
    timed = known(time_s)
    took = elapsed(time_s[timed], one_rank[timed], np.zeros(timed.sum(), dtype=np.int64), 1)
    return Sum(float(took[0]) if timed.any() else None, int(timed.sum()))


def _sum(column: Int64s | Float64s) -> Sum:
    stated = column[known(column)]
    return Sum(sum(stated.tolist()) if len(stated) else None, len(stated))


def _patterns(files: FileList) -> tuple[Choice, ...]:
    counts = np.bincount(files.group, minlength=len(files.groups)).tolist()
    patterns = [() if group.pattern is None else (group.pattern,) for group in files.groups]
    return _choices(zip(patterns, counts, strict=True))


def _layers(files: FileList) -> tuple[Choice, ...]:
    counts = np.bincount(files.layers, minlength=len(files.layer_sets)).tolist()
    return _choices(zip(files.layer_sets, counts, strict=True))


def _choices(counted: Iterable[tuple[Iterable[str], int]]) -> tuple[Choice, ...]:
    """What the list can be narrowed to, with the number of files each leaves, most first. Each of `counted`: names, and
    how many files have them."""
    found: dict[str, int] = {}
    for names, count in counted:
        for name in names:
            found[name] = found.get(name, 0) + count
    return tuple(Choice(name, count) for name, count in sorted(found.items(), key=lambda item: (-item[1], item[0])))


def _groups(files: FileList, rows: Rows) -> list[FileGroupRow]:
    """The groups that hold these rows, in the order of the list of groups: most bytes first."""
    if not len(rows):
        return []
    by_group = rows[np.argsort(files.group[rows], kind="stable")]
    group = files.group[by_group]
    first = np.flatnonzero(np.diff(group, prepend=-1))
    counts = np.diff(first, append=len(group))
    n = files.numbers
    bytes_read, bytes_written = _added(n.bytes_read[by_group], first), _added(n.bytes_written[by_group], first)
    size = _added(n.size_bytes[by_group], first)
    independent, collective = _added(n.independent_calls[by_group], first), _added(n.collective_calls[by_group], first)
    alone, place = files.one_rank[by_group], np.repeat(np.arange(len(first)), counts)
    time_s = elapsed(n.time_s[by_group], alone, place, len(first))
    metadata_s = elapsed(n.mean_metadata_s[by_group], alone, place, len(first))
    slowest = np.fmax.reduceat(n.time_s[by_group], first)
    ranks, stripes = _same(n.ranks[by_group], first), _same(n.stripe_count[by_group], first)
    stripe_size, effective = _same(n.stripe_size_bytes[by_group], first), _same(n.effective_ranks[by_group], first)
    found = []
    for i, (start, count) in enumerate(zip(first.tolist(), counts.tolist(), strict=True)):
        name, one = files.groups[int(group[start])], int(by_group[start])
        found.append(
            FileGroupRow(
                group=name.id,
                template=name.template,
                pattern=name.pattern,
                files=count,
                one=files.paths[one],
                layers=files.layer_sets[int(files.layers[one])],
                bytes_read=int_or_none(bytes_read[i]),
                bytes_written=int_or_none(bytes_written[i]),
                size_bytes=int_or_none(size[i]),
                ranks=int_or_none(ranks[i]),
                independent_calls=int_or_none(independent[i]),
                collective_calls=int_or_none(collective[i]),
                time_s=float_or_none(time_s[i]),
                slowest_s=float_or_none(slowest[i]),
                mean_metadata_s=float_or_none(metadata_s[i]),
                stripe_count=int_or_none(stripes[i]),
                stripe_size_bytes=int_or_none(stripe_size[i]),
                effective_ranks=float_or_none(effective[i]),
            )
        )
    return found


def _added(column: Int64s | Float64s, first: NDArray[np.intp]) -> Int64s | Float64s:
    """The sums of the runs that begin at `first`; unknown where one of a run is."""
    sums = np.add.reduceat(column, first)
    return np.where(np.logical_and.reduceat(known(column), first), sums, UNKNOWN)


def _same(column: Int64s | Float64s, first: NDArray[np.intp]) -> Int64s | Float64s:
    """The value that all of a run have, else unknown."""
    low, high = np.minimum.reduceat(column, first), np.maximum.reduceat(column, first)
    return np.where(low == high, low, UNKNOWN)


def _in_order(groups: Sequence[FileGroupRow], sort: Sort) -> list[FileGroupRow]:
    """Sorted; what is not known stands last either way."""
    there = [g for g in groups if _sortable(g, sort.column) is not None]
    missing = [g for g in groups if _sortable(g, sort.column) is None]
    return [*sorted(there, key=lambda g: _key(g, sort.column), reverse=sort.descending), *missing]


def _sortable(group: FileGroupRow, column: Column) -> str | int | float | None:
    if column == "path":
        return group.one
    if column == "layers":
        return " ".join(group.layers) or None
    found: str | int | float | None = getattr(group, column)
    return found


def _key(group: FileGroupRow, column: Column) -> tuple[str, float]:
    value = _sortable(group, column)
    return (value, 0.0) if isinstance(value, str) else ("", float(value or 0))
