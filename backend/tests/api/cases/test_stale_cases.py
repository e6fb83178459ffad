"""Cases that an earlier program diagnosed: shown at once, read again when opened, and by the lane one at a time.

`renew=False` leaves the lane to the test, which drives it by hand.
"""

from __future__ import annotations

import contextlib
import hashlib
import lzma
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import psycopg
import pytest
import structlog
from alembic import command
from sqlalchemy import Connection, create_engine, event

from iotriage.api.cases import current_document
from iotriage.digests import program_digests
from iotriage.store.database import alembic_config, backup_file
from iotriage.store.renewal import MOST_RENEWALS
from iotriage.store.tables import CaseDocumentRow

from ...postgresql_cluster import new_database
from ..conftest import SAMPLE_LOGS, Api

LOG = SAMPLE_LOGS / "darshan_log/streams-read-once/streams-read-once.darshan"
SOURCES_OF_THE_RELEASE = (
    LOG,
    SAMPLE_LOGS / "mpich_stats/independent-write/drifters-7320155.stderr.txt",
    SAMPLE_LOGS / "mpich_stats/few-active-aggregators/radiate-7340071.stderr.txt",
)
RELEASED = sorted((Path(__file__).parents[2] / "store/released").glob("*.sql.xz"))
OTHER_FORM = "version = 1"
OTHER_RULES = "decides = 'otherwise'"

Start = Callable[..., "contextmanager[Api]"]


def _case(api: Api, name: str = "log") -> str:
    case_id = api.case((name, LOG.read_bytes()))
    api.settle()
    return case_id


def _set(api: Api, what: str, case_id: str) -> None:
    with api.services.database.writing() as session, session.begin():
        session.connection().exec_driver_sql(f"UPDATE case_document SET {what} WHERE case_id = '{case_id}'")


def _view(api: Api, case_id: str) -> dict[str, object]:
    view: dict[str, object] = api.client.get(f"/api/v1/cases/{case_id}").json()
    return view


def _remove_source(api: Api) -> None:
    for file in api.services.folder.root.glob("??/*"):
        file.unlink()


@pytest.fixture
def by_hand(start: Start) -> Callable[[], contextmanager[Api]]:
    return lambda: start(renew=False)


def test_a_stale_document_is_answered_at_once_and_made_again_because_it_was_opened(by_hand: Start) -> None:
    with by_hand() as api:
        case_id, unopened = _case(api), _case(api)
        assert _view(api, case_id)["stale"] is None
        for each in (case_id, unopened):
            _set(api, OTHER_RULES, each)
        opened = _view(api, case_id)
        assert (opened["status"], opened["stale"]) == ("ready", "pending")
        assert opened["document"] is not None
        api.settle()
        assert (_view(api, case_id)["stale"], api.client.get("/api/v1/cases").json()["total"]) == (None, 2)
        assert api.client.get(f"/api/v1/cases/{unopened}/findings").status_code == 200
        api.settle()
        assert _view(api, unopened)["stale"] is None


def test_a_document_of_another_form_cannot_be_shown_and_the_case_is_reading_meanwhile(by_hand: Start) -> None:
    with by_hand() as api:
        case_id = _case(api)
        _set(api, OTHER_FORM, case_id)
        opened = _view(api, case_id)
        assert (opened["status"], opened["stale"], opened["document"]) == ("reading", None, None)
        api.settle()
        opened = _view(api, case_id)
        assert (opened["status"], opened["stale"]) == ("ready", None)
        assert opened["document"] is not None


def test_the_lane_reads_one_case_at_a_time_until_none_is_stale(by_hand: Start) -> None:
    with by_hand() as api:
        cases = [_case(api, name) for name in ("one", "two")]
        for case_id in cases:
            _set(api, OTHER_RULES, case_id)
        worker = api.services.worker
        left, looks = [], []

        @event.listens_for(api.services.database.engine, "before_cursor_execute")
        def note(_: Connection, __: object, asked: str, *___: object) -> None:
            looks.extend([asked] if "renewed_by" in asked and "DESC" in asked else [])

        while worker.renew_next():
            left.append(_stale_documents(api))
        assert left == [1, 0]
        # To find one looks at all cases: several are found together.
        assert len(looks) == 2


