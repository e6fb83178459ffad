"""What it takes to be slow and to stand apart: few are, and they take longer than nearly all of the others."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

NEARLY_ALL = 0.95
"""Share of the others that those which stand apart are held against: one of many is late by chance."""

FEW = 0.25
"""Share of all: where more are slow, they are of another kind, or something slows everything."""

ALIKE = 0.5
"""Of the busiest rank's bytes, from which a rank has as much to do."""


def median(values: NDArray[np.float64]) -> float:
    """Of at least one, none NaN. NumPy's own imports masked arrays, a tenth of the time that a small log takes."""
    ordered = np.sort(values)
    return float(ordered[(len(ordered) - 1) // 2] + ordered[len(ordered) // 2]) / 2


def few_slow(took: NDArray[np.float64]) -> NDArray[np.bool_]:
    """Which of at least one are nearer to the slowest than to the median; none where these are not few."""
    slow: NDArray[np.bool_] = took >= slow_from(float(took.max()), median(took))
    return slow if slow.sum() <= FEW * len(took) else np.zeros(len(took), np.bool_)


def slow_from(slowest: float, usual: float) -> float:
    """From which time one is nearer to the slowest than to the usual one."""
    return (slowest + usual) / 2
