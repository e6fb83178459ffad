"""Messages between the server and a case's process: a kind, a length, and that many bytes, over a stream."""

from __future__ import annotations

import os
import struct
from collections.abc import Callable
from enum import IntEnum

from iotriage_parsers.frozen import frozen

HEAD = struct.Struct("=BQQ")
"""The kind; the most memory that the sender has used, in bytes (of a case's process); the length of what follows."""

_STEP_BYTES = 1 << 20


class Kind(IntEnum):
    """SOURCE begins a source, PIECE carries part of its evidence, and READ ends it. FAILED ends it too, and then
    nothing of it counts. QUERY asks a question. The case's process answers each READ, FAILED and QUERY with one of
    ANSWER, REFUSED, NO_MEMORY and RAISED (a traceback as text)."""

    SOURCE = 1
    PIECE = 2
    READ = 3
    FAILED = 4
    QUERY = 5
    ANSWER = 6
    REFUSED = 7
    NO_MEMORY = 8
    RAISED = 9


class BadFrameError(Exception):
    """The bytes are no frame, or the frame is larger than allowed."""


@frozen
class Head:
    kind: Kind
    peak_bytes: int
    length: int


def head_of(content: bytes, most: int) -> Head:
    """The head of a frame. Raises `BadFrameError`."""
    kind, peak_bytes, length = HEAD.unpack(content)
    if kind not in Kind.__members__.values() or length > most:
        raise BadFrameError(f"kind {kind}, {length} bytes of at most {most}")
    return Head(Kind(kind), peak_bytes, length)


def read_exactly(descriptor: int, length: int, wait: Callable[[], None] | None = None) -> bytearray | None:
    """That many bytes; None where the stream ends before. `wait` is called before each read."""
    found = bytearray()
    while len(found) < length:
        if wait is not None:
            wait()
        piece = os.read(descriptor, min(length - len(found), _STEP_BYTES))
        if not piece:
            return None
        found += piece
    return found


def write_frame(descriptor: int, kind: Kind, content: bytes, peak_bytes: int = 0) -> None:
    rest = memoryview(HEAD.pack(kind, peak_bytes, len(content)) + content)
    while rest:
        rest = rest[os.write(descriptor, rest) :]
