"""What was kept long enough goes; what stays says the same. Tables leave as JSON lines."""

from __future__ import annotations

import json
from datetime import UTC, date, datetime
from pathlib import Path

import pytest
from centre_logs import Digest, Run, digest, put, rows, taken

from iotriage.centre.exporting import json_lines
from iotriage.centre.last_runs import last_runs
from iotriage.centre.log_files import Shard
from iotriage.centre.retention import Dropped, days_to_drop, drop_days
from iotriage.centre.shards import BusyError, lock_shard
from iotriage.centre.warehouse.manifest import days_in
from iotriage.cli import DONE, NOTHING_READ, main

FIRST, SECOND = date(2026, 11, 20), date(2026, 11, 21)


@pytest.fixture
def warehouse(copied_warehouse: Path) -> Path:
    return copied_warehouse


def test_days_and_documents_go_and_all_else_stays(warehouse: Path, small_digest: Digest) -> None:
    before = {row[0]: row for row in small_digest}
    assert drop_days(warehouse, FIRST, FIRST) == Dropped((), ())
    assert drop_days(warehouse, FIRST, SECOND) == Dropped((), (FIRST,))
    after = {row[0]: row for row in digest(warehouse)}
    assert {table for table in before if after[table] != before[table]} == {"documents"}
    assert rows(warehouse, "SELECT DISTINCT day FROM documents") == [(SECOND,)]
    assert days_to_drop(warehouse, SECOND, SECOND) == Dropped((FIRST,), ())
    drop_days(warehouse, SECOND, SECOND)
    assert list(days_in(warehouse)) == [SECOND]
    assert {path.name[:10] for path in (warehouse / "rollups").iterdir()} == {SECOND.isoformat()}
    assert rows(warehouse, "SELECT DISTINCT day FROM logs") == [(SECOND,)]


def test_nothing_goes_while_an_ingest_writes(warehouse: Path) -> None:
    before = _what_counts(warehouse)
    assert len(before) > 8
    with lock_shard(warehouse, Shard().name), pytest.raises(BusyError):
        drop_days(warehouse, SECOND, SECOND)
    assert _what_counts(warehouse) == before


@pytest.mark.parametrize("folder", ["2026/11/20", "", "flat"])
def test_what_was_dropped_is_taken_in_again_when_somebody_names_the_day(tmp_path: Path, folder: str) -> None:
    """Its logs lie there still: every run over a folder without dates would read them, for the next to drop them."""
    logs, root = tmp_path / "logs", tmp_path / "w"
    for run in (Run(1), Run(2, day=1)):
        put(logs / folder, f"{run.name}_100.darshan" if folder != "flat" else f"{run.number}.darshan", run.log())
    assert taken(logs, root).read == 2
    drop_days(root, SECOND, SECOND)
    counts = taken(logs, root, everything=True)
    assert (counts.found, counts.done, counts.known, counts.dropped, counts.read) == (2, 2, 1, 1, 0)
    assert list(days_in(root)) == [SECOND]
    assert taken(logs, root, again=(FIRST,)).read == 1
    assert list(days_in(root)) == [FIRST, SECOND]
    # Of days long before, none is even opened.
    drop_days(root, date(2026, 12, 1), SECOND)
    put(logs / folder, "broken.darshan", b"")
    assert (counts := taken(logs, root, everything=True)).dropped == counts.found == 3
    drop_days(root, FIRST, FIRST)
    assert taken(logs, root, everything=True).read == 2


def _what_counts(warehouse: Path) -> dict[Path, bytes]:
    return {path: path.read_bytes() for kind in ("*.parquet", "*.json") for path in warehouse.rglob(kind)}


def test_every_row_is_a_line(warehouse: Path) -> None:
    lines = [json.loads(line) for line in json_lines(warehouse, days_in(warehouse), "logs")]
    assert len(lines) == rows(warehouse, "SELECT count(*) FROM logs")[0][0]
    (said,) = (line for line in lines if line.get("job_id") == "7003")
    assert (said["io.bytes"], said["lower_bounds"]) == (4_000_000.0, [])
    assert "mpiio.aggregators" not in said
    assert any("mpiio.aggregators" in ids for ids in said["absent"].values())
    documents = [json.loads(line)["document"] for line in json_lines(warehouse, days_in(warehouse), "documents")]
    stored = rows(warehouse, 'SELECT document FROM documents ORDER BY "row"')
    assert any(None in document["headline"].values() for document in documents)
    assert sorted(map(str, documents)) == sorted(str(json.loads(document)) for (document,) in stored)


def test_the_commands(warehouse: Path, capsys: pytest.CaptureFixture[str]) -> None:
    where = ("--warehouse", str(warehouse))
    assert _status("warehouse", "export", "jobs", "--since", "2026-11-20", *where) == DONE
    assert {json.loads(line)["job_id"] for line in capsys.readouterr().out.splitlines()} >= {"7001", "7002"}
    assert _status("warehouse", "export", "jobs", "--until", "2020-01-01", *where) == NOTHING_READ
    capsys.readouterr()
    assert _status("warehouse", "drop", "--keep-days", "30000", "--dry-run", *where) == DONE
    assert "would lose 0 days" in capsys.readouterr().out


def test_the_last_run_says_how_far_behind_a_centre_is(warehouse: Path) -> None:
    (run,) = last_runs(warehouse)
    assert (run.found, run.read, run.failed, run.copies, run.newest_day) == (15, 10, 3, 2, SECOND)
    assert run.reasons == {"damaged": 1, "empty": 1, "unsupported": 1}
    assert abs(run.ended - datetime.now(UTC).timestamp()) < 3600


def _status(*arguments: str) -> int:
    with pytest.raises(SystemExit) as end:
        main(arguments)
    assert isinstance(end.value.code, int)
    return end.value.code
