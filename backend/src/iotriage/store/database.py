"""The database: opened, brought up to date, and handed out as sessions that read or write."""

from __future__ import annotations

import contextlib
import sqlite3
import threading
import time
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path

import structlog
from alembic import command
from alembic.config import Config
from alembic.runtime.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import URL, Connection, Engine, create_engine, event, func, make_url, select
from sqlalchemy.engine.interfaces import DBAPIConnection, ExceptionContext
from sqlalchemy.exc import ArgumentError, DatabaseError, DBAPIError, InvalidatePoolError, OperationalError
from sqlalchemy.orm import Session, sessionmaker
from sqlalchemy.pool import ConnectionPoolEntry, PoolProxiedConnection

from iotriage.store.audit import audit_commits
from iotriage.store.database_lock import DatabaseLock

log: structlog.stdlib.BoundLogger = structlog.get_logger()

MIGRATIONS = Path(__file__).parent / "migrations"
_BUSY_SECONDS = 10
"""How long one waits for SQLite's lock, and for PostgreSQL to answer, before it is said that the database is away."""

_WRITES = "iotriage_writes"
_KEPT_CONNECTIONS, _MORE_CONNECTIONS = 20, 44
"""Open for good, and besides in a rush: to connect anew costs more than most questions. As many as there are threads
that ask: 40 of the web server and the workers. PostgreSQL allows 100 by default."""

_USED_AT = "iotriage_used_at"
_SURELY_THERE_SECONDS = 1.0

_MIGRATION_LOCK = int.from_bytes(b"iotriage")


class UnusableDatabaseError(ValueError):
    """The database is none that we know, or does not answer. The message holds no password."""


class Database:
    """`reading()` and `writing()` make sessions, to be used as context managers. A writing session of SQLite takes
    the write lock at its start (BEGIN IMMEDIATE), so that it waits its turn and never fails half-way for a lock.
    Raises `UnusableDatabaseError` for a URL that names neither SQLite nor PostgreSQL."""

    def __init__(self, url: str) -> None:
        self.engine = _engine(url)
        self._lock = DatabaseLock(self.engine)
        self._was_away = threading.Event()
        event.listen(self.engine, "handle_error", self._notice)
        self._reading = sessionmaker(self.engine, expire_on_commit=False)
        self._writing = sessionmaker(self.engine.execution_options(**{_WRITES: True}), expire_on_commit=False)
        audit_commits(self._writing)

    def migrate(self) -> None:
        """Brings the tables up to the newest revision; from nothing on the first start. Of several that start at once,
        one does it. A folder that is made for SQLite's file is its owner's alone: logs name people and paths.

        Before the tables of an earlier version are changed, SQLite's file is copied beside itself (`backup_file`). A
        migration that fails leaves the database as it was. Raises `UnusableDatabaseError` then, and where the database
        does not answer or a later version made it."""
        with self._usable(), self.engine.execution_options(**{_WRITES: True}).begin() as connection:
            if connection.dialect.name == "postgresql":
                connection.execute(select(func.pg_advisory_xact_lock(_MIGRATION_LOCK)))
            self._upgrade(connection)

    def hold(self) -> None:
        """Keeps other servers out. Raises `DatabaseInUseError`, and `UnusableDatabaseError` where it does not
        answer."""
        with self._usable():
            self._lock.take()

    def keep_held(self) -> None:
        """From time to time: the database may have been away, or what lies between have ended the connection."""
        self._lock.keep()

    @contextlib.contextmanager
    def _usable(self) -> Iterator[None]:
        """Says in a sentence why the database cannot be used."""
        where = self.engine.url.render_as_string(hide_password=True)
        try:
            self._make_folder()
            yield
        except (DatabaseError, OSError) as error:
            # Of SQLAlchemy's, the driver's own words: a file that is no database is no OperationalError.
            cause = error.orig if isinstance(error, DBAPIError) else error
            raise UnusableDatabaseError(f"the database {where} cannot be used: {cause}") from error

    def _upgrade(self, connection: Connection) -> None:
        scripts = _scripts(MIGRATIONS)
        revision, newest = MigrationContext.configure(connection).get_current_revision(), scripts.get_current_head()
        if revision == newest:
            return
        if revision is not None:
            if revision not in {script.revision for script in scripts.walk_revisions()}:
                made_by = "a later version of IOtriage, or one that was never released,"
                raise UnusableDatabaseError(f"{made_by} made the database (revision {revision})")
            self._back_up(revision)
        command.upgrade(alembic_config(connection), "head")

    def _back_up(self, revision: str) -> None:
        if self.engine.dialect.name != "sqlite":
            log.warning("the tables are brought up to date; no backup was made: that is for pg_dump", revision=revision)
            return
        file = self.engine.url.database
        if not file or file == ":memory:":
            return
        copy = backup_file(Path(file), revision)
        _copy_sqlite(Path(file), copy)
        log.info("the tables are brought up to date; the database as it was is kept", backup=str(copy))

    def _make_folder(self) -> None:
        if self.engine.dialect.name == "sqlite" and self.engine.url.database:
            Path(self.engine.url.database).parent.mkdir(mode=0o700, parents=True, exist_ok=True)

    def reading(self) -> Session:
        return self._reading()

    def writing(self) -> Session:
        """A session that is committed by `with database.writing() as session, session.begin(): …`."""
        return self._writing()

    def recovered(self) -> bool:
        """True once when the database answers again after it did not."""
        if not self._was_away.is_set():
            return False
        try:
            with self.reading() as session:
                session.execute(select(1))
        except OperationalError:
            return False
        self._was_away.clear()
        return True

    def empty_log(self) -> None:
        """Writes SQLite's log back and empties it: until then what was deleted still stands there. PostgreSQL keeps its
        log by its own settings."""
        file = self.engine.url.database
        if self.engine.dialect.name == "sqlite" and file and file != ":memory:":
            with contextlib.closing(sqlite3.connect(file, timeout=_BUSY_SECONDS)) as connection:
                connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")

    def close(self) -> None:
        self._lock.release()
        self.engine.dispose()

    def _notice(self, context: ExceptionContext) -> None:
        if isinstance(context.sqlalchemy_exception, OperationalError):
            self._was_away.set()


