"""What it takes to be slow and to stand apart: few are, and they take longer than nearly all of the others."""

from __future__ import annotations

NEARLY_ALL = 0.95
"""Share of the others that those which stand apart are held against: one of many is late by chance."""

FEW = 0.25
"""Share of all: where more are slow, they are of another kind, or something slows everything."""


def slow_from(slowest: float, usual: float) -> float:
    """From which time one is nearer to the slowest than to the usual one."""
    return (slowest + usual) / 2
