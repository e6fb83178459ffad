"""Reads logs in batches, each batch in a confined child. A log that kills its child costs one row: what the child had
answered is kept, that log is tried again by itself, and the rest of the batch goes to another child."""

from __future__ import annotations

import contextlib
import fcntl
import hashlib
import os
import selectors
import tempfile
from collections.abc import Generator, Iterator, Mapping, Sequence
from typing import IO, Final

from iotriage.boundary.codec import Bounds
from iotriage.boundary.decode_error import DecodeError
from iotriage.centre.batch_messages import LENGTH, LISTINGS, ORDERS, OUTCOMES, READY, BatchOrder, LogListing
from iotriage.centre.log_files import LogFile
from iotriage.centre.log_rows import LogOutcome, LogUnread
from iotriage.intake.child import ORDER_BYTES
from iotriage.intake.children import Child, Children, Meter, OverrunError
from iotriage_parsers.frozen import frozen

MIB: Final = 2**20
MOST_LOGS: Final = 256
"""Number of logs in a batch: a child costs some 20 ms before it reads a log, most of it in the kernel."""
FEWEST_LOGS: Final = 64
TURNS: Final = 4
MOST_BYTES: Final = 32 * MIB
LARGEST_LOG: Final = 1024 * MIB
LARGEST_OUTCOME: Final = 256 * MIB
READING: Final = "iotriage.centre.batch_child:reading"
"""What a child does, as `iotriage.intake.children` takes it."""

_CHUNK_BYTES: Final = MIB
_PIPE_BYTES: Final = MIB
"""The largest pipe that Linux allows any user (pipe-max-size)."""
_END_SECONDS: Final = 2.0
_STARTS: Final = 2
"""Number of tries to get a process that reads a batch: one may be killed for what other programs on the machine do."""
_START_SECONDS: Final = 120.0
"""Time until the first process is ready: it has to import everything, perhaps over a network."""
_LONGEST_NAME: Final = 120


@frozen
class BatchLimits:
    """What one log may cost: processor time and wall clock in seconds, address space in bytes."""

    cpu_seconds: float = 60.0
    wall_seconds: float = 180.0
    memory_bytes: int = 2048 * MIB


@frozen
class SitePreference:
    """The site whose thresholds are used: the one chosen, or the default for logs that name none."""

    site: str | None = None
    default_site: str | None = None


class WorkersError(Exception):
    """The processes that are to read cannot be had, or are of another version of IOtriage."""


def batch_children(prepare: str = READING, search_path: tuple[str, ...] = ()) -> Children:
    """What processes that read batches are forked off; it knows the installation's own sites."""
    return Children(prepare, search_path=search_path, more=_own_sites)


class BatchReading:
    """Several threads may read by it, each a batch at a time; `children` are closed with it."""

    def __init__(self, limits: BatchLimits, judging: SitePreference, children: Children) -> None:
        self._limits = limits
        self._judging = judging
        self._children = children

    def close(self) -> None:
        self._children.close()

    def read(self, logs: Sequence[LogFile]) -> Iterator[tuple[LogFile, LogOutcome]]:
        """The outcome of each log, in their order. Raises `WorkersError`, and OSError where no process can be had."""
        rest = list(logs)
        while rest:
            answered = 0
            for log, outcome in self._together(rest):
                yield log, outcome
                answered += 1
            rest = rest[answered:]
            if rest:
                # The child ended at this log: alone it shows what it is, and costs no other its place.
                yield rest[0], self._alone(rest[0])
                rest = rest[1:]

    def _together(self, logs: Sequence[LogFile]) -> Iterator[tuple[LogFile, LogOutcome]]:
        """The outcomes until the child ends; all of them where nothing ends it."""
        with contextlib.ExitStack() as stack:
            joined = stack.enter_context(tempfile.TemporaryFile())
            read: list[tuple[LogFile, bytes | LogUnread]] = [(log, _bytes_of(log)) for log in logs]
            outcomes = self._outcomes([(log, content) for log, content in read if isinstance(content, bytes)], joined)
            stack.enter_context(contextlib.closing(outcomes))
            for log, content in read:
                if isinstance(content, LogUnread):
                    yield log, content
                    continue
                outcome = next(outcomes, None)
                if outcome is None or isinstance(outcome, _Ended):
                    return
                yield log, outcome

    def _alone(self, log: LogFile) -> LogOutcome:
        content = _bytes_of(log)
        if isinstance(content, LogUnread):
            return content
        with tempfile.TemporaryFile() as file, contextlib.closing(self._outcomes([(log, content)], file)) as outcomes:
            found = next(outcomes)
        if isinstance(found, _Ended):
            return LogUnread(hashlib.sha256(content).hexdigest(), found.code, found.message)
        return found

    def _outcomes(
        self, logs: Sequence[tuple[LogFile, bytes]], file: IO[bytes]
    ) -> Generator[LogOutcome | _Ended, None, None]:
        if not logs:
            return
        listing = LISTINGS.encode(
            LogListing(tuple(_name(log) for log, _ in logs), tuple(len(content) for _, content in logs))
        )
        file.writelines((listing, *(content for _, content in logs)))
        file.seek(0)
        order = BatchOrder(
            len(listing),
            self._limits.cpu_seconds * len(logs),
            self._limits.memory_bytes,
            self._judging.site,
            self._judging.default_site,
        )
        written = ORDERS.encode(order)
        assert len(written) <= ORDER_BYTES
        for _ in range(_STARTS):
            with contextlib.ExitStack() as stack:
                incoming, outgoing = os.pipe()
                stack.callback(os.close, incoming)
                with contextlib.suppress(OSError):
                    # Several answers fit: the child goes on with the next log while this process writes rows.
                    fcntl.fcntl(incoming, fcntl.F_SETPIPE_SZ, _PIPE_BYTES)
                try:
                    child = self._children.fork(written, [file.fileno(), outgoing])
                finally:
                    os.close(outgoing)
                stack.callback(child.end)
                stack.callback(child.kill)
                selector = stack.enter_context(selectors.DefaultSelector())
                selector.register(incoming, selectors.EVENT_READ)
                if _is_ready(incoming, child, selector):
                    yield from self._received(incoming, child, selector, len(logs))
                    return
        raise WorkersError("the process that is to read logs ends before it reads any: nothing is said of them")

    def _received(
        self, incoming: int, child: Child, selector: selectors.BaseSelector, count: int
    ) -> Iterator[LogOutcome | _Ended]:
        for _ in range(count):
            meter = Meter(child, self._limits.cpu_seconds, self._limits.wall_seconds, lambda _: None)
            try:
                head = _exactly(incoming, LENGTH.size, meter, selector)
                (length,) = LENGTH.unpack(head)
                if length > LARGEST_OUTCOME:
                    raise DecodeError(f"an answer of {length} bytes")
                answer = OUTCOMES.decode(_exactly(incoming, length, meter, selector), Bounds())
            except OverrunError as overrun:
                yield _over(overrun, self._limits)
                return
            except (EOFError, DecodeError):
                yield _Ended("crashed", _how(child))
                return
            yield answer


