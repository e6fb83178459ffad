"""Takes the logs of a folder into a warehouse: new or changed ones, in batches, by several workers. Whatever ends a
run, the next one continues after the last file that was counted, so that no log is counted twice and none is missed."""

from __future__ import annotations

import contextlib
import json
import queue
import shutil
import tempfile
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, timedelta
from itertools import islice
from pathlib import Path
from typing import Final

from iotriage.centre.batches import BatchLimits, BatchReading, SitePreference, WorkersError, batch_children, batched
from iotriage.centre.last_runs import LastRun, LastTry, write_last_run, write_last_try
from iotriage.centre.log_files import LATE_DAYS, LogFile, Shard, has_come, logs_in, path_as_text
from iotriage.centre.log_rows import TRIED_AGAIN, LogOutcome, LogUnread
from iotriage.centre.report.rollup import roll_up
from iotriage.centre.retained_days import retained_days
from iotriage.centre.shards import lock_shard
from iotriage.centre.warehouse.compacting import compact
from iotriage.centre.warehouse.manifest import day_folder, days_in, uncounted
from iotriage.centre.warehouse.metrics_used import store_metrics_used
from iotriage.centre.warehouse.misdated import first_days, note_copies
from iotriage.centre.warehouse.reading import connected, written_views
from iotriage.centre.warehouse.writing import (
    AfterStep,
    Spool,
    WriteTarget,
    day_of,
    is_misdated,
    is_tried_again,
    row_of_file,
    write_rows,
)
from iotriage.centre.watermark import read_watermark, write_watermark
from iotriage.intake.children import Children
from iotriage.release import __version__
from iotriage_parsers.frozen import frozen

ROWS_TOGETHER: Final = 2_000
"""Number of logs written together; so many may have to be read again after a kill."""
LOOKED_UP_TOGETHER: Final = 500_000
"""Number of logs looked up in one query, since each query goes through the whole warehouse."""
WAITING: Final = 128
"""Number of outcomes that may wait while others are written; one with its document takes some 0.3 MB."""
READ_NO_MORE_S: Final = 6 * 3600
"""How long a file may still be read after a newer manifest has replaced it."""


_SETTLED: Final = """
SELECT content FROM steps_written
WHERE outcome <> 'copy' AND NOT coalesce(list_contains($tried_again, code), false)
"""
"""Contents with a result that no further try can change."""


@frozen
class IngestOptions:
    """`outputs` are patterns of file names beside those of logs; with `everything` no day is passed over. Of the days
    in `again`, what is still there is read again. The workers are those of the Dask scheduler at `dask` where one is
    named, else `workers` processes here."""

    folder: Path
    warehouse: Path
    workers: int = 1
    shard: Shard = field(default_factory=Shard)
    outputs: tuple[str, ...] = ()
    everything: bool = False
    again: tuple[date, ...] = ()
    dask: str | None = None
    limits: BatchLimits = field(default_factory=BatchLimits)
    judging: SitePreference = field(default_factory=SitePreference)


@dataclass
class IngestCounts:
    """Logs so far. `known` were there before, `copies` hold what another log holds that is there, `dropped` are of days
    that the warehouse keeps no more. Before `since` nothing was looked for; `unlisted` are folders in which nothing
    could be, each with why."""

    found: int = 0
    known: int = 0
    read: int = 0
    failed: int = 0
    copies: int = 0
    dropped: int = 0
    reasons: dict[str, int] = field(default_factory=dict)
    since: date | None = None
    unlisted: list[tuple[Path, str]] = field(default_factory=list)

    @property
    def done(self) -> int:
        return self.known + self.read + self.failed + self.copies + self.dropped


Progress = Callable[[IngestCounts], None]


