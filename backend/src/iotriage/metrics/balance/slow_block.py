"""Whether the slow ranks are those that one node has: ranks are given to nodes in blocks, or in turn.

On two to four nodes one slow node is a quarter to a half of the ranks: they are not few, but they stand together.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from iotriage.metrics.balance.slow_ranks import OwnRecords, in_one_file_of_theirs, own_records
from iotriage.metrics.core.derived import derived
from iotriage.metrics.core.metric import NO_TIME, Absent, Outcome, Value
from iotriage.metrics.core.prefix import prefix_of
from iotriage.metrics.core.registry import metric
from iotriage.metrics.core.selection import LogRows, Selection
from iotriage.metrics.tables.apart import ALIKE, NEARLY_ALL, median
from iotriage.metrics.tables.mounts import mount_above
from iotriage.metrics.tables.nodes import nodes_of
from iotriage.metrics.tables.rank_times import Float64s, rank_times
from iotriage_parsers.frozen import frozen

FEWEST_RANKS = 4
"""Of a block that is taken for a node: fewer are slow together by chance."""

MOST_RANKS = 256
"""Of a block that is taken for a node where no source tells the nodes: two sockets of 128 cores have so many."""

MOST_NODES = 64
"""Into which the ranks are divided where no source tells the nodes."""

SAME_WORK = 0.8
"""Of the larger of two medians: whose bytes or calls are further apart do other work."""

SOME_CALLS = 16
"""Calls of a rank up to which their number tells no other work."""

STANDS_OUT = 1.1
"""Over the others' seconds: below, no block is looked at any further."""


@frozen
class SlowBlock:
    """The ranks `named` ("128-255", or "1, 3, … 255") of one node, `ranks` in number. Seconds: `least_s` what
    nearly all of them take at least, `others_s` what nearly all of the others take at most, `in_mean_s` what the mean
    rank of the job would be spared if they took as long as the others."""

    named: str
    ranks: int
    least_s: float
    others_s: float
    in_mean_s: float


@derived
def slow_block(s: Selection) -> SlowBlock | Absent:
    own, nprocs = own_records(s), s.nprocs
    if isinstance(own, Absent):
        return own
    nothing = Absent("the slow ranks are not those that one node could have, doing the same work as the others")
    busy = own.bytes >= ALIKE * own.bytes.max(initial=0.0)
    if nprocs is None or len(own.ranks) != nprocs or not busy.all() or own.seconds.max(initial=0.0) < NO_TIME:
        return nothing
    for mine in _blocks(s, own, nprocs):
        if mine.all() or mine.sum() < 2:
            continue
        theirs, others = own.seconds[mine], own.seconds[~mine]
        least, most = float(np.quantile(theirs, 1 - NEARLY_ALL)), float(np.quantile(others, NEARLY_ALL))
        if most < NO_TIME or least < STANDS_OUT * most:
            continue
        if not _same_work(s.logs[0], own, mine):
            return nothing
        beyond = (float(theirs.mean()) - float(others.mean())) * len(theirs) / nprocs
        return SlowBlock(_named(own.ranks[mine]), len(theirs), least, most, beyond)
    return nothing


