"""What the rank with most of such time does in files that no other rank uses and that resemble no file of another
rank."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence, Set
from dataclasses import replace
from itertools import chain, groupby, repeat
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from iotriage.metrics.core.metric import Absent, Outcome, Value, Where
from iotriage.metrics.core.missing_evidence import DARSHAN
from iotriage.metrics.core.prefix import PREFIX, access_counters
from iotriage.metrics.core.selection import LogRows, Selection, base_name
from iotriage.metrics.core.selection_cache import cached_per_selection
from iotriage.metrics.tables.calls.stream_calls import system_calls, system_seconds
from iotriage.metrics.tables.calls.sync_counters import SYNCS
from iotriage.metrics.tables.files.names import file_named, stands_for_name
from iotriage.metrics.tables.files.uses import standard_streams
from iotriage.metrics.tables.grouping import templates_of
from iotriage.metrics.tables.mounts import type_above
from iotriage.metrics.tables.rank_times import rank_times, timer
from iotriage.metrics.tables.stages import over_stages
from iotriage.metrics.tables.texts.profiled import other_files, profile_of, summed_seconds
from iotriage.metrics.tables.unstated_ranks import ranks_not_stated
from iotriage_parsers.evidence import CounterTable
from iotriage_parsers.evidence.darshan import exact_sum
from iotriage_parsers.frozen import frozen

Way = Literal["reads", "writes", "reads and writes"]


@frozen
class AloneTime:
    """Seconds of one rank in files of its own kind, of those the ones in metadata calls, how often it opens files
    or asks about them there, or forces them out to disk (`syncs`), among how many `files` that time is shared, the
    seconds `beyond_s` what the mean of the other ranks has in files of their own, and any one of them in such
    files, the name of the longest of those that are named alike and take longest, and its layer, what an access
    there moves, the `calls` that more than copy into a buffer and the `call_s` that one takes, None where there is
    none, and whether the longest takes at least half of the time of all, which is `in_one_call`. `pauses` is the
    part of the time from the first access of these files to the last in which none of them is in use. Of a text
    `metadata_s`, `opens`, `syncs`, `layer`, `pauses`, `mount` and `rank` are not known, of a trace the first three.
    `way` is what is done with these files, and `mount` the type of the mount that the longest is on, whose whole
    name is `path`. `bytes`, `accesses` and `size` are None where a source has no such figure of it; `file_way` is
    what is done with it. The rank is one of `of_ranks` of its step; `seconds`, those in metadata and `beyond_s`,
    `opens` and `syncs` are those of so many `steps`, all else is of the longest of them."""

    seconds: float
    metadata_s: float | None
    opens: int | None
    files: float
    beyond_s: float
    layer: str | None
    file: Outcome
    bytes: float | None
    accesses: float | None
    moving_s: float
    calls: float | None
    call_s: float | None
    in_one_call: Literal["yes", "no", "unknown"]
    pauses: float | None
    way: Way | None
    mount: str | None
    rank: int | None
    where: tuple[Where, ...] = ()
    path: str | None = None
    syncs: int | None = None
    of_ranks: int | None = None
    steps: int = 1
    file_way: Way | None = None
    size: int | None = None


class _Use(NamedTuple):
    """How a file is used whose name nobody knows: the power of two next to the bytes that an access moves."""

    module: str
    reads: bool
    access: int


class _Own(NamedTuple):
    """One record of a file that one rank alone has."""

    table: CounterTable
    place: int
    record: int
    rank: int
    seconds: float


@cached_per_selection
def alone_time(s: Selection) -> AloneTime | Absent:
    if (unknown := ranks_not_stated(s)) is not None:
        return unknown
    found = [(rows, one) for rows in s.logs if (rows.nprocs or 1) > 1 and (one := _of_log(rows)) is not None]
    if found:
        return _of_steps(s, found)
    profiled = None if s.logs else _of_profile(s)
    # Another log of such a run shows no more than the one that is there.
    return profiled or Absent("no source shows a file that one rank alone uses", () if s.logs else (DARSHAN,))


def _of_steps(s: Selection, found: Sequence[tuple[LogRows, AloneTime]]) -> AloneTime:
    """That of the step in which it takes longest, with the seconds and calls of the others in which one rank has such
    a time too: not where the others of its step have as much of their own."""
    longest = max(found, key=lambda one: one[1].seconds)
    every = [(r, one) for r, one in found if r is longest[0] or one.beyond_s >= ITS_OWN * one.seconds]
    if len(every) == 1:
        return longest[1]

    def over(figure: Callable[[AloneTime], float | None]) -> float | None:
        """Calls add up as their seconds do: of programs that ran at the same time one has the most of both."""
        known = [(rows, of) for rows, one in every if (of := figure(one)) is not None]
        return over_stages(s, known) if len(known) == len(every) else None

    opens, syncs = over(lambda one: one.opens), over(lambda one: one.syncs)
    return replace(
        longest[1],
        seconds=over_stages(s, [(rows, one.seconds) for rows, one in every]),
        metadata_s=over(lambda one: one.metadata_s),
        opens=None if opens is None else round(opens),
        syncs=None if syncs is None else round(syncs),
        beyond_s=over_stages(s, [(rows, one.beyond_s) for rows, one in every]),
        steps=round(over_stages(s, [(rows, 1.0) for rows, _ in every])),
    )


ITS_OWN = 0.5
"""Share of the time of one rank in such files, without equal among the others, from which it counts as that rank's
alone."""


def _of_profile(s: Selection) -> AloneTime | None:
    """The file of one rank that took most of the time, by CrayPAT: several may be of several ranks. A name with digits
    may be one of many, each rank's own, where the table has the longest alone."""
    profile = profile_of(s)
    if profile is None or (s.nprocs or 1) < 2:
        return None
    files = other_files(s)
    templates = templates_of([file.path for file in files])
    alone = [
        (seconds, file)
        for file, template in zip(files, templates, strict=True)
        if templates.count(template) == 1 and not (profile.limited and template != file.path)
        if file.ranks == 1 and not isinstance(seconds := summed_seconds(file.rows.values()), Absent)
    ]
    if not alone:
        return None
    seconds, file = max(alone, key=lambda one: one[0])
    calls = _sum_of_all([row.calls_summed_over_ranks for row in file.rows.values()])
    name = Value(base_name(file.path), "inferred", file.where)
    return AloneTime(
        seconds=seconds,
        metadata_s=None,
        opens=None,
        files=1.0,
        beyond_s=seconds,
        layer=None,
        file=name,
        bytes=_sum_of_all([row.bytes_summed_over_ranks for row in file.rows.values()]),
        accesses=calls,
        moving_s=seconds,
        calls=calls,
        call_s=seconds / calls if calls else None,
        in_one_call="unknown",
        pauses=None,
        way=None,
        mount=None,
        rank=None,
        where=file.where,
        path=file.path,
        of_ranks=s.nprocs,
    )


