"""Cases in the database: what they wait for, how they are listed, and who changes them meanwhile."""

from __future__ import annotations

import hashlib
import threading
from collections.abc import Callable
from functools import partial

import pytest

from iotriage.helpdesk.ticket_contents import TicketFields
from iotriage.helpdesk.tickets import open_ticket
from iotriage.store.cases import (
    NamedSource,
    ReadingResult,
    Snapshot,
    UnknownSourceError,
    add_sources,
    case_of_log,
    delete_case,
    find_case,
    finish,
    lock_case,
    mark_sources,
    new_case,
    newest_cases,
    set_site,
    snapshot_of,
    unfinished_cases,
)
from iotriage.store.database import Database
from iotriage.store.sources import SourceFolder, store_source
from iotriage.store.tables import CaseRow

pytestmark = pytest.mark.every_database


@pytest.fixture
def sources(database: Database, folder: SourceFolder) -> list[str]:
    hashes = []
    for data in (b"one", b"two"):
        with folder.arrival() as arrival:
            arrival.write(data)
            hashes.append(store_source(database, folder, arrival, hashlib.sha256(data).hexdigest()).sha256)
    return hashes


def make(database: Database, *sources: NamedSource) -> str:
    with database.writing() as session, session.begin():
        return new_case(session, sources).id


def remove(database: Database, folder: SourceFolder, case_id: str) -> None:
    with database.writing() as session, session.begin():
        case = lock_case(session, case_id)
        assert case is not None
        delete_case(session, folder, case, "ada")


def seen(database: Database, case_id: str) -> Snapshot:
    with database.reading() as session:
        return snapshot_of(session.get_one(CaseRow, case_id))


def test_a_case_waits_to_be_read_until_it_is_finished(database: Database, sources: list[str]) -> None:
    case_id = make(database, NamedSource(sources[0], "a.darshan"))
    with database.reading() as session:
        assert list(unfinished_cases(session)) == [case_id]
    before = seen(database, case_id)
    with database.writing() as session, session.begin():
        mark_sources(session, case_id, {0: ReadingResult("failed", message="cut off", next_step="copy it again")})
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


def at_once(*tasks: Callable[[], object]) -> list[Exception]:
    """Runs all of them at the same time; what went wrong."""
    together, errors = threading.Barrier(len(tasks)), list[Exception]()

    def run(task: Callable[[], object]) -> None:
        together.wait()
        try:
            task()
        except Exception as error:
            errors.append(error)

    threads = [threading.Thread(target=run, args=(task,)) for task in tasks]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return errors


def test_cases_of_the_same_sources_do_not_wait_for_one_another(database: Database, sources: list[str]) -> None:
    there = [NamedSource(sha256, "x") for sha256 in sources]
    back = there[::-1]
    for _ in range(5):
        assert at_once(*[partial(make, database, *order) for order in (there, back) * 4]) == []
    with database.reading() as session:
        assert newest_cases(session, 1, 0)[0] == 40


def test_a_case_goes_while_others_of_its_ticket_are_settled(
    database: Database, folder: SourceFolder, sources: list[str]
) -> None:
    def is_settled(case_id: str) -> None:
        with database.writing() as session, session.begin():
            assert finish(session, seen(database, case_id), None, "nothing was read")

    for _ in range(8):
        one, *others = [make(database, NamedSource(sources[0], f"{i}")) for i in range(4)]
        with database.writing() as session, session.begin():
            open_ticket(session, "ada", TicketFields(), [one, *others])
        assert at_once(partial(remove, database, folder, one), *(partial(is_settled, other) for other in others)) == []


def test_a_source_added_while_the_case_is_finished_is_still_to_be_read(database: Database, sources: list[str]) -> None:
    def add(case_id: str) -> None:
        with database.writing() as session, session.begin():
            case = lock_case(session, case_id)
            assert case is not None
            add_sources(session, case, [NamedSource(sources[1], "second")])

    def end(snapshot: Snapshot) -> None:
        with database.writing() as session, session.begin():
            finish(session, snapshot, None, "nothing was read")

    for _ in range(8):
        case_id = make(database, NamedSource(sources[0], "first"))
        assert at_once(partial(add, case_id), *[partial(end, seen(database, case_id))] * 3) == []
        with database.reading() as session:
            case = find_case(session, case_id)
            assert case is not None
            assert (case.status, len(case.sources)) == ("reading", 2)


def test_sources_added_to_a_case_at_once_are_all_there(database: Database, sources: list[str]) -> None:
    def add(case_id: str, sha256: str) -> None:
        with database.writing() as session, session.begin():
            case = lock_case(session, case_id)
            assert case is not None
            add_sources(session, case, [NamedSource(sha256, sha256)])

    for _ in range(5):
        case_id = make(database, NamedSource(sources[0], "first"))
        assert at_once(*[partial(add, case_id, sha256) for sha256 in sources * 3]) == []
        assert [s.sha256 for s in seen(database, case_id).sources] == sources


def test_a_source_given_to_a_case_while_another_one_is_deleted(
    database: Database, folder: SourceFolder, sources: list[str]
) -> None:
    """Either the case has its source or it is told that the source is gone; the deletion happens in any case."""
    for number in range(10):
        data = b"%d" % number
        with folder.arrival() as arrival:
            arrival.write(data)
            sha256 = store_source(database, folder, arrival, None).sha256
        first = make(database, NamedSource(sha256, "x"))
        errors = at_once(partial(remove, database, folder, first), partial(make, database, NamedSource(sha256, "y")))
        assert all(isinstance(error, UnknownSourceError) for error in errors)
        assert folder.path(sha256).is_file() is (not errors)


@pytest.mark.parametrize("case_id", ["\0", "a\0b", "", "../x", "\ud800", "x" * 1000])
def test_what_cannot_be_an_id_is_no_case(database: Database, case_id: str) -> None:
    with database.writing() as session, session.begin():
        assert find_case(session, case_id) is None
        assert lock_case(session, case_id) is None


def test_what_a_reader_says_may_hold_any_character(database: Database, sources: list[str]) -> None:
    case_id = make(database, NamedSource(sources[0], "a"))
    with database.writing() as session, session.begin():
        mark_sources(session, case_id, {0: ReadingResult("failed", message="a\0b\ud800", next_step="\x1b[1mx")})
    with database.reading() as session:
        case = find_case(session, case_id)
        assert case is not None
        assert (case.sources[0].message, case.sources[0].next_step) == ("a\ufffdb\ufffd", "\ufffd[1mx")


def test_a_mail_that_is_still_to_be_split_by_job_is_not_the_case_of_one_of_its_logs(
    database: Database, sources: list[str]
) -> None:
    """Once it is read, another case may have the log."""
    one, two = (NamedSource(sha256, f"{sha256}.darshan") for sha256 in sources)
    with database.writing() as session, session.begin():
        mail = new_case(session, (one, two), splits_by_job=True)
        assert case_of_log(session, one.sha256) is None
        mail.splits_by_job = False
        session.flush()
        found = case_of_log(session, one.sha256)
        assert found is not None
        assert found.id == mail.id
