"""How much is tried: a small draw, the same each time, in `make test`; a long one, other each time, in `make fuzz`."""

from __future__ import annotations

import os
import random
from collections.abc import Iterable
from typing import TypeVar

SEED = os.environ.get("IOTRIAGE_FUZZ")
"""`make fuzz` sets it, and says it: `make fuzz SEED=…` draws the same again."""


Amount = TypeVar("Amount")


def tries(few: Amount, many: Amount) -> Amount:
    """How often, or what: `few` in `make test`, `many` in `make fuzz`."""
    return few if SEED is None else many


def examples(few: int) -> int:
    """How many examples of a property: twenty times as many where there is time."""
    return tries(few, 20 * few)


def some(items: Iterable[Amount]) -> list[Amount]:
    """Every eighth of many, and all of them where there is time."""
    return list(items)[:: tries(8, 1)]


def dice(name: str) -> random.Random:
    """What chooses the damage, by the name of what is damaged."""
    return random.Random(name if SEED is None else f"{SEED} {name}")