def _sum_of_all(figures: Sequence[float | None]) -> float | None:
    """None where one is missing: what is left of the sum is no figure of the file."""
    known = [figure for figure in figures if figure is not None]
    return sum(known) if len(known) == len(figures) else None


_Kind = str | int | _Use
"""What files that stand for one another have in common: their names, or how they are used where the names are
numbers."""


def _kinds_of_one_rank(rows: LogRows, own: Sequence[_Own]) -> list[tuple[_Kind, _Own]]:
    """The files of kinds that one rank alone has."""
    names = [rows.log.names.get(one.record) for one in own]
    templates = templates_of([name or "" for name in names])
    numbers = [name is not None and stands_for_name(name) for name in names]
    uses = _uses(own) if any(numbers) else repeat(None, len(own))
    kinds = [
        one.record if name is None else use if number and use else template
        for one, name, template, number, use in zip(own, names, templates, numbers, uses, strict=True)
    ]
    rank_of: dict[_Kind, int] = {}
    of_several = {kind for kind, one in zip(kinds, own, strict=True) if rank_of.setdefault(kind, one.rank) != one.rank}
    return [(kind, one) for kind, one in zip(kinds, own, strict=True) if kind not in of_several]


def _of_log(rows: LogRows) -> AloneTime | None:
    found = (one for table in rows.highest if table.module not in rows.cut for one in _own(table))
    streams = standard_streams(rows)
    alone = _kinds_of_one_rank(rows, [one for one in found if one.record not in streams])
    if not alone:
        return None
    took: dict[int, float] = {}
    for _, one in alone:
        took[one.rank] = took.get(one.rank, 0.0) + one.seconds
    slowest = max(took, key=lambda rank: took[rank])
    longest = _longest([(kind, one) for kind, one in alone if one.rank == slowest])
    mine = [one for _, one in alone if one.rank == slowest]
    its, of_others = (sum(column) for column in zip(*(_in_own_files(t, slowest) for t in rows.highest), strict=True))
    others = of_others / max(1, (rows.nprocs or 2) - 1)
    as_busy = max((seconds for rank, seconds in took.items() if rank != slowest), default=0.0)
    # Files of a kind that the others have too, such as each rank's log, stand on both sides.
    beyond = max(0.0, min(took[slowest] - as_busy, its - others))
    squares = sum(one.seconds**2 for one in mine)
    files = took[slowest] ** 2 / squares if squares > 0 else 1.0
    name, layer = file_named(rows, longest.record), longest.table.module
    moving = longest.seconds - _metadata(longest)
    counted = not all(one.table.module in rows.traced for one in mine)
    long = [one for one in mine if one.seconds >= longest.seconds / 10]
    moved, accesses = _moved(longest)
    calls_s, calls = _calls(rows, longest, moving, accesses)
    return AloneTime(
        seconds=took[slowest],
        metadata_s=_metadata_of_all(mine) if counted else None,
        opens=_counted_in_all(mine, _opening_counters) if counted else None,
        files=files,
        beyond_s=beyond,
        layer=layer,
        file=name,
        bytes=moved,
        accesses=accesses,
        moving_s=moving,
        calls=calls,
        call_s=calls_s / calls if calls else None,
        in_one_call=_in_one_call(longest, moving),
        pauses=_pauses(long, _busy_elsewhere(rows, slowest, {one.record for one in mine})),
        way=_way(long),
        mount=type_above(rows.name_of(longest.record) or "", rows.log.job.mounts),
        rank=slowest,
        path=rows.name_of(longest.record),
        syncs=_counted_in_all(mine, lambda module: SYNCS.get(module, ())) if counted else None,
        of_ranks=rows.nprocs,
        file_way=_way([longest]),
        size=_size(longest),
    )


