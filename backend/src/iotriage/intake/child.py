"""What a disposable child does: it gives away what it does not need, reads one source, writes the result, and ends."""

from __future__ import annotations

import ctypes
import fcntl
import math
import os
import resource
import signal
import struct
import sys
import tempfile
import traceback
from collections.abc import Callable
from dataclasses import dataclass
from typing import BinaryIO, NoReturn

from iotriage.boundary.codec import Codec
from iotriage.boundary.results import encode_result
from iotriage.intake.excerpt import Excerpt, excerpt_of
from iotriage.intake.landlock import restrict_files
from iotriage.intake.reading import LinesQuery, ReadingLimits
from iotriage_parsers.detect import member_of
from iotriage_parsers.evidence import Archive, Evidence, Failure
from iotriage_parsers.reader import Limits

Read = Callable[[BinaryIO, Limits], Evidence | Archive | Failure]

NEW_CHILD = b"+"
RESULT, NO_MEMORY, RAISED = b"R", b"M", b"E"
"""The first byte of what a child writes: an encoded answer, nothing more (memory ran out), or a traceback as text."""

STATUS = struct.Struct("=i")
ORDER_BYTES = 16 * 1024

_SOURCE, _OUTGOING = 3, 4
_OUT_OF_THE_WAY = 64
_OPEN_FILES = 64
_PR_SET_PDEATHSIG, _PR_SET_DUMPABLE, _PR_SET_NO_NEW_PRIVS = 1, 4, 38


@dataclass(frozen=True, slots=True)
class Order:
    """What a child is to do: read everything, or answer a query."""

    query: LinesQuery | None
    limits: ReadingLimits


ORDERS = Codec[Order](Order)
LINES = Codec[Excerpt | Failure | None](Excerpt | Failure | None)
"""The answer to a query."""


def run_child(read: Read, order: bytes, source: int, outgoing: int) -> NoReturn:
    """Everything a child does; it never returns. What can go wrong in it is the other side's to find out."""
    try:
        _keep_only(source, outgoing)
        wanted = ORDERS.decode(order)
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
            return [RESULT, _answer(read, stream, order)]
    except MemoryError:
        return [NO_MEMORY]
    except BaseException:
        return [RAISED, traceback.format_exc(limit=-20).encode("utf-8", "backslashreplace")]


def _answer(read: Read, stream: BinaryIO, order: Order) -> bytes:
    query, limits = order.query, order.limits.reader
    if query is None:
        return encode_result(read(stream, limits))
    with member_of(stream, query.member, limits) as source:
        if source is None or isinstance(source, Failure):
            return LINES.encode(source)
        return LINES.encode(excerpt_of(source, query.first, query.last, limits))


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
    """Takes from the child what it does not need. The limits hold for what it does in C too."""
    cpu_seconds = math.ceil(limits.seconds)
    for which, bound in (
        (resource.RLIMIT_AS, limits.memory_bytes),
        (resource.RLIMIT_CPU, cpu_seconds),
        (resource.RLIMIT_NOFILE, _OPEN_FILES),
        # A compressed source is inflated into an unnamed temporary file.
        (resource.RLIMIT_FSIZE, limits.reader.inflated_bytes),
        (resource.RLIMIT_CORE, 0),
        # Per user, and without effect on root.
        (resource.RLIMIT_NPROC, 0),
    ):
        resource.setrlimit(which, (bound, bound))
    if sys.platform == "linux":
        libc = ctypes.CDLL(None, use_errno=True)
        for option, value in (
            (_PR_SET_NO_NEW_PRIVS, 1),
            (_PR_SET_DUMPABLE, 0),
            (_PR_SET_PDEATHSIG, signal.SIGKILL),
        ):
            if libc.prctl(option, value, 0, 0, 0) != 0:
                raise OSError(ctypes.get_errno(), f"prctl({option})")
        restrict_files(_readable(), tempfile.gettempdir())


def _readable() -> list[str]:
    """Where Python, its libraries and the time zones are: a reader may import something only when it needs that."""
    return [*{sys.prefix, sys.base_prefix, *filter(None, sys.path)}, "/usr", "/lib", "/lib64", "/etc/ld.so.cache"]
