"""Whether the slow ranks are those that one node has: ranks are given to nodes in blocks, or in turn.

On two to four nodes one slow node is a quarter to a half of the ranks: they are not few, but they stand together.
Where the nodes are known, several may be slow at once: up to half of them, and not those that the first or the last
ranks have, which may be slow for what they do.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from typing import Literal, get_args

import numpy as np
from numpy.typing import NDArray

from iotriage.metrics.balance.common_files import in_common_files
from iotriage.metrics.balance.slow_ranks import (
    OwnRecords,
    in_one_own_file,
    own_records_beside_shared,
    own_records_of_step,
)
from iotriage.metrics.core.about import About
from iotriage.metrics.core.families import MetricsOf
from iotriage.metrics.core.listing import first_listed, listed
from iotriage.metrics.core.metric import NO_TIME, Absent, Outcome, Value
from iotriage.metrics.core.prefix import prefix_of
from iotriage.metrics.core.registry import metric
from iotriage.metrics.core.selection import LogRows, Selection, isin
from iotriage.metrics.core.selection_cache import cached_per_selection
from iotriage.metrics.tables.account.cells import DIRECTIONS
from iotriage.metrics.tables.mounts import mount_above
from iotriage.metrics.tables.nodes import Nodes, nodes_of
from iotriage.metrics.tables.outliers import ALIKE, NEARLY_ALL, first_of_longest, median, quantile, slow_cutoff
from iotriage.metrics.tables.rank_spread import slowest_beyond_mean
from iotriage.metrics.tables.rank_times import rank_times, timer
from iotriage.metrics.tables.stages import over_stages
from iotriage.metrics.tables.steps import slowest_step, steps_of
from iotriage_parsers.evidence import CounterTable
from iotriage_parsers.evidence.darshan import Float64s
from iotriage_parsers.frozen import frozen

FEWEST_RANKS = 4
"""Of a block that is taken for a node: fewer are slow together by chance."""

MOST_SLOW = 0.5
"""Share of the nodes that are slow, up to which the others are as they should be."""

NAMED_AT_MOST = 3
"""Nodes whose names are told."""

MOST_RANKS = 256
"""Of a block that is taken for a node where no source tells the nodes: two sockets of 128 cores have so many."""

MOST_NODES = 64
"""Into which the ranks are divided where no source tells the nodes."""

SAME_WORK = 0.8
"""Of the larger of two medians: whose bytes or calls are further apart do other work."""

SOME_CALLS = 16
"""Calls of a rank up to which their number tells no other work."""

LONGER = 1.5
"""Of the longest in the block, from which a rank outside takes far longer than these: it has another cause."""

THEIRS = 0.8
"""Of what the slowest rank takes beyond the mean, the least that a block must take longer in the ranks' own records,
where they do much in files of all: who is slow there is not known."""

STANDS_OUT = 1.1
"""Over the others' seconds: below, no block is looked at any further."""


Calls = Literal["reads", "writes", "metadata", "streams"]
CALLS: tuple[Calls, ...] = get_args(Calls)
TIMERS: dict[Calls, str] = {"reads": "READ_TIME", "writes": "WRITE_TIME", "metadata": "META_TIME"}


@frozen
class SlowBlock:
    """The `members`, ranks `named` so ("128-255", or "1, 3, … 255"), of `nodes` nodes, whose `names` are None where no
    source has them. Seconds: `least_s` what nearly all of them take at least, `others_s` what nearly all of the others
    take at most, `in_mean_s` what the mean rank of the job would be spared of each kind of calls if they took as long
    in them as the others, `beyond_mean_s` what nearly all of them take at most beyond the mean; `longer` a rank outside
    that takes far longer than they, with its seconds."""

    named: str
    members: tuple[int, ...]
    nodes: int
    names: str | None
    least_s: float
    others_s: float
    in_mean_s: Mapping[Calls, float]
    beyond_mean_s: float
    longer: tuple[int, float] | None


