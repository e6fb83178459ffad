"""The databases that tests run over: SQLite always, PostgreSQL where a server can be had.

A test that is marked `every_database` runs over both; `--every-database` has all run so that use a database. The server
is the one that `IOTRIAGE_TEST_POSTGRESQL` names (a URL whose user may create databases), or a scratch cluster made with
the binaries of an installed PostgreSQL, on a Unix socket in a folder of its own. Without either those tests skip.
"""

from __future__ import annotations

import contextlib
import ctypes
import os
import pwd
import secrets
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator
from itertools import takewhile
from pathlib import Path

import pytest
from sqlalchemy import URL, Engine, create_engine, make_url

_USER = "iotriage"
_BINARIES = ("/usr/lib/postgresql/*/bin", "/usr/pgsql-*/bin", "/opt/homebrew/opt/postgresql@*/bin")
_UNPRIVILEGED = "nobody"
_PR_SET_PDEATHSIG = 1


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
    server: URL = request.getfixturevalue("postgresql")
    name = f"iotriage_test_{secrets.token_hex(6)}"
    engine = create_engine(server, isolation_level="AUTOCOMMIT")
    _run(engine, f"CREATE DATABASE {name}")
    yield server.set(database=name).render_as_string(hide_password=False)
    _run(engine, f"DROP DATABASE {name} WITH (FORCE)")
    engine.dispose()


@pytest.fixture(scope="session")
def postgresql() -> Iterator[URL]:
    """A server on which databases may be made."""
    given = os.environ.get("IOTRIAGE_TEST_POSTGRESQL")
    if given:
        yield make_url(given)
        return
    binaries = _binaries()
    if binaries is None:
        pytest.skip("no PostgreSQL is installed, and IOTRIAGE_TEST_POSTGRESQL names none")
    with _scratch_cluster(binaries) as url:
        yield url


def _run(engine: Engine, statement: str) -> None:
    with engine.connect() as connection:
        connection.exec_driver_sql(statement)


def _binaries() -> Path | None:
    initdb = shutil.which("initdb")
    found = [Path(initdb).parent] if initdb else []
    for pattern in _BINARIES:
        found += sorted(Path("/").glob(pattern.lstrip("/")))
    return next((folder for folder in reversed(found) if (folder / "postgres").exists()), None)


@contextlib.contextmanager
def _scratch_cluster(binaries: Path) -> Iterator[URL]:
    """Of nothing in it is made sure that it outlives a crash: it is gone at the end."""
    # Not below pytest's folder: a socket's path is short, and other users may not enter there.
    with tempfile.TemporaryDirectory(prefix="iotriage-pg-", ignore_cleanup_errors=True) as name:
        user = _server_user(Path(name))
        made = ["--username", _USER, "--auth", "trust", "--encoding", "UTF8", "--locale", "C", "--no-sync"]
        initdb = [binaries / "initdb", "--pgdata", f"{name}/data", *made]
        done = subprocess.run(initdb, stdin=subprocess.DEVNULL, capture_output=True, text=True, cwd=name, **user)
        if done.returncode != 0:
            pytest.skip(f"no scratch cluster can be made here: {done.stderr}")
        set_ = ["listen_addresses=", f"unix_socket_directories={name}", "fsync=off", "full_page_writes=off"]
        serve = [binaries / "postgres", "-D", f"{name}/data", *(word for value in set_ for word in ("-c", value))]
        with subprocess.Popen(
            serve,
            stdin=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
            cwd=name,
            preexec_fn=_end_with_us,
            **user,
        ) as server:
            assert server.stderr is not None
            said = list(takewhile(lambda line: "ready to accept connections" not in line, server.stderr))
            if server.poll() is not None:
                pytest.skip(f"no scratch cluster can be served here: {''.join(said)}")
            threading.Thread(target=server.stderr.read, daemon=True).start()
            yield URL.create("postgresql+psycopg", _USER, database="postgres", query={"host": name})
            server.send_signal(signal.SIGQUIT)


def _end_with_us() -> None:
    """Has the server end with the test run, however that ends. Where there is no prctl, it outlives a killed one."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGQUIT, 0, 0, 0)


def _server_user(folder: Path) -> dict[str, object]:
    """Whom the server runs as, for `subprocess`: PostgreSQL refuses root, so root gives the folder to another."""
    if os.geteuid() != 0:
        return {}
    other = pwd.getpwnam(_UNPRIVILEGED)
    os.chown(folder, other.pw_uid, other.pw_gid)
    return {"user": other.pw_uid, "group": other.pw_gid, "extra_groups": []}