def _longest(of: Sequence[tuple[_Kind, _Own]]) -> _Own:
    """The longest file of the kind that takes longest: of a hundred checkpoints each may be shorter than one log."""
    took: dict[_Kind, float] = {}
    for kind, one in of:
        took[kind] = took.get(kind, 0.0) + one.seconds
    kind_of_most = max(took, key=lambda kind: took[kind])
    return max((one for kind, one in of if kind == kind_of_most), key=lambda one: one.seconds)


def _uses(own: Sequence[_Own]) -> Iterator[_Use]:
    """Files that are used alike are taken to be of one kind, as those that are named alike."""
    for table, places in _by_table(own):
        read, written, accesses = (_added_up(table, names, places) for names in _counted(table.module))
        each = np.log2(np.maximum(read + written, 1) / np.maximum(accesses, 1))
        for reads, power in zip((read > written).tolist(), np.rint(each).tolist(), strict=True):
            yield _Use(table.module, reads, int(power))


def _by_table(own: Iterable[_Own]) -> Iterator[tuple[CounterTable, list[int]]]:
    """The tables of the records, which follow one another there, and their places."""
    for _, of_table in groupby(own, key=lambda one: id(one.table)):
        of = list(of_table)
        yield of[0].table, [one.place for one in of]


def _counted(module: str) -> tuple[list[str], list[str], list[str]]:
    prefix = PREFIX[module]
    return [f"{prefix}_BYTES_READ"], [f"{prefix}_BYTES_WRITTEN"], list(access_counters(module, "read", "write"))


def _added_up(table: CounterTable, counters: Sequence[str], places: Sequence[int]) -> NDArray[np.int64]:
    counted = (np.maximum(table.count(name)[list(places)], 0) for name in counters if name in table.int_names)
    return sum(counted, np.zeros(len(places), np.int64))


def _way(of: Sequence[_Own]) -> Way | None:
    """What is done with the files, but a tenth of their bytes; None where nothing is moved."""
    read = _counted_in_all(of, lambda module: [f"{PREFIX[module]}_BYTES_READ"])
    written = _counted_in_all(of, lambda module: [f"{PREFIX[module]}_BYTES_WRITTEN"])
    if read + written == 0:
        return None
    if written <= (read + written) / 10:
        return "reads"
    return "writes" if read <= (read + written) / 10 else "reads and writes"


def _pauses(of: Sequence[_Own], elsewhere: Iterable[tuple[float, float]]) -> float | None:
    """The part of the time from the first access to these files to the last in which none is in use, and the rank is
    not busy `elsewhere`; None of one file, and where the log has not all their times."""
    spans = [span for one in of if (span := _in_use(one)) is not None]
    if len(of) < 2 or len(spans) < len(of):
        return None
    first, last = min(begin for begin, _ in spans), max(end for _, end in spans)
    used, until = 0.0, first
    for begin, end in sorted([*spans, *elsewhere]):
        used += max(0.0, min(end, last) - max(begin, until))
        until = max(until, end)
    return None if last <= first else 1.0 - used / (last - first)


BUSY = 0.5
"""Part of the time between the first and the last call on a file that these take, from which it is at it all along: a
log stays open while the rank computes."""


def _busy_elsewhere(rows: LogRows, rank: int, own: Set[int]) -> Iterator[tuple[float, float]]:
    """When the rank reads or writes other files than its `own`: who copies one file after the other has no pause
    between two of either kind."""
    for table in rows.highest:
        took = rank_times(table)
        for at in np.flatnonzero(table.ranks == rank).tolist():
            if int(table.ids[at]) in own:
                continue
            span = _in_use(_Own(table, at, int(table.ids[at]), rank, float(took[at])))
            if span is not None and took[at] >= BUSY * (span[1] - span[0]):
                yield span


