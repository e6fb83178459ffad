"""Whether the stripes and the ranks that a file has are put to use."""

from __future__ import annotations

from dataclasses import replace

from iotriage.metrics.core.metric import Absent, Outcome, Value
from iotriage.metrics.core.registry import metric
from iotriage.metrics.core.selection import Selection
from iotriage.metrics.file.striping import size, stripe_count, stripe_size, stripes_possible
from iotriage.metrics.mpiio.aggregators import effective_aggregators, largest_shared_file
from iotriage.metrics.tables.counters import joined, quotient


@metric(
    "file.stripes_filled",
    "Size of the largest file over one round of its stripes",
    "ratio",
    formula="file.size / (file.stripe_count × file.stripe_size); below 1 some of its OSTs hold nothing",
    needs="the size and the striping of the file",
)
def stripes_filled(s: Selection) -> Outcome:
    count, one = stripe_count(s), stripe_size(s)
    if isinstance(count, Absent):
        return count
    if isinstance(one, Absent):
        return one
    if not isinstance(count.value, int) or not isinstance(one.value, int):
        return Absent("the striping of the file is not a number")
    around = Value(count.value * one.value, where=joined(count.where, one.where))
    of_file = size(s)
    found = quotient(of_file, around, zero="the file has no stripes")
    # The striping is known: of a size that is a lower bound the quotient is one too.
    if isinstance(of_file, Value) and isinstance(found, Value) and of_file.bound == "lower":
        return replace(found, bound="lower")
    return found


@metric(
    "file.osts_fraction",
    "Share of the OSTs that the largest file lies on",
    "share",
    formula="file.stripe_count / file.stripes_possible",
    needs="the striping of the file and the number of OSTs",
)
def osts_fraction(s: Selection) -> Outcome:
    return quotient(stripe_count(s), stripes_possible(s), zero="the file system has no OSTs")


@metric(
    "mpiio.effective_share",
    "Share of the ranks that moved the bytes of the largest shared file themselves",
    "share",
    formula="mpiio.effective_aggregators / ranks of the job",
    needs="a Darshan log with a shared POSIX record",
)
def effective_share(s: Selection) -> Outcome:
    file = largest_shared_file(s)
    movers = effective_aggregators(s)
    if isinstance(movers, Absent) or file is None:
        return movers if isinstance(movers, Absent) else Absent("no file was shared by several ranks")
    ranks = file.rows.nprocs
    if ranks is None:
        return Absent("the log does not state the number of ranks")
    return quotient(movers, Value(ranks), zero="the job had no ranks")
