"""Logs become rows: once, whatever they are called and however they are compressed, and whatever cuts it off."""

from __future__ import annotations

import contextlib
import gzip
import hashlib
import json
import os
import shutil
import subprocess
import sys
from dataclasses import replace
from datetime import UTC, date, datetime
from pathlib import Path

import pytest
from centre_logs import DAY_S, LASTING_CHILDREN, NOON, Digest, Run, digest, put, rows, taken

from iotriage.centre.batches import BatchLimits, BatchReading, SitePreference, WorkersError, batch_children
from iotriage.centre.ingest import OtherShardsError
from iotriage.centre.last_runs import last_runs
from iotriage.centre.log_files import LogFile, Shard, logs_in
from iotriage.centre.log_rows import LogRead, LogUnread
from iotriage.centre.report.log_details import log_details
from iotriage.centre.shards import BusyError, lock_shard
from iotriage.centre.warehouse.compacting import MOST_FILES
from iotriage.centre.warehouse.manifest import BadManifestError, days_in, file_name, manifest_of, write_manifest
from iotriage.centre.warehouse.reading import connected, opened
from iotriage.centre.warehouse.writing import Spool, WriteTarget, write_rows

DEADLY = str(Path(__file__).parent / "deadly")


@pytest.fixture
def centre(small_logs: Path) -> Path:
    return small_logs


@pytest.fixture
def warehouse(small_warehouse: Path) -> Path:
    return small_warehouse


def test_each_run_is_there_once(warehouse: Path) -> None:
    runs = rows(
        warehouse,
        "SELECT job_id, count(*), bool_or(partial_log) FROM logs WHERE outcome = 'read' GROUP BY 1 ORDER BY 1",
    )
    assert runs == [("7001", 4, False), ("7002", 3, False), ("7003", 1, False), ("7004", 1, True)]
    assert rows(warehouse, "SELECT job_id, steps, nprocs FROM jobs ORDER BY 1")[1] == ("7002", 3, 4)


def test_a_bad_log_is_one_row_with_its_reason(warehouse: Path) -> None:
    bad = rows(
        warehouse, "SELECT parse_filename(path), code, message <> '' FROM logs WHERE outcome = 'failed' ORDER BY 1"
    )
    assert bad == [
        ("cut_100.darshan", "damaged", True),
        ("empty.darshan", "empty", True),
        ("old_1.darshan.gz", "unsupported", True),
    ]


def test_the_header_says_the_day_and_not_the_folder(warehouse: Path) -> None:
    assert [p.relative_to(warehouse).as_posix() for p in sorted(warehouse.glob("year=*/*/*"))] == [
        "year=2026/month=11/day=20", "year=2026/month=11/day=21",
    ]  # fmt: skip
    assert rows(warehouse, "SELECT count(*) FROM logs WHERE job_id = '7004'") == [(1,)]


def test_metrics_are_columns_with_values_bounds_and_reasons(warehouse: Path) -> None:
    (said,) = rows(
        warehouse,
        'SELECT "io.bytes", lower_bounds, "mpiio.aggregators", '
        "list_filter(map_keys(absent), lambda why: list_contains(absent[why], 'mpiio.aggregators')), "
        "cells.writes > 0, cells.reads FROM logs WHERE job_id = '7003'",
    )
    *metrics, (reason,), writes, reads = said
    assert (*metrics, writes, reads) == (4_000_000.0, [], None, True, 0.0)
    assert "MPIIO" in reason
    groups = rows(
        warehouse,
        'SELECT label, mount, groups.cells.writes > 0, groups."io.bytes" FROM groups JOIN logs USING ("row") '
        "WHERE job_id = '7003'",
    )
    assert groups == [("out7.dat", "/scratch", True, 4_000_000.0)]


def test_findings_are_in_the_order_of_the_document(warehouse: Path) -> None:
    (held,) = rows(
        warehouse,
        'SELECT list(rule ORDER BY position), list(position ORDER BY position) FROM findings JOIN logs USING ("row") '
        "WHERE job_id = '7003'",
    )
    (document,) = rows(
        warehouse,
        "SELECT json_extract_string(document, '$.findings[*].rule'), "
        "json_extract_string(document, '$.findings[*].verdict') FROM documents JOIN logs USING (\"row\") "
        "WHERE job_id = '7003'",
    )
    every = enumerate(zip(*document, strict=True))
    assert list(zip(*held, strict=True)) == [(rule, i) for i, (rule, verdict) in every if verdict != "not_applicable"]


