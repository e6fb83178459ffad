"""Answers a person's questions about a case: from its process, in turn; or from a reader where lines of a source are
asked for."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeVar

from pydantic import ValidationError

from iotriage.analysis.document import CaseDocument
from iotriage.analysis.document.adapter import DOCUMENT
from iotriage.intake.case_process import CaseEndedError
from iotriage.intake.case_processes import CaseProcesses
from iotriage.intake.case_queries import Query, Refusal
from iotriage.intake.excerpt import Excerpt
from iotriage.intake.queue import QueuedTask, WorkQueue
from iotriage.intake.reading import LinesQuery, ReadingLimits, SourceReading
from iotriage.store.cases import Snapshot, SourceInCase, SourcesGoneError
from iotriage.store.sources import SourceFolder
from iotriage_parsers.evidence import Failure
from iotriage_parsers.frozen import frozen

T = TypeVar("T")


@frozen
class WaitLimits:
    """Seconds that a request waits for its turn, and then for its answer, before it is answered 503."""

    start_seconds: float = 10.0
    end_seconds: float = 60.0


class CaseViews:
    """Every method raises `BusyError` where too much waits, `CaseEndedError` where a query cost too much, and
    `SourcesGoneError` where the bytes that it is about are not here: what could not be looked at has no figures."""

    def __init__(
        self,
        queue: WorkQueue,
        processes: CaseProcesses,
        reading: SourceReading,
        folder: SourceFolder,
        limits: ReadingLimits,
        patience: WaitLimits | None = None,
    ) -> None:
        self._queue = queue
        self._processes = processes
        self._reading = reading
        self._folder = folder
        self._limits = limits
        self._patience = patience or WaitLimits()

    def ask(self, case: Snapshot, query: Query) -> bytes | Refusal:
        """The answer to the query about the case as JSON, as its process wrote it."""
        self._check_here(case.sources)

        def answered(ticket: QueuedTask) -> bytes | Refusal:
            with self._processes.of(case.case_id, case.sources, ticket.spent) as process:
                return process.ask(query, ticket.spent)

        return self._wait_for(answered, case.case_id)

    def document(self, case: Snapshot, site: str | None, default_site: str | None = None) -> CaseDocument | None:
        """The document that the case has under this site; None where every source failed."""
        self._check_here(case.sources)

        def answered(ticket: QueuedTask) -> bytes:
            with self._processes.of(case.case_id, case.sources, ticket.spent) as process:
                return process.document(site, default_site, ticket.spent)

        return document_of(self._wait_for(answered, case.case_id))

    def lines(self, source: SourceInCase, query: LinesQuery) -> Excerpt | Failure | None:
        """Some lines of a source; None where it is not a text."""
        self._check_here((source,))
        path = self._folder.path(source.sha256)
        return self._wait_for(lambda ticket: self._reading.lines(path, query, self._limits, ticket.spent), None)

    def _check_here(self, sources: Sequence[SourceInCase]) -> None:
        if self._folder.lacks_any(source.sha256 for source in sources):
            raise SourcesGoneError

    def slowly(self, key: str, work: Callable[[], T]) -> T:
        """What `work` answers, which is known to take long: of equal keys one at a time, and never with the last
        thread."""
        return self._wait_for(lambda _: work(), key, slow=True)

    def _wait_for(self, work: Callable[[QueuedTask], T], key: str | None, *, slow: bool = False) -> T:
        return self._queue.ask(work, key, self._patience.start_seconds, self._patience.end_seconds, slow=slow)


def document_of(answer: bytes) -> CaseDocument | None:
    """The document that a case's process wrote, checked. Raises `CaseEndedError` for what is none."""
    try:
        return None if answer == b"null" else DOCUMENT.validate_json(answer)
    except ValidationError as error:
        raise CaseEndedError(
            f"The document that was made of the case is not whole ({error.error_count()} faults).",
            "Please report it, with the file if that may be given away.",
            lasting=True,
        ) from error
