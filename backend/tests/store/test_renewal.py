"""Which documents are stale, and in which order and how often they are made again."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

import pytest
from sqlalchemy import Connection, event, text

from iotriage.analysis.document import DOCUMENT_VERSION, CaseDocument
from iotriage.analysis.inputs import ReadSource
from iotriage.intake.diagnosis import diagnose_inputs
from iotriage.store.cases import NamedSource, ReadingResult, find_case, finish, new_case, set_site, snapshot_of
from iotriage.store.database import Database
from iotriage.store.renewal import MOST_RENEWALS, begin_renewal, stale_cases, staleness, undo_renewal
from iotriage.store.sources import SourceFolder, store_source
from iotriage.store.tables import CaseRow
from iotriage_parsers import detect
from iotriage_parsers.reader import Limits

pytestmark = pytest.mark.every_database

LOG = Path(__file__).parents[3] / "sample-logs/darshan_log/streams-read-once/streams-read-once.darshan"

Make = Callable[[], str]


@pytest.fixture(scope="module")
def document() -> CaseDocument:
    with LOG.open("rb") as stream:
        outcome = detect.read_or_unpack(stream, Limits())
    made = diagnose_inputs([ReadSource("log", "0" * 64, 1, outcome)], None)
    assert made is not None
    return made


@pytest.fixture
def make(database: Database, folder: SourceFolder, document: CaseDocument) -> Make:
    """Makes a case with the document of this program."""
    with folder.arrival() as arrival:
        arrival.write(b"one")
        sha256 = store_source(database, folder, arrival, None).sha256

    def made() -> str:
        with database.writing() as session, session.begin():
            case = new_case(session, [NamedSource(sha256, "a")])
            session.flush()
            session.refresh(case)
            assert finish(session, snapshot_of(case), document)
            return case.id

    return made


def _set(database: Database, table: str, what: str, case_id: str) -> None:
    key = "id" if table == "case" else "case_id"
    with database.writing() as session, session.begin():
        session.execute(text(f'UPDATE "{table}" SET {what} WHERE {key} = :id'), {"id": case_id})


def _stale(database: Database, case_id: str) -> str | None:
    with database.reading() as session:
        case = session.get(CaseRow, case_id)
        return None if case is None else staleness(session, case, None)


def _next(database: Database, *besides: str) -> str | None:
    with database.reading() as session:
        return next(iter(stale_cases(session, None, besides)), None)


def _begin(database: Database, case_id: str) -> bool:
    with database.writing() as session, session.begin():
        return begin_renewal(session, case_id, None) is not None


def test_a_document_of_this_program_is_not_stale(database: Database, make: Make) -> None:
    case_id = make()
    assert (_stale(database, case_id), _next(database)) == (None, None)
    assert not _begin(database, case_id)


@pytest.mark.parametrize(
    "difference",
    [
        "readers = 'x'",
        "decides = 'x'",
        "words = 'x'",
        "site_version = 'generic 0 x'",
        f"version = {DOCUMENT_VERSION - 1}",
    ],
)
def test_each_difference_of_what_made_it_makes_it_stale(database: Database, make: Make, difference: str) -> None:
    other, case_id = make(), make()
    _set(database, "case_document", difference, case_id)
    assert (_stale(database, case_id), _next(database)) == ("pending", case_id)
    assert _stale(database, other) is None


def test_a_release_of_the_same_content_makes_nothing_stale(database: Database, make: Make) -> None:
    case_id = make()
    _set(database, "case_document", "iotriage_version = '9.9'", case_id)
    assert _stale(database, case_id) is None


def test_the_newest_comes_first_and_what_failed_last(database: Database, make: Make) -> None:
    cases = [make() for _ in range(3)]
    for case_id in cases:
        _set(database, "case_document", "words = 'x'", case_id)
    assert _next(database) == cases[2]
    assert _next(database, cases[2]) == cases[1]
    assert _begin(database, cases[2])
    assert _next(database) == cases[1]


def test_it_is_given_up_after_so_many_attempts_of_one_program_and_taken_up_by_the_next(
    database: Database, make: Make
) -> None:
    case_id = make()
    _set(database, "case_document", "decides = 'x'", case_id)
    assert [_begin(database, case_id) for _ in range(MOST_RENEWALS + 1)] == [True] * MOST_RENEWALS + [False]
    assert (_stale(database, case_id), _next(database)) == ("given-up", None)
    _set(database, "case", "renewed_by = 'an earlier program'", case_id)
    assert (_stale(database, case_id), _next(database)) == ("pending", case_id)
    assert [_begin(database, case_id) for _ in range(MOST_RENEWALS + 1)] == [True] * MOST_RENEWALS + [False]


def test_an_attempt_that_the_end_of_the_server_cut_off_does_not_count(database: Database, make: Make) -> None:
    case_id = make()
    _set(database, "case_document", "decides = 'x'", case_id)
    for _ in range(MOST_RENEWALS + 1):
        assert _begin(database, case_id)
        with database.writing() as session, session.begin():
            undo_renewal(session, case_id)
    assert _stale(database, case_id) == "pending"


def test_a_case_whose_profile_is_gone_is_not_tried(database: Database, make: Make) -> None:
    case_id = make()
    _set(database, "case_document", "site_version = 'ours 1 x'", case_id)
    _set(database, "case", "site = 'ours'", case_id)
    assert (_stale(database, case_id), _next(database), _begin(database, case_id)) == ("given-up", None, False)


def test_what_could_not_be_diagnosed_is_tried_and_what_waits_is_not(database: Database, make: Make) -> None:
    failed, waiting = make(), make()
    _set(database, "case", "status = 'failed', message = 'a fault of the program'", failed)
    _set(database, "case_document", "decides = 'x'", waiting)
    _set(database, "case", "status = 'reading'", waiting)
    assert _next(database) == failed
    assert not _begin(database, waiting)


def test_a_new_document_takes_the_place_of_the_stale_one_unless_the_case_changed(
    database: Database, make: Make, document: CaseDocument
) -> None:
    renewed, changed = make(), make()
    for case_id in (renewed, changed):
        _set(database, "case_document", "decides = 'x'", case_id)
        with database.writing() as session, session.begin():
            seen = begin_renewal(session, case_id, None)
            assert seen is not None
            if case_id == changed:
                case = find_case(session, case_id)
                assert case is not None
                set_site(case, "archer2")
        with database.writing() as session, session.begin():
            titled = replace(document, made_by=replace(document.made_by, iotriage="new"))
            finish(session, seen, titled, results={0: ReadingResult("read", reader="darshan_log")})
    with database.reading() as session:
        cases = [find_case(session, case_id) for case_id in (renewed, changed)]
        assert [(c.status, c.document.iotriage_version, c.sources[0].reader) for c in cases if c and c.document] == [
            ("ready", "new", "darshan_log"),
            ("reading", document.made_by.iotriage, None),
        ]
    assert _stale(database, renewed) is None


def test_what_is_stale_is_found_without_reading_documents(database: Database, make: Make) -> None:
    """It is asked whenever a case is looked at, and of all cases every few seconds."""
    if database.engine.dialect.name != "sqlite":
        pytest.skip("the plan is read as SQLite says it")
    case_id = make()
    plans: list[list[str]] = []

    @event.listens_for(database.engine, "before_cursor_execute")
    def note(connection: Connection, _: object, asked: str, parameters: Sequence[str | int], *__: object) -> None:
        if "case_document" in asked:
            cursor = connection.connection.cursor()
            plans.append([row[3] for row in cursor.execute(f"EXPLAIN QUERY PLAN {asked}", parameters).fetchall()])

    assert _stale(database, case_id) is None
    assert _next(database) is None
    of_one, of_all = plans
    assert not [step for step in of_one if step.startswith("SCAN")]
    assert [step for step in of_all if "case_document" in step] == [
        "SCAN case_document USING COVERING INDEX ix_case_document_made_by"
    ]
