"""Sources on the disk: whole under their hash, once, or not at all."""

from __future__ import annotations

import contextlib
import hashlib
import threading
from datetime import timedelta

import pytest

from iotriage.store.cases import NamedSource, UnknownSourceError, delete_case, find_case, new_case
from iotriage.store.database import Database
from iotriage.store.sources import (
    HashMismatchError,
    SourceFolder,
    SourceTooLargeError,
    StoredSource,
    drop_abandoned_sources,
    find_source,
    store_source,
)

pytestmark = pytest.mark.every_database

DATA = b"an ordinary log\n"
SHA = hashlib.sha256(DATA).hexdigest()


def keep(database: Database, folder: SourceFolder, data: bytes = DATA, announced: str | None = None) -> StoredSource:
    with folder.arrival() as arrival:
        for byte in data:
            arrival.write(bytes([byte]))
        return store_source(database, folder, arrival, announced)


def find(database: Database, folder: SourceFolder, sha256: str = SHA) -> StoredSource | None:
    with database.reading() as session:
        return find_source(session, folder, sha256)


def test_a_source_is_kept_whole_under_its_hash(database: Database, folder: SourceFolder) -> None:
    assert find(database, folder) is None
    assert keep(database, folder, announced=SHA) == StoredSource(SHA, len(DATA))
    assert find(database, folder) == StoredSource(SHA, len(DATA))
    assert (folder.root / SHA[:2] / SHA[2:]).read_bytes() == DATA


def test_nothing_half_written_stays(database: Database, folder: SourceFolder) -> None:
    keep(database, folder)
    with pytest.raises(HashMismatchError):
        keep(database, folder, b"cut o", SHA)
    with pytest.raises(SourceTooLargeError):
        keep(database, folder, b"x" * 1001)
    with contextlib.suppress(ConnectionError), folder.arrival() as arrival:
        arrival.write(b"x")
        raise ConnectionError
    files = [path for path in folder.root.rglob("*") if path.is_file()]
    assert files == [folder.path(SHA)]


def test_the_limit_is_the_last_byte_that_is_accepted(database: Database, folder: SourceFolder) -> None:
    assert keep(database, folder, b"x" * 1000).size_bytes == 1000


def test_an_empty_source_is_a_source(database: Database, folder: SourceFolder) -> None:
    assert keep(database, folder, b"").size_bytes == 0


@pytest.mark.parametrize("name", ["", "..", "../../etc/passwd", SHA.upper(), SHA + "\n", SHA[:-1], "/" + SHA[1:]])
def test_only_a_hash_becomes_a_path(folder: SourceFolder, name: str) -> None:
    with pytest.raises(ValueError, match="not a SHA-256"):
        folder.path(name)


def test_a_source_whose_bytes_were_lost_can_be_given_again(database: Database, folder: SourceFolder) -> None:
    keep(database, folder)
    folder.path(SHA).unlink()
    assert find(database, folder) is None
    keep(database, folder)
    assert find(database, folder) is not None


def test_the_same_source_arriving_many_times_at_once_is_kept_once(database: Database, folder: SourceFolder) -> None:
    kept: list[StoredSource] = []
    threads = [threading.Thread(target=lambda: kept.append(keep(database, folder))) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert kept == [StoredSource(SHA, len(DATA))] * 8
    assert folder.path(SHA).read_bytes() == DATA
    assert list((folder.root / "incoming").iterdir()) == []


def test_a_source_goes_with_the_last_case_that_uses_it(database: Database, folder: SourceFolder) -> None:
    keep(database, folder)
    with database.writing() as session, session.begin():
        first = new_case(session, [NamedSource(SHA, "a.darshan")]).id
        second = new_case(session, [NamedSource(SHA, "b.darshan")]).id
    for case_id, stays in ((first, True), (second, False)):
        with database.writing() as session, session.begin():
            case = find_case(session, case_id)
            assert case is not None
            delete_case(session, folder, case, "ada")
        assert (find(database, folder) is not None) is stays
        assert folder.path(SHA).exists() is stays


def test_a_case_of_a_source_that_is_not_here_is_refused(database: Database) -> None:
    with pytest.raises(UnknownSourceError), database.writing() as session, session.begin():
        new_case(session, [NamedSource(SHA, "a.darshan")])


def test_an_old_source_that_becomes_part_of_a_case_at_this_moment_stays(
    database: Database, folder: SourceFolder
) -> None:
    keep(database, folder)
    later = SourceFolder(folder.root, 1000, clock=lambda: folder.clock() + timedelta(days=2))
    dropped: list[int] = []
    clearing = threading.Thread(target=lambda: dropped.append(drop_abandoned_sources(database, later)))
    with database.writing() as session, session.begin():
        new_case(session, [NamedSource(SHA, "a.darshan")])
        clearing.start()
    clearing.join()
    assert dropped == [0]
    assert folder.path(SHA).is_file()
