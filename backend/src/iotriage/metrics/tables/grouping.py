"""Groups the files of a job by how they are used.

Files are in one group where they are on one file system, their paths differ in digits only and they have the same
pattern; groups that are each a small part of the job's I/O and are used alike there are put together (`pooling`). The
patterns are those of the documents: serial, file-per-process, file-per-node, shared-independent, shared-collective,
subfiling.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from operator import attrgetter
from posixpath import commonprefix, splitext
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from iotriage.metrics.core.metric import Absent
from iotriage.metrics.core.pattern import Pattern
from iotriage.metrics.core.printable import printable
from iotriage.metrics.core.selection import Selection, base_name
from iotriage.metrics.tables.files.elapsed import elapsed_of
from iotriage.metrics.tables.files.uses import FileUse, moved_bytes, number_of
from iotriage.metrics.tables.mounts import mount_points_of, mounts_of
from iotriage.metrics.tables.nodes import Nodes, nodes_of
from iotriage.metrics.tables.pooling import MATTERS, UsedAlike, pool_groups
from iotriage.metrics.tables.selecting import select_files
from iotriage_parsers.frozen import frozen, frozen_identity

ONE_RANK = 1.05
"""A reduced record without collective calls counts as one rank's up to this many effective ranks."""

DIGITS = re.compile(r"\d+")
_FORMAT = re.compile(r"\.(?:bp\d|bz2|f\d\d|grib\d|(?:h|he|hdf|nc|netcdf)\d)$", re.IGNORECASE)
"""File endings that contain the number of a format, not of a file."""

SHORT = 48
"""Number of characters up to which looking through a path is faster than splitting it."""

_ASKED = ("opened_by", "reduced", "collective_dominates", "effective_ranks", "layers", "calls_unknown", "writers")
"""The properties of a file that `pattern_of` reads, beside the ranks that used and wrote it."""
_ALL_ASKED = attrgetter(*_ASKED, "one_rank", "writer")
"""Everything that decides the pattern of a file whose name is like no other."""


@frozen_identity
class FilesAlike:
    """A group of files, the largest first. `name` is the file's name, or the common part of several names; `label` adds
    how many files there are. `ending` is the ending that names have in common where they differ in more than digits; it
    may be empty. It is None where the names differ in digits only."""

    id: str
    name: str
    label: str
    pattern: Pattern | None
    files: tuple[FileUse, ...]
    ending: str | None

    @cached_property
    def number(self) -> int:
        """The number of different files, in whichever steps they were used."""
        return number_of(self.files)


@frozen_identity
class Group(FilesAlike):
    """`selection` holds the records of the files."""

    selection: Selection

    @property
    def largest(self) -> FileUse:
        return self.files[0]


class Grouped(NamedTuple):
    """`groups` are the groups with most bytes, and those that take much of the time. `group_of` has the id of each
    file's group by the file's path. `alike` has all groups by id, the one with most bytes first."""

    groups: tuple[Group, ...]
    group_of: Mapping[str, str]
    alike: Mapping[str, UsedAlike]


def group_files(job: Selection, uses: Sequence[FileUse], most: int, most_named: int | None = None) -> Grouped:
    """The job's groups, at most `most` of them. Only the first `most_named` files, or all with None, are in
    `group_of`."""
    ordered = _ordered(job, uses)
    every = frozenset(use.path for use in uses) if job.has_more_than_logs else frozenset[str]()
    places = _first(ordered, most)
    first = [ordered[place] for place in places]
    groups = tuple(
        Group(_id_of(place), *named, one.pattern, tuple(one.files), one.ending, _select(job, one, every))
        for place, one, named in zip(places, first, _names_and_labels(first), strict=True)
    )
    named = {use.path for use in uses[:most_named]}
    path_of = attrgetter("path")
    group_of = {
        path: _id_of(place) for place, one in enumerate(ordered) for path in named.intersection(map(path_of, one.files))
    }
    return Grouped(groups, group_of, {_id_of(place): one for place, one in enumerate(ordered)})