@cached_per_selection
def slow_block(s: Selection) -> SlowBlock | Absent:
    """That of the slowest step, with the seconds of all in which the same ranks are slow."""
    found = _of_step(slowest_step(s))
    steps = steps_of(s)
    if isinstance(found, Absent) or len(steps) == 1:
        return found
    of_each = [(step.logs[0], of) for step in steps if not isinstance(of := _of_step(step), Absent)]
    alike = [(rows, of) for rows, of in of_each if of.members == found.members]

    def over(seconds: Callable[[SlowBlock], float]) -> float:
        return over_stages(s, [(rows, seconds(of)) for rows, of in alike])

    return replace(
        found,
        least_s=over(lambda of: of.least_s),
        others_s=over(lambda of: of.others_s),
        in_mean_s={
            calls: over_stages(s, [(rows, of.in_mean_s[calls]) for rows, of in alike]) for calls in found.in_mean_s
        },
        beyond_mean_s=over(lambda of: of.beyond_mean_s),
    )


@cached_per_selection
def _of_step(s: Selection) -> SlowBlock | Absent:
    alone, every, nprocs = own_records_of_step(s), own_records_beside_shared(s), s.nprocs
    if isinstance(every, Absent):
        return every
    nothing = Absent("the slow ranks are not those that one node could have, doing the same work as the others")
    common = in_common_files(s)
    own = every if _as_busy(every) or isinstance(common, Absent) else common
    if nprocs is None or len(own.ranks) != nprocs or not _as_busy(own) or own.seconds.max(initial=0.0) < NO_TIME:
        return nothing
    nodes = nodes_of(s.whole)
    for place, names in _places(nodes, own.ranks, nprocs):
        slow = _slow_places(place, own.seconds, known=not isinstance(nodes, Absent))
        mine: NDArray[np.bool_] = isin(place, slow)
        if mine.all() or mine.sum() < 2:
            continue
        theirs, others = own.seconds[mine], own.seconds[~mine]
        if theirs.max() < STANDS_OUT * others.min():
            continue
        least, most = quantile(theirs, 1 - NEARLY_ALL), quantile(others, NEARLY_ALL)
        if most < NO_TIME or least < STANDS_OUT * most:
            continue
        if not _same_work(s.logs[0], own, mine):
            return nothing
        if isinstance(alone, Absent) and least - most < THEIRS * slowest_beyond_mean(s.logs[0]):
            return alone
        beyond = _in_mean(s.logs[0], own, mine)
        named = _rank_list(own.ranks[mine]) if len(slow) == 1 else _runs(own.ranks[mine])
        members = tuple(own.ranks[mine].tolist())
        longer = _longer_than(float(theirs.max()), own.ranks[~mine], others)
        shorter = float(every.seconds.max()) - quantile(theirs, NEARLY_ALL)
        beyond_mean = max(0.0, slowest_beyond_mean(s.logs[0]) - shorter)
        return SlowBlock(
            named=named,
            members=members,
            nodes=len(slow),
            names=_names(slow, names),
            least_s=least,
            others_s=most,
            in_mean_s=beyond,
            beyond_mean_s=beyond_mean,
            longer=longer,
        )
    return nothing


def _as_busy(own: OwnRecords) -> bool:
    return bool((own.bytes >= ALIKE * own.bytes.max(initial=0.0)).all())


def _in_mean(rows: LogRows, own: OwnRecords, mine: NDArray[np.bool_]) -> dict[Calls, float]:
    """Of each kind of calls what the ranks of the block take beyond the others, as a part of the mean rank."""
    found: dict[Calls, float] = {}
    for calls in CALLS:
        took = np.zeros(int(own.ranks.max()) + 1)
        for table in rows.highest:
            seconds, is_own = _seconds_in(table, calls), table.ranks >= 0
            took += np.bincount(table.ranks[is_own], seconds[is_own], len(took))[: len(took)]
        of_rank = took[own.ranks]
        beyond = float(of_rank[mine].mean()) - float(of_rank[~mine].mean())
        found[calls] = max(0.0, beyond) * float(mine.mean())
    return found


def _seconds_in(table: CounterTable, calls: Calls) -> Float64s:
    """A stream's are all in streams, whatever they do."""
    if (table.module == "STDIO") != (calls == "streams"):
        return np.zeros(len(table))
    return rank_times(table) if calls == "streams" else timer(table, TIMERS[calls])


