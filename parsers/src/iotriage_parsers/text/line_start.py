"""Finds where a block's first line begins within a line that may have a launcher's, a logger's or a ticket's prefix."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Final

from iotriage_parsers.text.prefix import known_prefix

LONGEST_FIRST_LINE: Final = 4096


def at_line_start(pattern: re.Pattern[str]) -> Callable[[str], int | None]:
    """A reader's `begins` for blocks whose first line starts with `pattern`: nothing but indentation and a prefix of
    known make may stand before it, so that a mention within a sentence begins nothing. Indentation is the block's."""

    def begins(text: str) -> int | None:
        match = pattern.search(text, 0, LONGEST_FIRST_LINE)
        if match is None:
            return None
        before = text[: match.start()].rstrip(" \t")
        if "|" in before and text.rstrip().endswith("|"):
            return None  # a cell of a table, not what a mail quotes
        return len(before) if not before or known_prefix(before) is not None else None

    return begins
