"""Whether the ranks that move the bytes of files of their own are of two kinds, quick and slow, with as much to do; and
whether they have each their own OSTs, or their own nodes."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from iotriage.metrics.core.about import About
from iotriage.metrics.core.families import MetricsOf
from iotriage.metrics.core.listing import first_listed
from iotriage.metrics.core.metric import NO_TIME, Absent, Outcome, Value
from iotriage.metrics.core.selection import LogRows, Selection, unique_inverse
from iotriage.metrics.core.selection_cache import cached_per_selection
from iotriage.metrics.tables.nodes import named_nodes
from iotriage.metrics.tables.outliers import ALIKE, FEWEST_OF_A_KIND, slow_kind
from iotriage.metrics.tables.rank_times import rank_bytes, rank_times
from iotriage.metrics.tables.steps import main_step
from iotriage_parsers.evidence import CounterTable
from iotriage_parsers.frozen import frozen

OF_THEIRS = 0.9
"""Of the bytes, what lies in files of which a record names the rank."""
NEEDS = "a Darshan log with POSIX records, one a rank"


@frozen
class TwoPaces:
    """Seconds: `least_s` of the quickest of the `slow` ranks, `others_s` of the slowest of the others. `osts` are those
    of the files of the slow ones and of the others, `nodes` where they ran; empty where these are not known of all."""

    slow: int
    least_s: float
    others_s: float
    osts: tuple[frozenset[int], frozenset[int]]
    nodes: tuple[frozenset[str], frozenset[str]]


@cached_per_selection
def two_paces(s: Selection) -> TwoPaces | Absent:
    rows = main_step(s)
    table = None if rows is None else rows.posix
    if rows is None or table is None or not len(table):
        return Absent("no step with nearly all of the I/O has POSIX records")
    ranks, took, moved = _of_ranks(table)
    if not len(moved) or moved.sum() < OF_THEIRS * float(rank_bytes(table).sum()):
        return Absent("most bytes lie in files whose records do not name the rank")
    movers = moved >= ALIKE * moved.max()
    ranks, took, moved = ranks[movers], took[movers], moved[movers]
    slow = slow_kind(took, [moved])
    if isinstance(slow, Absent):
        return slow
    if took[~slow].max() < NO_TIME:
        return Absent("the others show no time")
    kinds = frozenset(ranks[slow].tolist()), frozenset(ranks[~slow].tolist())
    of_rank = named_nodes(s.whole, rows)
    named = all(rank in of_rank for kind in kinds for rank in kind)
    slow_nodes, others_nodes = (frozenset(of_rank[rank] for rank in kind if named) for kind in kinds)
    return TwoPaces(
        len(kinds[0]),
        float(took[slow].min()),
        float(took[~slow].max()),
        (_osts_of(rows, table, kinds[0]), _osts_of(rows, table, kinds[1])),
        (slow_nodes, others_nodes),
    )


def _osts_of(rows: LogRows, table: CounterTable, ranks: frozenset[int]) -> frozenset[int]:
    """The OSTs of the ranks' own files that moved bytes; none where one of these is not listed."""
    mine = (rank_bytes(table) > 0) & np.isin(table.ranks, np.array(sorted(ranks), dtype=np.int64))
    layouts = [rows.layout_of(int(record)) for record in table.ids[mine].tolist()]
    if any(layout is None or not layout.osts for layout in layouts):
        return frozenset()
    return frozenset(ost for layout in layouts if layout is not None for ost in layout.osts)


def _of_ranks(table: CounterTable) -> tuple[NDArray[np.int64], NDArray[np.float64], NDArray[np.float64]]:
    """Each rank that has records of its own, its seconds and its bytes, (n,) each."""
    own = table.ranks >= 0
    ranks, index = unique_inverse(table.ranks[own])
    return (
        ranks,
        np.bincount(index, rank_times(table)[own], len(ranks)).astype(np.float64),
        np.bincount(index, rank_bytes(table)[own], len(ranks)).astype(np.float64),
    )


_metrics_of_two_paces = MetricsOf(two_paces, needs=NEEDS, scopes=["job"])
_metrics_of_two_paces.value(
    "balance.two_paces",
    "Time of the slow ranks with files of their own over that of the other such ranks",
    "ratio",
    lambda found: Value(found.least_s / found.others_s, "inferred"),
    about=About(time=True),
    formula="of the ranks with at least half of the most bytes in files with a record a rank, where these have nearly "
    f"all bytes, {FEWEST_OF_A_KIND} or more are nearer to the slowest than to the quickest and as many are not, and "
    "both have as many bytes: the seconds of the quickest of these / those of the slowest of the others",
)
_metrics_of_two_paces.value(
    "balance.two_paces_slow",
    "Slow ranks among those with files of their own",
    "ranks",
    lambda found: Value(found.slow, "inferred"),
    formula="the slow ones of balance.two_paces",
)


MOST_NAMED = 12
"""OSTs or nodes that are named; of more their number is told."""


def _apart(kinds: tuple[frozenset[int], frozenset[int]] | tuple[frozenset[str], frozenset[str]], what: str) -> Outcome:
    """The smaller of two kinds that have nothing in common."""
    slow, others = kinds
    if not slow or not others:
        return Absent(f"no source lists the {what} of all of these ranks")
    if slow & others:
        return Absent(f"slow and other ranks share {what}")
    whose, named = ("slow", slow) if len(slow) <= len(others) else ("other", others)
    names = [str(one) for one in sorted(named)]
    return Value(f"those of the {whose} ranks: {first_listed(names, MOST_NAMED)}", "inferred")


_metrics_of_two_paces.value(
    "balance.two_paces_osts",
    "OSTs that slow ranks with files of their own, or the others, have alone",
    "word",
    lambda found: _apart(found.osts, "OSTs"),
    formula="of the files of the slow ranks of balance.two_paces, or of those of the others, whichever are fewer, "
    "where no OST has files of both",
    needs=f"{NEEDS}, and LUSTRE records that list the OSTs",
)
_metrics_of_two_paces.value(
    "balance.two_paces_nodes",
    "Nodes that slow ranks with files of their own, or the others, have alone",
    "word",
    lambda found: _apart(found.nodes, "nodes"),
    formula="as balance.two_paces_osts, of the nodes on which these ranks ran",
    needs=f"{NEEDS}, and a source that names the nodes of the ranks",
)
