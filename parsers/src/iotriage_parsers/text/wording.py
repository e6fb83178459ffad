"""Counts in words, for what a reader says about a source."""

from __future__ import annotations


def plural(count: int, one: str, many: str | None = None) -> str:
    """A count with its noun: "1 block", "1,200 blocks"."""
    return f"{count:,} {one if count == 1 else many or one + 's'}"
