"""What calls of a size have on average where a few smaller ones, as headers, are among them."""

from __future__ import annotations

A_FEW_SMALLER = 0.9
"""Of the size. Ours: programs move round sizes, and one header among a million pieces of 256 KiB has the average below
that; no size that is much used lies a tenth below a round one. What a document states stays as it is."""

OF_AN_AVERAGE = "That a tenth less is enough of an average is ours."
"""Why a threshold that is the `average_of` a size is not that size: what states it ends with this."""


def average_of(size: int) -> float:
    """Bytes from which calls count as being of `size`, which is round, by their average; or stripes, of one."""
    return A_FEW_SMALLER * size
