"""Few ranks that move nearly all bytes, as much each: how few they are beside the nodes, and whether they lie
evenly over the ranks, as those that a library picks, or beside one another, as servers that are started for it."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from iotriage.metrics.core.about import About
from iotriage.metrics.core.families import MetricsOf
from iotriage.metrics.core.metric import NO_TIME, Absent, Outcome, Value
from iotriage.metrics.core.missing_evidence import DARSHAN
from iotriage.metrics.core.outcomes import quotient
from iotriage.metrics.core.prefix import prefix_of
from iotriage.metrics.core.registry import metric, outcome
from iotriage.metrics.core.selection import LogRows, Selection, base_name, own_records, select_rows, unique_inverse
from iotriage.metrics.core.selection_cache import cached_per_selection
from iotriage.metrics.tables.calls.mpiio_calls import mpiio_calls
from iotriage.metrics.tables.files.alike import calls_of
from iotriage.metrics.tables.files.kinds import FileKinds, file_kinds
from iotriage.metrics.tables.files.shared import NEARLY_ALL
from iotriage.metrics.tables.nodes import Nodes, fewest_nodes, nodes_of_step
from iotriage.metrics.tables.outliers import ALIKE
from iotriage.metrics.tables.rank_spread import bytes_of_log
from iotriage.metrics.tables.rank_times import rank_bytes, rank_times, timer
from iotriage.metrics.tables.stages import logs_by_stage
from iotriage_parsers.evidence import CounterTable
from iotriage_parsers.frozen import frozen, frozen_identity

BY_ALIKE = 0.9
"""Of the bytes: what the ranks that move as much as one another leave to the others, to write headers and lines."""
FEW_OF = 8
"""Ranks for each that moves the bytes, from which these are few."""
LITTLE = 0.01
"""Of the bytes of the step that moves most, up to which a program beside another changes nothing."""
SEVERAL = 2
"""Ranks with files of one kind, from which these are no file of one alone."""
NONE = "no rank moved bytes"
NEEDS = "a Darshan log with records of single ranks"


@frozen_identity
class _Records:
    """The records at the highest layer without collective calls, in which ranks wait for one another: of each its rank
    (−1: all), bytes and those that are read, seconds and those of reads and writes, calls of these, and the template of
    its name, shape (n,) each."""

    rank: NDArray[np.int64]
    moved: NDArray[np.float64]
    read: NDArray[np.float64]
    took: NDArray[np.float64]
    moving: NDArray[np.float64]
    calls: NDArray[np.float64]
    kind: NDArray[np.int64]
    kinds: tuple[str, ...]

    @classmethod
    def of(cls, rows: LogRows) -> _Records:
        tables = [_without_collective_calls(t) for t in rows.highest]
        kinds = file_kinds(rows)
        rank = np.concatenate([t.ranks for t in tables])
        moved, read, took, moving, calls = (
            np.concatenate([of(t) for t in tables])
            for of in (rank_bytes, _read_bytes, rank_times, _moving_times, calls_of)
        )
        kind = kinds.of(tables)
        return cls(rank, moved, read, took, moving, calls, kind, kinds.names)

    def rows(self, mine: NDArray[np.bool_]) -> _Records:
        return _Records(
            rank=self.rank[mine],
            moved=self.moved[mine],
            read=self.read[mine],
            took=self.took[mine],
            moving=self.moving[mine],
            calls=self.calls[mine],
            kind=self.kind[mine],
            kinds=self.kinds,
        )


def _without_collective_calls(table: CounterTable) -> CounterTable:
    """The table; of MPI-IO without the records of files that ranks access together."""
    return select_rows(table, mpiio_calls(table, "COLL", "SPLIT") <= 0) if table.module == "MPI-IO" else table


def _read_bytes(table: CounterTable) -> NDArray[np.float64]:
    return np.maximum(table.count(f"{prefix_of(table)}_BYTES_READ"), 0).astype(np.float64)


def _moving_times(table: CounterTable) -> NDArray[np.float64]:
    """Seconds in reads and writes of each record; none of streams, which have a cell of their own."""
    return np.zeros(len(table)) if table.module == "STDIO" else timer(table, "READ_TIME") + timer(table, "WRITE_TIME")


@frozen
class EqualMovers:
    """`apart` is the largest distance between one and the next, round from the last to the first, over the mean;
    `mean_s` the mean of their seconds and `longest_s` the most, `moved` the bytes of these files and `part` their part
    of the seconds of all reads and writes. `files` is what the files are called where other ranks use others, and
    `beyond_s` how much sooner the slowest rank of all would be done without them. They are moved in `calls`. Of
    several steps seconds, bytes and calls add up, and the ranks are those of the one that takes longest, whose `rows`
    these are."""

    ranks: int
    apart: float
    mean_s: float
    longest_s: float
    moved: float
    reads: bool
    part: float
    files: str | None
    beyond_s: float
    calls: float
    rows: LogRows


@cached_per_selection
def movers_alike(s: Selection) -> EqualMovers | Absent:
    logs = [rows for rows in s.logs if rows.highest]
    if not logs or s.nprocs is None:
        return Absent("there is no log that shows the ranks", (DARSHAN,))
    return _of_log(logs[0], s.nprocs) if len(s.logs) == 1 else _of_steps(s)


NAMELESS = Absent("most bytes lie in files whose records do not name the rank")


def _of_log(rows: LogRows, nprocs: int) -> EqualMovers | Absent:
    if not any(len(own_records(t)) for t in rows.highest):
        return NAMELESS
    every, job = _Records.of(rows), bytes_of_log(rows)
    of_few = _of_few(file_kinds(rows), every, nprocs)
    found = _alike(rows, every.rows(of_few), every, nprocs, job) if of_few.any() else None
    if isinstance(found, EqualMovers) and found.files is None:
        return found
    of_all = _alike(rows, every, every, nprocs, job)
    return found if isinstance(of_all, Absent) and isinstance(found, EqualMovers) else of_all


def _of_steps(s: Selection) -> EqualMovers | Absent:
    """Of steps that follow one another those in which few ranks move the bytes, where these are nearly all of the
    job's. What ran beside another program that moves a part of them has ranks of its own, and is no such step."""
    every = {rows.source: _Records.of(rows) for rows in s.logs if rows.highest}
    moved = {rows.source: bytes_of_log(rows) for rows in s.logs}
    some = LITTLE * max(moved.values())
    steps = [[rows for rows in logs if moved[rows.source] > some] for _, logs in logs_by_stage(s)]
    alone = [logs[0] for logs in steps if len(logs) == 1 and logs[0].nprocs is not None]
    found = [(rows.source, of) for rows in alone if isinstance(of := _of_log(rows, rows.nprocs or 1), EqualMovers)]
    of_all = [(source, of) for source, of in found if of.files is None]
    if not of_all or sum(of.moved for _, of in of_all) < BY_ALIKE * sum(moved.values()):
        return Absent("few ranks move nearly all bytes in no step, or in steps that do little beside others")
    moving = {source: float(of.moving.sum()) for source, of in every.items()}
    reads_and_writes, theirs = sum(moving.values()), sum(of.part * moving[source] for source, of in of_all)
    movers = [of for _, of in of_all]
    longest = max(movers, key=lambda of: of.longest_s)
    return EqualMovers(
        ranks=longest.ranks,
        apart=max(of.apart for of in movers),
        mean_s=sum(of.mean_s for of in movers),
        longest_s=sum(of.longest_s for of in movers),
        moved=sum(of.moved for of in movers),
        reads=2 * sum(of.moved for of in movers if of.reads) > sum(of.moved for of in movers),
        part=theirs / reads_and_writes if reads_and_writes > 0 else 1.0,
        files=None,
        beyond_s=sum(of.beyond_s for of in movers),
        calls=sum(of.calls for of in movers),
        rows=longest.rows,
    )