@frozen
class _Ended:
    """Says how the child ended before it had answered for all logs."""

    code: str
    message: str


def _is_ready(incoming: int, child: Child, selector: selectors.BaseSelector) -> bool:
    meter = Meter(child, _START_SECONDS, _START_SECONDS, lambda _: None)
    with contextlib.suppress(EOFError, OverrunError):
        return _exactly(incoming, len(READY), meter, selector) == READY
    return False


def _exactly(descriptor: int, length: int, meter: Meter, selector: selectors.BaseSelector) -> bytes:
    found = bytearray()
    while len(found) < length:
        meter.wait(selector)
        piece = os.read(descriptor, min(length - len(found), _CHUNK_BYTES))
        if not piece:
            raise EOFError
        found += piece
    return bytes(found)


def _over(overrun: OverrunError, limits: BatchLimits) -> _Ended:
    took = f"{limits.cpu_seconds:g} s of processor time" if overrun.which == "cpu" else f"{limits.wall_seconds:g} s"
    return _Ended("deadline", f"reading and diagnosing it was stopped after {took}")


def _how(child: Child) -> str:
    end = child.end() if child.ended_within(_END_SECONDS) else None
    signal = "" if end is None or end.signal is None else f" ({end})"
    return f"reading the log ended its process{signal}"


def _bytes_of(log: LogFile) -> bytes | LogUnread:
    """What the file holds now, or why it cannot be read."""
    named = hashlib.sha256(log.path.encode(errors="surrogateescape")).hexdigest()
    if log.size_bytes > LARGEST_LOG:
        return LogUnread(named, "too-large", f"the log has {log.size_bytes:,} bytes: at most {LARGEST_LOG:,} are read")
    try:
        with open(log.path, "rb") as file:  # noqa: PTH123
            return file.read(LARGEST_LOG + 1)
    except OSError as error:
        return LogUnread(named, "unreadable", f"the file could not be opened: {error.strerror}")


def _name(log: LogFile) -> str:
    """The end of the file's name as text."""
    name = log.path.rpartition("/")[2][-_LONGEST_NAME:]
    return name.encode(errors="surrogateescape").decode(errors="replace")


def _own_sites() -> Mapping[str, str]:
    sites = os.environ.get("IOTRIAGE_SITES")
    return {"IOTRIAGE_SITES": sites} if sites else {}


def batched(logs: Sequence[LogFile], workers: int) -> Iterator[tuple[LogFile, ...]]:
    """Splits the logs, in order, into batches by number and bytes, small enough that each worker gets several: none
    then waits long for the last one."""
    most = min(MOST_LOGS, max(FEWEST_LOGS, len(logs) // (TURNS * max(1, workers))))
    batch: list[LogFile] = []
    size = 0
    for log in logs:
        if batch and (len(batch) >= most or size + log.size_bytes > MOST_BYTES):
            yield tuple(batch)
            batch, size = [], 0
        batch.append(log)
        size += log.size_bytes
    if batch:
        yield tuple(batch)
