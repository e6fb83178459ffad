"""Reads cases in the background: threads of the server that drive the disposable processes."""

from __future__ import annotations

import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import structlog

from iotriage.analysis.inputs import GivenSource, told_by_name
from iotriage.intake.diagnosis import diagnose_given
from iotriage.intake.evidence_cache import KeptEvidence
from iotriage.intake.reading import SourceReading
from iotriage.intake.samples import load_samples
from iotriage.store.cases import (
    ReadingResult,
    Snapshot,
    finish,
    mark_source,
    reread_outdated,
    snapshot,
    unfinished_cases,
)
from iotriage.store.database import Database
from iotriage.store.sources import SourceFolder, drop_abandoned_sources
from iotriage_parsers.evidence import Archive, Evidence, Failure

log: structlog.stdlib.BoundLogger = structlog.get_logger()

_TENDING_SECONDS = 600.0

_DIAGNOSIS_FAILED = "The sources were read, but diagnosing them failed. The server's log has the cause."


class Worker:
    """Takes ids of cases and gives each case its document. What was not finished when the process ended is taken up
    again by `start`: the case's status in the database is the queue's memory. Every ten minutes the house is tended:
    uploads that no case uses go, and a case that was given up, because the database was away, is taken up again."""

    def __init__(
        self,
        database: Database,
        folder: SourceFolder,
        reading: SourceReading,
        kept: KeptEvidence,
        threads: int,
        default_site: str | None,
    ) -> None:
        self._database = database
        self._folder = folder
        self._reading = reading
        self._kept = kept
        self._default_site = default_site
        self._threads = threads
        self._pool: ThreadPoolExecutor | None = None
        self._tending: threading.Thread | None = None
        self._ending = threading.Event()
        self._state = threading.Condition()
        self._running: set[str] = set()
        self._again: set[str] = set()
        self._busy = 0
        self._stopping = False

    def start(self, samples: Path | None) -> None:
        """Begins with what was left unfinished, then loads the samples; returns at once."""
        self._stopping = False
        self._ending.clear()
        self._pool = ThreadPoolExecutor(self._threads, thread_name_prefix="reading")
        self._do(self._resume)
        self._tending = threading.Thread(target=self._tend_now_and_then, name="tending", daemon=True)
        self._tending.start()
        if samples is not None:
            self._do(lambda: self._load(samples))

    def stop(self) -> None:
        """Lets go of what waits and of what is being read; all of it is taken up at the next start."""
        self._stopping = True
        self._ending.set()
        if self._tending is not None:
            self._tending.join()
            self._tending = None
        self._reading.close()
        if self._pool is not None:
            self._pool.shutdown(wait=True, cancel_futures=True)
            self._pool = None
        with self._state:
            self._running.clear()
            self._again.clear()
            self._busy = 0
            self._state.notify_all()

    def submit(self, case_id: str) -> None:
        """Has the case read; once more from the start where it is being read at this moment."""
        with self._state:
            if case_id in self._running:
                self._again.add(case_id)
                return
            self._running.add(case_id)
        self._do(lambda: self._read_until_settled(case_id))

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
        """Whether nothing was left to do within this time."""
        with self._state:
            return self._state.wait_for(lambda: self._busy == 0, timeout_seconds)

    def _tend_now_and_then(self) -> None:
        while not self._ending.wait(_TENDING_SECONDS):
            self._do(self.tend)

    def _do(self, task: Callable[[], None]) -> None:
        if self._pool is None:
            return
        with self._state:
            self._busy += 1
        self._pool.submit(self._guarded, task)

    def _guarded(self, task: Callable[[], None]) -> None:
        try:
            task()
        except Exception:
            log.exception("background work failed")
        finally:
            with self._state:
                self._busy -= 1
                self._state.notify_all()

    def _resume(self) -> None:
        with self._database.writing() as session, session.begin():
            reread_outdated(session)
        self.tend()

    def _load(self, samples: Path) -> None:
        for case_id in load_samples(self._database, self._folder, samples):
            self.submit(case_id)

    def _read_until_settled(self, case_id: str) -> None:
        try:
            while not self._stopping and not self._read_case(case_id):
                log.info("case changed while it was read", case=case_id)
        finally:
            with self._state:
                again = case_id in self._again
                self._again.discard(case_id)
                self._running.discard(case_id)
        if again:
            self.submit(case_id)

    def _read_case(self, case_id: str) -> bool:
        """Reads and diagnoses the case once. False where it changed meanwhile."""
        with self._database.reading() as session:
            seen = snapshot(session, case_id)
        if seen is None:
            return True
        given: list[GivenSource] = []
        for source in seen.sources:
            self._mark(case_id, source.position, ReadingResult("reading"))
            # Kept: whoever had the case made looks at it next.
            read = self._kept.given(source)
            if self._stopping:
                # What was cut off by the end of the process is no failure of the source.
                return True
            self._mark(case_id, source.position, _result(source.name, read.outcome))
            given.append(read)
        return self._finish(seen, given)

    def _finish(self, seen: Snapshot, given: list[GivenSource]) -> bool:
        message = None
        try:
            document = diagnose_given(given, seen.site, self._default_site)
        except Exception:
            log.exception("diagnosing failed", case=seen.case_id)
            document, message = None, _DIAGNOSIS_FAILED
        with self._database.writing() as session, session.begin():
            return finish(session, seen, document, message)

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
