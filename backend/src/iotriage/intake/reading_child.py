"""What a child does that reads: one source whole, or some lines of it; the result goes into a pipe."""

from __future__ import annotations

import importlib
import os
import traceback
from collections.abc import Callable
from typing import BinaryIO

from iotriage.boundary.codec import Codec
from iotriage.boundary.results import encode_result
from iotriage.confinement import confine
from iotriage.confinement import limits as confinement
from iotriage.intake.child import FIRST_DESCRIPTOR, Work
from iotriage.intake.excerpt import Excerpt, excerpt_of
from iotriage.intake.reader_imports import import_readers
from iotriage.intake.reading import LinesQuery, ReadingLimits
from iotriage_parsers.detect import member_of
from iotriage_parsers.evidence import Archive, Evidence, Failure
from iotriage_parsers.frozen import frozen
from iotriage_parsers.reader import Limits
from iotriage_parsers.temporary_files import preallocate

Read = Callable[[BinaryIO, Limits], Evidence | Archive | Failure]

RESULT, NO_MEMORY, RAISED = b"R", b"M", b"E"
"""The first byte of what a child writes: a result, nothing more (memory ran out), or a traceback as text."""

_SOURCE, _OUTGOING = FIRST_DESCRIPTOR, FIRST_DESCRIPTOR + 1


@frozen
class ReadingOrder:
    """What a child is to do: read everything, or answer a query."""

    query: LinesQuery | None
    limits: ReadingLimits


ORDERS = Codec[ReadingOrder](ReadingOrder)
LINES = Codec[Excerpt | Failure | None](Excerpt | Failure | None)
"""The answer to a query."""


def reading(read_name: str) -> Work:
    """Imports every reader, once, and not in every child."""
    module, _, attribute = read_name.partition(":")
    read: Read = getattr(importlib.import_module(module), attribute)
    import_readers()

    def work(order: bytes) -> None:
        _read_and_answer(read, ORDERS.decode(order))

    return work


def _read_and_answer(read: Read, order: ReadingOrder) -> None:
    limits = order.limits
    # So many files of so many bytes and no more, whatever it does; they have no names, and go with the process.
    preallocate()
    confine(confinement.Limits(limits.memory_bytes, limits.cpu_seconds, limits.reader.inflated_bytes), None)
    result = _result(read, order)
    with os.fdopen(_OUTGOING, "wb") as pipe:
        for part in result:
            pipe.write(part)


def _result(read: Read, order: ReadingOrder) -> list[bytes]:
    try:
        with os.fdopen(_SOURCE, "rb") as stream:
            return [RESULT, _answer(read, stream, order)]
    except MemoryError:
        return [NO_MEMORY]
    except BaseException:
        return [RAISED, traceback.format_exc(limit=-20).encode("utf-8", "backslashreplace")]


def _answer(read: Read, stream: BinaryIO, order: ReadingOrder) -> bytes:
    query, limits = order.query, order.limits.reader
    return encode_result(read(stream, limits)) if query is None else LINES.encode(_lines(stream, query, limits))


def _lines(stream: BinaryIO, query: LinesQuery, limits: Limits) -> Excerpt | Failure | None:
    with member_of(stream, query.member, limits) as source:
        if source is None or isinstance(source, Failure):
            return source
        return excerpt_of(source, query.first, query.last, limits)
