"""Quotients and sums of outcomes, with their places, bounds and confidence."""

from __future__ import annotations

from dataclasses import replace
from itertools import chain

from iotriage.metrics.core.metric import Absent, Confidence, Outcome, Value, Where

TOO_SMALL = 1e-9
"""Nothing is divided by a smaller number, whatever its unit. For seconds this is `NO_TIME`."""


def quotient(
    top: Outcome, bottom: Outcome, *, zero: str, confidence: Confidence | None = None, at_most: float | None = None
) -> Outcome:
    """`top` / `bottom`, or `at_most` where that is less; absent with the reason `zero` where the bottom is 0, or too
    small to divide by.

    A quotient of lower bounds is neither a bound nor measured: it is inferred from the part that was recorded.
    """
    if isinstance(top, Absent):
        return top
    if isinstance(bottom, Absent):
        return bottom
    if isinstance(top.value, str) or isinstance(bottom.value, str):
        raise TypeError("a quotient of words")
    if abs(bottom.value) < TOO_SMALL:
        return Absent(zero)
    sure = top.bound is None and bottom.bound is None
    inferred = not sure or "inferred" in (top.confidence, bottom.confidence)
    found: Confidence = confidence or ("inferred" if inferred else "measured")
    exact = top.value / bottom.value
    return Value(exact if at_most is None else min(at_most, exact), found, joined(top.where, bottom.where))


def plus(*terms: Outcome) -> Outcome:
    """The sum of the terms that are present. It is a lower bound where an absent term may have had a value. Absent,
    with the first reason, where no term is present, or where the present ones add up to 0 and another term is
    unknown."""
    present = [t for t in terms if isinstance(t, Value)]
    if not present:
        return terms[0]
    values = [t.value for t in present if not isinstance(t.value, str)]
    whole = all(t.none if isinstance(t, Absent) else t.bound is None for t in terms)
    unknown = [t for t in terms if isinstance(t, Absent) and not t.none]
    if unknown and not any(values):
        return unknown[0]
    confidence: Confidence = "inferred" if any(t.confidence == "inferred" for t in present) else "measured"
    where = joined(*(t.where for t in present))
    return Value(sum(values), confidence, where, None if whole else "lower")


def scaled(of: Outcome, by: float) -> Outcome:
    """`by` times the number."""
    return of if isinstance(of, Absent) or isinstance(of.value, str) else replace(of, value=of.value * by)


def joined(*places: tuple[Where, ...]) -> tuple[Where, ...]:
    """All places, each once, in their order."""
    some = [group for group in places if group]
    if len(some) == 1 and len(some[0]) == 1:
        return some[0]
    return tuple(dict.fromkeys(chain.from_iterable(some)))
