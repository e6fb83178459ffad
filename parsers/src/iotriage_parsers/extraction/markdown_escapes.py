r"""Texts that a chat, a forum, or what makes Markdown of pages wrote in Markdown, outside of code:
`MPICH\_MPIIO\_STATS`, `\#SBATCH`, `\| 95.2% \|`. A backslash before punctuation says that it is none of Markdown's; one
at the end of a line breaks it there. https://spec.commonmark.org/0.31.2/#backslash-escapes

Lines stay at their numbers.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import BinaryIO, Final

from iotriage_parsers.evidence import Problem
from iotriage_parsers.extraction.extracted_text import ExtractedText
from iotriage_parsers.reader import Limits
from iotriage_parsers.temporary_files import temporary_file

_LEAST: Final = 2
_UNDERSCORES: Final = (rb"(?<=[A-Za-z0-9])\\_(?=[A-Za-z0-9])", rb"(?<=[A-Za-z0-9])_(?=[A-Za-z0-9])")
_BEGINNINGS: Final = (rb"^[ \t>]*+\\[#|*\[]", rb"^[ \t>]*+[#|*\[]")
_ESCAPED, _PLAIN = (
    tuple(re.compile(form, re.MULTILINE) for form in forms) for forms in zip(_UNDERSCORES, _BEGINNINGS, strict=True)
)
_BACKSLASH: Final = re.compile(rb"\\(?:([!-/:-@\[-`{-~])|(?=\r?\n))")


def is_escaped(head: bytes) -> bool:
    """Whether most of what Markdown would take for its own, in the first 64 KiB, has a backslash before it."""
    if b"\\" not in head:
        return False
    in_words, at_beginnings = (len(form.findall(head)) for form in _ESCAPED)
    plain_in_words, plain_at_beginnings = (len(form.findall(head)) for form in _PLAIN)
    if plain_in_words and plain_in_words >= in_words:
        return False
    # Not every writer has one before a bar, nor has each text an underscore.
    return in_words + at_beginnings >= _LEAST and (in_words > 0 or at_beginnings > plain_at_beginnings)


@contextmanager
def unescaped(stream: BinaryIO, limits: Limits) -> Iterator[ExtractedText]:
    """The text as Markdown shows it, at offset 0, in a file of its own."""
    stream.seek(0)
    first = count = number = 0
    with temporary_file() as text:
        while line := stream.readline(limits.line_bytes):
            number += 1
            shown = _BACKSLASH.sub(rb"\1", line)
            if shown != line:
                count += 1
                first = first or number
            text.write(shown)
        text.seek(0)
        lines = "1 line" if count == 1 else f"{count:,} lines"
        message = f"the backslashes of Markdown removed from {lines}, first on line {first}"
        yield ExtractedText(text, Problem("stripped", message, line=first))
