"""The child process that diagnoses a case: it receives the evidence, and answers queries until it is ended."""

from __future__ import annotations

import resource
import sys
import traceback

from iotriage.analysis.inputs import ReadSource, failure_by_name
from iotriage.boundary.codec import Bounds
from iotriage.boundary.decode_error import DecodeError as RefusedEncodingError
from iotriage.boundary.results import decode_result
from iotriage.confinement import Limits, confine
from iotriage.digests import program_digests
from iotriage.intake.case_evidence import CaseEvidence, QueryRefusedError
from iotriage.intake.case_queries import FAILURE, HEADER, LIMITS, QUERY, READ, REFUSAL, SourceRead
from iotriage.intake.child import FIRST_DESCRIPTOR, Work
from iotriage.intake.frames import HEAD, Head, Kind, head_of, read_exactly, write_frame
from iotriage.intake.warming import warm_up
from iotriage.metrics import all_metrics
from iotriage.rules import all_rules
from iotriage.sites import all_sites
from iotriage_parsers.detect import detect
from iotriage_parsers.evidence import Archive, Evidence, Failure

_CONVERSATION = FIRST_DESCRIPTOR
_LARGEST_FRAME = 1 << 31
_QUERIES_OF_ONE_PROCESS = 20
"""The kernel's limit on processor time allows for this many queries; the server watches the time of each query
itself."""

NOT_DECODED = Failure(
    "crashed",
    "The reader crashed on the source: its result was refused. Nothing else is affected.",
    "The file is probably damaged: copy it again from where it was written. If it is sound, please report it.",
)


def answering() -> Work:
    """Imports and prepares what every diagnosis needs, once before forking instead of in each child."""
    detect(b"")
    all_metrics()
    all_rules()
    all_sites()
    program_digests()
    warm_up()
    return _answer_until_the_end


def _answer_until_the_end(order: bytes) -> None:
    limits = LIMITS.validate_json(order)
    before = _peak_bytes()
    confine(Limits(limits.memory_bytes, limits.cpu_seconds * _QUERIES_OF_ONE_PROCESS, 0), None)
    case = _Conversation(CaseEvidence(limits.document_bytes))
    while (head := read_exactly(_CONVERSATION, HEAD.size)) is not None:
        frame = head_of(bytes(head), _LARGEST_FRAME)
        content = read_exactly(_CONVERSATION, frame.length)
        if content is None:
            return
        answer = _safely(case, frame, bytes(content))
        if answer is not None:
            write_frame(_CONVERSATION, *answer, max(_peak_bytes() - before, 0))


def _safely(case: _Conversation, frame: Head, content: bytes) -> tuple[Kind, bytes] | None:
    try:
        return case.take(frame.kind, content)
    except MemoryError:
        return Kind.NO_MEMORY, b""
    except QueryRefusedError as refused:
        return Kind.REFUSED, REFUSAL.dump_json(refused.refusal)
    except Exception:
        return Kind.RAISED, traceback.format_exc(limit=-20).encode("utf-8", "backslashreplace")


class _Conversation:
    """Receives the sources of a case, and the queries about them."""

    def __init__(self, evidence: CaseEvidence) -> None:
        self._evidence = evidence
        self._header = HEADER.validate_json(b'{"name":"","sha256":"","size_bytes":0}')
        self._pieces: list[bytes] = []

    def take(self, kind: Kind, content: bytes) -> tuple[Kind, bytes] | None:
        """What is answered to the message, if anything is."""
        match kind:
            case Kind.SOURCE:
                self._header, self._pieces = HEADER.validate_json(content), []
                return None
            case Kind.PIECE:
                self._pieces.append(content)
                return None
            case Kind.READ:
                whole, self._pieces = b"".join(self._pieces), []
                return Kind.ANSWER, self._add(_decoded(whole))
            case Kind.FAILED:
                self._pieces = []
                return Kind.ANSWER, self._add(FAILURE.validate_json(content))
            case Kind.QUERY:
                return Kind.ANSWER, self._evidence.answer(QUERY.validate_json(content))
            case _:
                raise ValueError(f"a server does not send {kind.name}")

    def _add(self, outcome: Evidence | Archive | Failure) -> bytes:
        header = self._header
        self._evidence.add(ReadSource(header.name, header.sha256, header.size_bytes, outcome), header.of_job)
        return READ.dump_json(_source_read(header.name, outcome))


def _decoded(content: bytes) -> Evidence | Archive | Failure:
    try:
        return decode_result(content, Bounds(total_bytes=_LARGEST_FRAME))
    except RefusedEncodingError:
        return NOT_DECODED


def _source_read(name: str, outcome: Evidence | Archive | Failure) -> SourceRead:
    if isinstance(outcome, Failure):
        return SourceRead(None, failure_by_name(name, outcome))
    return SourceRead(outcome.packing if isinstance(outcome, Archive) else outcome.reader, None)


def _peak_bytes() -> int:
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak if sys.platform == "darwin" else peak * 1024