def ingest(
    options: IngestOptions, progress: Progress, after_step: AfterStep = lambda _: None, children: Children | None = None
) -> IngestCounts:
    """Takes in what is there. `progress` is told after every log; what reads here is forked off `children`. Raises
    `BusyError`, `OtherShardsError` of a day that is to be taken in again, and OSError where the warehouse cannot be
    written."""
    root = options.warehouse
    root.mkdir(parents=True, exist_ok=True)
    for day in options.again:
        _of_these_shards(root, day, options.shard)
    with lock_shard(root, options.shard.name):
        write_last_try(root, LastTry(path_as_text(options.folder.absolute()), options.shard.name, time.time(), None))
        _clear(root, options.shard)
        store_metrics_used(root)
        with tempfile.TemporaryDirectory(prefix=_scratch(options.shard), dir=root) as scratch:
            return _Ingest(options, Path(scratch), progress, after_step, children or batch_children()).run()


class OtherShardsError(Exception):
    """A day was taken in by another number of shards: what one of these reads again would be there twice."""


def _of_these_shards(root: Path, day: date, shard: Shard) -> None:
    for path in day_folder(root, day).glob("manifest-*.json"):
        if not path.stem.endswith(f"-of-{shard.count}"):
            before = path.stem.removeprefix("manifest-").replace("-of-", "/")
            raise OtherShardsError(f"{day} was taken in as shard {before}: take it in again so")


