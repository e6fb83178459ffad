"""A scratch PostgreSQL, made with the binaries of an installed one: on a Unix socket in a folder of its own."""

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

from sqlalchemy import URL, Connection, create_engine

_USER = "iotriage"
_BINARIES = ("usr/lib/postgresql/*/bin", "usr/pgsql-*/bin", "opt/homebrew/opt/postgresql@*/bin")
_UNPRIVILEGED = "nobody"
_PR_SET_PDEATHSIG = 1
_CLUSTER_BYTES = 2**30
"""Several times what one has come to after all tests."""


class NoPostgresqlError(Exception):
    """None is installed, or it cannot serve here; the message says why."""


class Cluster:
    """Can be stopped and started again, as one that is restarted or unreachable for a while."""

    def __init__(self, folder: Path, binaries: Path) -> None:
        self.url = URL.create("postgresql+psycopg", _USER, database="postgres", query={"host": str(folder)})
        self._folder = folder
        self._binaries = binaries
        self._user = _server_user(folder)
        self._server: subprocess.Popen[str] | None = None

    def make(self) -> None:
        """Of nothing in it is made sure that it outlives a crash."""
        made = ["--username", _USER, "--auth", "trust", "--encoding", "UTF8", "--locale", "C", "--no-sync"]
        initdb = [self._binaries / "initdb", "--pgdata", f"{self._folder}/data", *made]
        done = subprocess.run(
            initdb, stdin=subprocess.DEVNULL, capture_output=True, text=True, cwd=self._folder, **self._user
        )
        if done.returncode != 0:
            raise NoPostgresqlError(f"no scratch cluster can be made here: {done.stderr}")

    def start(self) -> None:
        set_ = [
            "listen_addresses=",
            f"unix_socket_directories={self._folder}",
            "fsync=off",
            "full_page_writes=off",
        ]
        options = (word for value in set_ for word in ("-c", value))
        self._server = subprocess.Popen(
            [self._binaries / "postgres", "-D", f"{self._folder}/data", *options],
            stdin=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
            cwd=self._folder,
            preexec_fn=_end_with_us,
            **self._user,
        )
        assert self._server.stderr is not None
        said = list(takewhile(lambda line: "ready to accept connections" not in line, self._server.stderr))
        if self._server.poll() is not None:
            raise NoPostgresqlError(f"no scratch cluster can be served here: {''.join(said)}")
        threading.Thread(target=self._server.stderr.read, daemon=True).start()

    def stop(self) -> None:
        """At once: whoever is connected is cut off."""
        if self._server is not None:
            self._server.send_signal(signal.SIGQUIT)
            self._server.wait()
            self._server = None


@contextlib.contextmanager
def scratch_cluster() -> Iterator[Cluster]:
    """One that runs, and is gone at the end. Raises `NoPostgresqlError`."""
    binaries = installed_binaries()
    # Not below pytest's folder: a socket's path is short, and other users may not enter there.
    with tempfile.TemporaryDirectory(prefix="iotriage-pg-", dir=_in_memory(), ignore_cleanup_errors=True) as name:
        cluster = Cluster(Path(name), binaries)
        cluster.make()
        cluster.start()
        try:
            yield cluster
        finally:
            cluster.stop()


@contextlib.contextmanager
def new_database(server: URL, template: str | None = None) -> Iterator[str]:
    """The URL of an empty database, or of a copy of the one of that name, which is gone at the end."""
    name = f"iotriage_test_{secrets.token_hex(6)}"
    # Asked before it is used again: the server may have been stopped and started meanwhile.
    engine = create_engine(server, isolation_level="AUTOCOMMIT", pool_pre_ping=True)
    with engine.connect() as connection:
        copied = f" TEMPLATE {template} {_copying(connection)}" if template else ""
        connection.exec_driver_sql(f"CREATE DATABASE {name}{copied}")
    yield server.set(database=name).render_as_string(hide_password=False)
    with engine.connect() as connection:
        connection.exec_driver_sql(f"DROP DATABASE {name} WITH (FORCE)")
    engine.dispose()


def _copying(connection: Connection) -> str:
    """As files: through its log, as PostgreSQL has it by itself since 15, a copy takes three times the processor."""
    return "STRATEGY FILE_COPY" if (connection.dialect.server_version_info or ()) >= (15,) else ""


def installed_binaries() -> Path:
    """The folder with the programs of an installed one. Raises `NoPostgresqlError`."""
    initdb = shutil.which("initdb")
    found = [Path(initdb).parent] if initdb else []
    for pattern in _BINARIES:
        found += sorted(Path("/").glob(pattern))
    for folder in reversed(found):
        if (folder / "postgres").exists():
            return folder
    raise NoPostgresqlError("no PostgreSQL is installed")


def _in_memory() -> Path | None:
    """A folder of files that are memory, where there is one with room: a copy of a database is a thousand files, and to
    make them on a disk that others use too takes many times what a test asks of it."""
    folder = Path("/dev/shm")
    return folder if folder.is_dir() and shutil.disk_usage(folder).free > _CLUSTER_BYTES else None


def _end_with_us() -> None:
    """Has the server end with us, however that happens. Where there is no prctl, it outlives whoever is killed."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGQUIT, 0, 0, 0)


def _server_user(folder: Path) -> dict[str, object]:
    """Whom the server runs as, for `subprocess`: PostgreSQL refuses root, so root gives the folder to another."""
    if os.geteuid() != 0:
        return {}
    other = pwd.getpwnam(_UNPRIVILEGED)
    os.chown(folder, other.pw_uid, other.pw_gid)
    return {"user": other.pw_uid, "group": other.pw_gid, "extra_groups": []}
