"""Outliers by time: which ranks, files or calls are slow, where few are and they take far longer than the others."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from iotriage.metrics.core.metric import Absent

NEARLY_ALL = 0.95
"""Share of the others that those which stand apart are held against: one of many is late by chance."""

FEW = 0.25
"""Share of all: where more are slow, they are of another kind, or something slows everything."""

ALIKE = 0.5
"""Of the busiest rank's bytes, from which a rank has as much to do."""

FEWEST_OF_A_KIND = 4
"""Of two kinds of ranks, quick and slow: fewer may be slow by chance."""

SAME_WORK = 0.8
"""Of the larger of two kinds' medians of bytes, or of calls: what is further apart is other work."""


def median(values: NDArray[np.float64]) -> float:
    """Of at least one, none NaN. NumPy's own imports masked arrays, a tenth of the time that a small log takes."""
    ordered = np.sort(values)
    return float(ordered[(len(ordered) - 1) // 2] + ordered[len(ordered) // 2]) / 2


def quantile(values: NDArray[np.float64], share: float) -> float:
    """Of at least one, none NaN, to the last digit as NumPy's own, which takes many times as long."""
    ordered, place = np.sort(values), share * (len(values) - 1)
    below = int(place)
    low, high = float(ordered[below]), float(ordered[min(below + 1, len(ordered) - 1)])
    part = place - below
    return high - (high - low) * (1 - part) if part >= 0.5 else low + (high - low) * part


TIE = 1e-4
"""Of the longest time: so much the sums of a record and of its trace differ, and what a text rounds."""


def first_of_longest(took: NDArray[np.float64]) -> int:
    """The place of the first of the values that tie with the largest: all that name the slowest of ranks that took as
    long name the same one. `took` must not be empty."""
    return int((took >= (1 - TIE) * took.max()).argmax())


def slow_outliers(took: NDArray[np.float64]) -> NDArray[np.bool_]:
    """A mask of the values nearer to the largest than to the median; all false where more than `FEW` of them are.
    `took` must not be empty."""
    slow: NDArray[np.bool_] = took >= slow_cutoff(float(took.max()), median(took))
    return slow if slow.sum() <= FEW * len(took) else np.zeros(len(took), np.bool_)


def slow_cutoff(slowest: float, usual: float) -> float:
    """The time from which one counts as slow: halfway between the usual and the slowest."""
    return (slowest + usual) / 2


def slow_kind(
    took: NDArray[np.float64], work: Sequence[NDArray[np.float64]], most_slow: float = 1.0
) -> NDArray[np.bool_] | Absent:
    """A mask of the slow ones of ranks that move the bytes, where these are of two kinds, several of each, that have as
    much of each `work` (bytes, calls) to do. `most_slow` is the share of them up to which the slow ones are a kind.
    `took` must not be empty."""
    slow: NDArray[np.bool_] = took >= slow_cutoff(float(took.max()), float(took.min()))
    if not FEWEST_OF_A_KIND <= slow.sum() <= min(most_slow * len(took), len(took) - FEWEST_OF_A_KIND):
        return Absent("the ranks that move the bytes are not of two kinds, several of each")
    for amounts in work:
        one, other = median(amounts[slow]), median(amounts[~slow])
        if min(one, other) < SAME_WORK * max(one, other):
            return Absent("the slow ones of the ranks that move the bytes have other work")
    return slow