def _blocks(s: Selection, own: OwnRecords, nprocs: int) -> Iterator[NDArray[np.bool_]]:
    """Of each way to place the ranks on nodes, the fewest nodes first: which ranks are those of the slowest."""
    nodes, rank = nodes_of(s.whole), own.ranks
    if isinstance(nodes, Absent):
        for n in range(2, min(MOST_NODES, nprocs // FEWEST_RANKS) + 1):
            if nprocs % n == 0 and nprocs // n <= MOST_RANKS:
                yield _slowest(rank // (nprocs // n), own.seconds)
    elif nodes.of_rank:
        place = {name: i for i, name in enumerate(sorted(set(nodes.of_rank.values())))}
        if all(r in nodes.of_rank for r in rank.tolist()):
            yield _slowest(np.asarray([place[nodes.of_rank[r]] for r in rank.tolist()]), own.seconds)
    else:
        each = -(-nprocs // nodes.count)
        if each * (nodes.count - 1) < nprocs:
            yield _slowest(rank // each, own.seconds)
        yield _slowest(rank % nodes.count, own.seconds)


def _slowest(place: NDArray[np.int64], seconds: Float64s) -> NDArray[np.bool_]:
    """Which are in the place where the mean takes longest; all where there is only one place."""
    mean = np.bincount(place, seconds) / np.maximum(np.bincount(place), 1)
    found: NDArray[np.bool_] = place == mean.argmax()
    return found


def _named(ranks: NDArray[np.int64]) -> str:
    """ "128-255", or "1, 3, … 255" where they are not in a row."""
    first, last = int(ranks.min()), int(ranks.max())
    if last - first < len(ranks):
        return f"{first}-{last}"
    second = int(np.sort(ranks)[1])
    return f"{first}, {second}, … {last}" if len(ranks) > 2 else f"{first}, {second}"


def _same_work(rows: LogRows, own: OwnRecords, mine: NDArray[np.bool_]) -> bool:
    """Whether the ranks of a block move as much each way as the others, in as many calls and opens, on the same file
    systems, and neither on OSTs nor in one file that no other uses."""
    for counters, at_least in (
        (("BYTES_READ",), 0.01),
        (("BYTES_WRITTEN",), 0.01),
        (("READS", "WRITES", "INDEP_READS", "INDEP_WRITES", "COLL_READS", "COLL_WRITES"), None),
        (("OPENS", "STATS", "INDEP_OPENS", "COLL_OPENS"), None),
        (("FSYNCS", "FDSYNCS", "FLUSHES", "SYNCS"), None),
    ):
        of_rank = _summed(rows, own, counters)
        one, other = median(of_rank[mine]), median(of_rank[~mine])
        little = SOME_CALLS if at_least is None else at_least * float(own.bytes.max())
        if max(one, other) > little and min(one, other) < SAME_WORK * max(one, other):
            return False
    slow = own.ranks[mine].tolist()
    return not _on_files_apart(rows, own, mine) and not in_one_file_of_theirs(rows, slow)


def _summed(rows: LogRows, own: OwnRecords, counters: tuple[str, ...]) -> Float64s:
    """Of each of the ranks the sum of the counters over its own records at the highest layer."""
    found = np.zeros(int(own.ranks.max()) + 1)
    for table in rows.highest:
        names = [name for c in counters if (name := f"{prefix_of(table)}_{c}") in table.int_names]
        is_own = table.ranks >= 0
        for name in names if bool(is_own.any()) else ():
            found += np.bincount(table.ranks[is_own], np.maximum(table.count(name)[is_own], 0), len(found))
    return found[own.ranks]


def _on_files_apart(rows: LogRows, own: OwnRecords, mine: NDArray[np.bool_]) -> bool:
    """Whether the longest files of the block's ranks are on other mounts, or on other OSTs, than those of the others:
    these may be what is slow."""
    tables = [t for t in rows.highest if len(t)]
    ids, ranks = np.concatenate([t.ids for t in tables]), np.concatenate([t.ranks for t in tables])
    took = np.concatenate([rank_times(t) for t in tables])
    order = np.lexsort((took, ranks))
    last = np.append(np.flatnonzero(np.diff(ranks[order])), len(order) - 1)
    longest = {int(ranks[at]): int(ids[at]) for at in order[last].tolist()}
    mounts, osts = ({True: set[str](), False: set[str]()} for _ in range(2))
    for rank, of_block in zip(own.ranks.tolist(), mine.tolist(), strict=True):
        record = longest.get(rank)
        if record is None:
            continue
        name = rows.name_of(record) or ""
        above = mount_above(name, rows.log.job.mounts)
        mounts[of_block].add("" if above is None else above.path)
        layout = rows.layout_of(record)
        osts[of_block].update(str(ost) for ost in (layout.osts if layout is not None else ()))
    apart = mounts[True].isdisjoint(mounts[False])
    return apart or bool(osts[True] and osts[False] and osts[True].isdisjoint(osts[False]))


@metric(
    "balance.slow_block",
    "Ranks of one node, it seems, that are slow",
    "word",
    formula="where each rank has own records and as much to do each way, in as many calls: the ranks of one node, by "
    "its name or by the number of nodes, else the largest block of ranks of a size that divides their number, at most "
    f"{MOST_RANKS}, of which {NEARLY_ALL:.0%} are slower than {NEARLY_ALL:.0%} of the others; not where they alone use "
    "a file, OSTs or a mount",
    needs="a Darshan log with one record a rank",
    scopes=["job"],
    of=slow_block,
)
def named_block(found: SlowBlock) -> Outcome:
    return Value(found.named, "inferred")


@metric(
    "balance.block_ranks",
    "Ranks there",
    "ranks",
    formula="the ranks of balance.slow_block",
    needs="a Darshan log with one record a rank",
    scopes=["job"],
    of=slow_block,
)
def block_ranks(found: SlowBlock) -> Outcome:
    return Value(found.ranks, "inferred")


@metric(
    "balance.block_apart",
    "I/O time of those ranks over that of the others",
    "ratio",
    formula=f"the seconds that {NEARLY_ALL:.0%} of the ranks of balance.slow_block take at least / what "
    f"{NEARLY_ALL:.0%} of the others take at most",
    needs="a Darshan log with one record a rank",
    scopes=["job"],
    of=slow_block,
)
def block_apart(found: SlowBlock) -> Outcome:
    return Value(found.least_s / found.others_s, "inferred")


@metric(
    "balance.block_others_time",
    "I/O time of the ranks that are not of that block",
    "s",
    formula=f"what {NEARLY_ALL:.0%} of the ranks but those of balance.slow_block take at most",
    needs="a Darshan log with one record a rank",
    scopes=["job"],
    of=slow_block,
)
def block_others(found: SlowBlock) -> Outcome:
    return Value(found.others_s, "inferred")


@metric(
    "balance.block_time",
    "Time of the mean rank that is due to that block",
    "s",
    formula="(mean seconds of the ranks of balance.slow_block − those of the others) × its ranks / all ranks",
    needs="a Darshan log with one record a rank",
    scopes=["job"],
    of=slow_block,
)
def block_time(found: SlowBlock) -> Outcome:
    return Value(found.in_mean_s, "inferred")
