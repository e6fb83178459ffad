from __future__ import annotations

import hashlib

import pytest

from iotriage.store.cases import (
    NamedSource,
    ReadingResult,
    Snapshot,
    add_sources,
    find_case,
    finish,
    mark_source,
    new_case,
    newest_cases,
    set_site,
    snapshot,
    unfinished_cases,
)
from iotriage.store.database import Database
from iotriage.store.sources import SourceFolder, keep_source


@pytest.fixture
def sources(database: Database, folder: SourceFolder) -> list[str]:
    hashes = []
    for data in (b"one", b"two"):
        with folder.arrival() as arrival:
            arrival.write(data)
            hashes.append(keep_source(database, folder, arrival, hashlib.sha256(data).hexdigest()).sha256)
    return hashes


def make(database: Database, *sources: NamedSource) -> str:
    with database.writing() as session, session.begin():
        return new_case(session, sources).id


def seen(database: Database, case_id: str) -> Snapshot:
    with database.reading() as session:
        found = snapshot(session, case_id)
    assert found is not None
    return found


def test_a_case_waits_to_be_read_until_it_is_finished(database: Database, sources: list[str]) -> None:
    case_id = make(database, NamedSource(sources[0], "a.darshan"))
    with database.reading() as session:
        assert list(unfinished_cases(session)) == [case_id]
    before = seen(database, case_id)
    with database.writing() as session, session.begin():
        mark_source(session, case_id, 0, ReadingResult("failed", message="cut off", next_step="copy it again"))
        assert finish(session, before, None)
    with database.reading() as session:
        assert list(unfinished_cases(session)) == []
        case = find_case(session, case_id)
        assert case is not None
        assert (case.status, case.sources[0].status, case.sources[0].message) == ("failed", "failed", "cut off")


def test_a_case_that_changed_while_it_was_read_is_not_finished(database: Database, sources: list[str]) -> None:
    case_id = make(database, NamedSource(sources[0], "a.darshan"))
    before = seen(database, case_id)
    with database.writing() as session, session.begin():
        case = find_case(session, case_id)
        assert case is not None
        add_sources(session, case, [NamedSource(sources[1], "b.txt")])
    between = seen(database, case_id)
    with database.writing() as session, session.begin():
        assert not finish(session, before, None)
        case = find_case(session, case_id)
        assert case is not None
        assert case.status == "reading"
        set_site(case, "archer2")
    with database.writing() as session, session.begin():
        assert not finish(session, between, None)
    with database.writing() as session, session.begin():
        assert finish(session, seen(database, case_id), None)


def test_a_deleted_case_needs_no_document(database: Database) -> None:
    with database.writing() as session, session.begin():
        assert finish(session, Snapshot("gone", None, ()), None)


def test_the_same_source_counts_once_in_a_case(database: Database, sources: list[str]) -> None:
    one, two = sources
    case_id = make(database, NamedSource(one, "a"), NamedSource(one, "copy of a"), NamedSource(two, "b"))
    assert [(s.position, s.name) for s in seen(database, case_id).sources] == [(0, "a"), (1, "b")]


def test_a_name_is_shown_and_nothing_else(database: Database, sources: list[str]) -> None:
    name = "../../etc/\x1b[31mpasswd\0\u202e" + "x" * 400
    case_id = make(database, NamedSource(sources[0], name))
    shown = seen(database, case_id).sources[0].name
    assert shown.startswith("../../etc/\N{REPLACEMENT CHARACTER}[31mpasswd\N{REPLACEMENT CHARACTER}")
    assert len(shown) == 255
    assert shown.isprintable()


def test_cases_come_newest_first_in_pages(database: Database, sources: list[str]) -> None:
    made = [make(database, NamedSource(sources[0], f"{i}")) for i in range(5)]
    assert len(set(made)) == 5
    with database.reading() as session:
        total, page = newest_cases(session, limit=2, offset=1)
    assert (total, [case.id for case in page]) == (5, [made[3], made[2]])
