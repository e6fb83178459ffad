"""What a disposable child does: it gives away what it does not need, reads one source, writes the result, and ends."""

from __future__ import annotations

import fcntl
import os
import pickle
import signal
import struct
import traceback
from collections.abc import Callable
from dataclasses import dataclass
from typing import BinaryIO, NoReturn

from iotriage.confinement import Limits, confine
from iotriage.confinement.scratch import make_scratch
from iotriage.intake.excerpt import excerpt_of
from iotriage.intake.reading import LinesQuery, ReadingLimits
from iotriage_parsers import reader
from iotriage_parsers.detect import member_of
from iotriage_parsers.evidence import Archive, Evidence, Failure

Read = Callable[[BinaryIO, reader.Limits], Evidence | Archive | Failure]

NEW_CHILD = b"+"
RESULT, NO_MEMORY, RAISED = b"R", b"M", b"E"
"""The first byte of what a child writes: a pickled result, nothing more (memory ran out), or a traceback as text."""

STATUS = struct.Struct("=i")
ORDER_BYTES = 16 * 1024

_SOURCE, _OUTGOING = 3, 4
_OUT_OF_THE_WAY = 64


@dataclass(frozen=True, slots=True)
class Order:
    """What a child is to do: read everything, or answer a query."""

    query: LinesQuery | None
    limits: ReadingLimits


def run_child(read: Read, order: bytes, source: int, outgoing: int) -> NoReturn:
    """Everything a child does; it never returns. What can go wrong in it is the other side's to find out."""
    try:
        _keep_only(source, outgoing)
        wanted: Order = pickle.loads(order)
        _confine(wanted.limits)
        result = _result(read, wanted)
        with os.fdopen(_OUTGOING, "wb") as pipe:
            for part in result:
                pipe.write(part)
    finally:
        os._exit(0)


def _result(read: Read, order: Order) -> list[bytes]:
    try:
        with os.fdopen(_SOURCE, "rb") as stream:
            return [RESULT, pickle.dumps(_answer(read, stream, order), protocol=5)]
    except MemoryError:
        return [NO_MEMORY]
    except BaseException:
        return [RAISED, traceback.format_exc(limit=-20).encode("utf-8", "backslashreplace")]


def _answer(read: Read, stream: BinaryIO, order: Order) -> object:
    query, limits = order.query, order.limits.reader
    if query is None:
        return read(stream, limits)
    with member_of(stream, query.member, limits) as source:
        if source is None or isinstance(source, Failure):
            return source
        return excerpt_of(source, query.first, query.last, limits)


def _keep_only(source: int, outgoing: int) -> None:
    """Leaves the child its two descriptors, as 3 and 4, and nothing on the standard ones."""
    signal.set_wakeup_fd(-1)
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    # Moved out of the way first: either may stand where the other is to go.
    source, outgoing = (fcntl.fcntl(d, fcntl.F_DUPFD, _OUT_OF_THE_WAY) for d in (source, outgoing))
    nothing = os.open(os.devnull, os.O_RDWR)
    for descriptor, target in ((nothing, 0), (nothing, 1), (nothing, 2), (source, _SOURCE), (outgoing, _OUTGOING)):
        os.dup2(descriptor, target)
    os.closerange(_OUTGOING + 1, os.sysconf("SC_OPEN_MAX"))


def _confine(limits: ReadingLimits) -> None:
    confine(Limits(limits.memory_bytes, limits.seconds, limits.reader.inflated_bytes), make_scratch())