def test_what_is_there_is_not_read_again(centre: Path, copied_warehouse: Path, small_digest: Digest) -> None:
    counts = taken(centre, copied_warehouse, everything=True)
    assert (counts.found, counts.known, counts.done) == (15, 15, 15)
    # A day of more than a week before the last one that was taken in is passed over.
    assert taken(centre, copied_warehouse).found == 14
    assert digest(copied_warehouse) == small_digest


@pytest.mark.faults
def test_workers_and_shards_make_the_same_rows(centre: Path, small_digest: Digest, tmp_path: Path) -> None:
    taken(centre, tmp_path / "two", workers=2)
    for shard in (Shard(0, 2), Shard(1, 2)):
        taken(centre, tmp_path / "shards", shard=shard)
    assert digest(tmp_path / "two") == small_digest
    assert digest(tmp_path / "shards") == small_digest


CUT_OFF = """
import os, sys
from pathlib import Path
from iotriage.centre.ingest import IngestOptions, ingest
left = int(sys.argv[3])
def mark(_):
    global left
    left -= 1
    if left < 0:
        os._exit(9)
ingest(IngestOptions(Path(sys.argv[1]), Path(sys.argv[2])), lambda _: None, mark)
"""


@pytest.mark.parametrize(
    "after", [2, pytest.param(0, marks=pytest.mark.faults), pytest.param(4, marks=pytest.mark.faults)]
)
def test_what_was_cut_off_is_made_whole(centre: Path, small_digest: Digest, tmp_path: Path, after: int) -> None:
    """In the middle of a day's files, before its manifest, and between two days."""
    ended = subprocess.run([sys.executable, "-c", CUT_OFF, str(centre), str(tmp_path), str(after)], check=False)
    assert ended.returncode == 9
    taken(centre, tmp_path)
    assert digest(tmp_path) == small_digest
    assert not list(tmp_path.glob("ingest-*"))
    assert not list(tmp_path.rglob("*.part"))


def test_a_log_that_changed_takes_the_place_of_what_it_was(tmp_path: Path) -> None:
    logs, run = tmp_path / "logs", Run(1)
    path = put(logs, "one.darshan", run.log()[:-40])
    taken(logs, tmp_path / "w")
    path.write_bytes(replace(run, writes=5).log())
    taken(logs, tmp_path / "w")
    assert rows(tmp_path / "w", 'SELECT outcome, "posix.writes" FROM logs') == [("read", 5.0)]


def test_days_together_have_the_logs_of_each_of_them(tmp_path: Path) -> None:
    logs, warehouse = tmp_path / "logs", tmp_path / "w"
    # A name that the next day's job writes over; one that was read while it was copied, on the day of its file.
    put(logs, "last-run.darshan", Run(1, day=-1).log())
    put(logs, "copied.darshan", Run(2, day=-1).log()[:700])
    put(logs / "2026" / "11" / "20", "empty.darshan", b"")
    put(logs / "2026" / "11" / "21", "empty.darshan", b"")
    taken(logs, warehouse)
    put(logs, "last-run.darshan", Run(3).log())
    put(logs, "copied.darshan", Run(2, day=-1).log())
    taken(logs, warehouse)
    of_days = "SELECT day, count(*) FILTER (outcome = 'read'), count(*) FILTER (outcome = 'failed') FROM logs"
    together = rows(warehouse, f"{of_days} GROUP BY day ORDER BY day")
    assert together == [(date(2026, 11, 19), 2, 0), (date(2026, 11, 20), 1, 1), (date(2026, 11, 21), 0, 1)]
    alone = [opened(warehouse, [day], {}).execute(f"{of_days} GROUP BY day").fetchone() for day in days_in(warehouse)]
    assert alone == together


