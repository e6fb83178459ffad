"""Background worker of the server: threads that have cases read and diagnosed in disposable processes."""

from __future__ import annotations

import sys
import threading
import time
from collections import deque
from collections.abc import Callable, Mapping
from dataclasses import field, replace
from pathlib import Path

import structlog
from sqlalchemy.exc import OperationalError
from sqlalchemy.orm import Session

from iotriage.analysis.document import CaseDocument
from iotriage.analysis.jobs import CaseIdentity
from iotriage.analysis.site_used import names_centre
from iotriage.analysis.unread_archives import UnreadArchive, unread_archives
from iotriage.digests import made_by_this_program
from iotriage.intake.case_process import CaseEndedError, CaseProcess
from iotriage.intake.case_processes import CaseProcesses
from iotriage.intake.case_queries import SourceRead
from iotriage.intake.case_views import document_of
from iotriage.intake.change_listeners import ChangeListeners
from iotriage.intake.queue import MovedError, QueuedTask, Urgency, WorkQueue
from iotriage.intake.reading import Spent
from iotriage.intake.samples import load_samples
from iotriage.store.cases import (
    ReadingResult,
    Snapshot,
    SourceInCase,
    awaits_joining,
    begin_reading,
    finish,
    interrupted_cases,
    mark_sources,
    undo_reading,
    unfinished_cases,
)
from iotriage.store.database import Database
from iotriage.store.earlier_cases import enter_earlier_cases, lead_earlier_tickets
from iotriage.store.joining import join_by_itself
from iotriage.store.renewal import begin_renewal, stale_cases, undo_renewal
from iotriage.store.retention import Retention, drop_expired
from iotriage.store.search_text import purge_deleted_words
from iotriage.store.sources import SourceFolder, drop_abandoned_sources
from iotriage_parsers.frozen import frozen

log: structlog.stdlib.BoundLogger = structlog.get_logger()

_MAINTENANCE_SECONDS = 600.0
_LOOK_SECONDS = 2.0
"""How soon it is noticed that the database is back, or that PostgreSQL ended the connection that has the lock."""

_NOT_STORED = "The case was read, but what came of it could not be stored. The server's log has the cause."