def _alike(rows: LogRows, records: _Records, every: _Records, nprocs: int, job: float) -> EqualMovers | Absent:
    """`job` are all bytes, those of collective calls too."""
    own, everything = records.rank >= 0, float(records.moved.sum())
    of_all = every.rank >= 0
    ranks, index = unique_inverse(records.rank[own])
    moved, took = (np.bincount(index, of[own], len(ranks)) for of in (records.moved, records.took))
    if not len(moved) or moved.sum() < NEARLY_ALL * everything or everything <= 0:
        return NAMELESS
    alike = moved >= ALIKE * moved.max()
    if moved[alike].sum() < BY_ALIKE * everything:
        return Absent("the ranks move more or fewer bytes, and none of them nearly all")
    moving = np.sort(ranks[alike])
    if len(moving) * FEW_OF > nprocs:
        return Absent("many of the ranks move the bytes")
    distances = np.diff(moving, append=moving[0] + nprocs)
    reads_and_writes = float(every.moving.sum())
    longest = int(records.took.argmax())
    busy, place = unique_inverse(every.rank[of_all])
    with_them = np.bincount(place, every.took[of_all], len(busy))
    without = with_them - np.bincount(np.searchsorted(busy, records.rank[own]), records.took[own], len(busy))
    return EqualMovers(
        ranks=len(moving),
        apart=float(distances.max()) * len(moving) / nprocs,
        mean_s=float(took[alike].mean()),
        longest_s=float(took.max()),
        moved=everything,
        reads=bool(2 * records.read.sum() > everything),
        part=float(records.moving.sum()) / reads_and_writes if reads_and_writes > 0 else 1.0,
        files=None if everything >= BY_ALIKE * job else base_name(records.kinds[records.kind[longest]]),
        calls=float(records.calls.sum()),
        beyond_s=max(0.0, min(float(took[alike].mean()), float(with_them.max() - without.max()))),
        rows=rows,
    )


