"""Whether the stripes that a file has are put to use."""

from __future__ import annotations

from dataclasses import replace

from iotriage.metrics.core.metric import Absent, Outcome, Value
from iotriage.metrics.core.outcomes import joined, quotient
from iotriage.metrics.core.registry import metric, outcome
from iotriage.metrics.core.selection import Selection


@metric(
    "file.stripes_filled",
    "Size of the largest file over one round of its stripes",
    "ratio",
    formula="file.size / (file.stripe_count × file.stripe_size); below 1 some of its OSTs hold nothing",
    needs="the size and the striping of the file",
)
def stripes_filled(s: Selection) -> Outcome:
    count, one = outcome(s, "file.stripe_count"), outcome(s, "file.stripe_size")
    if isinstance(count, Absent):
        return count
    if isinstance(one, Absent):
        return one
    if not isinstance(count.value, int) or not isinstance(one.value, int):
        return Absent("the striping of the file is not a number")
    around = Value(count.value * one.value, where=joined(count.where, one.where))
    of_file = outcome(s, "file.size")
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
    return quotient(
        outcome(s, "file.stripe_count"), outcome(s, "file.stripes_possible"), zero="the file system has no OSTs"
    )