class Worker:
    """Takes ids of cases and gives each case its document. What was not finished when the process ended is taken up
    again by `start`: the case's status in the database is the queue's memory. Every ten minutes, and as soon as the
    database answers again, maintenance runs: uploads that no case uses go, and a case that was given up is taken up
    again.

    Cases whose documents are stale are read again one at a time while there is nothing else to do, in a thread of their
    own, and before all else when somebody opens one. With `renews` False only the latter."""

    def __init__(
        self,
        database: Database,
        folder: SourceFolder,
        close: Callable[[], None],
        processes: CaseProcesses,
        queue: WorkQueue,
        default_site: Callable[[Session], str | None],
        retention: Callable[[], Retention],
        renews: bool = True,
        after_reading: Callable[[str], None] = lambda _: None,
    ) -> None:
        """`close` gives up what is being read or diagnosed; `after_reading` is told of each case that was given and is
        read. `default_site` and `retention` are asked each time: administrators choose them while the server runs."""
        self._database = database
        self._folder = folder
        self._close = close
        self._processes = processes
        self._queue = queue
        self._default_site = default_site
        self._renews = renews
        self._after_reading = after_reading
        self._retention = retention
        self._maintenance: threading.Thread | None = None
        self._ending = threading.Event()
        self._woken = threading.Event()
        self._current = threading.Event()
        self._current.set()
        self.watching = ChangeListeners()
        self._state = threading.Lock()
        self._running: set[str] = set()
        self._again: set[str] = set()
        self._excused: set[str] = set()
        self._stale: deque[str] = deque()
        self._undiagnosed: set[str] = set()
        """Cases that could not be diagnosed since the start, and would not now: they are due at the next."""

    def start(self, samples: Path | None) -> None:
        """Begins with what was left unfinished, then loads the samples; returns at once."""
        self._ending.clear()
        self._woken.clear()
        self._processes.start()
        self._queue.start()
        self._queue.put(lambda _: self.maintain())
        if samples is not None:
            self._queue.put(lambda _: self._load(samples))
        if self._renews:
            self._current.clear()
        self._maintenance = threading.Thread(target=self._maintain, name="maintenance", daemon=True)
        self._maintenance.start()

    def stop(self) -> None:
        """Lets go of what waits and of what is being read; all of it is taken up at the next start."""
        self._ending.set()
        self._woken.set()
        self._close()
        self._queue.stop()
        self._processes.close()
        if self._maintenance is not None:
            self._maintenance.join()
            self._maintenance = None
        with self._state:
            self._running.clear()
            self._again.clear()

    def submit(self, case_id: str, urgency: Urgency = Urgency.NEW, *, suspected: bool = False) -> None:
        """Has the case read; once more from the start where it is being read at this moment. One that is `suspected` to
        end what reads it goes with the slow ones."""
        with self._state:
            if case_id in self._running:
                self._again.add(case_id)
                return
            self._running.add(case_id)
        self._queue.put(lambda ticket: self._read_until_settled(case_id, ticket), urgency, case_id, slow=suspected)

    def is_reading(self, case_id: str) -> bool:
        """Whether the case waits to be read, or is read at this moment."""
        with self._state:
            return case_id in self._running

    def judge_again(self) -> None:
        """Has cases judged by the profiles of sites and the default site as they are now: what is warm has read them
        before, and documents made with a profile that says something else now, or under another default, are stale."""
        self._processes.forget_all()
        if self._renews:
            self._current.clear()
        self._woken.set()

    def forget(self, case_id: str) -> None:
        """Ends what is warm of a case that is gone."""
        self._processes.forget(case_id)

    def renew(self, case_id: str) -> None:
        """Has the stale case, which somebody looks at, read again before all others."""
        if self._claim(case_id):
            self._queue.put(lambda ticket: self._renew(case_id, ticket), Urgency.OPENED, case_id)

    def renew_next(self) -> bool:
        """Reads one stale case again; False where there is none left."""
        if not self._stale:
            with self._state:
                besides = frozenset(self._running | self._undiagnosed)
            with self._database.reading() as session:
                self._stale.extend(stale_cases(session, self._default_site(session), besides))
        if not self._stale:
            return False
        # Whether it still is, is seen when it is begun.
        case_id = self._stale.popleft()
        if self._claim(case_id):
            self._renew_in_turn(case_id)
        return True

    def maintain(self) -> None:
        """Takes up cases that wait while nobody reads them; has earlier cases and tickets in the queue as this version
        enters them; clears away uploads that no case uses, what was kept long enough, and what the database
        still has of it."""
        with self._database.reading() as session:
            waiting, suspected = unfinished_cases(session), interrupted_cases(session)
        with self._state:
            forgotten = [case_id for case_id in waiting if case_id not in self._running]
        for case_id in forgotten:
            self.submit(case_id, suspected=case_id in suspected)
        enter_earlier_cases(self._database)
        lead_earlier_tickets(self._database)
        self._folder.clear_leftovers()
        dropped = drop_abandoned_sources(self._database, self._folder)
        if dropped:
            log.info("sources that no case uses were removed", sources=dropped)
        for case_id in drop_expired(self._database, self._folder, self._retention()):
            log.info("a case was kept long enough and was removed", case=case_id)
            self.forget(case_id)
        purge_deleted_words(self._database)
        self._database.empty_log()

    def wait_until_idle(self, timeout_seconds: float) -> bool:
        """Whether nothing was left to do within this time, and no case was stale."""
        return self._current.wait(timeout_seconds) and self._queue.wait_until_idle(timeout_seconds)

    def _maintain(self) -> None:
        self._renew_all()
        maintained = time.monotonic()
        while not self._ending.is_set():
            if self._woken.wait(_LOOK_SECONDS):
                self._woken.clear()
                self._renew_all()
            self._processes.end_idle()
            self._database.keep_held()
            if self._database.recovered() or time.monotonic() - maintained >= _MAINTENANCE_SECONDS:
                maintained = time.monotonic()
                self._queue.put(lambda _: self.maintain())
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
        self.watching.changed(case_id)
        if again:
            self.submit(case_id)

    def _read_until_settled(self, case_id: str, ticket: QueuedTask) -> None:
        try:
            while not self._ending.is_set() and not self._read_case(case_id, ticket):
                log.info("case is read once more", case=case_id)
        except MovedError:
            # It stays ours: it comes again.
            raise
        except BaseException:
            self._release(case_id)
            raise
        into = self._join(case_id)
        if into is None:
            self._notify_read(case_id)
        self._release(case_id)
        if into is not None:
            self.submit(into)

    def _join(self, case_id: str) -> str | None:
        """Has the case, once it is read, be one with another of its job; the id of the case that is both and is to be
        read again."""
        if self._ending.is_set():
            return None
        try:
            with self._database.writing() as session, session.begin():
                into = join_by_itself(session, case_id) if awaits_joining(session, case_id) else None
        except Exception:
            # It is still sought, and so taken up again.
            log.exception("a case could not be held against others of its job", case=case_id)
            return None
        if into is not None:
            log.info("a case was joined with another of its job", case=case_id, into=into)
            self.forget(case_id)
        return into

    def _notify_read(self, case_id: str) -> None:
        if self._ending.is_set():
            return
        try:
            self._after_reading(case_id)
        except Exception:
            log.exception("what follows on a case that was read failed", case=case_id)

    def _read_case(self, case_id: str, ticket: QueuedTask) -> bool:
        """Reads and diagnoses the case once. False where that is to be done again: it changed meanwhile, or its process
        ended."""
        with self._database.writing() as session, session.begin():
            seen = begin_reading(session, case_id, excused=case_id in self._excused)
            default_site = self._default_site(session)
        self._excused.discard(case_id)
        if seen is None:
            return True
        results: dict[int, ReadingResult] = {}
        try:
            judged = self._judged(seen, default_site, ticket, results)
        except CaseEndedError as ended:
            if self._ending.is_set():
                # What was cut off by the end of the server is no failure of the case.
                self._undo_reading(case_id)
                return True
            return ended.lasting and self._finish(seen, None, results, f"{ended.message} {ended.next_step}")
        except BaseException:
            # The database went away, or there was no place for a slow case: the case has done nothing.
            self._excused.add(case_id)
            raise
        return self._finish(seen, judged, results)

    def _judged(
        self, seen: Snapshot, default_site: str | None, ticket: QueuedTask, results: dict[int, ReadingResult]
    ) -> _Judged:
        """Has the sources read and the case diagnosed, and what they say about their job. How a source went is told
        with the beginning of the next; how the last one did is in `results`, to be told with the end."""

        def began(source: SourceInCase) -> None:
            if results:
                self._mark(seen.case_id, {**results, source.position: ReadingResult("reading")})
                results.clear()

        def done(source: SourceInCase, read: SourceRead) -> None:
            if self._ending.is_set():
                raise CaseEndedError("The server ends.", "", lasting=False)
            results[source.position] = _result(read)

        # It stays warm: whoever had the case made looks at it next.
        with self._processes.fresh(seen.case_id, seen.sources, ticket.spent, began, done, keeps=True) as process:
            judged = _judged(process, seen, default_site, ticket.spent)
        results.update(judged.unread)
        return judged

    def _finish(
        self,
        seen: Snapshot,
        judged: _Judged | None,
        results: Mapping[int, ReadingResult],
        message: str | None = None,
    ) -> bool:
        of = judged or _Judged(None, CaseIdentity(), None)
        if of.document is None:
            with self._state:
                self._undiagnosed.add(seen.case_id)
        try:
            with self._database.writing() as session, session.begin():
                return finish(session, seen, of.document, message, results, of.identity, of.default_site)
        except OperationalError:
            self._excused.add(seen.case_id)
            raise
        except Exception:
            if of.document is None:
                raise
            log.exception("what came of a case could not be stored", case=seen.case_id)
            return self._finish(seen, None, results, _NOT_STORED)

    def _undo_reading(self, case_id: str) -> None:
        with self._database.writing() as session, session.begin():
            undo_reading(session, case_id)

    def _renew_in_turn(self, case_id: str) -> None:
        done = threading.Event()

        def renewed(ticket: QueuedTask) -> None:
            self._renew(case_id, ticket)
            done.set()

        def given_up() -> None:
            self._release(case_id)
            done.set()

        self._queue.put(renewed, Urgency.UNASKED, case_id, dropped=given_up)
        done.wait()

    def _renew(self, case_id: str, ticket: QueuedTask) -> None:
        """Makes the document of a case again while the stored one is still shown, which stays where that fails."""
        try:
            with self._database.writing() as session, session.begin():
                default_site = self._default_site(session)
                seen = begin_renewal(session, case_id, default_site)
            if seen is not None:
                self._renew_seen(seen, default_site, ticket)
        except MovedError:
            self._undo_renewal(case_id)
            raise
        except Exception:
            log.exception("a stale case could not be read again", case=case_id)
        into = self._join(case_id)
        self._release(case_id)
        if into is not None:
            self.submit(into)

    def _renew_seen(self, seen: Snapshot, default_site: str | None, ticket: QueuedTask) -> None:
        if self._folder.lacks_any(source.sha256 for source in seen.sources):
            # Of what is left another document would come, in the place of one of all.
            log.warning("a stale case keeps its document: bytes of its sources are not here", case=seen.case_id)
            return
        results: dict[int, ReadingResult] = {}

        def done(source: SourceInCase, read: SourceRead) -> None:
            results[source.position] = _result(read)

        try:
            with self._processes.fresh(
                seen.case_id, seen.sources, ticket.spent, lambda _: None, done, keeps=False
            ) as process:
                judged = _judged(process, seen, default_site, ticket.spent)
        except CaseEndedError as ended:
            if self._ending.is_set():
                self._undo_renewal(seen.case_id)
                return
            log.warning("a stale case could not be read again", case=seen.case_id, why=ended.message)
            return
        if self._ending.is_set():
            self._undo_renewal(seen.case_id)
            return
        if judged.document is None and not judged.unread:
            log.warning("a stale case could not be read again", case=seen.case_id)
            return
        results.update(judged.unread)
        with self._database.writing() as session, session.begin():
            # Where the case has changed meanwhile, whoever changed it has it read.
            finish(session, seen, judged.document, None, results, judged.identity, judged.default_site)

    def _undo_renewal(self, case_id: str) -> None:
        with self._database.writing() as session, session.begin():
            undo_renewal(session, case_id)

    def _mark(self, case_id: str, results: Mapping[int, ReadingResult]) -> None:
        with self._database.writing() as session, session.begin():
            mark_sources(session, case_id, results)
        self.watching.changed(case_id)