def _in_use(one: _Own) -> tuple[float, float] | None:
    """Seconds of the run at which the file is first and last read or written, and before that opened."""
    prefix, table = PREFIX[one.table.module], one.table
    begins, ends = (
        [
            at
            for way in ("READ", "WRITE")
            if (at := float(table.seconds(f"{prefix}_F_{way}_{which}_TIMESTAMP")[one.place])) > 0
        ]
        for which in ("START", "END")
    )
    return (max(0.0, min(begins) - _metadata(one)), max(ends)) if begins and ends else None


def _in_own_files(table: CounterTable, rank: int) -> tuple[float, float]:
    """Seconds of a rank, and of all the others, in files that one rank each has a record of."""
    known = table.by_id
    own, took = (known.records[known.index] == 1) & (table.ranks >= 0), rank_times(table)
    return float(took[own & (table.ranks == rank)].sum()), float(took[own & (table.ranks != rank)].sum())


def _own(table: CounterTable) -> list[_Own]:
    if not len(table):
        return []
    known, took = table.by_id, rank_times(table)
    # A hundred thousand files of a moment each are not where a rank spends its time.
    wanted = np.flatnonzero((known.records[known.index] == 1) & (table.ranks >= 0))
    if len(wanted) > MOST:
        wanted = wanted[took[wanted] >= np.partition(took[wanted], -MOST)[-MOST]]
    wanted = wanted[np.argsort(-took[wanted], kind="stable")][:MOST]
    columns = (wanted, table.ids[wanted], table.ranks[wanted], took[wanted])
    places, *others = (column.tolist() for column in columns)
    return list(map(_Own, repeat(table, len(places)), places, *others))


MOST = 4096
"""Number of records of a table that are looked at: those with most time."""


def _moved(one: _Own) -> tuple[int, int]:
    """Bytes and accesses of the record; Darshan's DAOS module counts no accesses by these names."""
    module = one.table.module
    sizes = [f"{PREFIX[module]}_BYTES_{way}" for way in ("READ", "WRITTEN")]
    return _sum(one, sizes), _sum(one, access_counters(module, "read", "write"))


def _size(one: _Own) -> int | None:
    names = [f"{PREFIX[one.table.module]}_MAX_BYTE_{way}" for way in ("READ", "WRITTEN")]
    if not set(names) <= set(one.table.int_names):
        return None
    return max(int(one.table.count(name)[one.place]) for name in names) + 1


def _calls(rows: LogRows, one: _Own, moving_s: float, accesses: int) -> tuple[float, float]:
    """Seconds and number of the reads and writes; of a stream those that do more than copy into its buffer."""
    if one.table.module == "STDIO":
        return float(system_seconds(one.table)[one.place]), float(system_calls(rows, one.table)[one.place])
    return moving_s, accesses


def _in_one_call(one: _Own, moving_s: float) -> Literal["yes", "no", "unknown"]:
    """Whether the longest read or write took half of the time or more, as where a server stood still once."""
    prefix = PREFIX[one.table.module]
    known = [f"{prefix}_F_MAX_{way}_TIME" for way in ("READ", "WRITE")]
    longest_s = max((float(one.table.seconds(n)[one.place]) for n in known if n in one.table.float_names), default=0.0)
    if not longest_s > 0:
        return "unknown"
    return "yes" if longest_s >= moving_s / 2 else "no"


def _metadata(one: _Own) -> float:
    return float(timer(one.table, "META_TIME")[one.place])


def _metadata_of_all(own: Sequence[_Own]) -> float:
    by_table = (timer(table, "META_TIME")[places].tolist() for table, places in _by_table(own))
    seconds: Iterable[float] = chain.from_iterable(by_table)
    return sum(seconds)


def _opening_counters(module: str) -> Sequence[str]:
    """Opens and stats."""
    kinds = ("INDEP_", "COLL_") if module == "MPI-IO" else ("",)
    return [f"{PREFIX[module]}_{kind}OPENS" for kind in kinds] + [f"{PREFIX[module]}_STATS"]


def _counted_in_all(own: Sequence[_Own], counters: Callable[[str], Sequence[str]]) -> int:
    """The counters of all these records added up, of each by its module: by the table, as there may be thousands."""
    return sum(
        exact_sum(np.maximum(table.count(name)[places], 0))
        for table, places in _by_table(own)
        for name in counters(table.module)
        if name in table.int_names
    )


def _sum(one: _Own, counters: Sequence[str]) -> int:
    counted = (name for name in counters if name in one.table.int_names)
    return sum(max(0, int(one.table.count(name)[one.place])) for name in counted)