def test_a_start_reads_stale_cases_again_and_no_others(start: Start) -> None:
    with start(renew=False) as api:
        stale, current = _case(api), _case(api)
        _set(api, OTHER_RULES, stale)
        before = _made_at(api)
    with start() as api:
        api.settle()
        after = _made_at(api)
        assert _stale_documents(api) == 0
    assert [c for c in (stale, current) if before[c] != after[c]] == [stale]


@pytest.mark.parametrize("difference", [OTHER_RULES, OTHER_FORM])
def test_a_case_that_cannot_be_read_again_is_given_up(by_hand: Start, difference: str) -> None:
    with by_hand() as api:
        case_id = _case(api)
        _set(api, difference, case_id)
        _remove_source(api)
        worker = api.services.worker
        assert [worker.renew_next() for _ in range(MOST_RENEWALS + 1)] == [True] * MOST_RENEWALS + [False]
        view = _view(api, case_id)
        if difference == OTHER_RULES:
            assert (view["status"], view["stale"]) == ("ready", "given-up")
            assert view["document"] is not None
        else:
            assert (view["status"], view["stale"], view["document"]) == ("failed", None, None)
            assert "Another version" in str(view["message"])
        api.settle()
        assert _view(api, case_id) == view


def test_of_what_was_put_back_without_all_of_its_sources_a_case_keeps_its_document_and_says_nothing_of_them(
    start: Start,
) -> None:
    with start() as api:
        given = [(source.name, source.read_bytes()) for source in SOURCES_OF_THE_RELEASE[:2]]
        case_id = api.case(*given, alone=True)
        api.settle()
        before = _view(api, case_id)["document"]
        _set(api, OTHER_RULES, case_id)
        api.services.folder.path(hashlib.sha256(given[1][1]).hexdigest()).unlink()
    with structlog.testing.capture_logs() as events, start() as api:
        api.settle()
        said = {event["event"].split(":")[0]: event for event in events if event["log_level"] != "info"}
        view = _view(api, case_id)
        asked = [f"/api/v1/cases/{case_id}/{at}" for at in ("files", "ranks", "sources/1/lines?first=1&last=2")]
        refused = [api.client.get(address) for address in asked]
        changed = api.client.patch(f"/api/v1/cases/{case_id}", json={"site": "archer2"})
        first = api.client.get(f"/api/v1/cases/{case_id}/sources/0/record", params={"module": "POSIX"})
        api.upload(given[1][1])
        assert api.client.get(asked[0]).status_code == 200
    assert sum("not in the data folder" in event["event"] for event in events) == 1
    assert said["sources that the database knows are not in the data folder"]["lost"] == 1
    assert "a stale case keeps its document" in said
    assert "the process that reads sources could not be used" not in said
    assert (view["document"], view["status"]) == (before, "ready")
    assert {answer.json()["type"] for answer in (*refused, changed, first)} == {"urn:iotriage:problem:sources-gone"}


def test_what_a_restart_finds_half_done_is_gone_on_with(start: Start) -> None:
    with start(renew=False) as api:
        cases = [_case(api, name) for name in ("one", "two")]
        for case_id in cases:
            _set(api, OTHER_RULES, case_id)
        assert api.services.worker.renew_next()
    with start(renew=False) as api:
        assert _stale_documents(api) == 1
        assert [api.services.worker.renew_next() for _ in range(2)] == [True, False]
        assert _stale_documents(api) == 0


def test_a_page_of_a_stale_case_is_exported_as_todays_rules_judge_it(by_hand: Start) -> None:
    with by_hand() as api:
        case_id = _case(api)
        _set(api, OTHER_RULES, case_id)
        with api.services.database.writing() as session, session.begin():
            row = session.get_one(CaseDocumentRow, case_id)
            row.json = row.json.replace(program_digests().decides, "otherwise")
        with api.services.database.reading() as session:
            document = current_document(api.services, session, case_id, None)
        assert document.made_by.decides == program_digests().decides


