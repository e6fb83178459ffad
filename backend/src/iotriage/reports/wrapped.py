"""Paragraphs as lines of so many columns."""

from __future__ import annotations

import re
import textwrap
from typing import Final

TERMINAL: Final = 100
"""At the most: longer lines are hard to follow back to where the next begins."""
MAIL: Final = 72

HELD: Final = "\u00a0"
_UNIT: Final = re.compile(
    r"(?<=\d) (?=(?:%|×|[KMGTPE]?i?B\b|m?s\b|µs\b|min\b|h\b|d\b|OSTs?\b|(?:process|node)-hours?\b))"
    r"|(?<=\d (?:d|h)) (?=\d)|(?<=\d min) (?=\d)|(?<=[<≤≥]) (?=\d)"
)
"""Where a line ends in no case: "9 min 51 s" and "< 1 MiB" stay in one piece."""


def wrapped(paragraph: str, width: int, first: str = "", then: str = "") -> list[str]:
    """No line is longer, but for a single word that is: a rule's name and a path stay in one piece."""
    return [
        line.replace(HELD, " ")
        for line in textwrap.wrap(
            _UNIT.sub(HELD, paragraph),
            width,
            initial_indent=first,
            subsequent_indent=then,
            break_long_words=False,
            break_on_hyphens=False,
        )
    ]


class Page:
    """What is so many columns wide."""

    def __init__(self, width: int) -> None:
        self.width = width

    def wrap(self, text: str, then: str = "", *, first: str = "") -> list[str]:
        return wrapped(text, self.width, first, then)
