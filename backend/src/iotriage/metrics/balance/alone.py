"""What the slowest rank does in files that no other rank uses, and no other has one like it."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import repeat
from typing import NamedTuple

import numpy as np

from iotriage.metrics.core.derived import derived
from iotriage.metrics.core.metric import NO_TIME, Absent, Outcome, Value, Where
from iotriage.metrics.core.missing_evidence import DARSHAN
from iotriage.metrics.core.outcomes import quotient
from iotriage.metrics.core.prefix import PREFIX
from iotriage.metrics.core.registry import metric, outcome
from iotriage.metrics.core.selection import LogRows, Selection, base_name
from iotriage.metrics.tables.files.names import file_named
from iotriage.metrics.tables.files.uses import standard_streams
from iotriage.metrics.tables.grouping import templates_of
from iotriage.metrics.tables.profiled import other_files, profile_of, summed_seconds
from iotriage.metrics.tables.rank_times import rank_times, timer
from iotriage_parsers.evidence import CounterTable
from iotriage_parsers.frozen import frozen


@frozen
class AloneTime:
    """Seconds of one rank in files of its own kind, of those the ones in metadata calls, how often it opens files or
    asks about them there, among how many `files` that time is shared, the seconds `beyond_s` what the mean of the other
    ranks has in files of their own, the name of the longest and its layer, and what an access there moves. Of a text
    `metadata_s`, `opens` and `layer` are not known."""

    seconds: float
    metadata_s: float | None
    opens: int | None
    files: float
    beyond_s: float
    layer: str | None
    file: Outcome
    bytes: int
    accesses: float
    moving_s: float
    where: tuple[Where, ...] = ()


NO_OPENS = Absent("CrayPAT's tables have reads and writes, neither opens nor the layer", (DARSHAN,))


class _Own(NamedTuple):
    """One record of a file that one rank alone has."""

    table: CounterTable
    place: int
    record: int
    rank: int
    seconds: float


@derived
def alone_time(s: Selection) -> AloneTime | Absent:
    found = [one for rows in s.logs if (rows.nprocs or 1) > 1 and (one := _of_log(rows)) is not None]
    if not s.logs and (profiled := _of_profile(s)) is not None:
        found.append(profiled)
    if not found:
        return Absent("no source shows a file that one rank alone uses", (DARSHAN,))
    return max(found, key=lambda one: one.seconds)


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
    calls = sum(row.calls_summed_over_ranks or 0.0 for row in file.rows.values())
    name = Value(base_name(file.path), "inferred", file.where)
    return AloneTime(seconds, None, None, 1.0, seconds, None, name, file.bytes, calls, seconds, file.where)


def _of_log(rows: LogRows) -> AloneTime | None:
    found = (one for table in rows.highest if table.module not in rows.cut for one in _own(table))
    streams = standard_streams(rows)
    own = [one for one in found if one.record not in streams]
    if not own:
        return None
    ranks_of: dict[str | int, set[int]] = {}
    names = [rows.log.names.get(one.record) for one in own]
    templates = templates_of([name or "" for name in names])
    kinds = [
        one.record if name is None else template for one, name, template in zip(own, names, templates, strict=True)
    ]
    for kind, one in zip(kinds, own, strict=True):
        ranks_of.setdefault(kind, set()).add(one.rank)
    alone = [one for kind, one in zip(kinds, own, strict=True) if len(ranks_of[kind]) == 1]
    if not alone:
        return None
    took: dict[int, float] = {}
    for one in alone:
        took[one.rank] = took.get(one.rank, 0.0) + one.seconds
    slowest = max(took, key=lambda rank: took[rank])
    mine = [one for one in alone if one.rank == slowest]
    longest = max(mine, key=lambda one: one.seconds)
    its, of_others = (sum(column) for column in zip(*(_in_own_files(t, slowest) for t in rows.highest), strict=True))
    others = of_others / max(1, (rows.nprocs or 2) - 1)
    # Files of a kind that the others have too, such as each rank's log, stand on both sides.
    beyond = max(0.0, min(took[slowest], its - others))
    metadata, opens = sum(_metadata(one) for one in mine), sum(_opens(one) for one in mine)
    squares = sum(one.seconds**2 for one in mine)
    files = took[slowest] ** 2 / squares if squares > 0 else 1.0
    name, layer = file_named(rows, longest.record), longest.table.module
    moving = longest.seconds - _metadata(longest)
    return AloneTime(took[slowest], metadata, opens, files, beyond, layer, name, *_moved(longest), moving)


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
    wanted = wanted[np.argsort(-took[wanted], kind="stable")][:MOST]
    columns = (wanted, table.ids[wanted], table.ranks[wanted], took[wanted])
    places, *others = (column.tolist() for column in columns)
    return list(map(_Own, repeat(table, len(places)), places, *others))


MOST = 4096
"""Records looked at in a table, those with most time."""


def _moved(one: _Own) -> tuple[int, int]:
    """Bytes and accesses of the record; Darshan's DAOS module counts no accesses by these names."""
    prefix = PREFIX[one.table.module]
    kinds = ("INDEP_", "COLL_", "SPLIT_", "NB_") if one.table.module == "MPI-IO" else ("",)
    sizes = [f"{prefix}_BYTES_{way}" for way in ("READ", "WRITTEN")]
    calls = [f"{prefix}_{kind}{way}S" for kind in kinds for way in ("READ", "WRITE")]
    return _sum(one, sizes), _sum(one, calls)


def _metadata(one: _Own) -> float:
    return float(timer(one.table, "META_TIME")[one.place])


def _opens(one: _Own) -> int:
    """Opens and stats of the record."""
    prefix = PREFIX[one.table.module]
    kinds = ("INDEP_", "COLL_") if one.table.module == "MPI-IO" else ("",)
    return _sum(one, [f"{prefix}_{kind}OPENS" for kind in kinds] + [f"{prefix}_STATS"])


