"""Counts and texts, as a reader's messages have them."""

from __future__ import annotations

from typing import Final


def plural(count: int, one: str, many: str | None = None) -> str:
    """A count with its noun: "1 block", "1,200 blocks"."""
    return f"{count:,} {one if count == 1 else many or one + 's'}"


LONGEST_SHOWN: Final = 80
"""Characters of a text of the source that a message has."""


def short(text: str) -> str:
    """The text, or its beginning where it is long."""
    return text if len(text) <= LONGEST_SHOWN else f"{text[: LONGEST_SHOWN - 3]}…"