def _of_few(kinds: FileKinds, every: _Records, nprocs: int) -> NDArray[np.bool_]:
    """The files of those kinds that few ranks have and none of all: where a kind has several of them, of the one that
    takes longest and those of some of its ranks."""
    ranks = kinds.number_of_ranks
    few = ranks <= nprocs // FEW_OF
    several = few & (ranks >= SEVERAL)
    if several.any():
        seconds = np.where(several, np.bincount(every.kind, every.took, len(ranks)), -1.0)
        few = several & ~kinds.beyond(kinds.ranks_of(int(seconds.argmax())))
    return few[every.kind]


_metrics_of_movers_alike = MetricsOf(movers_alike, needs=NEEDS, scopes=["job"])
_metrics_of_movers_alike.value(
    "balance.movers_alike",
    "Few ranks that move nearly all bytes, or those of files that they alone have, as much each",
    "ranks",
    lambda found: Value(found.ranks),
    formula=f"those with {ALIKE:.0%} of the busiest one's bytes or more, where they have {BY_ALIKE:.0%} of all and "
    f"are not more than one of {FEW_OF} ranks, without files of collective calls; else the same of the files whose "
    "names, but for numbers, no more than so many ranks use; of several logs those of the step in which they take "
    "longest, where steps of this kind follow one another and have nearly all bytes together",
)


@_metrics_of_movers_alike(
    "balance.movers_alike_among",
    "Ranks of the step in which few move nearly all bytes",
    "ranks",
    formula="nprocs of the log of balance.movers_alike",
)
def movers_alike_among(found: EqualMovers) -> Outcome:
    ranks = found.rows.nprocs
    return Absent("the log does not state its ranks", (DARSHAN,)) if ranks is None else Value(ranks)