def _sum(one: _Own, counters: Sequence[str]) -> int:
    counted = (name for name in counters if name in one.table.int_names)
    return sum(max(0, int(one.table.count(name)[one.place])) for name in counted)


@metric(
    "balance.alone_time",
    "Time of one rank in files that it alone uses",
    "s",
    formula="of the rank with most of it: read, write and metadata seconds in files of which it has the only record, "
    f"and no other rank has one whose name differs in digits only; of the {MOST} longest; without Darshan the read and "
    "write seconds of such a file by CrayPAT",
    needs="a Darshan log, or a CrayPAT report",
    scopes=["job"],
)
def alone(s: Selection) -> Outcome:
    found = alone_time(s)
    return found if isinstance(found, Absent) else Value(found.seconds, "inferred", found.where)


@metric(
    "balance.alone_time_fraction",
    "Share of the I/O time that one rank spends in files that it alone uses, beyond what others have",
    "share",
    formula="(seconds of that rank in files that one rank each uses, less those of the mean other rank there, but no "
    "more than balance.alone_time) / job.io_time, at most 1",
    needs="a Darshan log",
    scopes=["job"],
)
def alone_fraction(s: Selection) -> Outcome:
    alone = alone_time(s)
    if isinstance(alone, Absent):
        return alone
    beyond = Value(alone.beyond_s, "inferred", alone.where)
    return quotient(beyond, outcome(s, "job.io_time"), zero="the timers show no I/O time", at_most=1.0)


@metric(
    "balance.alone_moving_time",
    "Time of that rank there but in metadata calls",
    "s",
    formula="balance.alone_time, but the metadata seconds of that rank in the same files",
    needs="a Darshan log",
    scopes=["job"],
)
def alone_moving(s: Selection) -> Outcome:
    found = alone_time(s)
    if isinstance(found, Absent):
        return found
    return NO_OPENS if found.metadata_s is None else Value(found.seconds - found.metadata_s, "inferred")


@metric(
    "balance.alone_metadata_fraction",
    "Share of that rank's time there that passes in metadata calls",
    "share",
    formula="metadata seconds of that rank in the files of balance.alone_time / balance.alone_time",
    needs="a Darshan log",
    scopes=["job"],
)
def alone_metadata(s: Selection) -> Outcome:
    found = alone_time(s)
    if isinstance(found, Absent):
        return found
    if found.metadata_s is None:
        return NO_OPENS
    if found.seconds < NO_TIME:
        return Absent("the timers show no time there")
    return Value(found.metadata_s / found.seconds, "inferred")


@metric(
    "balance.alone_opens",
    "Opens and stats by that rank there",
    "calls",
    formula="opens and stats of that rank, of the files of balance.alone_time; 0 where a log shows no such file",
    needs="a Darshan log",
    scopes=["job"],
)
def alone_opens(s: Selection) -> Outcome:
    found = alone_time(s)
    if isinstance(found, Absent) and s.logs:
        return Value(0, "inferred")
    if isinstance(found, Absent):
        return found
    return NO_OPENS if found.opens is None else Value(found.opens, "inferred")


@metric(
    "balance.alone_file",
    "File in which one rank alone spends most time",
    "word",
    formula="of the files of balance.alone_time the one with most seconds",
    needs="a Darshan log",
    scopes=["job"],
)
def alone_file(s: Selection) -> Outcome:
    found = alone_time(s)
    return found if isinstance(found, Absent) else found.file


@metric(
    "balance.alone_access",
    "Average access to that file",
    "B",
    formula="bytes read and written / reads and writes of balance.alone_file",
    needs="a Darshan log",
    scopes=["job"],
)
def alone_access(s: Selection) -> Outcome:
    found = alone_time(s)
    if isinstance(found, Absent):
        return found
    return Value(found.bytes / found.accesses, "inferred") if found.accesses else Absent("nothing was read or written")


@metric(
    "balance.alone_call_time",
    "Average time of an access to that file",
    "s",
    formula="read and write seconds / reads and writes of balance.alone_file",
    needs="a Darshan log",
    scopes=["job"],
)
def alone_call_time(s: Selection) -> Outcome:
    found = alone_time(s)
    if isinstance(found, Absent):
        return found
    if not found.accesses:
        return Absent("nothing was read or written")
    return Value(found.moving_s / found.accesses, "inferred")


@metric(
    "balance.alone_rate",
    "Rate at which that file is accessed",
    "B/s",
    formula="bytes read and written / read and write seconds of balance.alone_file",
    needs="a Darshan log",
    scopes=["job"],
)
def alone_rate(s: Selection) -> Outcome:
    found = alone_time(s)
    if isinstance(found, Absent):
        return found
    if found.moving_s < NO_TIME:
        return Absent("the timers show no time there")
    return Value(found.bytes / found.moving_s, "inferred")


@metric(
    "balance.alone_layer",
    "Layer through which that file is accessed",
    "word",
    formula="the highest module of Darshan that has a record of balance.alone_file",
    needs="a Darshan log",
    scopes=["job"],
)
def alone_layer(s: Selection) -> Outcome:
    found = alone_time(s)
    if isinstance(found, Absent):
        return found
    return NO_OPENS if found.layer is None else Value(found.layer, "inferred")


@metric(
    "balance.alone_files",
    "Files among which that rank's time there is shared",
    "files",
    formula="(Σt)² / Σt² of that rank's seconds t in each of the files of balance.alone_time",
    needs="a Darshan log",
    scopes=["job"],
)
def alone_files(s: Selection) -> Outcome:
    found = alone_time(s)
    return found if isinstance(found, Absent) else Value(found.files, "inferred")
