"""A small centre: logs of invented jobs in a tree of dates, and what became of them in a warehouse."""

from __future__ import annotations

import atexit
import gzip
import os
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path

from darshan_writer import Compression, Counters, Job, Log, build, record_id

from iotriage.centre.batches import READING, BatchLimits
from iotriage.centre.ingest import IngestCounts, IngestOptions, ingest
from iotriage.centre.warehouse.columns import TABLES, MetricsRead, columns_of
from iotriage.centre.warehouse.manifest import days_in
from iotriage.centre.warehouse.reading import opened
from iotriage.intake.case_process import own_sites
from iotriage.intake.children import Children

NOON = int(datetime(2026, 11, 20, 12, tzinfo=UTC).timestamp())
DAY_S = 86_400


@dataclass(frozen=True)
class Run:
    """A job's step: `number` tells it from others, `writes` calls of 1000 B each to one file."""

    number: int
    job_id: int = 7001
    uid: int = 20417
    day: int = 0
    writes: int = 4_000

    @property
    def start(self) -> int:
        return NOON + self.day * DAY_S + self.number

    @property
    def name(self) -> str:
        return f"auser_sim_id{self.job_id}-{100 + self.number}_11-20-{40_000 + self.number}-{self.number}"

    def log(self, compression: Compression = "zlib", ended: bool = True) -> bytes:
        path = f"/scratch/out{self.number}.dat"
        written = {
            "POSIX_OPENS": 4,
            "POSIX_WRITES": self.writes,
            "POSIX_BYTES_WRITTEN": 1000 * self.writes,
            "POSIX_SIZE_WRITE_100_1K": self.writes,
            "POSIX_F_WRITE_TIME": 80.0,
        }
        end_s = self.start + 100 if ended else 0
        job = Job(uid=self.uid, job_id=self.job_id, start_s=self.start, end_s=end_s, nprocs=4)
        posix = Counters.of("POSIX", {"id": record_id(path), "rank": -1, **written})
        return build(replace(Log(job=job, names={record_id(path): path}, modules=(posix,)), compression=compression))


def put(folder: Path, name: str, content: bytes) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / name
    path.write_bytes(content)
    os.utime(path, (NOON, NOON))
    return path


def small_centre(folder: Path) -> None:
    """Nine runs of four jobs on two days, in trees padded and not; copies, a partial log with its final one, a partial
    alone, and files that are no logs."""
    first, second = folder / "2026" / "11" / "20", folder / "2026" / "11" / "21"
    for number in range(4):
        run = Run(number)
        put(first, f"{run.name}_100.darshan", run.log())
    for number in range(4, 7):
        run = Run(number, job_id=7002, day=1, writes=0 if number == 6 else 40_000)
        put(second, f"{run.name}_100.darshan", run.log())
    moved = Run(0)
    put(folder / "kept", "renamed.darshan", moved.log("bzip2"))
    put(folder / "kept", "packed.darshan.gz", gzip.compress(Run(1).log("none"), mtime=0))
    ended = Run(7, job_id=7003)
    put(first, f"{ended.name}.darshan_partial", replace(ended, writes=1_000).log())
    put(first, f"{ended.name}_100.darshan", ended.log())
    running = Run(8, job_id=7004, day=1)
    put(folder / "2026" / "11" / "9", f"{running.name}.darshan_partial", running.log())
    put(first, "cut_100.darshan", Run(9).log()[:700])
    put(first, "old_1.darshan.gz", gzip.compress(b"2.05\0\0\0\x0075d\0\0\0\0\0" + bytes(64), mtime=0))
    put(first, "empty.darshan", b"")
    put(first, "notes.txt", b"no log")


class _LastingChildren(Children):
    """Stay when an ingest ends: to import all that reads takes longer than most ingests here."""

    def close(self) -> None:
        pass

    def end(self) -> None:
        super().close()


LASTING_CHILDREN = _LastingChildren(READING, more=own_sites)
atexit.register(LASTING_CHILDREN.end)


def taken(folder: Path, warehouse: Path, **changes: object) -> IngestCounts:
    options = IngestOptions(folder, warehouse, limits=BatchLimits(cpu_seconds=300, wall_seconds=900))
    return ingest(replace(options, **changes), lambda _: None, children=LASTING_CHILDREN)


def rows(warehouse: Path, query: str) -> Sequence[tuple[object, ...]]:
    """Of the metrics, as columns, those that the query names."""
    named = {table: [id for id in columns_of(table) if f'"{id}"' in query] for table in TABLES}
    return _rows(warehouse, query, named)


def _rows(warehouse: Path, query: str, metrics: MetricsRead | None) -> Sequence[tuple[object, ...]]:
    connection = opened(warehouse, days_in(warehouse), metrics)
    found = connection.execute(query).fetchall()
    connection.close()
    return found


Digest = Sequence[tuple[object, ...]]


def digest(warehouse: Path) -> Digest:
    """Of each table how many rows there are, and one figure of all that they say."""
    tables = ("logs", "groups", "findings", "documents", "jobs")
    of_each = [
        f"SELECT '{t}', count(*), md5(string_agg(said, '' ORDER BY said)) "
        f"FROM (SELECT to_json(x)::VARCHAR AS said FROM {t} x)"
        for t in tables
    ]
    return _rows(warehouse, " UNION ALL ".join(of_each) + " ORDER BY 1", None)
