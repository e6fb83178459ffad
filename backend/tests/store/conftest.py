"""A database and a folder of their own for every test."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from iotriage.store.database import Database
from iotriage.store.sources import SourceFolder


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
