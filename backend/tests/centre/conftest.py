"""Warehouses that several modules ask and none changes, made once in a process."""

from __future__ import annotations

import shutil
from collections.abc import Iterator, Mapping
from pathlib import Path

import duckdb
import pytest
from budget import tries
from centre_logs import Digest, digest, small_centre, taken
from judged_days import case_of, to_judge, written
from sample_documents import sources_of
from samples import cases


def pytest_configure() -> None:
    """A few rows are asked by one thread: to start another for each connection, and to have it look for work, is a
    seventh of what these tests take. In `make fuzz` by as many as there are: they answer in another order each time."""
    connect = duckdb.connect

    def by_one_thread(config: Mapping[str, object] | None = None) -> duckdb.DuckDBPyConnection:
        return connect(config={"threads": 1, **(config or {})})

    duckdb.connect = tries(by_one_thread, connect)


@pytest.fixture(scope="session")
def small_logs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("logs")
    small_centre(folder)
    return folder


@pytest.fixture(scope="session")
def small_warehouse(small_logs: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What `small_logs` came to."""
    root = tmp_path_factory.mktemp("warehouse")
    counts = taken(small_logs, root)
    assert (counts.found, counts.known, counts.read, counts.failed, counts.copies) == (15, 0, 10, 3, 2)
    assert counts.reasons == {"damaged": 1, "empty": 1, "unsupported": 1}
    return root


@pytest.fixture(scope="session")
def small_digest(small_warehouse: Path) -> Digest:
    """What all tables of `small_warehouse` say: to ask hundreds of columns takes as long as to fill them."""
    return digest(small_warehouse)


@pytest.fixture
def copied_warehouse(small_warehouse: Path, tmp_path: Path) -> Path:
    """`small_warehouse` for a test that changes it."""
    return shutil.copytree(small_warehouse, tmp_path / "warehouse")


@pytest.fixture(scope="session")
def sampled_warehouse(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Every eighth sample, a log each."""
    found = (case_of(str(case), sources_of(case.sources)) for case in cases()[::8])
    return written(tmp_path_factory.mktemp("centre"), [case for case in found if case is not None])


@pytest.fixture(scope="session")
def sampled_days(sampled_warehouse: Path) -> Iterator[duckdb.DuckDBPyConnection]:
    """Its days, to be judged."""
    with to_judge(sampled_warehouse) as days:
        yield days
