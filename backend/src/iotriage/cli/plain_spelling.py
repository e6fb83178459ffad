"""How a character is spelt on a terminal whose locale does not have it, as under LANG=C: a question mark for it would
lose which way a threshold is meant."""

from __future__ import annotations

import codecs
from typing import Final

SPELT_PLAINLY: Final = "iotriage.spelt_plainly"
"""The name of the way in which Python's streams handle what they cannot encode."""

_SPELLINGS: Final = str.maketrans(
    {
        "≥": ">=", "≤": "<=", "≠": "!=", "→": "->", "−": "-", "–": "-", "─": "-", "·": "-", "×": "x", "…": "...",
        "µ": "u", "²": "^2", "Σ": "sum", "“": '"', "”": '"', "‘": "'", "’": "'", "▲": "*", "◆": "*", "●": "*",
        "○": "o", "ā": "a",
    }
)  # fmt: skip


def spelt_plainly(text: str) -> str:
    """In ASCII: what has no spelling of its own, as in the name of somebody's file, is a question mark."""
    return text.translate(_SPELLINGS).encode("ascii", "replace").decode("ascii")


def _spelt(problem: UnicodeError) -> tuple[str, int]:
    if not isinstance(problem, UnicodeEncodeError):
        raise problem
    return spelt_plainly(problem.object[problem.start : problem.end]), problem.end


codecs.register_error(SPELT_PLAINLY, _spelt)