def _longer_than(longest: float, ranks: NDArray[np.int64], took: Float64s) -> tuple[int, float] | None:
    """The slowest of some ranks and its seconds, where it takes far longer than the longest of the block."""
    at = first_of_longest(took)
    return (int(ranks[at]), float(took[at])) if took[at] >= LONGER * longest else None


Place = tuple[NDArray[np.int64], tuple[str, ...]]
"""Of each rank the number of its node, shape (n,), and the nodes' names where they are known."""


def _places(nodes: Nodes | Absent, rank: NDArray[np.int64], nprocs: int) -> Iterator[Place]:
    """Each way to place the ranks on nodes, the fewest nodes first; nodes in the order of their ranks."""
    if isinstance(nodes, Absent):
        for n in range(2, min(MOST_NODES, nprocs // FEWEST_RANKS) + 1):
            if nprocs % n == 0 and nprocs // n <= MOST_RANKS:
                yield rank // (nprocs // n), ()
    elif nodes.of_rank:
        names = tuple(dict.fromkeys(nodes.of_rank[r] for r in sorted(nodes.of_rank)))
        if all(r in nodes.of_rank for r in rank.tolist()):
            place = {name: i for i, name in enumerate(names)}
            yield np.asarray([place[nodes.of_rank[r]] for r in rank.tolist()]), names
    else:
        each = -(-nprocs // nodes.count)
        if each * (nodes.count - 1) < nprocs:
            yield rank // each, ()
        yield rank % nodes.count, ()


def _slow_places(place: NDArray[np.int64], seconds: Float64s, *, known: bool) -> NDArray[np.intp]:
    """The node where the mean rank takes longest, with those that are nearer to it than to the quickest."""
    ranks = np.maximum(np.bincount(place), 1)
    mean = np.bincount(place, seconds) / ranks
    slowest = np.asarray([mean.argmax()])
    if not known or ranks.min() < FEWEST_RANKS:
        return slowest
    slow = np.flatnonzero(mean >= slow_cutoff(float(mean.max()), float(mean.min())))
    at_an_end = len(slow) == slow[-1] - slow[0] + 1 and (slow[0] == 0 or slow[-1] == len(mean) - 1)
    return slowest if at_an_end or len(slow) > MOST_SLOW * len(mean) else slow


def _names(slow: NDArray[np.intp], names: tuple[str, ...]) -> str | None:
    """ "nid2, nid9 and nid10", or "nid2, nid9, nid10 and 4 others"."""
    if not names:
        return None
    return first_listed([names[i] for i in slow.tolist()], NAMED_AT_MOST)


def _rank_list(ranks: NDArray[np.int64]) -> str:
    """ "128-255", or "1, 3, … 255" where they are not in a row."""
    first, last = int(ranks.min()), int(ranks.max())
    if last - first < len(ranks):
        return f"{first}-{last}"
    second = int(np.sort(ranks)[1])
    return f"{first}, {second}, … {last}" if len(ranks) > 2 else f"{first}, {second}"


def _runs(ranks: NDArray[np.int64]) -> str:
    """ "32-63, 128-159 and 160-191", or the first of them where they are many."""
    ordered = np.sort(ranks)
    first = np.flatnonzero(np.diff(ordered, prepend=ordered[0] - 2) != 1)
    last = np.append(first[1:], len(ordered)) - 1
    ends = zip(ordered[first].tolist(), ordered[last].tolist(), strict=True)
    runs = [f"{a}" if a == b else f"{a}-{b}" for a, b in ends]
    if len(runs) > NAMED_AT_MOST:
        return f"{', '.join(runs[:NAMED_AT_MOST])} and others"
    return listed(runs)


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
    # Where a file of several nodes is slow, the ranks of each of these are.
    as_slow = own.ranks[mine | (own.seconds >= own.seconds[mine].min())].tolist()
    return not _on_files_apart(rows, own, mine) and not in_one_own_file(rows, as_slow)


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
    tables = rows.highest
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


_metrics_of_slow_block = MetricsOf(slow_block, needs="a Darshan log with one record a rank", scopes=["job"])
_metrics_of_slow_block.value(
    "balance.slow_block",
    "Block of slow ranks, of one node as it seems",
    "word",
    lambda found: Value(found.named, "inferred"),
    formula="where each rank has own records and as much to do each way, in as many calls: the ranks of one node, by "
    "its name or by the number of nodes, else the largest block of ranks of a size that divides their number, at most "
    f"{MOST_RANKS}, of which {NEARLY_ALL:.0%} are slower than {NEARLY_ALL:.0%} of the others; not where they alone use "
    "a file, OSTs or a mount. Where much passes in files of all ranks, only if the block takes nearly as much longer "
    "in its own as the slowest rank does beyond the mean",
)
_metrics_of_slow_block.value(
    "balance.block_ranks",
    "Ranks in the slow block",
    "ranks",
    lambda found: Value(len(found.members), "inferred"),
    formula="the ranks of balance.slow_block",
)
_metrics_of_slow_block.value(
    "balance.block_nodes",
    "Slow nodes",
    "nodes",
    lambda found: Value(found.nodes, "inferred"),
    formula="the nodes of balance.slow_block: where the nodes are known, each that is nearer to the slowest than to "
    f"the quickest, if they are at most {MOST_SLOW:.0%} of all, not the first or the last, and have {FEWEST_RANKS} "
    "ranks or more each; else one",
)


@_metrics_of_slow_block(
    "balance.block_node_names",
    "Names of the slow nodes",
    "word",
    formula=f"the nodes of balance.block_nodes, up to {NAMED_AT_MOST} of them by name",
    needs="a Darshan log with one record a rank, and the nodes of the ranks",
)
def block_node_names(found: SlowBlock) -> Outcome:
    if found.names is None:
        return Absent("no source names the nodes of all ranks")
    return Value(found.names, "inferred")


_metrics_of_slow_block.value(
    "balance.block_apart",
    "I/O time of the slow block of ranks over that of the others",
    "ratio",
    lambda found: Value(found.least_s / found.others_s, "inferred"),
    about=About(time=True),
    formula=f"the seconds that {NEARLY_ALL:.0%} of the ranks of balance.slow_block take at least / what "
    f"{NEARLY_ALL:.0%} of the others take at most",
)
_metrics_of_slow_block.value(
    "balance.block_others_time",
    "I/O time of the ranks outside the slow block",
    "s",
    lambda found: Value(found.others_s, "inferred"),
    formula=f"what {NEARLY_ALL:.0%} of the ranks but those of balance.slow_block take at most",
)


def _declare(calls: Calls) -> None:
    @metric(
        f"balance.block_{calls}_time",
        f"Time of the mean rank in {calls} that is due to the slow block",
        "s",
        about=About(direction=DIRECTIONS.get(calls)),
        formula=f"(mean seconds of the ranks of balance.slow_block in {calls} − those of the others, at least 0) × its "
        "ranks / all ranks; at the highest layer",
        needs="a Darshan log with one record a rank",
        scopes=["job"],
        of=slow_block,
    )
    def block_time(found: SlowBlock) -> Outcome:
        return Value(found.in_mean_s[calls], "inferred")


for _calls in CALLS:
    _declare(_calls)


_metrics_of_slow_block.value(
    "balance.block_beyond_mean",
    "I/O time of the slow block of ranks beyond the mean of those that do I/O",
    "s",
    lambda found: Value(found.beyond_mean_s, "inferred"),
    formula="balance.time_beyond_mean, but what the slowest rank of all takes longer than "
    f"{NEARLY_ALL:.0%} of the ranks of balance.slow_block",
)


NONE_LONGER = Absent("no rank outside the slow block takes far longer than those in it")


_metrics_of_slow_block.value(
    "balance.block_longer_rank",
    "Rank outside the slow block that takes longer than those in it",
    "1",
    lambda found: NONE_LONGER if found.longer is None else Value(found.longer[0], "inferred"),
    formula=f"the slowest of the ranks outside balance.slow_block, where it takes {LONGER} times as long as any in it",
)
_metrics_of_slow_block.value(
    "balance.block_longer_time",
    "I/O time of the rank that is slower than the slow block",
    "s",
    lambda found: NONE_LONGER if found.longer is None else Value(found.longer[1], "inferred"),
    formula="seconds in I/O of balance.block_longer_rank",
)
