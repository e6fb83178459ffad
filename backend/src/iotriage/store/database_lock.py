"""Lets one server work on a database. A second one, with a data folder of its own, would take waiting cases whose
sources lie in the first one's folder, and fail them."""

from __future__ import annotations

import contextlib
import fcntl
import os
import time
from pathlib import Path
from typing import Final

import structlog
from sqlalchemy import Connection, Engine, func, select, text
from sqlalchemy.exc import DBAPIError, TimeoutError

log: structlog.stdlib.BoundLogger = structlog.get_logger()

_LOCK: Final = int.from_bytes(b"iotserve")
_PATIENCE_S: Final = 5.0
"""How long to wait for the lock of a server that was killed, until PostgreSQL notices that it is gone."""
_NOTICED_SOON: Final = (
    "SET tcp_keepalives_idle = 30",
    "SET tcp_keepalives_interval = 10",
    "SET tcp_keepalives_count = 3",
)
"""A machine that is gone says nothing: PostgreSQL asks after it within a minute, where most systems wait two hours."""


class DatabaseInUseError(ValueError):
    """Another server works on the database; the message says so."""


class DatabaseLock:
    """On PostgreSQL an advisory lock, held by a connection that stays open for it; on SQLite a lock on a file beside
    the database."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._connection: Connection | None = None
        self._descriptor: int | None = None
        self._taken = False
        self._lost = False

    def take(self) -> None:
        """Raises `DatabaseInUseError`; OSError and SQLAlchemy's errors where the database cannot be used. Nothing
        happens where it is held already."""
        until = time.monotonic() + _PATIENCE_S
        while not self._holds():
            if time.monotonic() > until:
                raise DatabaseInUseError(
                    f"another server works on the database {self._engine.url.render_as_string(hide_password=True)}; "
                    "stop it, or give this one a database of its own: IOTRIAGE_DATABASE_URL"
                )
            time.sleep(0.1)
        self._taken = True

    def keep(self) -> None:
        """Takes the lock again where its connection was closed, by PostgreSQL or by something between."""
        # A database that is away is told of by whoever asks it; where every connection is in use, one is had later.
        with contextlib.suppress(DBAPIError, TimeoutError):
            if self._taken:
                lost = not self._holds()
                if lost and not self._lost:
                    log.error("another server works on the database too: stop one of them")
                self._lost = lost

    def release(self) -> None:
        self._taken = False
        self._let_go()
        if self._descriptor is not None:
            os.close(self._descriptor)
            self._descriptor = None

    def _holds(self) -> bool:
        if self._engine.dialect.name == "postgresql":
            return self._connected() or self._locked()
        file = self._engine.url.database
        return not file or file == ":memory:" or self._descriptor is not None or self._file_locked(Path(f"{file}.lock"))

    def _file_locked(self, path: Path) -> bool:
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            os.close(descriptor)
            return False
        except OSError as error:
            log.warning("the file system of the database has no locks: see that one server uses it", why=str(error))
        self._descriptor = descriptor
        return True

    def _connected(self) -> bool:
        if self._connection is None:
            return False
        try:
            self._connection.execute(select(1))
        except DBAPIError:
            self._let_go()
            return False
        return True

    def _locked(self) -> bool:
        connection = self._engine.connect().execution_options(isolation_level="AUTOCOMMIT")
        # It is none of the pool's from here: it has no other use, and is not waited for.
        connection.detach()
        if not connection.scalar(select(func.pg_try_advisory_lock(_LOCK))):
            connection.close()
            return False
        for setting in _NOTICED_SOON:
            connection.execute(text(setting))
        self._connection = connection
        return True

    def _let_go(self) -> None:
        connection, self._connection = self._connection, None
        if connection is not None:
            connection.close()
