"""Names from a log, made safe to print."""

from __future__ import annotations

import unicodedata
from typing import overload

UNPRINTABLE = frozenset({"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"})
"""Categories of what is not seen, or moves what stands beside it: controls, marks of direction, ends of lines."""


@overload
def printable(text: str) -> str: ...
@overload
def printable(text: str | None) -> str | None: ...
def printable(text: str | None) -> str | None:
    r"""A name from a log as one line of printable text; what is not printable stands as \xNN or \uNNNN."""
    if text is None or text.isprintable():
        return text
    return "".join(_escaped(c) if unicodedata.category(c) in UNPRINTABLE else c for c in text)


def _escaped(character: str) -> str:
    code = ord(character)
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"