@pytest.fixture(params=RELEASED, ids=lambda dump: dump.name.removesuffix(".sql.xz"))
def released(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[str]:
    """The URL of a database as a release left it."""
    dump = lzma.decompress(request.param.read_bytes()).decode()
    if ".postgresql." in request.param.name:
        with new_database(request.getfixturevalue("postgresql")) as url:
            with psycopg.connect(url.replace("+psycopg", "")) as connection:
                connection.execute(dump.encode())
            yield url
        return
    file = tmp_path / "data" / "iotriage.sqlite3"
    file.parent.mkdir()
    with contextlib.closing(sqlite3.connect(file)) as connection:
        connection.executescript(dump)
    yield f"sqlite:///{file}"


def _rows(url: str, query: str) -> list[tuple[str, ...]]:
    engine = create_engine(url)
    with engine.connect() as connection:
        rows = [tuple(row) for row in connection.exec_driver_sql(query)]
    engine.dispose()
    return rows


def test_a_database_of_a_release_is_copied_opened_and_brought_up_to_date(start: Start, released: str) -> None:
    listed = dict(_rows(released, 'SELECT id, status FROM "case"'))
    ((revision,),) = _rows(released, "SELECT version_num FROM alembic_version")
    with start(renew=False, database_url=released) as api:
        if file := _file_of(released):
            assert backup_file(file, revision).is_file()
        for source in SOURCES_OF_THE_RELEASE:
            _place(api, source)
        cases = {case["id"]: case["status"] for case in api.client.get("/api/v1/cases").json()["cases"]}
        # No samples here: that of the release stays for a start that has a showcase.
        assert cases == listed
        ready = [case_id for case_id, status in listed.items() if status == "ready"]
        first = _view(api, ready[0])
        assert first["stale"] == "pending" or first["status"] == "reading"
        with api.services.database.engine.begin() as connection:
            command.check(alembic_config(connection))
    with start(database_url=released) as api:
        api.settle()
        for case_id in ready:
            view = _view(api, case_id)
            assert (view["status"], view["stale"]) == ("ready", None)
        assert _stale_documents(api) == 0
        found = api.client.get("/api/v1/queue", params={"words": "plume"}).json()
        assert [entry["application"] for entry in found["entries"]] == ["plume"]


def test_a_sample_of_a_release_stays_the_case_that_it_was(start: Start, released: str, tmp_path: Path) -> None:
    folder = tmp_path / "showcase"
    folder.mkdir()
    (folder / "sample.txt").write_bytes(SOURCES_OF_THE_RELEASE[-1].read_bytes())
    showcase = '[[case]]\ntitle = "A sample of the release"\nsources = ["sample.txt"]\n'
    (folder / "showcase.toml").write_text(showcase)
    ((case_id,),) = _rows(released, 'SELECT id FROM "case" WHERE sample_key IS NOT NULL')
    with start(database_url=released, samples_dir=folder) as api:
        _place(api, SOURCES_OF_THE_RELEASE[-1])
        api.settle()
        assert [sample["id"] for sample in api.client.get("/api/v1/samples").json()] == [case_id]


def _file_of(url: str) -> Path | None:
    """Of SQLite alone."""
    return Path(url.removeprefix("sqlite:///")) if url.startswith("sqlite") else None


def _place(api: Api, source: Path) -> None:
    """Where the release had put it; the dump has its row."""
    folder = api.services.folder
    with folder.arrival() as arrival:
        arrival.write(source.read_bytes())
        folder.place(arrival.path, arrival.sealed())


def _stale_documents(api: Api) -> int:
    with api.services.database.reading() as session:
        rows = session.connection().exec_driver_sql("SELECT decides FROM case_document")
        return sum(decides != program_digests().decides for (decides,) in rows)


def _made_at(api: Api) -> dict[str, str]:
    with api.services.database.reading() as session:
        rows = session.connection().exec_driver_sql("SELECT case_id, made_at FROM case_document")
        return {case_id: str(made_at) for case_id, made_at in rows}
