"""Sources kept whole, in a folder, by the SHA-256 of their bytes. No name from outside ever becomes a path."""

from __future__ import annotations

import contextlib
import errno
import hashlib
import os
import re
import tempfile
import threading
from collections.abc import Callable, Iterable, Iterator
from datetime import UTC, datetime, timedelta
from itertools import islice
from pathlib import Path

import structlog
from sqlalchemy import ColumnElement, Select, bindparam, event, func, select, update
from sqlalchemy.exc import IntegrityError, SQLAlchemyError
from sqlalchemy.orm import Session

from iotriage.store.access_tables import SourceGiverRow
from iotriage.store.database import Database, reading_engine
from iotriage.store.on_disk import put_on_disk
from iotriage.store.rows import carried_out, table_of, write_rows
from iotriage.store.tables import CaseSourceRow, SourceRow
from iotriage_parsers.frozen import frozen

Clock = Callable[[], datetime]

log: structlog.stdlib.BoundLogger = structlog.get_logger()

_MOVING = threading.Lock()
"""Held from the look at a source's row until its bytes are where the row says. One server has a folder, so that a lock
of its process is enough (`iotriage.store.folder_lock`)."""

_SOURCES = table_of(SourceRow)
_HELD = select(_SOURCES.c.sha256).where(_SOURCES.c.sha256 == bindparam("of_source")).with_for_update()
_GIVEN_AGAIN = update(_SOURCES).where(_SOURCES.c.sha256 == bindparam("of_source"))

_SHA256 = re.compile(r"[0-9a-f]{64}")
_A_DAY = timedelta(days=1)
_A_BLOCK = 4096
_ASKED_TOGETHER = 500
_LOOKED_FOR_AT_START = 100


def utc_now() -> datetime:
    return datetime.now(UTC)


@frozen
class StoredSource:
    sha256: str
    size_bytes: int


class SourceTooLargeError(Exception):
    """The source has more bytes than the limit allows."""


class NoRoomError(Exception):
    """The disk is full, or this user's quota is."""


class UnwritableError(ValueError):
    """The folder cannot be written to; the message says why."""


class HashMismatchError(Exception):
    """The bytes that arrived do not have the announced SHA-256."""

    def __init__(self, announced: str, found: str) -> None:
        super().__init__(f"announced {announced}, found {found}")
        self.announced = announced
        self.found = found


class IncomingSource:
    """A source on its way in: hashed while it is written to a file that nothing reads yet."""

    def __init__(self, path: Path, descriptor: int, limit_bytes: int) -> None:
        self.path = path
        self.size_bytes = 0
        # Without a buffer, of which a rest would be left to write when it is closed on a full disk.
        self._file = os.fdopen(descriptor, "wb", buffering=0)
        self._limit_bytes = limit_bytes
        self._hash = hashlib.sha256()

    def write(self, chunk: bytes) -> None:
        """Raises `SourceTooLargeError` with the first byte past the limit, `NoRoomError` and `UnwritableError`."""
        self.size_bytes += len(chunk)
        if self.size_bytes > self._limit_bytes:
            raise SourceTooLargeError
        self._hash.update(chunk)
        left = memoryview(chunk)
        with _room():
            while left:
                left = left[self._file.write(left) :]

    def sealed(self) -> str:
        """Ends the writing; the bytes are on the disk when this returns. The SHA-256 in hexadecimal. Raises
        `NoRoomError` and `UnwritableError`."""
        with _room():
            os.fsync(self._file.fileno())
            self._file.close()
        return self._hash.hexdigest()

    def close(self) -> None:
        self._file.close()
        self.path.unlink(missing_ok=True)


