"""The databases that tests run over: SQLite always, PostgreSQL where a server can be had.

A test that is marked `every_database` runs over both; `--every-database` has all run so that use a database. The server
is the one that `IOTRIAGE_TEST_POSTGRESQL` names (a URL whose user may create databases), or a scratch cluster made with
the binaries of an installed PostgreSQL. Without either those tests skip.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
import structlog
from sqlalchemy import URL, Engine, make_url
from sqlalchemy.engine.default import DefaultDialect
from sqlalchemy.util import LRUCache

from iotriage.store.database import Database

from .postgresql_cluster import NoPostgresqlError, new_database, scratch_cluster


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--every-database", action="store_true", help="run over PostgreSQL too whatever uses a database")


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", "every_database: runs over SQLite and, where there is a server, PostgreSQL")
    config.addinivalue_line("markers", "empty_database: begins without tables")
    _log_plainly()
    _compile_each_statement_once()


def _compile_each_statement_once() -> None:
    """SQLAlchemy keeps what it compiled with the engine, and tells dialects apart by identity: every test has an engine
    of its own, and half of what an application takes to start is to compile the statements of the one before."""
    compiled = LRUCache[object, object](10_000)
    initialise = Engine.__init__

    def with_what_others_compiled(engine: Engine, *given: object, **named: object) -> None:
        initialise(engine, *given, **named)
        engine._compiled_cache = compiled

    Engine.__init__ = with_what_others_compiled
    DefaultDialect.__hash__ = lambda dialect: hash(type(dialect))
    DefaultDialect.__eq__ = lambda dialect, other: type(dialect) is type(other)


def _log_plainly() -> None:
    """As structlog does by itself, but for tracebacks: to draw one with all its variables takes half a second, and many
    tests have the application log one."""
    *others, _ = structlog.get_config()["processors"]
    plainly = structlog.dev.ConsoleRenderer(exception_formatter=structlog.dev.plain_traceback)
    structlog.configure(processors=[*others, plainly])


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    wanted = metafunc.definition.get_closest_marker("every_database") or metafunc.config.getoption("every_database")
    if wanted and "database_url" in metafunc.fixturenames:
        metafunc.parametrize("database_url", ["sqlite", "postgresql"], indirect=True)


@pytest.fixture
def database_url(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[str]:
    """A database of the test's own with the tables of today, copied from one that was migrated once; an empty one where
    the test is marked `empty_database`."""
    empty = request.node.get_closest_marker("empty_database") is not None
    if getattr(request, "param", "sqlite") == "sqlite":
        file = tmp_path / "test.sqlite3"
        if not empty:
            shutil.copyfile(request.getfixturevalue("migrated_sqlite"), file)
        yield f"sqlite:///{file}"
        return
    template = None if empty else request.getfixturevalue("migrated_postgresql")
    with new_database(request.getfixturevalue("postgresql"), template) as url:
        yield url


@pytest.fixture(scope="session")
def migrated_sqlite(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A file with the tables of today and nothing in them."""
    file = tmp_path_factory.mktemp("migrated") / "migrated.sqlite3"
    _migrate(f"sqlite:///{file}")
    return file


@pytest.fixture(scope="session")
def migrated_postgresql(postgresql: URL) -> Iterator[str]:
    """The name of such a database."""
    with new_database(postgresql) as url:
        _migrate(url)
        yield make_url(url).database or ""


def _migrate(url: str) -> None:
    database = Database(url)
    database.migrate()
    database.close()


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
