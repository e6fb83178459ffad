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