@frozen
class _Judged:
    """A case's document, if its sources give one, what they say about their job, and the default site that held; and
    of which archives, by their positions, nothing could be read."""

    document: CaseDocument | None
    identity: CaseIdentity
    default_site: str | None
    unread: Mapping[int, ReadingResult] = field(default_factory=dict)


def _judged(process: CaseProcess, seen: Snapshot, default_site: str | None, spent: Spent) -> _Judged:
    """The document, and what the sources say about their job. A process that gave no whole document is asked nothing
    more: whoever wrote nonsense may never answer again, and its end by the clock would be said in place of the
    fault."""
    document = document_of(process.document(seen.site, default_site, spent))
    if document is not None and not made_by_this_program(document):
        # Each of its documents is stale at once, and is made again in vain.
        log.error("what diagnoses is another IOtriage than the server's: start the server again", python=sys.executable)
    identity = _with_site(process.identity(spent), document)
    if document is None:
        return _Judged(None, identity, default_site)
    unread = {seen.sources[given].position: _unread(why) for given, why in unread_archives(document).items()}
    nothing = all(source.status == "failed" for source in document.sources)
    return _Judged(None if nothing else document, identity, default_site, unread)


def _with_site(identity: CaseIdentity, document: CaseDocument | None) -> CaseIdentity:
    """With the centre that the evidence names."""
    named = document is not None and names_centre(document.site)
    return replace(identity, site=document.site.id) if named and document is not None else identity


def _unread(why: UnreadArchive) -> ReadingResult:
    return ReadingResult("failed", message=why.message, next_step=why.next_step)


def _result(read: SourceRead) -> ReadingResult:
    if read.failure is not None:
        return ReadingResult("failed", message=read.failure.message, next_step=read.failure.next_step)
    return ReadingResult("read", reader=read.reader)