class SourceFolder:
    """`<root>/ab/cdef…` for the source whose SHA-256 is `abcdef…`; `<root>/incoming` for what has not arrived yet;
    `<root>/unknown` for bytes that the database does not know. What no case uses is kept for `unused_retention`."""

    def __init__(
        self, root: Path, limit_bytes: int, unused_retention: timedelta = _A_DAY, clock: Clock = utc_now
    ) -> None:
        self.root = root
        self.limit_bytes = limit_bytes
        self.unused_retention = unused_retention
        self.clock = clock
        self._incoming = root / "incoming"
        self._unknown = root / "unknown"
        self._arriving: set[Path] = set()
        self._entering = threading.Lock()

    def prepare(self) -> None:
        """Makes the folders, for their owner alone, and removes what a server that is gone left half-written: nothing
        arrives yet. Raises `UnwritableError`."""
        with _room():
            self.root.mkdir(mode=0o700, parents=True, exist_ok=True)
            self._incoming.mkdir(exist_ok=True)
            self._unknown.mkdir(exist_ok=True)
            for leftover in self._incoming.iterdir():
                leftover.unlink(missing_ok=True)

    def unwritable(self) -> str | None:
        """Why nothing can be stored now; None where it can."""
        try:
            with _room(), tempfile.TemporaryFile(dir=self._incoming) as file:
                # A full disk still makes files with nothing in them.
                file.write(bytes(_A_BLOCK))
                file.flush()
                return None
        except (NoRoomError, UnwritableError) as reason:
            return str(reason)

    def clear_leftovers(self) -> None:
        """Removes what is half-written and does not arrive any more. Who writes is known, and no clock is asked: one
        that is set right would make an upload old that has just begun."""
        with self._entering:
            for leftover in self._incoming.iterdir():
                if leftover not in self._arriving:
                    leftover.unlink(missing_ok=True)

    def path(self, sha256: str) -> Path:
        """Where the source is kept. ValueError for what is not a SHA-256 in lower-case hexadecimal."""
        if not _SHA256.fullmatch(sha256):
            raise ValueError(f"not a SHA-256: {sha256!r}")
        return self.root / sha256[:2] / sha256[2:]

    def lacks_any(self, sha256s: Iterable[str]) -> bool:
        """Whether the bytes of any of these sources are missing in the folder, although the database has their rows: it
        may have been restored without them, or they were deleted between the two copies of a backup."""
        return not all(self.path(sha256).is_file() for sha256 in sha256s)

    @contextlib.contextmanager
    def arrival(self) -> Iterator[IncomingSource]:
        """A place for the bytes of an arriving source; what was not moved to its place is removed at the end. Raises
        `NoRoomError` and `UnwritableError`."""
        with _room(), self._entering:
            descriptor, name = tempfile.mkstemp(dir=self._incoming)
            path = Path(name)
            self._arriving.add(path)
        arrival = IncomingSource(path, descriptor, self.limit_bytes)
        try:
            yield arrival
        finally:
            arrival.close()
            self._arriving.discard(path)

    def place(self, arrived: Path, sha256: str) -> None:
        """Moves an arrived file to its place, atomically; the same bytes may be there already. Raises `NoRoomError` and
        `UnwritableError`."""
        target = self.path(sha256)
        with _room():
            target.parent.mkdir(exist_ok=True)
            arrived.replace(target)
            put_on_disk(target.parent)

    def stored(self) -> Iterator[str]:
        """The SHA-256 of everything that has a place."""
        for folder in self.root.iterdir():
            if len(folder.name) == 2:
                names = (folder.name + file.name for file in folder.iterdir())
                yield from (name for name in names if _SHA256.fullmatch(name))

    def set_aside(self, sha256: str) -> None:
        """Moves the source out of its place; `unused_retention` counts from now."""
        aside = self._unknown / sha256
        self.path(sha256).replace(aside)
        now = self.clock().timestamp()
        os.utime(aside, (now, now))

    def aside(self) -> Iterator[tuple[str, datetime]]:
        """The sources that were set aside, and when."""
        for file in self._unknown.iterdir():
            if _SHA256.fullmatch(file.name):
                yield file.name, datetime.fromtimestamp(file.stat().st_mtime, UTC)

    def take_back(self, sha256: str) -> None:
        self.path(sha256).parent.mkdir(exist_ok=True)
        (self._unknown / sha256).replace(self.path(sha256))

    def forget_aside(self, sha256: str) -> None:
        (self._unknown / sha256).unlink(missing_ok=True)


@contextlib.contextmanager
def _room() -> Iterator[None]:
    try:
        yield
    except OSError as error:
        if error.errno in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG):
            raise NoRoomError("there is no room left") from error
        if error.errno in (errno.EROFS, errno.EACCES, errno.EPERM, errno.ENOENT, errno.EIO, errno.ESTALE):
            raise UnwritableError(f"the folder of the sources cannot be written to: {error.strerror}") from error
        raise


