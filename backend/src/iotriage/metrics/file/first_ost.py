"""Whether the files begin on the same OST, or on a few of many.

LUSTRE_STRIPE_OFFSET of Darshan before 3.4.6 is no evidence for it: it is read back from a file that exists, where the
field holds the layout's generation, and is 0 in real logs whatever OST the file begins on.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import replace
from itertools import accumulate

import numpy as np

from iotriage.metrics.core.about import About
from iotriage.metrics.core.by_file import sums_by_file
from iotriage.metrics.core.metric import NO_TIME, Absent, Outcome, Value, Where
from iotriage.metrics.core.missing_evidence import LAYOUT
from iotriage.metrics.core.outcomes import quotient
from iotriage.metrics.core.prefix import prefix_of
from iotriage.metrics.core.registry import metric, outcome
from iotriage.metrics.core.selection import LogRows, Selection, base_name
from iotriage.metrics.core.selection_cache import cached_per_selection
from iotriage.metrics.tables.calls.stream_calls import system_seconds
from iotriage.metrics.tables.files.at_once import files_at_once
from iotriage.metrics.tables.files.folders import folder_above
from iotriage.metrics.tables.grouping import templates_of
from iotriage.metrics.tables.mounts import mount_above
from iotriage.metrics.tables.rank_times import timer
from iotriage_parsers.evidence import Counter as CounterLocator
from iotriage_parsers.evidence import CounterTable, LustreLayout, StripeLayout
from iotriage_parsers.frozen import frozen

ENOUGH_FILES = 16
"""That so many files begin on one OST of two by chance happens once in 32,768 times, and more rarely with more."""
FEWEST_FILES, BY_CHANCE = 4, 1e-4
"""Of fewer than ENOUGH_FILES all have to begin on one OST, and be at least so many; and that they do so by chance has
to be as rare as that, by the number of OSTs: of 48 four are enough, of four eight."""
NEARLY_ALL = 0.9
"""Of the files: who chooses a first OST, or a pool, may leave a few to Lustre."""
ENOUGH_EACH = 4
"""Files for each of the OSTs on which they begin, from which these are not few by chance."""


@metric(
    "file.first_ost_share",
    "Files that begin on the same OST",
    "share",
    about=About(time=False),
    formula="files on the most common first OST / files with a list of OSTs, but those that have all OSTs of the file "
    f"system; of those with {NEARLY_ALL:.0%} of the bytes of these, where they are at least {ENOUGH_FILES}, else of "
    f"all, where these are as many, or {FEWEST_FILES} or more all begin on one OST and are in no pool, which by chance "
    f"happens once in {1 / BY_CHANCE:,.0f} times at most, by the OSTs of the file system. Where fewer than "
    f"{NEARLY_ALL:.0%} do, of {ENOUGH_FILES} or more files with one name but for numbers that "
    "do, those with most seconds. Without a log those of lfs getstripe",
    needs="a Darshan log with LUSTRE records, or lfs getstripe",
)
def first_ost_share(s: Selection) -> Outcome:
    found = _most_common(s)
    if isinstance(found, Absent):
        return found
    where = tuple(Where(rows.source, CounterLocator("LUSTRE", "LUSTRE_OST_ID")) for rows in s.logs if rows.lustre)
    return Value(found.files / found.every, where=where)


@metric(
    "file.first_ost",
    "OST on which most files begin",
    "1",
    formula="the index of the most common first OST",
    needs="a Darshan log with LUSTRE records, or lfs getstripe",
)
def first_ost(s: Selection) -> Outcome:
    found = _most_common(s)
    return found if isinstance(found, Absent) else Value(found.ost)


@metric(
    "file.first_osts",
    "OSTs on which nearly all files begin",
    "OSTs",
    formula=f"the fewest OSTs on which {NEARLY_ALL:.0%} of the files begin, of those of file.first_ost_share",
    needs="a Darshan log with LUSTRE records, or lfs getstripe",
)
def first_osts(s: Selection) -> Outcome:
    found = _most_common(s)
    return found if isinstance(found, Absent) else Value(found.osts)


@metric(
    "file.first_osts_fraction",
    "OSTs on which nearly all files lie, over all OSTs",
    "share",
    about=About(time=False),
    formula="distinct LUSTRE_OST_ID of the files that begin on file.first_osts / file.stripes_possible, or "
    f"file.osts_seen; of {ENOUGH_EACH} files for each of file.first_osts, in no pool, and on one file system",
    needs="a Darshan log with LUSTRE records",
)
def first_osts_fraction(s: Selection) -> Outcome:
    found = _most_common(s)
    if isinstance(found, Absent):
        return found
    if len(found.stripes) < ENOUGH_EACH * found.osts:
        return Absent("the files are too few to tell choice from chance")
    if any(layout.pool for rows in s.logs for layout in rows.lustre):
        return Absent("the files lie in a pool of OSTs")
    if _several_file_systems(s):
        return Absent("the files lie on several file systems, which each number their OSTs")
    possible = outcome(s, "file.stripes_possible")
    every = possible if isinstance(possible, Value) else outcome(s, "file.osts_seen")
    return quotient(Value(found.lie_on), every, zero="the file system has no OSTs", at_most=1.0)


def _several_file_systems(s: Selection) -> bool:
    mounts = set()
    for rows in s.logs:
        names = (rows.name_of(layout.record) or "" for layout in rows.lustre if layout.osts)
        folders = {name[: name.rfind("/") + 1] for name in names}
        mounts |= {mount_above(folder, rows.log.job.mounts) for folder in folders}
    return len(mounts) > 1


@metric(
    "file.first_osts_rate",
    "Rate of each OST on which nearly all files lie",
    "B/s",
    formula="io.bandwidth × the bytes that POSIX calls and streams move of the files that begin on file.first_osts / "
    "those of all files / the OSTs on which these lie",
    needs="a Darshan log with LUSTRE records",
)
def first_osts_rate(s: Selection) -> Outcome:
    found, rate = _most_common(s), outcome(s, "io.bandwidth")
    if isinstance(found, Absent) or isinstance(rate, Absent):
        return found if isinstance(found, Absent) else rate
    if found.bytes_share is None:
        return Absent("no log has the bytes of these files")
    return replace(rate, value=float(rate.value) * found.bytes_share / found.lie_on)


@metric(
    "file.first_ost_time_share",
    "Share of the read and write time in the files that begin on the OSTs on which nearly all begin",
    "share",
    about=About(time=True),
    formula="read and write seconds of POSIX and streams, summed over ranks, of the files that begin on "
    "file.first_osts, those of streams beyond the copies of their buffers and those of each file divided by its "
    "stripes / the seconds of all files",
    needs="a Darshan log with LUSTRE records",
)
def first_ost_time_share(s: Selection) -> Outcome:
    found = _most_common(s)
    if isinstance(found, Absent):
        return found
    theirs = every = 0.0
    for rows, table in _calls_and_streams(s):
        known, took = table.by_id, timer(table, "READ_TIME") + timer(table, "WRITE_TIME")
        stored = system_seconds(table) if table.module == "STDIO" else took
        of_file = np.bincount(known.index, stored, minlength=len(known.ids)).tolist()
        stripes = [found.stripes.get((rows.source, record)) for record in known.ids.tolist()]
        theirs += sum(seconds / n for seconds, n in zip(of_file, stripes, strict=True) if n is not None)
        every += float(took.sum())
    return Absent("the timers show no time of reads and writes") if every < NO_TIME else Value(theirs / every)


@metric(
    "file.first_ost_at_once",
    "Files in use at once on each OST on which nearly all begin",
    "files",
    formula="the seconds from the first to the last read or write of each file that begins on file.first_osts, added "
    "up, over those in which any was in use / file.first_osts",
    needs="a Darshan log with LUSTRE records and the times of reads and writes",
)
def first_ost_at_once(s: Selection) -> Outcome:
    found = _most_common(s)
    if isinstance(found, Absent):
        return found
    at_once = files_at_once(s, found.stripes)
    return (
        Value(at_once / found.osts, "inferred") if at_once else Absent("no log has the times of their reads and writes")
    )


@metric(
    "file.first_ost_files",
    "What the files are called that begin on one OST, where others do not",
    "word",
    formula="their name with # for numbers, where file.first_ost_share is of these alone",
    needs="a Darshan log with LUSTRE records",
)
def first_ost_files(s: Selection) -> Outcome:
    found = _most_common(s)
    if isinstance(found, Absent):
        return found
    return Absent("it is of all files with data") if found.kind is None else Value(found.kind, "inferred")


@cached_per_selection
def _names_of_these(s: Selection) -> frozenset[str] | Absent:
    found = _most_common(s)
    if isinstance(found, Absent):
        return found
    rows = {of_log.source: of_log for of_log in s.logs}
    names = {rows[source].name_of(record) for source, record in found.stripes if source in rows}
    known = frozenset(name for name in names if name is not None)
    return known if known and len(known) == len(names) else Absent("no log names them")


@metric(
    "file.first_ost_file",
    "One of the files that begin on the OSTs on which nearly all begin",
    "word",
    formula="the first by name of the files that begin on file.first_osts",
    needs="a Darshan log with LUSTRE records",
    of=_names_of_these,
)
def first_ost_file(names: frozenset[str]) -> Outcome:
    return Value(min(names))


@metric(
    "file.first_ost_directory",
    "Directory below which all files lie that begin on the OSTs on which nearly all begin",
    "word",
    formula="the longest path that the names of the files begin with that begin on file.first_osts, up to a slash",
    needs="a Darshan log with LUSTRE records",
    of=_names_of_these,
)
def first_ost_directory(names: frozenset[str]) -> Outcome:
    above = folder_above({f"{name.rpartition('/')[0]}/" for name in names}).rstrip("/")
    return Value(above) if above else Absent("the files have no directory in common but the root")


@frozen
class FirstOst:
    """The OST on which most files begin, and how many do, the fewest `osts` on which nearly all begin, how many
    `stripes` each of these files has, by source and record, on how many OSTs they lie, their share of all bytes, the
    number of all files, and what they are called where it is of files of one `kind` alone."""

    ost: int
    files: int
    osts: int
    stripes: Mapping[tuple[int, int], int]
    lie_on: int
    bytes_share: float | None
    every: int
    kind: str | None = None


@cached_per_selection
def _most_common(s: Selection) -> FirstOst | Absent:
    # Without shared reduction a log has the layout of a file once for each rank that opened it.
    listed = {
        (rows.source, layout.record): layout.osts
        for rows in s.logs
        for layout in rows.lustre
        if layout.osts and not _on_all(layout)
    }
    moved = _moved_bytes(s) if len(listed) >= ENOUGH_FILES else {}
    osts = _with_most_bytes(listed, moved) or _listed(s)
    if not osts:
        return Absent("no source lists the OSTs of files that lie on some of them", (LAYOUT,))
    # The logs of several steps each have the layout of a file that all of them use.
    different = len({(record, of_file) for (_, record), of_file in osts.items()}) if listed else len(osts)
    of_all = _first_ost_of(osts, moved)
    if different < ENOUGH_FILES and not (of_all.files == of_all.every and _is_no_chance(s, different)):
        return Absent(
            f"{different} of at least {ENOUGH_FILES} files have a list of OSTs: too few to tell choice from chance"
        )
    if of_all.files >= NEARLY_ALL * of_all.every:
        return of_all
    return next(_of_kinds(s, listed, moved), of_all)


def _is_no_chance(s: Selection, files: int) -> bool:
    """Whether so few files would not all begin on one OST by chance; of a pool nobody knows how many OSTs it has."""
    layouts = [layout for rows in s.logs for layout in rows.lustre if layout.osts]
    osts = min((layout.osts_in_fs for layout in layouts if layout.osts_in_fs), default=1)
    in_a_pool = any(layout.pool for layout in layouts)
    return not in_a_pool and files >= FEWEST_FILES and float(osts) ** (1 - files) <= BY_CHANCE


def _of_kinds(
    s: Selection, listed: Mapping[tuple[int, int], tuple[int, ...]], moved: Mapping[tuple[int, int], int]
) -> Iterator[FirstOst]:
    """Of files with one name but for numbers that nearly all begin on one OST, those with most seconds first."""
    names = {rows.source: rows for rows in s.logs}
    files = list(listed)
    kinds: dict[str, dict[tuple[int, int], tuple[int, ...]]] = {}
    templates = templates_of([names[source].name_of(record) or "" for source, record in files])
    for file, template in zip(files, templates, strict=True):
        kinds.setdefault(template, {})[file] = listed[file]
    enough = {template: of_kind for template, of_kind in kinds.items() if len(of_kind) >= ENOUGH_FILES}
    if not enough or len(kinds) == 1:
        return
    seconds = _seconds(s)
    for template in sorted(enough, key=lambda name: -sum(seconds.get(file, 0.0) for file in enough[name])):
        found = _first_ost_of(enough[template], moved)
        if found.files >= NEARLY_ALL * found.every:
            yield replace(found, kind=base_name(template))


def _seconds(s: Selection) -> Mapping[tuple[int, int], float]:
    """Seconds in reads and writes, by source and record."""
    took: dict[tuple[int, int], float] = {}
    for rows, table in _calls_and_streams(s):
        known = table.by_id
        of_file = np.bincount(known.index, timer(table, "READ_TIME") + timer(table, "WRITE_TIME"), len(known.ids))
        for record, seconds in zip(known.ids.tolist(), of_file.tolist(), strict=True):
            took[rows.source, record] = took.get((rows.source, record), 0.0) + seconds
    return took


def _first_ost_of(osts: Mapping[tuple[int, int], tuple[int, ...]], moved: Mapping[tuple[int, int], int]) -> FirstOst:
    begin_on = Counter(of_file[0] for of_file in osts.values())
    falling = sorted(begin_on.items(), key=lambda found: (-found[1], found[0]))
    reached = accumulate(files for _, files in falling)
    few = next(n for n, files in enumerate(reached, 1) if files >= NEARLY_ALL * len(osts))
    on = {ost for ost, _ in falling[:few]}
    stripes = {file: len(of_file) for file, of_file in osts.items() if of_file[0] in on}
    lie_on = {ost for file in stripes for ost in osts[file]}
    every = sum(moved.values())
    theirs = sum(moved.get(file, 0) for file in stripes)
    return FirstOst(*falling[0], few, stripes, len(lie_on), theirs / every if theirs else None, len(osts))


def _moved_bytes(s: Selection) -> Mapping[tuple[int, int], int]:
    """Bytes read and written, by source and record."""
    moved: dict[tuple[int, int], int] = {}
    for rows, table in _calls_and_streams(s):
        prefix = prefix_of(table)
        of_file = sums_by_file(table, f"{prefix}_BYTES_READ", f"{prefix}_BYTES_WRITTEN").tolist()
        for record, size in zip(table.by_id.ids.tolist(), of_file, strict=True):
            moved[rows.source, record] = moved.get((rows.source, record), 0) + size
    return moved


def _calls_and_streams(s: Selection) -> Iterator[tuple[LogRows, CounterTable]]:
    """What moves bytes to the OSTs."""
    yield from s.tables("POSIX")
    yield from s.tables("STDIO")


def _with_most_bytes(
    osts: Mapping[tuple[int, int], tuple[int, ...]], moved: Mapping[tuple[int, int], int]
) -> Mapping[tuple[int, int], tuple[int, ...]]:
    """The files with nearly all bytes of these, where they are enough: what is small beside them lies elsewhere and
    tells nothing about where they were put. By bytes, since a slow OST has more of the seconds."""
    falling = sorted((moved.get(file, 0) for file in osts), reverse=True)
    enough = NEARLY_ALL * sum(falling)
    least = next((size for size, sum_ in zip(falling, accumulate(falling), strict=True) if sum_ >= enough), 0.0)
    most = {file: of_file for file, of_file in osts.items() if moved.get(file, 0) >= least}
    return most if len(most) >= ENOUGH_FILES else osts


def _listed(s: Selection) -> dict[tuple[int, int], tuple[int, ...]]:
    """By what lfs getstripe says about files, each as it was said last: by source and line."""
    last = {
        layout.path: (source, layout)
        for source, layout in s.of(StripeLayout)
        if layout.form != "directory-default" and layout.path is not None and layout.components
    }
    return {
        (source, layout.lines.first): first.osts
        for source, layout in last.values()
        if (first := layout.components[0]).osts and not first.over_all_osts
    }


def _on_all(layout: LustreLayout) -> bool:
    """Whether the file has every OST, so that it matters not which is the first."""
    return layout.osts_in_fs is not None and 1 < layout.osts_in_fs <= len(layout.osts)
