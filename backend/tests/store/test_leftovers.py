"""What a server that was killed left behind, and what happens where the wrong database is named."""

from __future__ import annotations

import contextlib
import hashlib
import os
import resource
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import pytest
from sqlalchemy import Connection, event, text
from sqlalchemy.exc import TimeoutError

from iotriage.store import database_lock, sources
from iotriage.store.cases import NamedSource, delete_case, find_case, lock_case, new_case
from iotriage.store.database import Database
from iotriage.store.database_lock import DatabaseInUseError
from iotriage.store.folder_lock import FolderInUseError, FolderLock
from iotriage.store.sources import SourceFolder, clear_unknown, drop_abandoned_sources, find_source, store_source
from iotriage.store.tables import SourceRow

DATA = b"some log"
SHA = hashlib.sha256(DATA).hexdigest()


def keep(database: Database, folder: SourceFolder) -> None:
    with folder.arrival() as arrival:
        arrival.write(DATA)
        store_source(database, folder, arrival, SHA)


def known(database: Database, folder: SourceFolder) -> bool:
    with database.reading() as session:
        return find_source(session, folder, SHA) is not None


def later(folder: SourceFolder, by: timedelta) -> SourceFolder:
    return SourceFolder(folder.root, 1000, clock=lambda: folder.clock() + by)


def test_what_was_half_written_goes_at_the_start(folder: SourceFolder) -> None:
    (folder.root / "incoming" / "tmp123").write_bytes(b"half")
    folder.prepare()
    assert list((folder.root / "incoming").iterdir()) == []


def test_what_still_arrives_stays_whatever_the_clock_says(database: Database, folder: SourceFolder) -> None:
    incoming = folder.root / "incoming"
    ahead = later(folder, timedelta(days=400))
    with ahead.arrival() as arrival:
        (incoming / "tmp123").write_bytes(b"half")
        arrival.write(DATA)
        ahead.clear_leftovers()
        assert list(incoming.iterdir()) == [arrival.path]
        store_source(database, ahead, arrival, SHA)
    assert known(database, ahead)
    assert list(incoming.iterdir()) == []


def test_bytes_without_a_row_are_set_aside_and_go_in_time(database: Database, folder: SourceFolder) -> None:
    path = folder.path(SHA)
    path.parent.mkdir()
    path.write_bytes(DATA)
    os.utime(path, (0, 0))
    drop_abandoned_sources(database, folder)
    assert not path.exists()
    assert [sha256 for sha256, _ in folder.aside()] == [SHA]
    drop_abandoned_sources(database, later(folder, timedelta(hours=23)))
    assert [sha256 for sha256, _ in folder.aside()] == [SHA]
    drop_abandoned_sources(database, later(folder, timedelta(hours=25)))
    assert list(folder.aside()) == []


def test_what_is_known_is_asked_of_many_together(database: Database, folder: SourceFolder) -> None:
    hashes = [hashlib.sha256(bytes([number])).hexdigest() for number in range(100)]
    with database.writing() as session, session.begin():
        session.add_all(SourceRow(sha256=name, size_bytes=1, added_at=folder.clock()) for name in hashes[:-1])
    for name in hashes:
        folder.path(name).parent.mkdir(exist_ok=True)
        folder.path(name).write_bytes(b"x")
    asked: list[str] = []

    @event.listens_for(database.engine, "before_cursor_execute")
    def note(_: Connection, __: object, statement: str, *___: object) -> None:
        asked.append(statement)

    clear_unknown(database, folder)
    assert [sha256 for sha256, _ in folder.aside()] == hashes[-1:]
    assert len([statement for statement in asked if statement.startswith("SELECT")]) < 5


def test_what_is_deleted_while_the_folder_is_looked_through_is_no_fault(
    database: Database, folder: SourceFolder
) -> None:
    class Slow(SourceFolder):
        def stored(self) -> Iterator[str]:
            yield SHA

    clear_unknown(database, Slow(folder.root, folder.limit_bytes))
    assert list(folder.aside()) == []


def test_the_wrong_database_costs_nothing(database: Database, folder: SourceFolder, tmp_path: Path) -> None:
    keep(database, folder)
    with database.writing() as session, session.begin():
        new_case(session, [NamedSource(SHA, "a")])
    wrong = Database(f"sqlite:///{tmp_path / 'wrong.sqlite3'}")
    wrong.migrate()
    clear_unknown(wrong, folder)
    wrong.close()
    assert not known(database, folder)
    clear_unknown(database, folder)
    assert known(database, folder)
    assert folder.path(SHA).read_bytes() == DATA