class _Ingest:
    def __init__(
        self, options: IngestOptions, scratch: Path, progress: Progress, after_step: AfterStep, children: Children
    ) -> None:
        self._options = options
        self._scratch = scratch
        self._progress = progress
        self._after_step = after_step
        self._children = children
        self._counts = IngestCounts()
        self._spool = Spool(scratch)
        self._connection = connected(scratch)
        self._written: set[tuple[date, str]] = set()
        self._failing: set[str] = set()
        self._failed_on: dict[str, set[date]] = {}
        self._looked: set[date] = set()
        self._misdated: dict[str, date] = {}
        self._kept = retained_days(options.warehouse, options.again)

    def run(self) -> IngestCounts:
        began = time.monotonic()
        options = self._options
        with contextlib.closing(self._connection):
            found = self._found()
            self._counts.found = len(found)
            self._progress(self._counts)
            looked_up = [log for log in found if self._kept.may_have(log)]
            self._counts.dropped = len(found) - len(looked_up)
            fresh = [log for part in _parts(looked_up, LOOKED_UP_TOGETHER) for log in self._unknown(part)]
            if fresh:
                self._misdated.update(first_days(options.warehouse))
            try:
                for log, outcome in self._outcomes(fresh):
                    self._take(log, outcome)
                    if self._spool.logs >= ROWS_TOGETHER:
                        self._write()
            except WorkersError:
                # Nobody need read again what they had read.
                self._write()
                raise
            self._write()
            if fresh:
                note_copies(self._connection, options.warehouse, options.shard.name, self._late_days())
            compact(self._connection, options.warehouse, sorted(self._looked), options.shard.name, __version__)
        roll_up(options.warehouse, days_in(options.warehouse))
        newest = max((log.day for log in found if log.day is not None and has_come(log.day)), default=None)
        # What could not be listed is looked for again, however old it is by then.
        if newest is not None and not self._counts.unlisted:
            write_watermark(options.warehouse, options.folder, options.shard, newest)
        write_last_run(options.warehouse, self._last_run(newest, time.monotonic() - began))
        return self._counts

    def _late_days(self) -> Iterator[date]:
        """Days in the warehouse for which logs may have arrived since the last run."""
        late = datetime.now(UTC).date() - timedelta(days=LATE_DAYS)
        return (day for day in days_in(self._options.warehouse) if day >= late or day in self._looked)

    def _last_run(self, newest: date | None, seconds: float) -> LastRun:
        options, counts = self._options, self._counts
        return LastRun(
            folder=path_as_text(options.folder.absolute()),
            shard=options.shard.name,
            ended=time.time(),
            seconds=seconds,
            newest_day=newest,
            found=counts.found,
            known=counts.known,
            read=counts.read,
            failed=counts.failed,
            copies=counts.copies,
            reasons=dict(counts.reasons),
            unlisted=len(counts.unlisted),
            first_unlisted=path_as_text(counts.unlisted[0][0]) if counts.unlisted else None,
        )

    def _outcomes(self, logs: Sequence[LogFile]) -> Iterator[tuple[LogFile, LogOutcome]]:
        options = self._options
        if options.dask is None:
            return _read_here(logs, options, self._children)
        # `distributed` is an extra: who names no scheduler needs it not.
        from iotriage.centre.dask_workers import read_by_dask

        return read_by_dask(options.dask, logs, options.limits, options.judging)

    def _found(self) -> list[LogFile]:
        """The logs of the shard; days long before those already taken in are not searched."""
        options = self._options
        last = (
            None
            if options.everything or options.again
            else read_watermark(options.warehouse, options.folder, options.shard)
        )
        since = None if last is None else last - timedelta(days=LATE_DAYS)
        self._counts.since = since
        found = logs_in(options.folder, options.outputs, since, self._unlisted)
        return [log for log in found if options.shard.has(log)]

    def _unlisted(self, folder: Path, why: OSError) -> None:
        self._counts.unlisted.append((folder, why.strerror or f"{why}"))

    def _unknown(self, logs: Sequence[LogFile]) -> list[LogFile]:
        """The logs that the warehouse does not have in their present state, by path, size and time."""
        options = self._options
        written_views(self._connection, options.warehouse, days_in(options.warehouse), ["steps"], {})
        path = self._scratch / "asked.jsonl"
        with path.open("w", encoding="utf-8") as lines:
            for index, log in enumerate(logs):
                asked = {"index": index, "path": path_as_text(log.path)}
                asked |= {"size_bytes": log.size_bytes, "modified_ns": log.modified_ns}
                lines.write(json.dumps(asked) + "\n")
        columns = {"index": "BIGINT", "path": "VARCHAR", "size_bytes": "BIGINT", "modified_ns": "BIGINT"}
        unknown = self._connection.execute(
            "SELECT index FROM read_json($lines, format = 'newline_delimited', columns = $columns) AS asked "
            f"ANTI JOIN (FROM steps_written SEMI JOIN ({_SETTLED}) USING (content) "
            "WHERE NOT list_contains($again::DATE[], day)) AS known USING (path, size_bytes, modified_ns) "
            "ORDER BY index",
            {"lines": str(path), "columns": columns, "tried_again": list(TRIED_AGAIN), "again": list(options.again)},
        ).fetchall()
        failed = self._connection.execute(
            "SELECT asked.path, steps_written.day "
            "FROM read_json($lines, format = 'newline_delimited', columns = $columns) AS asked "
            "JOIN steps_written USING (path) WHERE outcome = 'failed'",
            {"lines": str(path), "columns": columns},
        ).fetchall()
        for failing, day in failed:
            self._failed_on.setdefault(failing, set()).add(day)
        self._counts.known += len(logs) - len(unknown)
        self._progress(self._counts)
        return [logs[index] for (index,) in unknown]

    def _take(self, log: LogFile, outcome: LogOutcome) -> None:
        misdated = outcome.content in self._misdated or is_misdated(outcome)
        day = day_of(log, outcome, misdated)
        if not self._kept.has(day):
            self._counts.dropped += 1
            self._progress(self._counts)
            return
        self._look(day)
        tried_again = is_tried_again(outcome)
        copy = not tried_again and (self._counts_before(day, outcome) or self._is_there(day, outcome))
        # What fails day after day, until somebody mends it, is one row.
        if not (tried_again and row_of_file(log, outcome.content) in self._failing):
            self._spool.add(log, outcome, copy=copy, day=day, misdated=misdated)
        if misdated and not copy:
            self._misdated[outcome.content] = day
        if not tried_again:
            # What it failed on may be another day than that of its job: there it has failed no more.
            for failed_on in self._failed_on.pop(path_as_text(log.path), set()) - {day}:
                self._spool.add(log, outcome, copy=True, day=failed_on)
        counts = self._counts
        if copy:
            counts.copies += 1
        elif isinstance(outcome, LogUnread):
            counts.failed += 1
            counts.reasons[outcome.code] = counts.reasons.get(outcome.code, 0) + 1
        else:
            counts.read += 1
        self._progress(counts)

    def _counts_before(self, day: date, outcome: LogOutcome) -> bool:
        """Whether the log is one of a clock that was ahead, and a copy of it counts on an earlier day."""
        first = self._misdated.get(outcome.content)
        return first is not None and first < day

    def _look(self, day: date) -> None:
        """Learns what the warehouse has of the day."""
        if day in self._looked:
            return
        self._looked.add(day)
        written_views(self._connection, self._options.warehouse, [day], ["steps"], {})
        if day in self._options.again:
            return
        tried_again = {"tried_again": list(TRIED_AGAIN)}
        contents = self._connection.execute(_SETTLED, tried_again).fetchall()
        self._written.update((day, content) for (content,) in contents)
        failing = 'SELECT "row" FROM steps_written WHERE list_contains($tried_again, code)'
        self._failing.update(row for (row,) in self._connection.execute(failing, tried_again).fetchall())

    def _is_there(self, day: date, outcome: LogOutcome) -> bool:
        """Whether the content is in the warehouse, of another file or in another compression: then it is of the same
        day."""
        key = day, outcome.content
        if key in self._written:
            return True
        self._written.add(key)
        return False

    def _write(self) -> None:
        options = self._options
        if self._spool.logs:
            place = WriteTarget(options.warehouse, options.shard.name, options.again)
            write_rows(self._connection, place, self._spool, __version__, self._after_step)


