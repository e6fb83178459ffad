"""Texts that an editor saved with their type (Rich Text Format 1.9.1), as TextEdit, WordPad and Word do: its marks are
taken off, and lines end where it ends paragraphs or breaks them.

What it has beside the text, as fonts, colours, pictures and what only some editors know (`\\*`), is left out.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import BinaryIO, Final

from iotriage_parsers.evidence import Problem
from iotriage_parsers.extraction.extracted_text import ExtractedText
from iotriage_parsers.reader import Limits
from iotriage_parsers.temporary_files import temporary_file

_BEGINS: Final = b"{\\rtf"
_TOKEN: Final = re.compile(
    rb"\\(?P<word>[a-zA-Z]{1,32})(?P<number>-?\d{1,10})? ?|\\'(?P<byte>[0-9a-fA-F]{2})|\\(?P<sign>[^a-zA-Z'])"
    rb"|(?P<brace>[{}])|[\r\n]+|(?P<text>[^\\{}\r\n]+)|\\",
    re.DOTALL,
)
_SHOWN: Final = {
    b"par": "\n", b"line": "\n", b"row": "\n", b"sect": "\n", b"page": "\n", b"tab": "\t", b"cell": "\t",
    b"emdash": "\u2014", b"endash": "\u2013", b"lquote": "\u2018", b"rquote": "\u2019", b"ldblquote": "\u201c",
    b"rdblquote": "\u201d", b"bullet": "\u2022", b"\n": "\n", b"\r": "\n", b"~": " ", b"_": "-", b"\\": "\\",
    b"{": "{", b"}": "}",
}  # fmt: skip
_BESIDE_THE_TEXT: Final = frozenset(
    (
        b"fonttbl", b"colortbl", b"stylesheet", b"info", b"pict", b"object", b"header", b"headerl", b"headerr",
        b"footer", b"footerl", b"footerr", b"listtable", b"listoverridetable", b"themedata", b"xmlnstbl", b"filetbl",
    )
)  # fmt: skip
_MOST_NESTED: Final = 1_000
_PIECE: Final = 2**20
_LONGEST_TOKEN: Final = 64
_ENCODING: Final = "cp1252"
"""What editors write where they name none; other letters they write as numbers (`\\u252`)."""


def is_rtf(head: bytes) -> bool:
    return head.lstrip().startswith(_BEGINS)


@contextmanager
def opened(stream: BinaryIO, limits: Limits) -> Iterator[ExtractedText]:
    """The text at offset 0, in a file of its own."""
    stream.seek(0)
    with temporary_file() as text:
        document, held = _Document(), b""
        while piece := stream.read(min(_PIECE, limits.line_bytes)):
            data = held + piece
            whole = whole_marks(data)
            text.write(document.shown(data[:whole]))
            held = data[whole:]
        text.write(document.shown(held))
        text.seek(0)
        message = "the marks of RTF were taken off, and lines ended where it ends them: they are counted so"
        yield ExtractedText(text, Problem("stripped", message))


def whole_marks(data: bytes) -> int:
    """Up to where no mark may go on in the next piece. Of two backslashes the second begins none."""
    last = data.rfind(b"\\", max(len(data) - _LONGEST_TOKEN, 0))
    together = last + 1 - len(data[: last + 1].rstrip(b"\\"))
    return last if together % 2 else len(data)


@dataclass(slots=True)
class _Document:
    """`groups` has of each that is open whether it is beside the text, and how many characters stand for one that is
    written as a number; `passed_over` so many of those are still to come."""

    groups: list[tuple[bool, int]] = field(default_factory=list)
    beside: bool = False
    for_one: int = 1
    passed_over: int = 0

    def shown(self, data: bytes) -> bytes:
        return "".join(self._shown_of(token) for token in _TOKEN.finditer(data)).encode("utf-8", "replace")

    def _shown_of(self, token: re.Match[bytes]) -> str:
        word, number, byte, sign, brace, text = token.group("word", "number", "byte", "sign", "brace", "text")
        if brace is not None:
            self._group(opens=brace == b"{")
            return ""
        if word in _BESIDE_THE_TEXT or sign == b"*":
            self.beside = True
        if word == b"uc" and number is not None:
            self.for_one = min(max(int(number), 0), 9)
        if self.beside:
            return ""
        if word == b"u" and number is not None:
            self.passed_over = self.for_one
            return chr(int(number) % 2**16)
        given = bytes((int(byte, 16),)) if byte is not None else text
        if given is None:
            return _SHOWN.get(word or sign or b"", "")
        own = given[self.passed_over :]
        self.passed_over -= len(given) - len(own)
        return own.decode(_ENCODING, "replace")

    def _group(self, *, opens: bool) -> None:
        self.passed_over = 0
        if opens and len(self.groups) < _MOST_NESTED:
            self.groups.append((self.beside, self.for_one))
        elif not opens and self.groups:
            self.beside, self.for_one = self.groups.pop()