_metrics_of_movers_alike.value(
    "balance.movers_alike_time",
    "Mean time in I/O of the few ranks that move nearly all bytes",
    "s",
    lambda found: Value(found.mean_s) if found.files is None else Absent("other ranks move bytes too"),
    formula="seconds of balance.movers_alike at the highest layer of each file / their number; not beside what others "
    "move",
)
_metrics_of_movers_alike.value(
    "balance.movers_alike_bytes",
    "Bytes of the files that few ranks use for all",
    "B",
    lambda found: Value(found.moved),
    formula="bytes read and written in the files of balance.movers_alike",
)
_metrics_of_movers_alike.value(
    "balance.movers_alike_rate",
    "Rate of the few ranks that do the I/O for all together",
    "B/s",
    lambda found: (
        Absent("the timers show no time") if found.longest_s < NO_TIME else Value(found.moved / found.longest_s)
    ),
    formula="balance.movers_alike_bytes / seconds of the slowest of them in these files",
)
_metrics_of_movers_alike.value(
    "balance.movers_alike_part",
    "Share of the read and write time that is of the few ranks that do the I/O for all",
    "share",
    lambda found: Value(found.part),
    about=About(time=True),
    formula="read and write seconds in the files of balance.movers_alike / those of all files, but streams",
)
_metrics_of_movers_alike.value(
    "balance.movers_alike_way",
    "What the few ranks that do the I/O for all mostly do",
    "word",
    lambda found: Value("reads" if found.reads else "writes"),
    formula="reads, or writes where no more than half of balance.movers_alike_bytes is read",
)
_metrics_of_movers_alike.value(
    "balance.movers_alike_files",
    "What the files are called that few ranks use beside those of the others",
    "word",
    lambda found: (
        Absent("they move nearly all bytes of the job") if found.files is None else Value(found.files, "inferred")
    ),
    formula="the name of most seconds, with # for numbers, where others move bytes too",
)
_metrics_of_movers_alike.value(
    "balance.movers_alike_beyond",
    "How much sooner the slowest rank would be done without the files that few ranks use for all",
    "s",
    lambda found: (
        Absent("they move nearly all bytes of the job") if found.files is None else Value(found.beyond_s, "inferred")
    ),
    formula="seconds of the slowest rank, less those of the slowest of all ranks without the files of "
    "balance.movers_alike_files; at most the mean of those that have these",
)
_metrics_of_movers_alike.value(
    "balance.movers_alike_piece",
    "Bytes of each access of the few ranks that do the I/O for all",
    "B",
    lambda found: Value(found.moved / found.calls) if found.calls else Absent("no reads and writes were counted"),
    formula="balance.movers_alike_bytes / reads and writes of these files",
)
_metrics_of_movers_alike.value(
    "balance.movers_apart",
    "Largest gap between the few ranks that move nearly all bytes, over the mean",
    "ratio",
    lambda found: Value(found.apart),
    about=About(time=False),
    formula="largest difference between one of balance.movers_alike and the next, round from the last to the first, × "
    "their number / balance.movers_alike_among: 1 where they are evenly spread",
)


@metric(
    "balance.nodes_per_mover",
    "Nodes for each of the few ranks that move nearly all bytes",
    "ratio",
    about=About(time=False),
    formula="nodes of balance.movers_alike_among / balance.movers_alike",
    needs=f"{NEEDS}, and a source that states the nodes",
    scopes=["job"],
)
def nodes_per_mover(s: Selection) -> Outcome:
    movers, nodes = outcome(s, "balance.movers_alike"), _nodes(s)
    if isinstance(movers, Absent):
        return movers
    return nodes if isinstance(nodes, Absent) else quotient(nodes.number, movers, zero=NONE)


def _nodes(s: Selection) -> Nodes | Absent:
    found = movers_alike(s)
    return found if isinstance(found, Absent) else nodes_of_step(s, found.rows)


@metric(
    "balance.nodes_per_mover_at_least",
    "Nodes, at least, for each of the few ranks that move nearly all bytes",
    "ratio",
    about=About(time=False),
    formula="where no source states the nodes: the fewest that hold the ranks / balance.movers_alike",
    needs=NEEDS,
    scopes=["job"],
)
def nodes_per_mover_at_least(s: Selection) -> Outcome:
    movers = movers_alike(s)
    if isinstance(movers, Absent):
        return movers
    if isinstance(_nodes(s), Nodes):
        return Absent("the number of nodes is stated")
    nodes = fewest_nodes(s, movers.rows.nprocs)
    found = quotient(nodes, outcome(s, "balance.movers_alike"), zero=NONE)
    return found if isinstance(found, Absent) or isinstance(nodes, Absent) else replace(found, bound=nodes.bound)