def _first(ordered: Sequence[_AlikeFiles], most: int) -> Sequence[int]:
    """The places of `most` groups: the first of those that take as much time as the rules look at, then the first of
    the others. A log of a few lines may take all of the time, behind hundreds of modules with more bytes."""
    if len(ordered) <= most or any(use.time_s is None for one in ordered for use in one.files):
        return range(min(most, len(ordered)))
    (total,) = elapsed_of([[use for one in ordered for use in one.files]])
    took = elapsed_of(one.files for one in ordered)
    long = (took > 0) & (took >= MATTERS * total)
    chosen: list[int] = np.argsort(~long, kind="stable")[:most].tolist()
    return sorted(chosen)


def files_alike(job: Selection, uses: Sequence[FileUse]) -> tuple[FilesAlike, ...]:
    """All groups, without their records; the one with most bytes first."""
    ordered = _ordered(job, uses)
    return tuple(
        FilesAlike(_id_of(place), *named, one.pattern, tuple(one.files), one.ending)
        for place, (one, named) in enumerate(zip(ordered, _names_and_labels(ordered), strict=True))
    )


class _AlikeFiles(NamedTuple):
    pattern: Pattern | None
    files: list[FileUse]
    ending: str | None = None


def _id_of(place: int) -> str:
    """The id of the group at the place among all, from 0."""
    return f"g{place + 1}"


def _ordered(job: Selection, uses: Sequence[FileUse]) -> list[_AlikeFiles]:
    """Every group's pattern and files, the one with most bytes first."""
    by_template: dict[tuple[str, str | None], list[FileUse]] = {}
    paths = [use.path for use in uses]
    for use, template, on in zip(uses, templates_of(paths), _file_systems(job, paths), strict=True):
        by_template.setdefault((template, on), []).append(use)
    found: list[tuple[int, str, Pattern | None, list[FileUse]]] = []
    stated = nodes_of(job)
    nodes = None if isinstance(stated, Absent) else stated
    of_single: dict[tuple[object, ...], Pattern | None] = {}
    for (template, _), files in by_template.items():
        nprocs = _ranks_of_steps(job, files)
        if len(files) == 1:
            # Thousands of files may each be alone with their name; most are told from the same few facts.
            facts = (nprocs, *_ALL_ASKED(files[0]))
            if facts not in of_single:
                (of_single[facts],) = _by_pattern(files, nodes, nprocs)
            found.append((-files[0].bytes, template, of_single[facts], files))
        else:
            found += [
                (-moved_bytes(mine), template, pattern, mine)
                for pattern, alike in _by_pattern(files, nodes, nprocs).items()
                for mine in _by_stripes(alike, pattern)
            ]
    found.sort(key=lambda group: (group[0], group[1], str(group[2])))
    return _with_pools(job, [_AlikeFiles(pattern, files) for _, _, pattern, files in found])


def _ranks_of_steps(job: Selection, files: Sequence[FileUse]) -> int | None:
    """The ranks of the largest step that uses the files."""
    if len(job.logs) < 2:
        return job.nprocs
    sources = {use.source for use in files}
    return max((rows.nprocs or 0 for rows in job.logs if rows.source in sources), default=0) or job.nprocs


def _file_systems(job: Selection, paths: Sequence[str]) -> Sequence[str | None]:
    """Of each path the mount point above it that others differ from in digits only: an OST is one of its file
    system."""
    by_template: dict[str, set[str]] = {}
    mounts = mounts_of(job)
    for mount in mounts:
        by_template.setdefault(DIGITS.sub("#", mount.path), set()).add(mount.path)
    alike = [mount for mount in mounts if len(by_template[DIGITS.sub("#", mount.path)]) > 1]
    return mount_points_of(paths, alike) if alike else [None] * len(paths)


