"""Mails as they are sent and archived, with texts in the encoding base64 (RFC 2045, 6.8), in which mail programs send
what has letters beyond ASCII. What is attached in it is no text, and stays as it is.

A line that its way has damaged cannot be decoded. In its place stands a sign that no text has, so that what stood
before and behind it is not taken for one line, nor a part of a number for the number."""

from __future__ import annotations

import binascii
import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import BinaryIO, Final

from iotriage_parsers.evidence import Problem
from iotriage_parsers.extraction.extracted_text import ExtractedText
from iotriage_parsers.reader import Limits
from iotriage_parsers.temporary_files import temporary_file
from iotriage_parsers.text.wording import plural

_BASE64: Final = re.compile(rb"^content-transfer-encoding:[ \t]*base64[ \t]*\r?$", re.IGNORECASE | re.MULTILINE)
_TEXT: Final = re.compile(rb"^content-type:[ \t]*text/", re.IGNORECASE | re.MULTILINE)
_ENCODED: Final = re.compile(rb"(?:[A-Za-z0-9+/]{4}){0,256}(?:[A-Za-z0-9+/]{4}|[A-Za-z0-9+/]{3}=|[A-Za-z0-9+/]{2}==)")
_ALPHABET: Final = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/="
_DAMAGED: Final = re.compile(rb"[!-~\x80-\xff]{20,1024}")
_LEFT_OUT: Final = "\N{REPLACEMENT CHARACTER}\n\N{REPLACEMENT CHARACTER}".encode()
_FOREIGN: Final = 0.1
"""Share of a damaged line that may be other letters."""
_LONGEST_HEAD: Final = 16_384
"""Bytes of what is said of one part."""


def is_base64_mail(head: bytes) -> bool:
    """Whether the first 64 KiB say of a text that it is so encoded."""
    return _BASE64.search(head) is not None and _TEXT.search(head) is not None


@contextmanager
def decoded(stream: BinaryIO, limits: Limits) -> Iterator[ExtractedText]:
    """The mail with its texts as they were before they were encoded, at offset 0, in a file of its own."""
    stream.seek(0)
    with temporary_file() as text:
        said = b""
        in_head, encoded = True, False
        number, damaged = 0, list[int]()
        while raw := stream.readline(limits.line_bytes):
            line = raw.rstrip(b"\r\n")
            number += 1
            if encoded and _ENCODED.fullmatch(line):
                text.write(binascii.a2b_base64(line))
                continue
            if encoded and _is_damaged(line):
                damaged.append(number)
                text.write(_LEFT_OUT)
                continue
            if encoded and line:
                encoded = False
                text.write(b"\n")
            if line.startswith(b"--"):
                in_head, said = True, b""
            elif in_head and line:
                said = (said + raw)[-_LONGEST_HEAD:]
            elif in_head:
                in_head, encoded = False, is_base64_mail(said)
            # What is decoded is not told to be encoded any more.
            text.write(raw if _BASE64.match(raw) is None else b"\n")
        text.seek(0)
        message = "a mail's encoding (base64) was taken off: lines are counted as they were before it"
        if not damaged:
            yield ExtractedText(text, Problem("stripped", message))
            return
        lost = f"{plural(len(damaged), 'line')} of it, the first on line {damaged[0]} of the mail, could not be decoded"
        yield ExtractedText(text, Problem("damaged", f"{message}; {lost}", loses_data=True))


def beyond_base64(letters: bytes) -> bytes:
    """What of these no text in base64 has."""
    return letters.translate(None, _ALPHABET + b"\r\n\t ")


def _is_damaged(line: bytes) -> bool:
    """Whether a line within an encoded text was one of it. One between the parts of the mail may have letters as they
    have, behind two dashes, which no text in base64 has."""
    may_be = _DAMAGED.fullmatch(line) is not None and not line.startswith(b"--")
    return may_be and len(beyond_base64(line)) <= _FOREIGN * len(line)
