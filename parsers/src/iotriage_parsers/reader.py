"""What a reader is: an id, a title, how it recognises its format, and how it reads it."""

from __future__ import annotations

from collections.abc import Callable
from typing import BinaryIO

from iotriage_parsers.evidence import Evidence, Failure
from iotriage_parsers.frozen import frozen

HEAD_BYTES = 64 * 1024
"""How much of a source a reader may look at to say whether it is its own."""


@frozen
class Limits:
    """What reading one source may cost. A reader stops at these and says so; it never fails silently."""

    inflated_bytes: int = 2 * 2**30
    line_bytes: int = 64 * 1024
    records: int = 20_000_000
    members: int = 500
    """Files of one archive."""


@frozen
class Reader:
    """`recognises` gets the first 64 KiB and answers from 0.0 (not mine) to 1.0 (a magic number says so); the
    file's name is not asked. `read` gets a seekable binary stream at offset 0."""

    id: str
    title: str
    recognises: Callable[[bytes], float]
    read: Callable[[BinaryIO, Limits], Evidence | Failure]
