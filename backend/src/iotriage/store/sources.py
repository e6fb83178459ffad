"""Sources kept whole, in a folder, by the SHA-256 of their bytes. No name from outside ever becomes a path."""

from __future__ import annotations

import contextlib
import hashlib
import os
import re
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from sqlalchemy.exc import IntegrityError
from sqlalchemy.orm import Session

from iotriage.store.database import Database
from iotriage.store.tables import CaseSourceRow, SourceRow

_SHA256 = re.compile(r"[0-9a-f]{64}")


@dataclass(frozen=True, slots=True)
class StoredSource:
    sha256: str
    size_bytes: int


class SourceTooLargeError(Exception):
    """The source has more bytes than the limit allows."""


class HashMismatchError(Exception):
    """The bytes that came are not those that were announced."""

    def __init__(self, announced: str, found: str) -> None:
        super().__init__(f"announced {announced}, found {found}")
        self.announced = announced
        self.found = found


class Arrival:
    """A source on its way in: hashed while it is written to a file that nothing reads yet."""

    def __init__(self, path: Path, descriptor: int, limit_bytes: int) -> None:
        self.path = path
        self.size_bytes = 0
        self._file = os.fdopen(descriptor, "wb")
        self._limit_bytes = limit_bytes
        self._hash = hashlib.sha256()

    def write(self, chunk: bytes) -> None:
        """Raises `SourceTooLargeError` with the first byte past the limit."""
        self.size_bytes += len(chunk)
        if self.size_bytes > self._limit_bytes:
            raise SourceTooLargeError
        self._hash.update(chunk)
        self._file.write(chunk)

    def sealed(self) -> str:
        """Ends the writing; the bytes are on the disk when this returns. The SHA-256 in hexadecimal."""
        self._file.flush()
        os.fsync(self._file.fileno())
        self._file.close()
        return self._hash.hexdigest()

    def close(self) -> None:
        self._file.close()
        self.path.unlink(missing_ok=True)


class SourceFolder:
    """`<root>/ab/cdef…` for the source whose SHA-256 is `abcdef…`; `<root>/incoming` for what has not arrived yet."""

    def __init__(self, root: Path, limit_bytes: int) -> None:
        self.root = root
        self.limit_bytes = limit_bytes
        self._incoming = root / "incoming"

    def prepare(self) -> None:
        """Makes the folders, for their owner alone, and clears away what an earlier process left half-written."""
        self.root.mkdir(mode=0o700, parents=True, exist_ok=True)
        self._incoming.mkdir(exist_ok=True)
        for leftover in self._incoming.iterdir():
            leftover.unlink()

    def path(self, sha256: str) -> Path:
        """Where the source is kept. ValueError for what is not a SHA-256 in lower-case hexadecimal."""
        if not _SHA256.fullmatch(sha256):
            raise ValueError(f"not a SHA-256: {sha256!r}")
        return self.root / sha256[:2] / sha256[2:]

    @contextlib.contextmanager
    def arrival(self) -> Iterator[Arrival]:
        """A place for a source's bytes; what was not kept is gone at the end."""
        descriptor, path = tempfile.mkstemp(dir=self._incoming)
        arrival = Arrival(Path(path), descriptor, self.limit_bytes)
        try:
            yield arrival
        finally:
            arrival.close()

    def place(self, arrived: Path, sha256: str) -> None:
        """Moves an arrived file to its place, atomically; the same bytes may be there already."""
        target = self.path(sha256)
        target.parent.mkdir(exist_ok=True)
        arrived.replace(target)
        _sync_folder(target.parent)


def _sync_folder(folder: Path) -> None:
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def find_source(session: Session, folder: SourceFolder, sha256: str) -> StoredSource | None:
    """The source, if both its row and its bytes are here."""
    row = session.get(SourceRow, sha256)
    return StoredSource(row.sha256, row.size_bytes) if row and folder.path(sha256).is_file() else None


def keep_source(database: Database, folder: SourceFolder, arrival: Arrival, announced: str | None) -> StoredSource:
    """Puts an arrived source into the folder and the database.

    The row is written first: it makes a deletion of the same source, which removes the file inside its own
    transaction, either end before or start after this. Raises `HashMismatchError` where the bytes are not `announced`.
    """
    sha256 = arrival.sealed()
    if announced is not None and announced != sha256:
        raise HashMismatchError(announced, sha256)
    try:
        with database.writing() as session, session.begin():
            if session.get(SourceRow, sha256, with_for_update=True) is None:
                session.add(SourceRow(sha256=sha256, size_bytes=arrival.size_bytes, added_at=datetime.now(UTC)))
                session.flush()
            folder.place(arrival.path, sha256)
    except IntegrityError:
        # Another upload of the same bytes was faster: its file is the same as ours.
        pass
    return StoredSource(sha256, arrival.size_bytes)


def drop_unused_sources(session: Session, folder: SourceFolder, candidates: set[str]) -> None:
    """Forgets those of `candidates` that no case refers to, bytes and row. Call inside a writing transaction."""
    session.flush()
    for sha256 in sorted(candidates):
        # Locked before the look: whoever makes a case of it at this moment holds the same lock.
        row = session.get(SourceRow, sha256, with_for_update=True)
        if row is not None and session.query(CaseSourceRow).filter_by(sha256=sha256).first() is None:
            session.delete(row)
            session.flush()
            folder.path(sha256).unlink(missing_ok=True)
