"""Reads each source in a process of its own, forked off a server that has nothing to lose and thrown away afterwards.

The fork server is a small Python process with an empty environment that has imported the readers and knows neither the
database nor the network. This side opens the source, hands the open file over, and passes on at most so many bytes of
what comes back, without a look at them. They are checked where they are used: see `iotriage.intake.case_child`.
"""

from __future__ import annotations

import contextlib
import os
import selectors
from pathlib import Path
from typing import Literal

import structlog

from iotriage.boundary.codec import Bounds
from iotriage.boundary.decode_error import DecodeError
from iotriage.intake.child import ORDER_BYTES
from iotriage.intake.children import Child, ChildEnd, Children, Meter, OverrunError
from iotriage.intake.excerpt import Excerpt
from iotriage.intake.reading import MIB, LinesQuery, ReadingLimits, Spent, Take, ignore_usage
from iotriage.intake.reading_child import LINES, NO_MEMORY, ORDERS, RAISED, RESULT, ReadingOrder
from iotriage_parsers.evidence import Failure
from iotriage_parsers.frozen import frozen

READ = "iotriage_parsers.detect:read_or_unpack"
"""What reads a source in the child: `read(stream, limits) -> Evidence | Archive | Failure`."""

NOT_HANDED_OVER = Failure("crashed", "The source could not be handed to a reader.", "Try again; the log has the cause.")
"""The failure where the open file could not be passed on. The source is not at fault; a later try may work."""

_PREPARE = "iotriage.intake.reading_child:reading"
_CHUNK_BYTES = 1 << 20
_END_SECONDS = 2.0
"""Time for a child that has closed its pipe to end, which takes a millisecond."""
_TRACEBACK_BYTES = 64 * 1024

log: structlog.stdlib.BoundLogger = structlog.get_logger()

_Cut = Literal["cpu", "wall", "too-large"]


@frozen
class ReadingEnd:
    """How reading ended: the kind of what the child wrote, a traceback if it is one, what it was cut off for, and how
    the child ended where that is known."""

    kind: bytes
    traceback: bytes
    cut: _Cut | None
    child: ChildEnd | None


class DisposableReading:
    """Implements `SourceReading`."""

    def __init__(self, read: str = READ, search_path: tuple[str, ...] = ()) -> None:
        self._children = Children(_PREPARE, (read,), search_path)

    def read(self, source: Path, limits: ReadingLimits, take: Take, spent: Spent = ignore_usage) -> Failure | None:
        return self._run(source, ReadingOrder(None, limits), take, spent)

    def lines(
        self, source: Path, query: LinesQuery, limits: ReadingLimits, spent: Spent = ignore_usage
    ) -> Excerpt | Failure | None:
        found = bytearray()
        failure = self._run(source, ReadingOrder(query, limits), found.extend, spent)
        if failure is not None:
            return failure
        try:
            return LINES.decode(bytes(found), Bounds(total_bytes=limits.result_bytes))
        except DecodeError as error:
            log.error("a reader's lines were refused", error=str(error))
            return _crashed(None)

    def close(self) -> None:
        """Ends the fork server; children that still run die with it."""
        self._children.close()

    def _run(self, source: Path, order: ReadingOrder, take: Take, spent: Spent) -> Failure | None:
        try:
            end = self._child(source, order, take, spent)
            if end.cut is None and end.child is None and not end.kind:
                log.warning("the process that readers are forked off died and is started again")
                end = self._child(source, order, take, spent)
            if end.cut is None and end.child is None:
                raise ChildProcessError("the fork server died twice over one source")
        except OSError:
            if not self._children.closed:
                log.exception("the process that reads sources could not be used")
            return NOT_HANDED_OVER
        return failure_of(end, order.limits)

    def _child(self, source: Path, order: ReadingOrder, take: Take, spent: Spent) -> ReadingEnd:
        """Has a child work on the source and waits for it."""
        with contextlib.ExitStack() as stack:
            stream = stack.enter_context(source.open("rb"))
            incoming, outgoing = os.pipe()
            stack.callback(os.close, incoming)
            written = ORDERS.encode(order)
            assert len(written) <= ORDER_BYTES
            try:
                child = self._children.fork(written, [stream.fileno(), outgoing])
            finally:
                os.close(outgoing)
            stack.callback(child.end)
            stack.callback(child.kill)
            return _received(incoming, child, order.limits, take, spent)


def _received(incoming: int, child: Child, limits: ReadingLimits, take: Take, spent: Spent) -> ReadingEnd:
    """Passes on what the child writes until it ends, within the limits on time and bytes."""
    meter = Meter(child, limits.cpu_seconds, limits.wall_seconds, spent)
    kind, traceback, received = b"", bytearray(), 0
    cut: _Cut | None = None
    with selectors.DefaultSelector() as selector:
        selector.register(incoming, selectors.EVENT_READ)
        try:
            while True:
                meter.wait(selector)
                chunk = os.read(incoming, _CHUNK_BYTES)
                if not chunk:
                    break
                received += len(chunk)
                if received > limits.result_bytes:
                    cut = "too-large"
                    break
                if not kind:
                    kind, chunk = chunk[:1], chunk[1:]
                if kind == RESULT:
                    take(chunk)
                elif len(traceback) < _TRACEBACK_BYTES:
                    traceback += chunk
        except OverrunError as overrun:
            cut = overrun.which
    if cut is not None or not child.ended_within(_END_SECONDS):
        child.kill()
    end = child.end()
    meter.finish()
    return ReadingEnd(kind, bytes(traceback), cut, end)


def failure_of(end: ReadingEnd, limits: ReadingLimits) -> Failure | None:
    """What the child's end means: nothing where its result is whole, or the failure that stands on the source."""
    if end.cut == "wall":
        return Failure(
            "timed-out",
            f"Reading the source was stopped after {limits.wall_seconds:g} s.",
            "If the file is sound, try again when the server has less to do, or allow more time with "
            "IOTRIAGE_PARSE_WALL_SECONDS.",
        )
    if end.cut == "cpu" or (end.child is not None and end.child.out_of_time):
        return Failure(
            "timed-out",
            f"Reading the source was stopped after {limits.cpu_seconds:g} s of processor time.",
            "If the file is sound, allow more time with IOTRIAGE_PARSE_SECONDS.",
        )
    if end.cut == "too-large" or end.kind == NO_MEMORY:
        return Failure(
            "too-large",
            f"Reading the source needs more than the {limits.memory_bytes // MIB:,} MiB of memory that it may use.",
            "If the file is sound, allow more with IOTRIAGE_PARSE_MEMORY_BYTES; "
            "a Darshan log without its DXT modules needs far less.",
        )
    if end.kind == RESULT and end.child is not None and end.child.status == 0:
        return None
    if end.kind == RAISED:
        log.error("a reader raised an exception", traceback=end.traceback.decode("utf-8", "replace"))
    return _crashed(end.child)


def _crashed(end: ChildEnd | None) -> Failure:
    how = f" ({end})" if end is not None and end.signal is not None else ""
    return Failure(
        "crashed",
        f"The reader crashed on the source{how}. Nothing else is affected.",
        "The file is probably damaged: copy it again from where it was written. If it is sound, please report it.",
    )
