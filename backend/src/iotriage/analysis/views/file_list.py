"""All files of a case, as columns: what the list of files is filtered, sorted, summed and paged from.

A case may have hundreds of thousands of files, and a document holds the first of them only. The columns are made once
from the evidence; a page of rows is made when it is asked for.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import Literal, get_args

import numpy as np
from numpy.typing import NDArray

from iotriage.analysis.deduplication import deduplicate
from iotriage.analysis.document import FileRow
from iotriage.analysis.inputs import ReadSource, unpack_archives
from iotriage.metrics.core.selection import Selection, base_name
from iotriage.metrics.tables.files.elapsed import ranks_alone
from iotriage.metrics.tables.files.uses import FileUse, file_uses
from iotriage.metrics.tables.grouping import DIGITS, FilesAlike, files_alike
from iotriage.metrics.tables.selecting import select_job
from iotriage_parsers.evidence.darshan import Float64s, Int64s
from iotriage_parsers.frozen import frozen, frozen_identity

Column = Literal[
    "path",
    "pattern",
    "layers",
    "ranks",
    "bytes_read",
    "bytes_written",
    "size_bytes",
    "independent_calls",
    "collective_calls",
    "time_s",
    "mean_metadata_s",
    "stripe_count",
    "stripe_size_bytes",
    "effective_ranks",
]
COLUMNS: tuple[Column, ...] = get_args(Column)
Moved = Literal["read", "written", "both", "neither"]

Rows = NDArray[np.intp]
"""Numbers of files in the list, in some order."""

UNKNOWN = -1
"""In a column of whole numbers: not recorded. In one of seconds or effective ranks that is NaN."""


@frozen_identity
class FileColumns:
    """One number a file in each, shape (files,). Bytes and calls are those of the highest layer that saw the file."""

    ranks: Int64s
    bytes_read: Int64s
    bytes_written: Int64s
    size_bytes: Int64s
    independent_calls: Int64s
    collective_calls: Int64s
    time_s: Float64s
    mean_metadata_s: Float64s
    stripe_count: Int64s
    stripe_size_bytes: Int64s
    effective_ranks: Float64s

    def of(self, name: str) -> Int64s | Float64s:
        column: Int64s | Float64s = getattr(self, name)
        return column


@frozen
class GroupName:
    """Files that are used alike. Where the paths differ in digits only, `template` is the first one's path with "#" for
    the digits in which they differ, or the first and the last name where a name is nothing but such digits
    ("/out/0000 … 0127"); of files with other names it is the largest one's "and others"; a single file has its path."""

    id: str
    template: str
    pattern: str | None


@frozen_identity
class FileList:
    """Every file, the one with most bytes first. `group` and `layers` are indices into `groups` and `layer_sets`;
    `sources` are the indices of the case's sources that tell of the files, `records` Darshan's ids, None in texts,
    `one_rank` as `ranks_alone` has it."""

    paths: tuple[str, ...]
    sources: Int64s
    records: tuple[int | None, ...]
    group: Int64s
    groups: tuple[GroupName, ...]
    layers: Int64s
    layer_sets: tuple[tuple[str, ...], ...]
    numbers: FileColumns
    one_rank: Int64s

    def __len__(self) -> int:
        return len(self.paths)

    @cached_property
    def searched(self) -> tuple[str, ...]:
        """What words are looked for in: path, pattern and layers of each file, in lower case."""
        beside = [[f" {g.pattern or ''} {' '.join(layers)}".lower() for layers in self.layer_sets] for g in self.groups]
        pairs = zip(self.paths, self.group.tolist(), self.layers.tolist(), strict=True)
        return tuple(path.lower() + beside[group][layers] for path, group, layers in pairs)

    @cached_property
    def by_path(self) -> Rows:
        """Every file's place among the paths in alphabetical order."""
        return _places(self.paths)


@frozen
class FileQuery:
    """Which files: all `words` in path, pattern or layers, and what else is not None. `group` is a group's id."""

    words: str = ""
    pattern: str | None = None
    layer: str | None = None
    moved: Moved | None = None
    group: str | None = None