def _with_pools(job: Selection, groups: Sequence[_AlikeFiles]) -> list[_AlikeFiles]:
    joined = pool_groups(job, groups)
    if not joined:
        return [*groups]
    pooled = {place for places in joined for place in places}
    found = [group for place, group in enumerate(groups) if place not in pooled]
    for places in joined:
        files = [use for place in places for use in groups[place].files]
        endings = {splitext(use.path)[1] for use in files}
        ending = endings.pop() if len(endings) == 1 else ""
        found.append(_AlikeFiles(groups[places[0]].pattern, sorted(files, key=lambda use: -use.bytes), ending))
    return sorted(found, key=lambda group: -moved_bytes(group.files))


def templates_of(paths: Sequence[str]) -> list[str]:
    """The paths with "#" for each number in them. Of a hundred thousand files most lie in few folders, and so each
    folder's part is made once, where that is much of the paths."""
    if sum(map(len, paths)) < SHORT * len(paths):
        return _without_numbers(paths)
    folders = [path[: path.rfind("/") + 1] for path in paths]
    every = list(set(folders))
    of_folder = dict(zip(every, _without_numbers(every), strict=True))
    names = _without_numbers([path[len(folder) :] for path, folder in zip(paths, folders, strict=True)])
    return [of_folder[folder] + name for folder, name in zip(folders, names, strict=True)]


def _without_numbers(texts: Sequence[str]) -> list[str]:
    """The texts with "#" for each number. All are looked through at once, which takes a third of the time."""
    found = DIGITS.sub("#", "\n".join(texts)).split("\n")
    # A name may have a line's end in it.
    return found if len(found) == len(texts) else [DIGITS.sub("#", text) for text in texts]


def _by_pattern(
    files: Sequence[FileUse], nodes: Nodes | None, nprocs: int | None
) -> dict[Pattern | None, list[FileUse]]:
    """The files of one template by their pattern. Of a hundred thousand most are told from the same few facts: each
    such is judged once."""
    owners: Sequence[int | None] = list(map(attrgetter("one_rank"), files))
    if None in owners:
        owners = [owner_of(use) for use in files]
    alike = TemplateUse.of(files, owners, nodes)
    if len(files) == 1:
        return {pattern_of(files[0], alike, nprocs): list(files)}
    one_of_each = dict(zip(_facts(files, owners), files, strict=True))
    patterns = {facts: pattern_of(use, alike, nprocs) for facts, use in one_of_each.items()}
    if len(set(patterns.values())) == 1:
        return {next(iter(patterns.values())): list(files)}
    found: dict[Pattern | None, list[FileUse]] = {}
    for use, facts in zip(files, _facts(files, owners), strict=True):
        found.setdefault(patterns[facts], []).append(use)
    return found


def _by_stripes(files: list[FileUse], pattern: Pattern | None) -> Iterator[list[FileUse]]:
    """Files that are shared alike, those of one stripe apart from those that have more: they were made in another
    directory, or before it was striped, and what holds of the one kind does not of the other."""
    if pattern not in ("shared-collective", "shared-independent"):
        yield files
        return
    on_one = [use for use in files if use.stripe_count == 1]
    if 0 < len(on_one) < len(files) and None not in {use.stripe_count for use in files}:
        yield on_one
        yield [use for use in files if use.stripe_count != 1]
    else:
        yield files


def _facts(files: Sequence[FileUse], owners: Sequence[int | None]) -> Iterator[tuple[object, ...]]:
    """What `pattern_of` asks of each file. Not kept: a hundred thousand tuples take longer to collect than to make."""
    own = list(map(attrgetter("one_rank"), files))
    unnamed = ([one is None for one in ones] if None in ones else [False] * len(ones) for ones in (owners, own))
    return zip(*(map(attrgetter(name), files) for name in _ASKED), *unnamed, strict=True)


def leading_pattern(groups: Sequence[Group]) -> Pattern | None:
    """The pattern of the group that moved most bytes; None where nothing was moved, or the pattern is not known."""
    return next((g.pattern for g in groups if g.largest.bytes > 0), None)


