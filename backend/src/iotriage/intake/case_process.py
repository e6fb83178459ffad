"""The server's side of a case's process: it sends the case's sources and queries there."""

from __future__ import annotations

import os
import selectors
import socket
from collections.abc import Callable, Mapping
from typing import TypeVar

import structlog
from pydantic import TypeAdapter, ValidationError

from iotriage.analysis.jobs import CaseIdentity
from iotriage.intake.case_queries import (
    FAILURE,
    HEADER,
    LIMITS,
    QUERY,
    READ,
    REFUSAL,
    SAID,
    CaseLimits,
    Diagnose,
    IdentifyCase,
    Query,
    Refusal,
    SourceHeader,
    SourceRead,
)
from iotriage.intake.children import Child, Children, Meter, OverrunError
from iotriage.intake.frames import HEAD, BadFrameError, Kind, head_of, read_exactly
from iotriage.intake.reading import MIB, Spent, Take
from iotriage.sites import OWN_SITES, own_digest
from iotriage_parsers.evidence import Failure

ANSWERING = "iotriage.intake.case_child:answering"

_REFUSAL_BYTES = 64 * 1024
_SENDING_SECONDS = 60.0

_T = TypeVar("_T")

log: structlog.stdlib.BoundLogger = structlog.get_logger()


class CaseEndedError(Exception):
    """The case's process ended during a query. `lasting` says that it would end again: it reached a limit. The message
    and the next step are for a person."""

    def __init__(self, message: str, next_step: str, *, lasting: bool) -> None:
        super().__init__(message)
        self.message = message
        self.next_step = next_step
        self.lasting = lasting


def case_children() -> Children:
    """Starts processes for cases, forked from one that has imported the analysis and knows the installation's own
    sites."""
    return Children(ANSWERING, more=own_sites)


def own_sites() -> Mapping[str, str]:
    """The environment variables that the processes get: the folder of the installation's own profiles, and a digest of
    them, since a process that has read them does not notice changes."""
    named = os.environ.get(OWN_SITES)
    if not named:
        return {}
    return {OWN_SITES: os.path.abspath(named), "IOTRIAGE_SITES_READ": own_digest()}  # noqa: PTH100 - it may be gone


