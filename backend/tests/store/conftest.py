"""A database and a folder of their own for every test."""

from __future__ import annotations

import contextlib
import lzma
import sqlite3
from collections.abc import Iterator
from pathlib import Path

import pytest

from iotriage.store.database import Database
from iotriage.store.sources import SourceFolder

RELEASED = Path(__file__).parent / "released"


@pytest.fixture
def database(database_url: str) -> Iterator[Database]:
    database = Database(database_url)
    database.migrate()
    yield database
    database.close()


@pytest.fixture
def folder(tmp_path: Path) -> SourceFolder:
    folder = SourceFolder(tmp_path / "sources", limit_bytes=1000)
    folder.prepare()
    return folder


@pytest.fixture(params=sorted(RELEASED.glob("*.sqlite.sql.xz")), ids=lambda dump: dump.name.split(".")[0])
def released(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    """A database as a released version left it."""
    file = tmp_path / "released.sqlite3"
    with contextlib.closing(sqlite3.connect(file)) as connection:
        connection.executescript(lzma.decompress(request.param.read_bytes()).decode())
    return file
