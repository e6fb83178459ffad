"""Reads logs on the workers of a running Dask scheduler. Each worker opens the logs by their paths, on a file system
that all of them see, and reads them in confined children as `iotriage ingest` does on one machine.

What comes back is encoded and is checked here as what a child answers is: a worker can say something wrong of a log,
and nothing else. The scheduler and its workers are the centre's own; Dask has them run whatever a client sends.
"""

from __future__ import annotations

import hashlib
import logging
import threading
from collections.abc import Iterator, Sequence
from itertools import islice
from typing import Final

from distributed import CancelledError, Client, Future, as_completed
from distributed.client import ClosedClientError
from distributed.comm import CommClosedError

from iotriage.boundary.codec import Bounds
from iotriage.centre.batch_messages import OUTCOMES
from iotriage.centre.batches import BatchLimits, BatchReading, SitePreference, WorkersError, batch_children, batched
from iotriage.centre.log_files import LogFile
from iotriage.centre.log_rows import LogOutcome, LogUnread
from iotriage.release import __version__

AHEAD: Final = 2
"""Number of batches that wait at each thread of a worker, so that none is idle."""

_CONNECT_S: Final = 30


# It prints a traceback where a scheduler goes away, of which a sentence is said.
logging.getLogger("distributed.client").setLevel(logging.CRITICAL)


def read_by_dask(
    address: str, logs: Sequence[LogFile], limits: BatchLimits, judging: SitePreference
) -> Iterator[tuple[LogFile, LogOutcome]]:
    """The outcomes of the logs, as they come. Raises `WorkersError`."""
    try:
        with _connected(address) as client:
            yield from _read(client, address, logs, limits, judging)
    except (CancelledError, ClosedClientError, CommClosedError):
        raise WorkersError(
            f"the Dask scheduler at {address} went away: start it and its workers, and call this again; what was read "
            "before is kept"
        ) from None


def _read(
    client: Client, address: str, logs: Sequence[LogFile], limits: BatchLimits, judging: SitePreference
) -> Iterator[tuple[LogFile, LogOutcome]]:
    threads = sum(client.nthreads().values())
    if threads == 0:
        raise WorkersError(f"the Dask scheduler at {address} has no workers")

    def asked(batch: Sequence[LogFile]) -> Future:
        return client.submit(read_batch, __version__, tuple(batch), limits, judging, pure=False)

    batches = batched(logs, threads)
    under_way: dict[str, tuple[LogFile, ...]] = {}
    answers = as_completed()
    for batch in islice(batches, AHEAD * threads):
        _ask(asked(batch), batch, under_way, answers)
    for answer in answers:
        batch = under_way.pop(answer.key)
        if answer.status != "error":
            # What the scheduler took with it, as no worker answered, has no result.
            yield from zip(batch, _outcomes(answer.result(), len(batch)), strict=True)
        elif len(batch) == 1:
            yield batch[0], _lost(batch[0], answer)
        else:
            for log in batch:
                _ask(asked([log]), (log,), under_way, answers)
        answer.release()
        for following in islice(batches, 1):
            _ask(asked(following), following, under_way, answers)


def read_batch(program: str, logs: Sequence[LogFile], limits: BatchLimits, judging: SitePreference) -> list[bytes]:
    """On a worker: the encoded outcome of each log, in their order. ValueError where the client is of another
    version."""
    if program != __version__:
        raise ValueError(f"a Dask worker has IOtriage {__version__}, and was asked by IOtriage {program}")
    return [OUTCOMES.encode(outcome) for _, outcome in _reading(limits, judging).read(logs)]


_OF_THREAD: Final = threading.local()


def _reading(limits: BatchLimits, judging: SitePreference) -> BatchReading:
    """That of this thread: to make its fork server costs a second."""
    cached: tuple[BatchLimits, SitePreference, BatchReading] | None = getattr(_OF_THREAD, "made", None)
    if cached is not None and cached[:2] == (limits, judging):
        return cached[2]
    if cached is not None:
        cached[2].close()
    reading = BatchReading(limits, judging, batch_children())
    _OF_THREAD.made = (limits, judging, reading)
    return reading


def _connected(address: str) -> Client:
    try:
        return Client(address, timeout=_CONNECT_S)
    except (OSError, ValueError) as error:
        raise WorkersError(f"no Dask scheduler answers at {address}: {error}") from None


def _ask(
    future: Future, batch: tuple[LogFile, ...], under_way: dict[str, tuple[LogFile, ...]], answers: as_completed
) -> None:
    under_way[future.key] = batch
    answers.add(future)


def _outcomes(encoded: list[bytes], count: int) -> list[LogOutcome]:
    outcomes = [OUTCOMES.decode(one, Bounds()) for one in encoded]
    if len(outcomes) != count:
        raise WorkersError(f"a worker answered {len(outcomes)} of {count} logs")
    return outcomes


def _lost(log: LogFile, answer: Future) -> LogUnread:
    """Raises `WorkersError` where it is no fault of the log."""
    error = answer.exception()
    if isinstance(error, ValueError | ImportError | WorkersError):
        raise WorkersError(f"{error}")
    named = hashlib.sha256(log.path.encode(errors="surrogateescape")).hexdigest()
    return LogUnread(named, "unreadable", f"the Dask worker that read it ended: {type(error).__name__}")