@frozen
class TemplateUse:
    """How the files of one template are used: how many ranks had a file to themselves; how many files belong to one
    rank that is not named; how many files several ranks opened, and whether some of those may have been other ranks;
    and whether there is one file for each node of the job, used by one rank there."""

    lone_ranks: int
    unnamed: int
    shared_files: int
    shared_by_several: bool
    one_per_node: bool

    @classmethod
    def of(cls, files: Sequence[FileUse], owners: Sequence[int | None], nodes: Nodes | None = None) -> TemplateUse:
        """`owners` of the files, by `owner_of`."""
        lone, shared, unnamed = {owner for owner in owners if owner is not None}, 0, 0
        last: set[int | None] = set()
        for file, owner in zip(files, owners, strict=True) if None in owners else ():
            if owner is None and file.opened_by is not None and file.opened_by > 1:
                shared += 1
                last.add(file.last_rank)
            elif owner is None and file.opened_by == 1:
                unnamed += 1
        return cls(
            len(lone),
            unnamed,
            shared,
            shared > 1 and (len(last) > 1 or None in last),
            nodes is not None and not shared and _one_per_node(len(files), lone, nodes),
        )


def _one_per_node(files: int, ranks: set[int], nodes: Nodes) -> bool:
    named = {host for rank in ranks if (host := nodes.of_rank.get(rank)) is not None}
    apart = len(named) == nodes.count or not nodes.of_rank
    return files == len(ranks) == nodes.count > 1 and apart


def _of_shared(use: FileUse, alike: TemplateUse) -> Pattern | None:
    """The pattern of a file that several ranks opened."""
    if use.collective_dominates:
        return "shared-collective"
    if use.effective_ranks is not None and use.effective_ranks <= ONE_RANK:
        return "serial"
    # Statistics count the writers; of files of one name each may be another rank's.
    if use.record is None and use.writers == 1 and not use.bytes_read and alike.shared_files <= 1:
        return "serial"
    return None if not use.layers or use.calls_unknown else "shared-independent"


def pattern_of(use: FileUse, alike: TemplateUse, nprocs: int | None) -> Pattern | None:
    """The pattern of `use` among the files of the same template. None where the evidence does not say."""
    if nprocs == 1:
        return "serial"
    if use.opened_by is None:
        if use.collective_dominates:
            return "shared-collective"
        return None if use.writers is None else "shared-independent" if use.writers > 1 else "serial"
    if use.opened_by > 1 and owner_of(use) is not None and alike.lone_ranks > 1:
        return "file-per-process"
    if use.opened_by > 1 or use.reduced:
        shared = _of_shared(use, alike)
        by_some = nprocs is not None and use.opened_by < nprocs and alike.shared_by_several
        return "subfiling" if by_some and shared in ("shared-collective", "shared-independent") else shared
    if use.one_rank is None:
        return _of_unnamed_ranks(alike.unnamed, nprocs)
    if alike.one_per_node and nprocs is not None and alike.lone_ranks < nprocs:
        return "file-per-node"
    return "file-per-process" if alike.lone_ranks > 1 else "serial"


def owner_of(use: FileUse) -> int | None:
    """The rank that owns the file: the only one that used it, or the only one that wrote it where one other read it
    back. In a file written by collective calls the writer seen below them is an aggregator, and no owner."""
    owner = use.one_rank
    return use.writer if owner is None and use.opened_by == 2 and not use.collective_dominates else owner


def _of_unnamed_ranks(files: int, nprocs: int | None) -> Pattern | None:
    """Files that one rank each used, and nobody says which: one file, or as many as there are ranks, tell."""
    if nprocs is None:
        return None
    return "serial" if files == 1 else "file-per-process" if files % nprocs == 0 else None


OTHERS = " and others"
"""Behind the name of the largest, where the names differ."""

HASHED = 7
"""Number of digits from which a name that has only digits is taken for a hash, as in an anonymised log: chunks of an
array and steps of a run are numbered from 0."""


LONGEST_NAME = 255
"""NAME_MAX of Linux, in bytes."""