def find_source(
    session: Session, folder: SourceFolder, sha256: str, usable: ColumnElement[bool] | None = None
) -> StoredSource | None:
    """The source, if both its row and its bytes are here and `usable` holds for it.

    One that no case uses counts as gone when half its time is over: whoever asks now and makes a case of it after the
    answer has the other half to do so, or is asked to give it again.
    """
    row = session.scalar(source_here(sha256, usable))
    if row is None or not folder.path(sha256).is_file():
        return None
    half_over = row.added_at < folder.clock() - folder.unused_retention / 2
    return None if half_over and not _is_used(session, sha256) else StoredSource(row.sha256, row.size_bytes)


def source_here(sha256: str, usable: ColumnElement[bool] | None) -> Select[SourceRow]:
    """The source, unless its bytes were kept long enough, or `usable` does not hold for it."""
    here = select(SourceRow).where(SourceRow.sha256 == sha256, SourceRow.gone_at.is_(None))
    return here if usable is None else here.where(usable)


def store_source(
    database: Database,
    folder: SourceFolder,
    arrival: IncomingSource,
    announced: str | None,
    given_by: str | None = None,
    sent_by: str | None = None,
) -> StoredSource:
    """Puts an arrived source into the folder and the database; `sent_by` is the person who sent its bytes.

    Whoever forgets the same source at this moment removes its bytes either before this, or not at all. Raises
    `HashMismatchError` where the bytes are not `announced`, `NoRoomError` and `UnwritableError`.
    """
    sha256 = arrival.sealed()
    if announced is not None and announced != sha256:
        raise HashMismatchError(announced, sha256)
    try:
        with _MOVING, database.writing() as session, session.begin():
            now = folder.clock()
            if session.execute(_HELD, {"of_source": sha256}).one_or_none() is None:
                source = {"sha256": sha256, "size_bytes": arrival.size_bytes, "added_at": now, "given_by": given_by}
                write_rows(session, SourceRow, [source])
                write_rows(session, SourceGiverRow, [{"sha256": sha256, "person": sent_by}] if sent_by else [])
            else:
                carried_out(session, _GIVEN_AGAIN, {"of_source": sha256, "added_at": now, "gone_at": None})
                if sent_by is not None:
                    session.merge(SourceGiverRow(sha256=sha256, person=sent_by))
            folder.place(arrival.path, sha256)
    except IntegrityError:
        # Another upload of the same bytes was faster: its file is the same as ours.
        _note_sender(database, sha256, sent_by)
    return StoredSource(sha256, arrival.size_bytes)


def _note_sender(database: Database, sha256: str, sent_by: str | None) -> None:
    if sent_by is None:
        return
    with contextlib.suppress(IntegrityError), database.writing() as session, session.begin():
        session.merge(SourceGiverRow(sha256=sha256, person=sent_by))


def drop_unused_sources(session: Session, folder: SourceFolder, candidates: set[str]) -> None:
    """Forgets those of `candidates` that no case refers to, bytes and row. Call inside a writing transaction."""
    session.flush()
    for sha256 in sorted(candidates):
        # Locked before the look: whoever makes a case of it at this moment holds the same lock.
        row = session.get(SourceRow, sha256, with_for_update=True)
        if row is not None and not _is_used(session, sha256):
            _drop(session, folder, row)


def drop_abandoned_sources(database: Database, folder: SourceFolder) -> int:
    """Forgets the sources that were given, never became part of a case, and are older than unused ones are kept; how
    many those were. Bytes of which the database knows nothing go too, see `clear_unknown`."""
    clear_unknown(database, folder)
    before = folder.clock() - folder.unused_retention
    with database.reading() as session:
        unused = SourceRow.sha256.not_in(select(CaseSourceRow.sha256))
        found = session.scalars(select(SourceRow.sha256).where(SourceRow.added_at < before, unused)).all()
    return sum(_drop_abandoned(database, folder, sha256, before) for sha256 in found)


def _drop_abandoned(database: Database, folder: SourceFolder, sha256: str, before: datetime) -> bool:
    """Looks again under the lock: a case may have been made of it, or it may have been given once more."""
    with database.writing() as session, session.begin():
        row = session.get(SourceRow, sha256, with_for_update=True)
        if row is None or row.added_at >= before or _is_used(session, sha256):
            return False
        _drop(session, folder, row)
        return True