@pytest.mark.faults
def test_a_log_costs_nobody_but_itself_its_place(tmp_path: Path) -> None:
    for number, name in enumerate(("a", "deadly", "b", "endless", "c")):
        put(tmp_path, f"{name}.darshan", Run(number).log())
    reading = BatchReading(
        BatchLimits(cpu_seconds=20, wall_seconds=8),
        SitePreference(),
        batch_children("deadly_batch:reading", (DEADLY,)),
    )
    outcomes = {log.path.rpartition("/")[2]: outcome for log, outcome in reading.read(list(logs_in(tmp_path)))}
    reading.close()
    assert [name for name, o in outcomes.items() if isinstance(o, LogRead)] == ["a.darshan", "b.darshan", "c.darshan"]
    assert {n: o.code for n, o in outcomes.items() if isinstance(o, LogUnread)} == {
        "deadly.darshan": "crashed", "endless.darshan": "deadline",
    }  # fmt: skip


def test_names_of_any_length_are_read_together(tmp_path: Path) -> None:
    for number in range(80):
        put(tmp_path, f"{number}{'日' * 80}.darshan", Run(number).log())
    reading = BatchReading(BatchLimits(cpu_seconds=60, wall_seconds=120), SitePreference(), LASTING_CHILDREN)
    outcomes = [outcome for _, outcome in reading.read(list(logs_in(tmp_path)))]
    reading.close()
    assert [type(outcome) for outcome in outcomes] == 80 * [LogRead]


@pytest.mark.parametrize("broken", ["cannot_start", "cannot_be_confined"])
def test_what_this_machine_cannot_do_is_no_fault_of_the_logs(tmp_path: Path, broken: str) -> None:
    put(tmp_path, "one.darshan", Run(1).log())
    reading = BatchReading(BatchLimits(), SitePreference(), batch_children(f"broken_batch:{broken}", (DEADLY,)))
    with pytest.raises(WorkersError, match="ends before it reads any"):
        list(reading.read(list(logs_in(tmp_path))))
    reading.close()


@pytest.mark.faults
def test_what_took_too_long_is_tried_again(tmp_path: Path) -> None:
    put(tmp_path / "logs", "one.darshan", Run(1).log())
    counts = taken(tmp_path / "logs", tmp_path / "w", limits=BatchLimits(cpu_seconds=60, wall_seconds=0))
    assert counts.reasons == {"deadline": 1}
    assert taken(tmp_path / "logs", tmp_path / "w").read == 1
    assert rows(tmp_path / "w", "SELECT outcome FROM logs") == [("read",)]


