"""The databases that tests run over: SQLite always, PostgreSQL where a server can be had.

A test that is marked `every_database` runs over both; `--every-database` has all run so that use a database. The server
is the one that `IOTRIAGE_TEST_POSTGRESQL` names (a URL whose user may create databases), or a scratch cluster made with
the binaries of an installed PostgreSQL. Without either those tests skip.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from sqlalchemy import URL, make_url

from .postgresql_cluster import NoPostgresqlError, new_database, scratch_cluster


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--every-database", action="store_true", help="run over PostgreSQL too whatever uses a database")


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", "every_database: runs over SQLite and, where there is a server, PostgreSQL")


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    wanted = metafunc.definition.get_closest_marker("every_database") or metafunc.config.getoption("every_database")
    if wanted and "database_url" in metafunc.fixturenames:
        metafunc.parametrize("database_url", ["sqlite", "postgresql"], indirect=True)


@pytest.fixture
def database_url(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[str]:
    """An empty database of the test's own."""
    if getattr(request, "param", "sqlite") == "sqlite":
        yield f"sqlite:///{tmp_path / 'test.sqlite3'}"
        return
    with new_database(request.getfixturevalue("postgresql")) as url:
        yield url


@pytest.fixture(scope="session")
def postgresql() -> Iterator[URL]:
    """A server on which databases may be made."""
    given = os.environ.get("IOTRIAGE_TEST_POSTGRESQL")
    if given:
        yield make_url(given)
        return
    try:
        with scratch_cluster() as cluster:
            yield cluster.url
    except NoPostgresqlError as reason:
        pytest.skip(f"{reason}, and IOTRIAGE_TEST_POSTGRESQL names none")
