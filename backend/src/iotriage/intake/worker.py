"""Reads cases in the background: threads of the server that drive the disposable processes."""

from __future__ import annotations

import threading
import time
from pathlib import Path

import structlog

from iotriage.analysis.document import CaseDocument
from iotriage.analysis.inputs import GivenSource, told_by_name
from iotriage.intake.diagnosis import diagnose_inputs
from iotriage.intake.evidence_cache import EvidenceCache
from iotriage.intake.queue import Urgency, WorkQueue
from iotriage.intake.reading import SourceReading
from iotriage.intake.samples import load_samples
from iotriage.store.cases import ReadingResult, Snapshot, finish, mark_source, snapshot, unfinished_cases
from iotriage.store.database import Database
from iotriage.store.renewal import begin_renewal, finish_renewal, next_stale, take_back_renewal
from iotriage.store.sources import SourceFolder, drop_abandoned_sources
from iotriage_parsers.evidence import Archive, Evidence, Failure

log: structlog.stdlib.BoundLogger = structlog.get_logger()

_TENDING_SECONDS = 600.0
_LOOK_SECONDS = 2.0
"""How soon it is noticed that the database is back."""

_DIAGNOSIS_FAILED = "The sources were read, but diagnosing them failed. The server's log has the cause."


class Worker:
    """Takes ids of cases and gives each case its document. What was not finished when the process ended is taken up
    again by `start`: the case's status in the database is the queue's memory. Every ten minutes, and as soon as the
    database answers again, the house is tended: uploads that no case uses go, and a case that was given up is taken up
    again.

    Cases whose documents are stale are read again one at a time while there is nothing else to do, in a thread of their
    own, and before all else when somebody opens one. With `renews` False only the latter."""

    def __init__(
        self,
        database: Database,
        folder: SourceFolder,
        reading: SourceReading,
        evidence: EvidenceCache,
        threads: int,
        default_site: str | None,
        renews: bool = True,
    ) -> None:
        self._database = database
        self._folder = folder
        self._reading = reading
        self._evidence = evidence
        self._default_site = default_site
        self._renews = renews
        self._queue = WorkQueue(threads)
        self._tending: threading.Thread | None = None
        self._ending = threading.Event()
        self._current = threading.Event()
        self._current.set()
        self._state = threading.Lock()
        self._running: set[str] = set()
        self._again: set[str] = set()

    def start(self, samples: Path | None) -> None:
        """Begins with what was left unfinished, then loads the samples; returns at once."""
        self._ending.clear()
        self._queue.start()
        self._queue.put(self.tend)
        if samples is not None:
            self._queue.put(lambda: self._load(samples))
        if self._renews:
            self._current.clear()
        self._tending = threading.Thread(target=self._tend_now_and_then, name="tending", daemon=True)
        self._tending.start()

    def stop(self) -> None:
        """Lets go of what waits and of what is being read; all of it is taken up at the next start."""
        self._ending.set()
        self._reading.close()
        self._queue.stop()
        if self._tending is not None:
            self._tending.join()
            self._tending = None
        with self._state:
            self._running.clear()
            self._again.clear()

    def submit(self, case_id: str, urgency: Urgency = Urgency.NEW) -> None:
        """Has the case read; once more from the start where it is being read at this moment."""
        with self._state:
            if case_id in self._running:
                self._again.add(case_id)
                return
            self._running.add(case_id)
        self._queue.put(lambda: self._read_until_settled(case_id), urgency)

    def renew(self, case_id: str) -> None:
        """Has the stale case, which somebody looks at, read again before all others."""
        if self._claim(case_id):
            self._queue.put(lambda: self._renew(case_id), Urgency.OPENED)

    def renew_next(self) -> bool:
        """Reads one stale case again; False where there is none left."""
        with self._state:
            running = frozenset(self._running)
        with self._database.reading() as session:
            case_id = next_stale(session, besides=running)
        if case_id is not None and self._claim(case_id):
            self._renew(case_id)
        return case_id is not None

    def tend(self) -> None:
        """Takes up cases that wait while nobody reads them, and clears away uploads that no case uses."""
        with self._database.reading() as session:
            waiting = unfinished_cases(session)
        with self._state:
            forgotten = [case_id for case_id in waiting if case_id not in self._running]
        for case_id in forgotten:
            self.submit(case_id)
        self._folder.clear_leftovers()
        dropped = drop_abandoned_sources(self._database, self._folder)
        if dropped:
            log.info("sources that no case uses were removed", sources=dropped)

    def wait_until_idle(self, timeout_seconds: float) -> bool:
        """Whether nothing was left to do within this time, and no case was stale."""
        return self._current.wait(timeout_seconds) and self._queue.wait_until_idle(timeout_seconds)

    def _tend_now_and_then(self) -> None:
        self._renew_all()
        tended = time.monotonic()
        while not self._ending.wait(_LOOK_SECONDS):
            if self._database.came_back() or time.monotonic() - tended >= _TENDING_SECONDS:
                tended = time.monotonic()
                self._queue.put(self.tend)
                self._renew_all()

    def _renew_all(self) -> None:
        try:
            while self._renews and self._has_nothing_else_to_do() and self.renew_next():
                pass
        except Exception:
            log.exception("reading stale cases again was put off")
        finally:
            self._current.set()

    def _has_nothing_else_to_do(self) -> bool:
        self._queue.wait_until_idle()
        return not self._ending.is_set()

    def _load(self, samples: Path) -> None:
        for case_id in load_samples(self._database, self._folder, samples):
            self.submit(case_id, Urgency.UNASKED)

    def _claim(self, case_id: str) -> bool:
        """Whether nobody reads the case yet; then it is the caller's to read."""
        with self._state:
            free = case_id not in self._running
            self._running.add(case_id)
            return free

    def _release(self, case_id: str) -> None:
        with self._state:
            again = case_id in self._again
            self._again.discard(case_id)
            self._running.discard(case_id)
        if again:
            self.submit(case_id)

    def _read_until_settled(self, case_id: str) -> None:
        try:
            while not self._ending.is_set() and not self._read_case(case_id):
                log.info("case changed while it was read", case=case_id)
        finally:
            self._release(case_id)

    def _read_case(self, case_id: str) -> bool:
        """Reads and diagnoses the case once. False where it changed meanwhile."""
        with self._database.reading() as session:
            seen = snapshot(session, case_id)
        if seen is None:
            return True
        inputs: list[GivenSource] = []
        for source in seen.sources:
            self._mark(case_id, source.position, ReadingResult("reading"))
            # Cached: whoever had the case made looks at it next.
            read = self._evidence.input(source)
            if self._ending.is_set():
                # What was cut off by the end of the process is no failure of the source.
                return True
            self._mark(case_id, source.position, _result(source.name, read.outcome))
            inputs.append(read)
        document, message = self._diagnosed(seen, inputs)
        with self._database.writing() as session, session.begin():
            return finish(session, seen, document, message)

    def _renew(self, case_id: str) -> None:
        """Makes the document of a case again while the stored one is still shown, which stays where that fails."""
        try:
            with self._database.writing() as session, session.begin():
                seen = begin_renewal(session, case_id)
            if seen is not None:
                self._renew_seen(seen)
        finally:
            self._release(case_id)

    def _renew_seen(self, seen: Snapshot) -> None:
        inputs = [self._evidence.uncached_input(source) for source in seen.sources]
        if self._ending.is_set():
            with self._database.writing() as session, session.begin():
                take_back_renewal(session, seen.case_id)
            return
        document, _ = self._diagnosed(seen, inputs)
        if document is None:
            log.warning("a stale case could not be read again", case=seen.case_id)
            return
        results = {s.position: _result(s.name, i.outcome) for s, i in zip(seen.sources, inputs, strict=True)}
        with self._database.writing() as session, session.begin():
            finish_renewal(session, seen, document, results)

    def _diagnosed(self, seen: Snapshot, inputs: list[GivenSource]) -> tuple[CaseDocument | None, str | None]:
        """The document, or None and, where the fault is the program's, what to say."""
        try:
            return diagnose_inputs(inputs, seen.site, self._default_site), None
        except Exception:
            log.exception("diagnosing failed", case=seen.case_id)
            return None, _DIAGNOSIS_FAILED

    def _mark(self, case_id: str, position: int, result: ReadingResult) -> None:
        with self._database.writing() as session, session.begin():
            mark_source(session, case_id, position, result)


def _result(name: str, outcome: Evidence | Archive | Failure) -> ReadingResult:
    if isinstance(outcome, Failure):
        failure = told_by_name(name, outcome)
        return ReadingResult("failed", message=failure.message, next_step=failure.next_step)
    if isinstance(outcome, Archive):
        return ReadingResult("read", reader=outcome.packing)
    return ReadingResult("read", reader=outcome.reader)