def _names_and_labels(groups: Sequence[_AlikeFiles]) -> list[tuple[str, str]]:
    """Of each group; of several that have one name, with as much of their folders as tells them apart."""
    found = [_name_and_label(one) for one in groups]
    alike: dict[str, list[int]] = {}
    for place, (name, _) in enumerate(found):
        alike.setdefault(name, []).append(place)
    for name, places in alike.items():
        largest = name.removesuffix(OTHERS)
        for place, folder in zip(places, _distinct_ends([_folder(groups[place]) for place in places]), strict=True):
            if folder:
                found[place] = f"{folder}{name}", found[place][1].replace(largest, f"{folder}{largest}", 1)
    return [(name, printable(label)) for name, label in found]


def _distinct_ends(folders: Sequence[str]) -> list[str]:
    """The shortest ends of the folders that are as different as these; empty where all are the same."""
    different, parts = len(set(folders)), [folder.split("/")[:-1] for folder in folders]
    for depth in range(max(map(len, parts)) + 1):
        ends = ["".join(f"{part}/" for part in one[max(0, len(one) - depth) :]) for one in parts]
        if len(set(ends)) == different:
            return ends
    return [*folders]


def _folder(one: _AlikeFiles) -> str:
    """That of the first file; numbers in what is not the folder of all of them may be others."""
    path = one.files[0].path
    folder = path[: path.rfind("/") + 1]
    common = commonprefix([file.path for file in one.files])
    of_all = common[: common.rfind("/") + 1]
    return of_all + DIGITS.sub(lambda m: "#" * len(m.group()), folder[len(of_all) :])


def _name_and_label(one: _AlikeFiles) -> tuple[str, str]:
    files, number = one.files, number_of(one.files)
    name = _shortened(base_name(files[0].path))
    if number == 1:
        alone = name or _shortened(files[0].path)
        return alone, alone
    if one.ending is not None:
        return f"{name}{OTHERS}", f"{number:,} files such as {name}"
    template = numbers_folded(name, each_digit=True)
    if any(character.isalnum() for character in template):
        return template, f"{template}, {number:,} files"
    # A row of "#" would tell no group from another.
    if not (name.isdecimal() and len(name) >= HASHED):
        folder = base_name(files[0].path.removesuffix(f"/{name}"))
        return f"{folder}/{template}", f"{folder}/{template}, {number:,} files"
    return name, f"{number:,} files such as {name} (names obfuscated)"


def _shortened(name: str) -> str:
    """The beginning and the end of a name that is longer than any file system allows, as a log may contain."""
    return name if len(name) <= LONGEST_NAME else f"{name[: LONGEST_NAME // 2]}…{name[-LONGEST_NAME // 2 :]}"


def numbers_folded(name: str, *, each_digit: bool = False) -> str:
    """The name with "#" for each number, or for `each_digit` of them; that of a format stays, as in `out.####.h5`."""
    ending = _FORMAT.search(name)
    counting = name if ending is None else name[: ending.start()]
    return DIGITS.sub(lambda m: "#" * (len(m.group()) if each_digit else 1), counting) + name[len(counting) :]


def _select(job: Selection, one: _AlikeFiles, every: frozenset[str]) -> Selection:
    """`every` path of the job, where it has texts."""
    files = one.files
    paths = {f.path for f in files} if job.has_more_than_logs else set()
    return select_files(job, _records(files), paths, one.pattern or "", number_of(files), every)


def _records(files: Sequence[FileUse]) -> dict[int, NDArray[np.uint64]]:
    """The records of the files in order, by source."""
    sources: list[int] = list(map(attrgetter("source"), files))
    records: list[int | None] = list(map(attrgetter("record"), files))
    of_source: dict[int, list[int | None]] = {sources[0]: records}
    if sources.count(sources[0]) < len(sources):
        of_source = {source: [] for source in sources}
        for source, record in zip(sources, records, strict=True):
            of_source[source].append(record)
    return {
        source: np.sort(np.array([r for r in its if r is not None] if None in its else its, np.uint64))
        for source, its in of_source.items()
    }
