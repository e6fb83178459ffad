"""The average size of calls that nearly all have one size, with a few smaller ones, such as headers, among them."""

from __future__ import annotations

A_FEW_SMALLER = 0.9
"""Share of the size by which an average may fall short of it. Ours: programs move round sizes, and one header among a
million pieces of 256 KiB puts the average below 256 KiB, while no commonly used size is a tenth below a round one.
Numbers that a document states are not changed by this."""

OF_AN_AVERAGE = "That a tenth less is enough of an average is ours."
"""Why a threshold that is the `average_of` a size is not that size: what states it ends with this."""


def average_of(size: int) -> float:
    """The average from which calls (or stripes) count as having the round `size`, in bytes."""
    return A_FEW_SMALLER * size
