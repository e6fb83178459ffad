"""Few ranks that move nearly all bytes, as much each: how few they are beside the nodes, and whether they lie
evenly over the ranks, as those that a library picks, or beside one another, as servers that are started for it."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from iotriage.metrics.core.metric import Absent, Outcome, Value
from iotriage.metrics.core.missing_evidence import DARSHAN
from iotriage.metrics.core.outcomes import quotient
from iotriage.metrics.core.registry import metric, outcome
from iotriage.metrics.core.selection import Selection, unique_inverse
from iotriage.metrics.core.selection_cache import cached_per_selection
from iotriage.metrics.tables.files.shared import NEARLY_ALL
from iotriage.metrics.tables.nodes import fewest_nodes
from iotriage.metrics.tables.outliers import ALIKE
from iotriage.metrics.tables.rank_times import rank_bytes, rank_times
from iotriage_parsers.frozen import frozen

MOST = 0.9
"""Of the bytes: what the ranks that move as much as one another leave to the others, to write headers and lines."""
FEW_OF = 8
"""Ranks for each that moves the bytes, from which these are few."""
NONE = "no rank moved bytes"
NEEDS = "a Darshan log with records of single ranks"


@frozen
class Movers:
    """`apart` is the largest distance between one and the next, round from the last to the first, over the mean;
    `mean_s` the mean of their seconds."""

    ranks: int
    apart: float
    mean_s: float


@cached_per_selection
def movers_alike(s: Selection) -> Movers | Absent:
    tables = [table for rows in s.logs for table in rows.highest if len(table)]
    if len(s.logs) != 1 or s.nprocs is None or not tables:
        return Absent("there is no single log that shows the ranks", (DARSHAN,))
    of_record = np.concatenate([table.ranks for table in tables])
    of_bytes, of_time = (np.concatenate([of(table) for table in tables]) for of in (rank_bytes, rank_times))
    own, everything = of_record >= 0, float(of_bytes.sum())
    ranks, index = unique_inverse(of_record[own])
    moved, took = (np.bincount(index, of_records[own], len(ranks)) for of_records in (of_bytes, of_time))
    if not len(moved) or moved.sum() < NEARLY_ALL * everything or everything <= 0:
        return Absent("most bytes lie in files whose records do not name the rank")
    alike = moved >= ALIKE * moved.max()
    if moved[alike].sum() < MOST * everything:
        return Absent("the ranks move more or fewer bytes, and none of them nearly all")
    moving = np.sort(ranks[alike])
    if len(moving) * FEW_OF > s.nprocs:
        return Absent("many of the ranks move the bytes")
    distances = np.diff(moving, append=moving[0] + s.nprocs)
    return Movers(len(moving), float(distances.max()) * len(moving) / s.nprocs, float(took[alike].mean()))


@metric(
    "balance.movers_alike",
    "Few ranks that move nearly all bytes, as much each",
    "ranks",
    formula=f"those with {ALIKE:.0%} of the busiest one's bytes or more, where they have {MOST:.0%} of all and "
    f"are not more than one of {FEW_OF} ranks",
    needs=NEEDS,
    scopes=["job"],
    of=movers_alike,
)
def number_of_movers(found: Movers) -> Outcome:
    return Value(found.ranks)


@metric(
    "balance.movers_alike_time",
    "Mean time in I/O of the few ranks that move nearly all bytes",
    "s",
    formula="seconds of balance.movers_alike at the highest layer of each file / their number",
    needs=NEEDS,
    scopes=["job"],
    of=movers_alike,
)
def mean_time(found: Movers) -> Outcome:
    return Value(found.mean_s)


@metric(
    "balance.movers_apart",
    "Largest gap between the few ranks that move nearly all bytes, over the mean",
    "ratio",
    formula="largest difference between one of balance.movers_alike and the next, round from the last to the first, × "
    "their number / job.nprocs: 1 where they are evenly spread",
    needs=NEEDS,
    scopes=["job"],
    of=movers_alike,
)
def movers_apart(found: Movers) -> Outcome:
    return Value(found.apart)


@metric(
    "balance.nodes_per_mover",
    "Nodes for each of the few ranks that move nearly all bytes",
    "ratio",
    formula="job.nnodes / balance.movers_alike",
    needs=f"{NEEDS}, and a source that states the nodes",
    scopes=["job"],
)
def nodes_per_mover(s: Selection) -> Outcome:
    movers = outcome(s, "balance.movers_alike")
    return movers if isinstance(movers, Absent) else quotient(outcome(s, "job.nnodes"), movers, zero=NONE)


@metric(
    "balance.nodes_per_mover_at_least",
    "Nodes, at least, for each of the few ranks that move nearly all bytes",
    "ratio",
    formula="where no source states the nodes: the fewest that hold the ranks / balance.movers_alike",
    needs=NEEDS,
    scopes=["job"],
)
def nodes_per_mover_at_least(s: Selection) -> Outcome:
    nodes = fewest_nodes(s)
    if isinstance(outcome(s, "job.nnodes"), Value):
        return Absent("the number of nodes is stated")
    found = quotient(nodes, outcome(s, "balance.movers_alike"), zero=NONE)
    return found if isinstance(found, Absent) or isinstance(nodes, Absent) else replace(found, bound=nodes.bound)
