"""The lines of several writers to one file, as they come when nothing keeps the writers apart."""

from __future__ import annotations

import random
from collections.abc import Sequence


def interleaved(writers: Sequence[Sequence[str]], shuffle: random.Random, at_once: Sequence[int]) -> str:
    """All lines, those of each writer in their order; whose turn it is writes as many as one of `at_once` says."""
    left = [list(lines) for lines in writers]
    mixed: list[str] = []
    while writing := [lines for lines in left if lines]:
        lines, count = shuffle.choice(writing), shuffle.choice(at_once)
        mixed += lines[:count]
        del lines[:count]
    return "\n".join(mixed) + "\n"
