"""Logs that Dask's workers read become the rows that they are when they are read here."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from centre_logs import digest, put, small_centre, taken
from distributed import LocalCluster

from iotriage import __version__
from iotriage.centre.batches import FEWEST_LOGS, BatchLimits, SitePreference, WorkersError
from iotriage.centre.dask_workers import read_batch, read_by_dask
from iotriage.centre.ingest import IngestCounts, IngestOptions, ingest
from iotriage.centre.log_files import logs_in


@pytest.fixture(scope="module")
def scheduler() -> Iterator[str]:
    """With one worker, a thread of this process."""
    with LocalCluster(
        n_workers=1, threads_per_worker=2, processes=False, host="127.0.0.1", protocol="tcp", dashboard_address=None
    ) as cluster:
        yield cluster.scheduler_address


def test_the_rows_are_those_that_are_read_here(tmp_path: Path, scheduler: str) -> None:
    logs = tmp_path / "logs"
    small_centre(logs)
    here, there = tmp_path / "here", tmp_path / "there"
    taken(logs, here)
    counts = taken(logs, there, dask=scheduler)
    assert (counts.found, counts.read, counts.failed, counts.copies) == (15, 10, 3, 2)
    assert digest(there) == digest(here)


def test_a_worker_of_another_version_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=f"has IOtriage {__version__}, and was asked by IOtriage 0.0"):
        read_batch("0.0", (), BatchLimits(), SitePreference())


def test_no_scheduler_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("iotriage.centre.dask_workers._CONNECT_S", 0.2)
    put(tmp_path, "one.darshan", b"")
    with pytest.raises(WorkersError, match="no Dask scheduler answers"):
        list(read_by_dask("tcp://127.0.0.1:1", list(logs_in(tmp_path)), BatchLimits(), SitePreference()))


def test_a_scheduler_that_goes_away_is_said_and_what_was_read_is_kept(tmp_path: Path) -> None:
    logs, warehouse = tmp_path / "logs", tmp_path / "warehouse"
    many = 8 * FEWEST_LOGS
    for number in range(many):
        put(logs, f"{number}.darshan", b"%d" % number)
    with LocalCluster(
        n_workers=1, threads_per_worker=1, processes=False, host="127.0.0.1", protocol="tcp", dashboard_address=None
    ) as cluster:

        def look(counts: IngestCounts) -> None:
            if counts.failed:
                cluster.close()

        with pytest.raises(WorkersError, match="went away"):
            ingest(IngestOptions(logs, warehouse, dask=cluster.scheduler_address), look)
    counts = taken(logs, warehouse)
    assert counts.known >= FEWEST_LOGS
    assert counts.known + counts.failed == many


@pytest.mark.faults
def test_workers_that_are_processes(tmp_path: Path) -> None:
    logs = tmp_path / "logs"
    small_centre(logs)
    taken(logs, tmp_path / "here", workers=2)
    with LocalCluster(n_workers=2, threads_per_worker=1, host="127.0.0.1", dashboard_address=None) as cluster:
        taken(logs, tmp_path / "there", dask=cluster.scheduler_address)
    assert digest(tmp_path / "there") == digest(tmp_path / "here")