class CaseProcess:
    """One conversation with the process. One thread uses it at a time."""

    def __init__(self, children: Children, limits: CaseLimits) -> None:
        """Raises `CaseEndedError` where there can be no process."""
        self._limits = limits
        self.peak_bytes = 0
        ours, theirs = socket.socketpair()
        try:
            with theirs:
                self._child: Child = children.fork(LIMITS.dump_json(limits), [theirs.fileno()])
        except OSError as error:
            ours.close()
            if not children.closed:
                log.exception("the process that diagnoses could not be used")
            raise _died() from error
        ours.settimeout(_SENDING_SECONDS)
        self._conversation = ours

    def add(self, source: SourceHeader, read: Callable[[Take], Failure | None], spent: Spent) -> SourceRead:
        """Has `read` send the source's evidence to the process, and returns how reading ended. Raises
        `CaseEndedError`."""
        self._send(Kind.SOURCE, HEADER.dump_json(source))
        failure = read(lambda piece: self._send(Kind.PIECE, piece))
        if failure is None:
            self._send(Kind.READ, b"")
        else:
            self._send(Kind.FAILED, FAILURE.dump_json(failure))
        answer = self._answer(_REFUSAL_BYTES, spent)
        assert isinstance(answer, bytes)
        return self._checked(READ, answer)

    def ask(self, query: Query, spent: Spent) -> bytes | Refusal:
        """The answer as the process wrote it. Raises `CaseEndedError`."""
        self._send(Kind.QUERY, QUERY.dump_json(query))
        limits = self._limits
        # A source may be a little larger than its document may be: it is told of what was left out.
        most = limits.answer_bytes
        if isinstance(query, Diagnose):
            most = limits.document_bytes + MIB
        elif isinstance(query, IdentifyCase):
            most = MIB
        return self._answer(most, spent)

    def document(self, site: str | None, default_site: str | None, spent: Spent) -> bytes:
        """The document as the process wrote it, or `null`. Raises `CaseEndedError`, also where it is too large."""
        answer = self.ask(Diagnose(site, default_site), spent)
        if isinstance(answer, Refusal):
            raise CaseEndedError(answer.title + ".", answer.detail, lasting=True)
        return answer

    def identity(self, spent: Spent) -> CaseIdentity:
        """What the sources say about their job; nothing where that cannot be had. Raises `CaseEndedError`."""
        answer = self.ask(IdentifyCase(), spent)
        return CaseIdentity() if isinstance(answer, Refusal) else self._checked(SAID, answer)

    def end(self) -> None:
        """Ends the process, whatever it is doing."""
        self._conversation.close()
        self._child.kill()
        self._child.end()

    def _send(self, kind: Kind, content: bytes) -> None:
        frame = memoryview(HEAD.pack(kind, 0, len(content)) + content)
        try:
            self._conversation.sendall(frame)
        except OSError as error:
            raise self._ended() from error

    def _answer(self, most: int, spent: Spent) -> bytes | Refusal:
        try:
            with selectors.DefaultSelector() as selector:
                selector.register(self._conversation, selectors.EVENT_READ)
                self._child.processor_seconds()
                meter = Meter(self._child, self._limits.cpu_seconds, self._limits.wall_seconds, spent)
                kind, content = self._frame(most, lambda: meter.wait(selector))
                self._child.processor_seconds()
                meter.finish()
        except OverrunError as overrun:
            raise self._overrun(overrun) from overrun
        except (OSError, BadFrameError) as error:
            log.error("the answer of a case's process was refused", error=str(error))
            raise self._ended() from error
        match kind:
            case Kind.ANSWER:
                return content
            case Kind.REFUSED:
                return self._checked(REFUSAL, content)
            case Kind.NO_MEMORY:
                raise _needs_more(self._limits)
            case _:
                log.error("diagnosing failed", traceback=content[:_REFUSAL_BYTES].decode("utf-8", "replace"))
                raise CaseEndedError(
                    "The sources were read, but diagnosing them failed. The server's log has the cause.",
                    "Please report it, with the file if that may be given away.",
                    lasting=True,
                )

    def _frame(self, most: int, wait: Callable[[], None]) -> tuple[Kind, bytes]:
        descriptor = self._conversation.fileno()
        head = read_exactly(descriptor, HEAD.size, wait)
        if head is None:
            raise self._ended()
        frame = head_of(bytes(head), most)
        self.peak_bytes = min(max(self.peak_bytes, frame.peak_bytes), self._limits.memory_bytes)
        content = read_exactly(descriptor, frame.length, wait)
        if content is None:
            raise self._ended()
        return frame.kind, bytes(content)

    def _checked(self, type: TypeAdapter[_T], content: bytes) -> _T:
        try:
            return type.validate_json(content)
        except ValidationError as error:
            log.error("the answer of a case's process was refused", errors=error.error_count())
            raise _died() from error

    def _overrun(self, overrun: OverrunError) -> CaseEndedError:
        limits = self._limits
        if overrun.which == "cpu":
            return _too_long(f"{limits.cpu_seconds:g} s of processor time", "IOTRIAGE_DIAGNOSE_SECONDS")
        return _too_long(f"{limits.wall_seconds:g} s", "IOTRIAGE_DIAGNOSE_WALL_SECONDS")

    def _ended(self) -> CaseEndedError:
        """The error for a process that has ended: over its time, or crashed."""
        self._child.kill()
        end = self._child.end()
        if end is not None and end.out_of_time:
            return _too_long(f"{self._limits.cpu_seconds:g} s of processor time", "IOTRIAGE_DIAGNOSE_SECONDS")
        log.error("a case's process ended", how=str(end))
        return _died()


def _died() -> CaseEndedError:
    return CaseEndedError(
        "The process that diagnoses the case ended unexpectedly. Nothing else is affected.",
        "Try again; where it happens again, please report it.",
        lasting=False,
    )


def _too_long(limit: str, setting: str) -> CaseEndedError:
    return CaseEndedError(
        f"Diagnosing was stopped after {limit}.",
        f"Give fewer or smaller sources, or have {setting} allow more.",
        lasting=True,
    )


def _needs_more(limits: CaseLimits) -> CaseEndedError:
    return CaseEndedError(
        f"Diagnosing needs more than the {limits.memory_bytes // MIB:,} MiB of memory that it may use.",
        "Give fewer or smaller sources, or have IOTRIAGE_DIAGNOSE_MEMORY_BYTES allow more.",
        lasting=True,
    )
