"""Mails as they are sent and archived, with texts in the encoding base64 (RFC 2045, 6.8), in which mail programs send
what has letters beyond ASCII. What is attached in it is no text, and stays as it is."""

from __future__ import annotations

import binascii
import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import BinaryIO, Final

from iotriage_parsers.evidence import Problem
from iotriage_parsers.extracted_text import ExtractedText
from iotriage_parsers.reader import Limits
from iotriage_parsers.temporary_files import temporary_file

_BASE64: Final = re.compile(rb"^content-transfer-encoding:[ \t]*base64[ \t]*\r?$", re.IGNORECASE | re.MULTILINE)
_TEXT: Final = re.compile(rb"^content-type:[ \t]*text/", re.IGNORECASE | re.MULTILINE)
_ENCODED: Final = re.compile(rb"(?:[A-Za-z0-9+/]{4}){0,256}(?:[A-Za-z0-9+/]{4}|[A-Za-z0-9+/]{3}=|[A-Za-z0-9+/]{2}==)")
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
        while raw := stream.readline(limits.line_bytes):
            line = raw.rstrip(b"\r\n")
            if encoded and _ENCODED.fullmatch(line):
                text.write(binascii.a2b_base64(line))
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
        yield ExtractedText(text, Problem("stripped", message))
