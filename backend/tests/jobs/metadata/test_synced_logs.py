"""Data that is forced out write by write: a log's lines are no checkpoint, and what no log shows may be much."""

from __future__ import annotations

import pytest
from described import KIB, MIB, Part, Work, document, own

from iotriage.analysis.document import Headline


def synced(path: str, size: int) -> Headline:
    parts = (
        Part(path, range(1), writes=20_000, size=size, syncs=20_000, write_s=120.0, osts=(1,)),
        Part("/scratch/o.{}", range(128), writes=64, size=MIB, write_s=1.0, osts=own(128)),
    )
    return document(Work(parts, nprocs=128, runtime_s=300, nodes=2)).headline


@pytest.mark.parametrize("path", ["/scratch/o.log", "/scratch/run.out", "/scratch/events.jsonl"])
def test_lines_of_a_log_are_not_called_a_checkpoint(path: str) -> None:
    found = synced(path, 200)
    assert found.rule == "sync-heavy"
    assert "log once a step" in (found.action or "")
    assert "checkpoint" not in f"{found.action} {found.command}"


@pytest.mark.parametrize(
    ("path", "size"),
    [("/scratch/restart.dat", 200), ("/scratch/restart.dat", 64 * KIB), ("/scratch/run.out", 64 * KIB)],
)
def test_data_is_synced_when_all_of_it_is_written(path: str, size: int) -> None:
    found = synced(path, size)
    assert found.rule == "sync-heavy"
    assert "when all of the checkpoint is written" in (found.action or "")


@pytest.mark.parametrize(
    ("path", "size", "said"),
    [
        ("/scratch/db/000123.log", 200, "one WriteBatch"),
        ("/scratch/db/run_000123.log", 200, "log once a step"),
        ("/scratch/lm/data.mdb", 4 * KIB, "many records into one transaction"),
        ("/scratch/lm/mydata.mdb", 4 * KIB, "all of the checkpoint"),
        ("/scratch/pg/pg_wal/00000001000000000000000A", 8 * KIB, "synchronous_commit"),
        ("/scratch/pg/base/16384/16400", 8 * KIB, "synchronous_commit"),
        ("/scratch/db/journal/WiredTigerLog.0000000001", 4 * KIB, "insertMany"),
        ("/scratch/base/2019/0001", 8 * KIB, "all of the checkpoint"),
        ("/scratch/base/1/2", 8 * KIB, "all of the checkpoint"),
    ],
)
def test_a_database_that_syncs_is_told_what_its_users_can_set(path: str, size: int, said: str) -> None:
    found = synced(path, size)
    assert found.rule == "sync-heavy"
    assert said in (found.action or "")


@pytest.mark.parametrize(("writes", "seen"), [(0, False), (20, True)])
def test_syncs_of_what_no_log_shows_are_asked_about(writes: int, *, seen: bool) -> None:
    """A store that writes by io_uring, or calls that Darshan counts, 10 GiB each."""
    part = Part("/scratch/db/{}.sst", range(64), writes=writes, size=512 * MIB, write_s=150.0, syncs=3000)
    left = document(Work((part,), 64, 600.0, nodes=4)).unexplained
    assert ("192,000 syncs of the files took 50.0 ms each" in ((left and left.experiment) or "")) is not seen