@frozen
class Sort:
    column: Column = "time_s"
    descending: bool = True


def file_list(given: Sequence[ReadSource]) -> FileList:
    """All files of the case that these sources make, as its document counts them."""
    job = job_of(given)
    uses = file_uses(job)
    return _listed(uses, files_alike(job, uses))


def job_of(given: Sequence[ReadSource]) -> Selection:
    """Everything that the sources say, each run once."""
    return select_job(deduplicate(unpack_archives(given)).parts)


def _listed(uses: Sequence[FileUse], alike: Sequence[FilesAlike]) -> FileList:
    group_of = {id(use): index for index, group in enumerate(alike) for use in group.files}
    sets: dict[tuple[str, ...], int] = {}
    return FileList(
        paths=tuple(u.path for u in uses),
        sources=_int_column([u.source for u in uses]),
        records=tuple(u.record for u in uses),
        group=_int_column([group_of[id(u)] for u in uses]),
        groups=tuple(GroupName(g.id, _template(g), g.pattern) for g in alike),
        layers=_int_column([sets.setdefault(u.layers, len(sets)) for u in uses]),
        layer_sets=tuple(sets),
        numbers=FileColumns(
            ranks=_int_column([u.opened_by for u in uses]),
            bytes_read=_int_column([u.bytes_read for u in uses]),
            bytes_written=_int_column([u.bytes_written for u in uses]),
            size_bytes=_int_column([u.size_bytes for u in uses]),
            independent_calls=_int_column([u.independent for u in uses]),
            collective_calls=_int_column([u.collective for u in uses]),
            time_s=_real([u.time_s for u in uses]),
            mean_metadata_s=_real([u.mean_metadata_s for u in uses]),
            stripe_count=_int_column([u.stripe_count for u in uses]),
            stripe_size_bytes=_int_column([u.stripe_size_bytes for u in uses]),
            effective_ranks=_real([u.effective_ranks for u in uses]),
        ),
        one_rank=ranks_alone(uses),
    )


def _template(alike: FilesAlike) -> str:
    files, path = alike.files, alike.files[0].path
    if len(files) == 1:
        return path
    if alike.ending is not None:
        return f"{path} and others"
    differing = iter([len(set(digits)) > 1 for digits in zip(*(DIGITS.findall(f.path) for f in files), strict=True)])
    template = DIGITS.sub(lambda digits: "#" * len(digits.group()) if next(differing) else digits.group(), path)
    name = base_name(template)
    if any(character.isalnum() for character in name):
        return template
    return template.removesuffix(name) + _numbers([base_name(f.path) for f in files])


def _numbers(names: Sequence[str]) -> str:
    """Names without a letter, of which nothing but "#" would be left: the first and the last where they count on."""
    numbers = sorted((name for name in names if name.isdecimal()), key=int)
    in_turn = len(numbers) == len(names) and int(numbers[-1]) - int(numbers[0]) == len(set(numbers)) - 1
    return f"{numbers[0]} … {numbers[-1]}" if in_turn else f"{names[0]} and others"


def _int_column(values: Sequence[int | None]) -> Int64s:
    return np.array([UNKNOWN if v is None else v for v in values], dtype=np.int64)


def _real(values: Sequence[float | None]) -> Float64s:
    return np.array([np.nan if v is None else v for v in values], dtype=np.float64)


def _places(texts: Sequence[str]) -> Rows:
    order = np.array(sorted(range(len(texts)), key=texts.__getitem__), dtype=np.intp)
    places = np.empty(len(texts), dtype=np.intp)
    places[order] = np.arange(len(texts))
    return places


def known(column: Int64s | Float64s) -> NDArray[np.bool_]:
    """Where the column has a number."""
    found: NDArray[np.bool_] = column >= 0
    return found