def clear_unknown(database: Database, folder: SourceFolder) -> None:
    """Sets aside the bytes that the database does not know: a server was killed before it wrote their row, or before it
    removed them after that. They are removed when they have lain aside as long as unused ones are kept, and come back
    where the database knows them again: somebody may have named another one by mistake."""
    for sha256 in list(_without_row(database, folder)):
        # Again, now that nothing is moved.
        with _MOVING, database.reading() as session:
            # Whoever deleted it meanwhile has removed the bytes too.
            if folder.path(sha256).is_file() and not _has_bytes(session, sha256):
                folder.set_aside(sha256)
                log.info("a source that the database does not know was set aside", sha256=sha256)
    before = folder.clock() - folder.unused_retention
    for sha256, since in list(folder.aside()):
        with _MOVING, database.reading() as session:
            if _has_bytes(session, sha256) and not folder.path(sha256).is_file():
                folder.take_back(sha256)
            elif since < before:
                folder.forget_aside(sha256)


def _without_row(database: Database, folder: SourceFolder) -> Iterator[str]:
    """Of what has a place, what the database does not know to be here: asked of many together, as a centre has tens of
    thousands, and this is done every few minutes."""
    stored = folder.stored()
    while some := list(islice(stored, _ASKED_TOGETHER)):
        with database.reading() as session:
            here = select(SourceRow.sha256).where(SourceRow.sha256.in_(some), SourceRow.gone_at.is_(None))
            known = set(session.scalars(here))
        yield from (sha256 for sha256 in some if sha256 not in known)


def _has_bytes(session: Session, sha256: str) -> bool:
    """Whether the database says that the folder has the bytes."""
    row = session.get(SourceRow, sha256)
    return row is not None and row.gone_at is None


def warn_of_lost_sources(database: Database, folder: SourceFolder) -> None:
    """Says to whoever runs the server that the database and the folder are not of one another, by the sources that came
    last: a backup was put back in part, or a second server with another folder uses the database."""
    last = select(SourceRow.sha256).where(SourceRow.gone_at.is_(None)).order_by(SourceRow.added_at.desc())
    with database.reading() as session:
        known = session.scalars(last.limit(_LOOKED_FOR_AT_START)).all()
    lost = sum(not folder.path(sha256).is_file() for sha256 in known)
    if lost:
        log.warning(
            "sources that the database knows are not in the data folder: put back both of one backup, and give each "
            "server a database of its own",
            lost=lost,
            looked_for=len(known),
            folder=str(folder.root),
        )


def stored_bytes(session: Session, given_by: str | None = None) -> int:
    """What all sources have together, or those that one client gave."""
    total = select(func.coalesce(func.sum(SourceRow.size_bytes), 0)).where(SourceRow.gone_at.is_(None))
    return session.scalar(total if given_by is None else total.where(SourceRow.given_by == given_by)) or 0


def _is_used(session: Session, sha256: str) -> bool:
    return session.scalar(select(CaseSourceRow.case_id).where(CaseSourceRow.sha256 == sha256).limit(1)) is not None


def remove_bytes(session: Session, folder: SourceFolder, row: SourceRow) -> None:
    """Removes the bytes of a source, whose row stays for its cases. Call inside a writing transaction."""
    row.gone_at = folder.clock()
    session.flush()
    _remove_bytes_after_commit(session, folder, row.sha256)


def _drop(session: Session, folder: SourceFolder, row: SourceRow) -> None:
    session.delete(row)
    session.flush()
    _remove_bytes_after_commit(session, folder, row.sha256)


def _remove_bytes_after_commit(session: Session, folder: SourceFolder, sha256: str) -> None:
    """Whoever is cut off in between leaves bytes that nobody knows, never a row whose bytes are not there."""
    reading = reading_engine(session)

    def remove_bytes(_: Session) -> None:
        try:
            with _MOVING, Session(reading) as look:
                if not _has_bytes(look, sha256):
                    folder.path(sha256).unlink(missing_ok=True)
        except (OSError, SQLAlchemyError):
            log.warning("the bytes of a source that was forgotten are still here", sha256=sha256, exc_info=True)

    event.listen(session, "after_commit", remove_bytes, once=True)
