"""Text for a column: PostgreSQL takes no NUL, and no reader wants control characters in a list."""

from __future__ import annotations

from typing import overload


@overload
def column_text(text: str) -> str: ...
@overload
def column_text(text: str | None) -> str | None: ...
def column_text(text: str | None) -> str | None:
    """The text with a replacement character for each that cannot be printed."""
    return None if text is None else "".join(c if c.isprintable() else "\N{REPLACEMENT CHARACTER}" for c in text)


def without_nul(text: str) -> str:
    """A text of several lines, such as a note, with a replacement character for each NUL."""
    return text.replace("\0", "\N{REPLACEMENT CHARACTER}")
