"""Mails as they are sent and archived, in the encoding quoted-printable (RFC 2045, 6.7): a line that goes on on the
next one ends with "=", and "=3D" stands for an equals sign.

What was one line is one again, so that places are those among the lines as they were written. Bytes that are not so
encoded, as those of the mail's head, are left as they are: so are digits in small letters, which the standard does not
have and paths do (`--file=data`). What is attached to a mail is encoded throughout, and `mail_archives` decodes it.
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

_GOES_ON: Final = re.compile(rb"^.{1,90}(?<!=)=\r?$", re.MULTILINE)
"""76 characters at most (RFC 2045), but a reply may have put its own sign before them."""
_BROKEN_THERE: Final = re.compile(rb"^(?:>[> \t]{0,20})?.{72,75}(?<!=)=\r?$", re.MULTILINE)
"""As wide as programs make such lines."""
_EQUALS_SIGN: Final = re.compile(rb"""=3D(?=["'/$.=\d-])""")
"""With a value behind it: a "3D" that is one ends there, or goes on as a word."""
_PERHAPS_A_SIGN: Final = re.compile(rb"(?<=\s)=3D|=3D(?=\S)")
"""Of a value, or in a column of its own: a "3D" that is a value stands at the sign of its name and ends there."""
_LEAST: Final = 2
_STATED: Final = re.compile(rb"^content-transfer-encoding:[ \t]*quoted-printable", re.IGNORECASE | re.MULTILINE)
_ENCODED: Final = re.compile(rb"=[0-9A-F]{2}")
_NEEDED: Final = re.compile(rb"=(?:3D|20|09|0D|0A|2E|46(?=rom )|[89A-F][0-9A-F])")
"""What a mail's way makes a program encode. Other digits behind an equals sign are a figure: "--ntasks=64"."""
_PLAIN: Final = re.compile(rb"=(?!3D|20|09|0D|0A|2E|46rom |[89A-F][0-9A-F]|\r?$)", re.MULTILINE)
_QUOTE: Final = re.compile(rb">(?:[ \t]?>){0,20}[ \t]?")
"""A reply's own sign, which it puts before each line of what is encoded, also in the midst of what was one line."""
_BODY: Final = re.compile(rb"\r?\n[ \t]*\r?\n")
"""What stands between a head, which is not encoded, and what it is of."""
_TOLERATED: Final = 0.1
"""Share of the equals signs that may stand for themselves, as in the head of another part."""


def is_quoted_printable(head: bytes) -> bool:
    """Whether the mail says so and its body has something encoded, or lines go on and equals signs are encoded, and
    hardly any stands for itself, in the first 64 KiB. A body alone may be too short for lines that go on, or have no
    equals sign: then none at all stands for itself."""
    stated = _STATED.search(head)
    if stated is None and (b"=3D" not in head or _GOES_ON.search(head) is None):
        return _PLAIN.search(head) is None and _is_encoded_alone(head)
    begins = None if stated is None else _BODY.search(head, stated.end())
    body = head if begins is None else head[begins.end() :]
    encoded = len(_NEEDED.findall(body)) + len(_GOES_ON.findall(body))
    return encoded > 0 and len(_PLAIN.findall(body)) <= _TOLERATED * encoded


def _is_encoded_alone(head: bytes) -> bool:
    """Whether equals signs are encoded, or lines go on, in a text that has no more to tell it by."""
    signs = _EQUALS_SIGN.search(head) is not None or len(_PERHAPS_A_SIGN.findall(head)) >= _LEAST
    return signs or len(_BROKEN_THERE.findall(head)) >= _LEAST


@contextmanager
def decoded(stream: BinaryIO, limits: Limits) -> Iterator[ExtractedText]:
    """The text as it was before it was encoded, at offset 0, in a file of its own."""
    stream.seek(0)
    with temporary_file() as text:
        sign = b""
        while raw := stream.readline(limits.line_bytes):
            line = raw.rstrip(b"\r\n")
            goes_on = line.endswith(b"=") and not line.endswith(b"==") and raw != line
            own = line.removeprefix(sign)
            text.write(_ENCODED.sub(_byte, own[:-1] if goes_on else own))
            if not goes_on:
                text.write(raw[len(line) :])
            found = _QUOTE.match(line) if goes_on else None
            sign = b"" if found is None else found[0]
        text.seek(0)
        message = "a mail's encoding (quoted-printable) was taken off: lines are counted as they were before it"
        yield ExtractedText(text, Problem("stripped", message))


def _byte(found: re.Match[bytes]) -> bytes:
    return bytes((int(found[0][1:], 16),))
