"""The pool of case processes: one process for each case, kept warm for a while after a query, bounded in number and
memory."""

from __future__ import annotations

import contextlib
import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Iterator, Sequence
from functools import partial

from cachetools import LRUCache

from iotriage.intake.case_process import CaseProcess
from iotriage.intake.case_queries import CaseLimits, SourceHeader, SourceRead
from iotriage.intake.children import Children
from iotriage.intake.disposable import NOT_HANDED_OVER
from iotriage.intake.reading import MIB, ReadingLimits, SourceReading, Spent, Take
from iotriage.store.cases import SourceInCase
from iotriage.store.sources import SourceFolder
from iotriage_parsers.evidence import Failure
from iotriage_parsers.frozen import frozen

MOST_FAILURES = 4096

_MISSING = Failure("damaged", "The stored file is gone.", "Upload the file again.")

CaseKey = tuple[str, tuple[SourceInCase, ...]]
"""The case and what it is made of, so that one process never holds two people's bytes."""

Began = Callable[[SourceInCase], None]
Done = Callable[[SourceInCase, SourceRead], None]


@frozen
class WarmLimits:
    """How many processes may wait for another query, with how much memory together, and how long each."""

    processes: int = 8
    memory_bytes: int = 1024 * MIB
    seconds: float = 300.0


@frozen
class _Warm:
    process: CaseProcess
    since: float


class CaseProcesses:
    """Nobody else may use the process of a case while one does: the queue sees to it, whose keys are cases."""

    def __init__(
        self,
        folder: SourceFolder,
        reading: SourceReading,
        children: Children,
        reading_limits: ReadingLimits,
        limits: CaseLimits,
        warm: WarmLimits,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._folder = folder
        self._reading = reading
        self._children = children
        self._reading_limits = reading_limits
        self._limits = limits
        self._warm_limits = warm
        self._clock = clock
        self._lock = threading.Lock()
        self._warm: OrderedDict[CaseKey, _Warm] = OrderedDict()
        self._failures: LRUCache[str, Failure] = LRUCache(MOST_FAILURES)
        self._closed = False

    def start(self) -> None:
        with self._lock:
            self._closed = False
        self._children.start()

    @contextlib.contextmanager
    def of(self, case_id: str, sources: Sequence[SourceInCase], spent: Spent) -> Iterator[CaseProcess]:
        """The case's process, which has read all sources: the one that is warm, or another. It stays warm afterwards.
        Raises `CaseEndedError`, as what it is asked may."""
        key = (case_id, tuple(sources))
        process = self._taken(key) or self._opened(sources, spent, _nothing, _nothing, again=False)
        with _ended_with(process):
            yield process
        self._keep(key, process)

    @contextlib.contextmanager
    def fresh(
        self,
        case_id: str,
        sources: Sequence[SourceInCase],
        spent: Spent,
        began: Began,
        done: Done,
        *,
        keeps: bool,
    ) -> Iterator[CaseProcess]:
        """Another process, which reads all sources again, those too of which that failed. With `keeps` it stays warm
        afterwards, in the place of all others of the case."""
        if keeps:
            self.forget(case_id)
        process = self._opened(sources, spent, began, done, again=True)
        with _ended_with(process):
            yield process
        if keeps:
            self._keep((case_id, tuple(sources)), process)
        else:
            process.end()

    def forget(self, case_id: str) -> None:
        """Ends the warm process of the case."""
        with self._lock:
            ended = [self._warm.pop(key) for key in [k for k in self._warm if k[0] == case_id]]
        _end(ended)

    def forget_all(self) -> None:
        """Ends all warm processes."""
        with self._lock:
            ended = list(self._warm.values())
            self._warm.clear()
        _end(ended)

    def end_idle(self) -> None:
        """Ends the processes that have not been used for a while."""
        oldest = self._clock() - self._warm_limits.seconds
        with self._lock:
            ended = [self._warm.pop(key) for key in [k for k, w in self._warm.items() if w.since <= oldest]]
        _end(ended)

    def warm(self) -> int:
        with self._lock:
            return len(self._warm)

    def close(self) -> None:
        with self._lock:
            self._closed = True
        self.forget_all()

    def _taken(self, key: CaseKey) -> CaseProcess | None:
        with self._lock:
            warm = self._warm.pop(key, None)
        return None if warm is None else warm.process

    def _keep(self, key: CaseKey, process: CaseProcess) -> None:
        ended: list[_Warm] = []
        with self._lock:
            self._warm[key] = _Warm(process, self._clock())
            limits = self._warm_limits
            while self._warm and (
                self._closed
                or len(self._warm) > limits.processes
                or sum(w.process.peak_bytes for w in self._warm.values()) > limits.memory_bytes
            ):
                ended.append(self._warm.popitem(last=False)[1])
        _end(ended)

    def _opened(
        self, sources: Sequence[SourceInCase], spent: Spent, began: Began, done: Done, *, again: bool
    ) -> CaseProcess:
        process = CaseProcess(self._children, self._limits)
        with _ended_with(process):
            for source in sources:
                began(source)
                header = SourceHeader(source.name, source.sha256, source.size_bytes, source.of_job)
                read = process.add(header, partial(self._read, source.sha256, again, spent), spent)
                done(source, read)
        return process

    def _read(self, sha256: str, again: bool, spent: Spent, take: Take) -> Failure | None:
        with self._lock:
            known = None if again else self._failures.get(sha256)
        if known is not None:
            return known
        path = self._folder.path(sha256)
        if not path.is_file():
            return _MISSING
        failure = self._reading.read(path, self._reading_limits, take, spent)
        with self._lock:
            if failure is None or failure is NOT_HANDED_OVER:
                self._failures.pop(sha256, None)
            else:
                self._failures[sha256] = failure
        return failure


@contextlib.contextmanager
def _ended_with(process: CaseProcess) -> Iterator[None]:
    """Whatever goes wrong while somebody uses it, it is used no more."""
    try:
        yield
    except BaseException:
        process.end()
        raise


def _end(ended: Sequence[_Warm]) -> None:
    for warm in ended:
        warm.process.end()


def _nothing(*_: object) -> None:
    pass