@pytest.mark.every_database
def test_a_deletion_that_does_not_commit_leaves_the_bytes(database: Database, folder: SourceFolder) -> None:
    keep(database, folder)
    with database.writing() as session, session.begin():
        case_id = new_case(session, [NamedSource(SHA, "a")]).id
    with database.writing() as session:
        case = lock_case(session, case_id)
        assert case is not None
        delete_case(session, folder, case, "ada")
        session.flush()
        session.rollback()
    with database.reading() as session:
        assert find_case(session, case_id) is not None
    assert known(database, folder)


@pytest.mark.every_database
def test_the_bytes_go_when_the_deletion_has_committed(
    database: Database, folder: SourceFolder, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Seen from within: at the moment of unlinking, no row speaks of them any more."""
    rows: list[object] = []
    unlink = Path.unlink

    def seen(path: Path, missing_ok: bool = False) -> None:
        if path == folder.path(SHA):
            with database.reading() as session:
                rows.append(session.get(SourceRow, SHA))
        unlink(path, missing_ok)

    keep(database, folder)
    with database.writing() as session, session.begin():
        case_id = new_case(session, [NamedSource(SHA, "a")]).id
    monkeypatch.setattr(Path, "unlink", seen)
    with database.writing() as session, session.begin():
        case = lock_case(session, case_id)
        assert case is not None
        delete_case(session, folder, case, "ada")
    assert rows == [None]
    assert not folder.path(SHA).exists()


@pytest.mark.every_database
def test_the_same_bytes_given_while_they_are_forgotten_stay(
    database: Database, folder: SourceFolder, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Another upload comes between the commit of the deletion and the removal of the bytes."""
    keep(database, folder)
    with database.writing() as session, session.begin():
        case_id = new_case(session, [NamedSource(SHA, "a")]).id

    class GivenBefore:
        """A lock that is taken by the other upload first."""

        def __enter__(self) -> None:
            monkeypatch.setattr(sources, "_MOVING", lock)
            keep(database, folder)
            lock.acquire()

        def __exit__(self, *_: object) -> None:
            lock.release()

    lock = sources._MOVING
    monkeypatch.setattr(sources, "_MOVING", GivenBefore())
    with database.writing() as session, session.begin():
        case = lock_case(session, case_id)
        assert case is not None
        delete_case(session, folder, case, "ada")
    assert known(database, folder)
    assert folder.path(SHA).read_bytes() == DATA


def test_a_folder_has_one_server(tmp_path: Path) -> None:
    first, second = FolderLock(tmp_path / "data"), FolderLock(tmp_path / "data")
    first.take()
    first.take()
    with pytest.raises(FolderInUseError, match=f"process {os.getpid()}"):
        second.take()
    first.release()
    second.take()
    second.release()


@pytest.mark.every_database
def test_a_database_has_one_server(database_url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(database_lock, "_PATIENCE_S", 0)
    first, second = Database(database_url), Database(database_url)
    first.hold()
    first.hold()
    with pytest.raises(DatabaseInUseError, match="another server works on the database"):
        second.hold()
    if first.engine.dialect.name == "postgresql":
        # Whatever ended the connection of the lock, it is taken again.
        with second.engine.connect() as connection:
            connection.execute(text("SELECT pg_terminate_backend(pid) FROM pg_locks WHERE locktype = 'advisory'"))
        second.keep_held()
        # Where every connection is in use, that is for the next time.
        monkeypatch.setattr(first.engine.pool, "_timeout", 0)
        with contextlib.ExitStack() as all_in_use:
            with contextlib.suppress(TimeoutError):
                while True:
                    all_in_use.enter_context(first.engine.connect())
            first.keep_held()
        first.keep_held()
        with pytest.raises(DatabaseInUseError):
            second.hold()
    first.close()
    second.hold()
    second.close()


def test_a_folder_that_cannot_be_is_said(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(FolderInUseError, match="Not a directory"):
        FolderLock(tmp_path / "file" / "data").take()


def test_a_folder_that_cannot_be_written_to_is_said(folder: SourceFolder) -> None:
    assert folder.unwritable() is None
    (folder.root / "incoming").rmdir()
    assert "No such file" in (folder.unwritable() or "")


def test_a_disk_on_which_only_empty_files_can_be_made_is_full(folder: SourceFolder) -> None:
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, hard))
    try:
        assert folder.unwritable() == "there is no room left"
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    assert folder.unwritable() is None
