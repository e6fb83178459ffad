"""Names in a row, as a sentence has them."""

from __future__ import annotations

from collections.abc import Sequence


def listed(names: Sequence[str]) -> str:
    """ "a", "a and b", "a, b and c". IndexError where there are none."""
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"


def first_listed(names: Sequence[str], most: int) -> str:
    """Up to `most` of the names, and how many more there are: "a, b and 4 others"."""
    more = len(names) - most
    others = [f"{more} {'other' if more == 1 else 'others'}"] if more > 0 else []
    return listed([*names[:most], *others])


def named_with_verb(names: Sequence[str], most: int) -> str:
    """As `first_listed`, with the verb that such a subject has: "a is", "a and b are"."""
    return f"{first_listed(names, most)} {'is' if len(names) == 1 else 'are'}"


def first_of(names: Sequence[str], most: int) -> list[str]:
    """Up to `most` of the names, and behind them how many more there are: "and 4 more"."""
    more = len(names) - most
    return [*names[:most], *([f"and {more:,} more"] if more > 0 else [])]


def first_named(names: Sequence[str], most: int) -> str:
    """Up to `most` of the names, and how many more there are: "a, b" or "a, b and 4 more"."""
    more = len(names) - most
    return ", ".join(names[:most]) + (f" and {more:,} more" if more > 0 else "")