def _read_here(
    logs: Sequence[LogFile], options: IngestOptions, children: Children
) -> Iterator[tuple[LogFile, LogOutcome]]:
    """The outcomes of the logs, as they come, of so many workers; their children are forked off one process."""
    batches: queue.SimpleQueue[tuple[LogFile, ...] | None] = queue.SimpleQueue()
    for batch in batched(logs, options.workers):
        batches.put(batch)
    outcomes: queue.Queue[tuple[LogFile, LogOutcome] | BaseException | None] = queue.Queue(WAITING)
    ending = threading.Event()
    reading = BatchReading(options.limits, options.judging, children)
    workers = [
        threading.Thread(target=_work, args=(reading, batches, outcomes, ending), daemon=True)
        for _ in range(max(1, options.workers))
    ]
    for worker in workers:
        batches.put(None)
        worker.start()
    try:
        running = len(workers)
        while running:
            outcome = outcomes.get()
            if outcome is None:
                running -= 1
            elif isinstance(outcome, BaseException):
                raise outcome
            else:
                yield outcome
    finally:
        ending.set()
        while any(worker.is_alive() for worker in workers):
            with contextlib.suppress(queue.Empty):
                outcomes.get(timeout=0.1)
        reading.close()


def _work(
    reading: BatchReading,
    batches: queue.SimpleQueue[tuple[LogFile, ...] | None],
    outcomes: queue.Queue[tuple[LogFile, LogOutcome] | BaseException | None],
    ending: threading.Event,
) -> None:
    try:
        while not ending.is_set() and (batch := batches.get()) is not None:
            for outcome in reading.read(batch):
                outcomes.put(outcome)
                if ending.is_set():
                    break
        outcomes.put(None)
    except BaseException as error:
        outcomes.put(error)


def _parts(logs: Iterable[LogFile], length: int) -> Iterator[list[LogFile]]:
    rest = iter(logs)
    while part := list(islice(rest, length)):
        yield part


def _clear(root: Path, shard: Shard) -> None:
    """What a run of this shard that was cut off left behind, and what was put together since: not the youngest, which
    somebody may be reading."""
    for day in days_in(root):
        for path in list(uncounted(day_folder(root, day), shard.name)):
            if path.suffix == ".part" or time.time() - path.stat().st_mtime > READ_NO_MORE_S:
                path.unlink(missing_ok=True)
    for folder in root.glob(f"{_scratch(shard)}*"):
        shutil.rmtree(folder, ignore_errors=True)


def _scratch(shard: Shard) -> str:
    return f"ingest-{shard.name}-"
