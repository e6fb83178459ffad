"""What a text is once that is taken off which a mail, a page, a notebook or a logger put around it."""

from __future__ import annotations

from typing import BinaryIO

from iotriage_parsers.evidence import Problem
from iotriage_parsers.frozen import frozen


@frozen
class ExtractedText:
    """The text, at offset 0, and what is to be said about it and its places."""

    text: BinaryIO
    note: Problem


def read_whole(stream: BinaryIO, most: int) -> bytes | None:
    """All from offset 0 on, where the stream is left; None where that is more than `most` bytes."""
    stream.seek(0)
    whole = stream.read(most + 1)
    stream.seek(0)
    return whole if len(whole) <= most else None