def test_a_day_is_taken_in_again_and_what_is_gone_stays(tmp_path: Path) -> None:
    logs, warehouse = tmp_path / "logs", tmp_path / "w"
    gone, *_ = (put(logs, f"{n}.darshan", Run(n, day=n // 2).log()) for n in range(4))
    put(logs, "copy.darshan", Run(1).log("bzip2"))
    taken(logs, warehouse)
    sites = "SELECT parse_filename(path), site FROM logs WHERE outcome = 'read' ORDER BY 1"
    before = rows(warehouse, sites)
    gone.unlink()
    counts = taken(logs, warehouse, again=(date(2026, 11, 20),), judging=SitePreference(site="archer2"))
    assert (counts.known, counts.read, counts.copies) == (2, 1, 1)
    assert before[0] in (again := rows(warehouse, sites))
    assert [site for name, site in again if name == "1.darshan"] == ["archer2"] != [before[1][1]]
    assert again[2:] == before[2:]
    parts = rows(warehouse, 'SELECT count(*), count(DISTINCT ("row", id)) FROM groups')
    assert parts == [(4, 4)]
    with pytest.raises(OtherShardsError, match="0/1"):
        taken(logs, warehouse, again=(date(2026, 11, 20),), shard=Shard(0, 2))


def test_two_of_one_shard_are_refused(tmp_path: Path) -> None:
    with lock_shard(tmp_path, Shard().name), pytest.raises(BusyError):
        taken(tmp_path, tmp_path)


def test_a_manifest_that_is_none_is_no_empty_day(centre: Path, copied_warehouse: Path) -> None:
    manifest = next(copied_warehouse.rglob("manifest-*.json"))
    for schema, why in ((3, "newer"), (1, "no release wrote this")):
        manifest.write_text(f'{{"schema": {schema}, "program": "another", "files": []}}', encoding="utf-8")
        with pytest.raises(BadManifestError, match=why):
            taken(centre, copied_warehouse)


@pytest.mark.faults
def test_many_small_files_become_one_of_each_table(tmp_path: Path) -> None:
    logs, warehouse = tmp_path / "logs", tmp_path / "w"
    put(logs, "one.darshan", Run(1).log())
    taken(logs, warehouse)
    before = digest(warehouse)
    (manifest,) = warehouse.rglob("manifest-*.json")
    files = manifest_of(manifest.parent, "0-of-1")
    assert files is not None
    for _ in range(MOST_FILES):
        copies = []
        for file in files.files:
            name = file_name(file.table, "0-of-1")
            shutil.copy(manifest.parent / file.name, manifest.parent / name)
            copies.append(replace(file, name=name))
        now = manifest_of(manifest.parent, "0-of-1")
        assert now is not None
        write_manifest(manifest.parent, "0-of-1", replace(now, files=(*now.files, *copies)))
    put(logs, "two.darshan", b"")
    taken(logs, warehouse)
    together = manifest_of(manifest.parent, "0-of-1")
    assert together is not None
    assert sorted(f.table for f in together.files) == ["documents", "findings", "groups", "steps"]
    assert [f.rows for f in together.files if f.table == "steps"] == [MOST_FILES + 2]
    assert rows(warehouse, "SELECT outcome, count(*) FROM logs GROUP BY 1 ORDER BY 1") == [("failed", 1), ("read", 1)]
    assert [table for table in digest(warehouse) if table[0] != "logs"] == [t for t in before if t[0] != "logs"]


def test_a_copy_of_the_warehouse_finds_what_its_manifests_name(tmp_path: Path) -> None:
    """Manifests first, as docs/deploy.md has it, then the files, however old, though two runs come in between."""
    logs, warehouse, copy = tmp_path / "logs", tmp_path / "w", tmp_path / "copy"
    put(logs, "one.darshan", Run(1).log())
    taken(logs, warehouse)
    before = digest(warehouse)
    (manifest,) = warehouse.rglob("manifest-*.json")
    folder = copy / manifest.parent.relative_to(warehouse)
    folder.mkdir(parents=True)
    shutil.copy(manifest, folder)
    for file in manifest.parent.glob("*.parquet"):
        os.utime(file, (0, 0))
    put(logs, "two.darshan", Run(2).log())
    for _ in range(2):
        taken(logs, warehouse, again=(date(2026, 11, 20),))
    for file in manifest.parent.glob("*.parquet"):
        shutil.copy(file, folder)
    assert digest(copy) == before
    for file in manifest.parent.glob("*.parquet"):
        os.utime(file, (0, 0))
    taken(logs, warehouse)
    assert len(list(manifest.parent.glob("*.parquet"))) == len(json.loads(manifest.read_bytes())["files"])


def test_what_fails_today_is_read_once_it_can_be(tmp_path: Path) -> None:
    logs, warehouse = tmp_path / "logs", tmp_path / "w"
    put(logs, "one.darshan", Run(1).log())
    put(logs, "two.darshan.gz", gzip.compress(Run(2).log(), mtime=0))
    slow = BatchLimits(cpu_seconds=60, wall_seconds=0)
    for _ in range(3):
        counts = taken(logs, warehouse, limits=slow)
        assert (counts.known, counts.copies, counts.reasons) == (0, 0, {"deadline": 2})
    assert rows(warehouse, "SELECT count(*) FROM steps_written") == [(2,)]
    assert taken(logs, warehouse).read == 2
    assert rows(warehouse, "SELECT outcome FROM logs") == [("read",), ("read",)]
    assert taken(logs, warehouse).known == 2


def test_what_was_noted_as_a_copy_of_a_failure_is_read(tmp_path: Path) -> None:
    logs, warehouse = tmp_path / "logs", tmp_path / "w"
    put(logs, "one.out", b"MPICH")
    (log,) = logs_in(logs, ("*.out",))
    content = hashlib.sha256(b"MPICH").hexdigest()
    warehouse.mkdir()
    spool, connection = Spool(warehouse), connected(warehouse)
    spool.add(log, LogUnread(content, "deadline", "it took too long"), copy=False)
    spool.add(log, LogUnread(content, "deadline", "it took too long"), copy=True)
    write_rows(connection, WriteTarget(warehouse, Shard().name), spool, "0", lambda _: None)
    connection.close()
    counts = taken(logs, warehouse, outputs=("*.out",))
    assert (counts.known, counts.copies, counts.failed) == (0, 0, 1)
    assert rows(warehouse, "SELECT code FROM logs") == [("unrecognised",)]


def test_a_folder_and_a_log_of_any_name(tmp_path: Path) -> None:
    logs = tmp_path / os.fsdecode(b"caf\xe9")
    put(logs, os.fsdecode(b"a\n\xff.darshan"), Run(1).log())
    assert taken(logs, tmp_path / "w").read == 1
    assert [run.folder for run in last_runs(tmp_path / "w")] == [f"{tmp_path}/caf\\xe9"]
    assert rows(tmp_path / "w", "SELECT path[-15:] FROM logs") == [("/a\n\\xff.darshan",)]


def test_a_cut_copy_under_another_name_is_no_second_step(tmp_path: Path) -> None:
    centre, warehouse = tmp_path / "centre", tmp_path / "warehouse"
    day = centre / "2026" / "11" / "20"
    log = Run(1).log("none")
    put(day, f"{Run(1).name}_100.darshan", log)
    put(day, "to-send.darshan", log[:-200])
    other = Run(2)
    put(day, "other.darshan", other.log("none")[:-200])
    assert taken(centre, warehouse).read == 3
    assert rows(warehouse, "SELECT parse_filename(path) FROM logs WHERE outcome = 'read' ORDER BY 1") == [
        (f"{Run(1).name}_100.darshan",),
        ("other.darshan",),
    ]
    assert rows(warehouse, "SELECT steps FROM jobs") == [(2,)]


def test_a_log_that_could_not_be_opened_counts_on_its_jobs_day(tmp_path: Path) -> None:
    logs, warehouse = tmp_path / "logs", tmp_path / "w"
    run = Run(1)
    # Copied a week later, into a folder that is no tree of dates; and one under a name that says nothing.
    named = put(logs, f"{run.name}_100.darshan", run.log())
    other = put(logs, "other.darshan", Run(2).log())
    for path in (named, other):
        os.utime(path, (NOON + 7 * DAY_S, NOON + 7 * DAY_S))
    slow = BatchLimits(cpu_seconds=60, wall_seconds=0)
    assert taken(logs, warehouse, limits=slow).failed == 2
    by_day = "SELECT day::VARCHAR, count(*) FROM logs GROUP BY 1 ORDER BY 1"
    assert rows(warehouse, by_day) == [("2026-11-20", 1), ("2026-11-27", 1)]
    assert taken(logs, warehouse).read == 2
    assert rows(warehouse, by_day) == [("2026-11-20", 2)]
    with contextlib.closing(opened(warehouse, [date(2026, 11, 27)], {})) as connection:
        assert connection.execute("SELECT count(*) FROM logs").fetchall() == [(0,)]
    assert taken(logs, warehouse).known == 2


def test_the_year_of_a_name_is_the_last_before_the_file(tmp_path: Path) -> None:
    def began(name: str, written: date) -> date | None:
        at = int(datetime(written.year, written.month, written.day, 12, tzinfo=UTC).timestamp() * 1e9)
        return LogFile(f"/logs/{name}", 1, at, None).began_on

    name = "u_app_id7-8_{}-40000-1_100.darshan"
    assert began(name.format("12-31"), date(2026, 1, 1)) == date(2025, 12, 31)
    assert began(name.format("1-2"), date(2026, 1, 1)) == date(2026, 1, 2)
    assert began(name.format("2-29"), date(2026, 1, 1)) == date(2024, 2, 29)
    assert began(name.format("13-1"), date(2026, 1, 1)) is None
    assert began("copy.darshan", date(2026, 1, 1)) is None


def test_a_file_of_a_far_year_ends_nothing(tmp_path: Path) -> None:
    logs = tmp_path / "logs"
    logs.mkdir()
    path = logs / "auser_app_id7_2-29-1-1_1.darshan"
    path.write_bytes(b"nothing")
    os.utime(path, ns=(2**64, 2**64))
    warehouse = tmp_path / "w"
    assert taken(logs, warehouse).failed == 1
    ((day, row),) = rows(warehouse, 'SELECT day, "row" FROM logs')
    assert isinstance(day, date)
    found = log_details(warehouse, day, str(row))
    assert found is not None
    assert found.gone is None