def reading_engine(session: Session) -> Engine:
    """The engine of the session, for looking only."""
    bind = session.get_bind()
    return (bind if isinstance(bind, Engine) else bind.engine).execution_options(**{_WRITES: False})


def backup_file(database: Path, revision: str) -> Path:
    """Where the database is copied to before its tables, of this revision, are changed."""
    return database.with_name(f"{database.name}.revision-{revision}.backup")


def _copy_sqlite(database: Path, copy: Path) -> None:
    """Whole or not at all. Takes the place of an earlier one: that attempt to migrate failed, and left the database."""
    unfinished = copy.with_name(f"{copy.name}.unfinished")
    unfinished.unlink(missing_ok=True)
    # A connection of its own: it reads what is committed, while the migration's holds the lock for writing.
    with contextlib.closing(sqlite3.connect(database, timeout=_BUSY_SECONDS)) as connection:
        connection.execute("VACUUM INTO ?", (str(unfinished),))
    unfinished.chmod(database.stat().st_mode & 0o777)
    unfinished.replace(copy)


@cache
def _scripts(folder: Path) -> ScriptDirectory:
    """The revisions there. To load them takes longer than to see that a database has the newest."""
    return ScriptDirectory(str(folder))


def alembic_config(connection: Connection) -> Config:
    """Alembic's configuration for a connection that is already open: no ini file is needed to run the product."""
    config = Config()
    config.set_main_option("script_location", str(MIGRATIONS))
    config.attributes["connection"] = connection
    return config


def _engine(url: str) -> Engine:
    try:
        parsed = make_url(url)
    except ArgumentError:
        # Not repeated: whatever it is, a password may be in it.
        raise UnusableDatabaseError("IOTRIAGE_DATABASE_URL is not the URL of a database") from None
    if parsed.get_backend_name() == "sqlite":
        engine = _pooled(parsed, {"timeout": _BUSY_SECONDS})
        event.listen(engine, "connect", _configure_sqlite)
        event.listen(engine, "begin", _begin_sqlite)
        return engine
    if parsed.get_backend_name() != "postgresql":
        raise UnusableDatabaseError(
            f"IOTRIAGE_DATABASE_URL names {parsed.drivername!r}: use postgresql:// or sqlite://"
        )
    try:
        engine = _pooled(parsed, {"connect_timeout": _BUSY_SECONDS})
    except ImportError as missing:
        raise UnusableDatabaseError(
            f'PostgreSQL needs its driver: pip install "iotriage[server]" ({missing})'
        ) from None
    event.listen(engine, "checkin", _note_use)
    event.listen(engine, "checkout", _look_first)
    return engine


def _note_use(_: DBAPIConnection | None, entry: ConnectionPoolEntry) -> None:
    entry.info[_USED_AT] = time.monotonic()


def _look_first(connection: DBAPIConnection, entry: ConnectionPoolEntry, _: PoolProxiedConnection) -> None:
    """Whether PostgreSQL is still at the other end of a connection that was not used just now. Where it is not, the
    pool opens another."""
    if time.monotonic() - entry.info.get(_USED_AT, 0.0) < _SURELY_THERE_SECONDS:
        return
    try:
        with contextlib.closing(connection.cursor()) as cursor:
            cursor.execute("SELECT 1")
        connection.rollback()
    except Exception as gone:
        raise InvalidatePoolError from gone


def _pooled(url: URL, connect_args: Mapping[str, float]) -> Engine:
    return create_engine(
        url,
        connect_args=dict(connect_args),
        pool_size=_KEPT_CONNECTIONS,
        max_overflow=_MORE_CONNECTIONS,
        # The one that was used last is taken first: its statements are prepared, and nobody asks whether it is there.
        pool_use_lifo=True,
    )


def _configure_sqlite(connection: DBAPIConnection, _: ConnectionPoolEntry) -> None:
    assert isinstance(connection, sqlite3.Connection)
    connection.isolation_level = None
    _use_wal(connection)
    connection.execute("PRAGMA synchronous = NORMAL")
    connection.execute("PRAGMA foreign_keys = ON")
    # What is deleted is gone from the file, and not only from its tables.
    connection.execute("PRAGMA secure_delete = ON")


def _use_wal(connection: sqlite3.Connection) -> None:
    """The mode lies in the file. Only who changes it needs the file alone, for which SQLite does not wait."""
    deadline = time.monotonic() + _BUSY_SECONDS
    while connection.execute("PRAGMA journal_mode").fetchone() != ("wal",):
        try:
            connection.execute("PRAGMA journal_mode = WAL")
        except sqlite3.OperationalError:
            if time.monotonic() > deadline:
                raise
            time.sleep(0.02)


def _begin_sqlite(connection: Connection) -> None:
    writes = connection.get_execution_options().get(_WRITES, False)
    connection.exec_driver_sql("BEGIN IMMEDIATE" if writes else "BEGIN")