def matching(files: FileList, query: FileQuery) -> Rows:
    """The files that the query asks for, in the list's order."""
    wanted = np.ones(len(files), dtype=np.bool_)
    if query.group is not None:
        wanted &= _among(files.group, [g.id == query.group for g in files.groups])
    if query.pattern is not None:
        wanted &= _among(files.group, [g.pattern == query.pattern for g in files.groups])
    if query.layer is not None:
        wanted &= _among(files.layers, [query.layer in layers for layers in files.layer_sets])
    if query.moved is not None:
        wanted &= _moved(files, query.moved)
    rows = np.flatnonzero(wanted)
    words = query.words.lower().split()
    if not words:
        return rows
    searched = files.searched
    return np.array([i for i in rows.tolist() if all(w in searched[i] for w in words)], dtype=np.intp)


def _among(index: Int64s, chosen: Sequence[bool]) -> NDArray[np.bool_]:
    return np.array(chosen, dtype=np.bool_)[index] if chosen else np.zeros(len(index), dtype=np.bool_)


def _moved(files: FileList, moved: Moved) -> NDArray[np.bool_]:
    read, written = files.numbers.bytes_read > 0, files.numbers.bytes_written > 0
    which: dict[Moved, NDArray[np.bool_]] = {
        "read": read & ~written,
        "written": written & ~read,
        "both": read & written,
        "neither": (files.numbers.bytes_read == 0) & (files.numbers.bytes_written == 0),
    }
    return which[moved]


def sort_of(text: str) -> Sort:
    """`-time_s` is descending by time. ValueError where the column is unknown."""
    name = text.removeprefix("-")
    column = next((c for c in COLUMNS if c == name), None)
    if column is None:
        raise ValueError(f"the columns are {', '.join(COLUMNS)}")
    return Sort(column, text.startswith("-"))


def ordered(files: FileList, rows: Rows, sort: Sort) -> Rows:
    """The rows sorted. What is not recorded stands last either way; what is equal keeps the list's order."""
    return rows[_order(_sortable(files, rows, sort.column), descending=sort.descending)]


def _sortable(files: FileList, rows: Rows, column: Column) -> Int64s | Float64s:
    if column == "path":
        return files.by_path[rows].astype(np.int64)
    if column == "pattern":
        patterns = sorted({g.pattern for g in files.groups if g.pattern is not None})
        of_group = [UNKNOWN if g.pattern is None else patterns.index(g.pattern) for g in files.groups]
        return np.array(of_group, dtype=np.int64)[files.group[rows]]
    if column == "layers":
        places = _places([" ".join(layers) for layers in files.layer_sets])
        none = np.array([not layers for layers in files.layer_sets], dtype=np.bool_)
        return np.where(none, UNKNOWN, places)[files.layers[rows]].astype(np.int64)
    return files.numbers.of(column)[rows]


def _order(values: Int64s | Float64s, *, descending: bool) -> Rows:
    there = known(values)
    return np.lexsort((np.where(there, -values if descending else values, 0), ~there))


def row(files: FileList, index: int) -> FileRow:
    """The file with this number in the list."""
    group, n = files.groups[int(files.group[index])], files.numbers
    return FileRow(
        path=files.paths[index],
        group=group.id,
        pattern=group.pattern,
        layers=files.layer_sets[int(files.layers[index])],
        bytes_read=int_or_none(n.bytes_read[index]),
        bytes_written=int_or_none(n.bytes_written[index]),
        size_bytes=int_or_none(n.size_bytes[index]),
        ranks=int_or_none(n.ranks[index]),
        independent_calls=int_or_none(n.independent_calls[index]),
        collective_calls=int_or_none(n.collective_calls[index]),
        time_s=float_or_none(n.time_s[index]),
        mean_metadata_s=float_or_none(n.mean_metadata_s[index]),
        stripe_count=int_or_none(n.stripe_count[index]),
        stripe_size_bytes=int_or_none(n.stripe_size_bytes[index]),
        effective_ranks=float_or_none(n.effective_ranks[index]),
    )


def every_row(files: FileList, rows: Rows) -> Iterator[FileRow]:
    return (row(files, index) for index in rows.tolist())


def int_or_none(value: np.int64 | np.float64) -> int | None:
    """The value, None where it is `UNKNOWN`."""
    return int(value) if value >= 0 else None


def float_or_none(value: np.int64 | np.float64) -> float | None:
    """The value, None where it is `UNKNOWN`."""
    return float(value) if value >= 0 else None
