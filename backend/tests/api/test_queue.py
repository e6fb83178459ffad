"""The helpdesk's queue, over the real application and real logs."""

from __future__ import annotations

import unicodedata
from typing import Any

import pytest
from sqlalchemy import delete, event, update

from iotriage.store.earlier_cases import lead_earlier_tickets
from iotriage.store.ticket_tables import CaseFactsRow, CaseFindingRow, QueueEntryRow, SearchTextRow

from .conftest import BALANCED, GRAVE, SAMPLE_LOGS, Api, Three, cases_in, queue, ticket


def test_cases_that_nobody_has_taken_are_in_the_queue_with_what_their_documents_say(api: Api, three: Three) -> None:
    page = queue(api)
    assert set(cases_in(page)) == {three.grave, three.balanced, three.stats}
    entry = next(e for e in page["entries"] if e["case"] == three.grave)
    assert entry["case_status"] == "ready"
    document = api.client.get(f"/api/v1/cases/{three.grave}").json()["document"]
    leading = next(f for f in document["findings"] if f["rule"] == document["headline"]["rule"])
    assert (entry["ticket"], entry["status"], entry["owner"], entry["cases"]) == (None, "new", None, 1)
    assert (entry["rule"], entry["severity"]) == (leading["rule"], document["headline"]["severity"])
    assert (entry["lost_s"], entry["could_save_s"]) == (leading["takes_s"], leading["could_save_s"])
    assert entry["sentence"] == document["headline"]["sentence"]
    assert entry["headline"] == f"{entry['sentence']} {document['headline']['figure']}"
    assert entry["user"] == str(document["job"]["uid"])
    assert entry["application"] == document["job"]["executable"].rsplit("/", 1)[-1]
    assert entry["portrait"]["bands"]
    assert page["counts"]["total"] == page["counts"]["without_owner"] == 3
    assert sum(page["counts"]["by_severity"].values()) == 3


@pytest.mark.parametrize("sort", ["urgency", "oldest", "newest"])
@pytest.mark.parametrize("asked", [{}, {"status": "new"}])
def test_sqlite_reads_a_page_of_the_queue_in_its_order_and_sorts_nothing(
    api: Api, sort: str, asked: dict[str, str]
) -> None:
    engine, plans = api.services.database.engine, list[str]()

    def explain(connection: Any, cursor: Any, statement: str, parameters: Any, *_: Any) -> None:
        if "saves_order" in statement and "ORDER BY" in statement:
            rows = connection.connection.cursor().execute(f"EXPLAIN QUERY PLAN {statement}", parameters).fetchall()
            plans.extend(str(row[3]) for row in rows)

    event.listen(engine, "before_cursor_execute", explain)
    try:
        queue(api, sort=sort, **asked)
    finally:
        event.remove(engine, "before_cursor_execute", explain)
    assert plans != []
    assert [plan for plan in plans if "B-TREE" in plan] == []


@pytest.mark.every_database
def test_the_queue_is_filtered_searched_and_paged(api: Api, three: Three) -> None:
    everything = queue(api)["entries"]
    grave = next(e for e in everything if e["case"] == three.grave)
    for name in ("rule", "severity", "user", "application", "system"):
        expected = {e["case"] for e in everything if e[name] == grave[name]}
        assert set(cases_in(queue(api, **{name: grave[name]}))) == expected
    assert cases_in(queue(api, job=grave["job_id"])) == [three.grave]
    assert queue(api, older_than_h=1)["entries"] == queue(api, status="closed")["entries"] == []
    assert cases_in(queue(api, words="balanc")) == [three.balanced]
    assert cases_in(queue(api, words="SLURM err")) == [three.stats]
    assert cases_in(queue(api, words="slurm balanced")) == []
    assert cases_in(queue(api, words="/scratch/proj01/run/shared-indep-1000b")) == [three.grave]
    for sort in (
        "urgency",
        "oldest",
        "newest",
        "changed",
        "io time",
        "lost",
        "node-hours",
        "saves",
        "owner",
        "user",
        "job",
    ):
        whole = cases_in(queue(api, sort=sort))
        paged, cursor = [], None
        for _ in whole:
            page = queue(api, sort=sort, limit=1, **({"cursor": cursor} if cursor else {}))
            assert (page["counts"] is None) == (cursor is not None)
            paged += cases_in(page)
            cursor = page["next"]
        assert (paged, cursor) == (whole, None)
    assert [e["severity"] for e in everything] == sorted(
        (e["severity"] for e in everything), key=["high", "medium", "low", "unknown", "info", "clear"].index
    )


@pytest.mark.every_database
def test_of_a_word_that_many_have_those_that_came_last_are_found_and_that_is_said(
    api: Api, three: Three, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert queue(api, words="darshan")["newest"] is None
    monkeypatch.setattr("iotriage.store.search_text.MOST_FOUND", 1)
    assert queue(api, words="darshan")["newest"] == 1
    assert cases_in(queue(api, words="darshan")) == [three.balanced]
    # An entry that is written again does not become the last.
    api.client.patch(f"/api/v1/cases/{three.grave}", json={"site": "archer2"})
    api.settle()
    page = queue(api, words="darshan", unowned=True)
    assert (cases_in(page), page["counts"]["total"]) == ([three.balanced], 1)
    # What else is asked is asked before it is said which are the last.
    user = next(e["user"] for e in queue(api)["entries"] if e["case"] == three.grave)
    assert cases_in(queue(api, words="1000b", user=user)) == [three.grave]


@pytest.mark.every_database
def test_a_word_is_found_however_its_accents_are_typed(api: Api, three: Three) -> None:
    """macOS gives the names of files with each accent as a character of its own, and many type none."""
    of_renee = ticket(api, cases=[three.grave], subject="Renée Müller: läuft langsam auf İzmir")["id"]
    decomposed = api.case((unicodedata.normalize("NFD", "Übersicht_Straße.txt"), b"nothing to read"))
    api.settle()
    for asked in ("müller", "MULLER", unicodedata.normalize("NFD", "Müll"), "renee lauft", "izmir"):
        assert [e["ticket"] for e in queue(api, words=asked)["entries"]] == [of_renee], asked
    for asked in ("Übersicht", "ubersicht strasse", unicodedata.normalize("NFD", "übersicht")):
        assert cases_in(queue(api, words=asked)) == [decomposed], asked
    assert cases_in(queue(api, words="mueller")) == []


def test_what_has_no_severity_is_counted_and_filtered_as_unknown(api: Api, three: Three) -> None:
    """Who leaves out what is clear would never see a mail without a log, or one that could not be read."""
    bare = ticket(api, subject="slow, no log yet")["id"]
    failed = api.case(("picture.png", b"\x89PNG\r\n\x1a\n"))
    api.settle()
    page = queue(api)
    assert sum(page["counts"]["by_severity"].values()) == page["counts"]["total"] == 5
    unknown = queue(api, severity="unknown")
    assert {(e["ticket"], e["case"]) for e in unknown["entries"]} >= {(bare, None), (None, failed)}
    assert unknown["counts"]["by_severity"] == {"unknown": len(unknown["entries"])}
    others = queue(api, severity=["high", "medium", "low", "info", "clear"])
    assert len(others["entries"]) + len(unknown["entries"]) == 5


def test_who_is_not_known_stands_behind_those_who_are(api: Api) -> None:
    opened = [ticket(api, user=user)["id"] for user in ("carla", None, "ada", None)]
    carla, first, ada, second = opened
    found = [entry["ticket"] for entry in queue(api, sort="user")["entries"]]
    assert found == [ada, carla, second, first]


@pytest.mark.parametrize("cursor", ["x", "!", "WzFd", "eyJhIjoxfQ", "WyJhIiwyLDMsNF0"])
def test_a_cursor_that_is_none_is_refused(api: Api, cursor: str) -> None:
    assert api.client.get("/api/v1/queue", params={"cursor": cursor}).status_code == 409


@pytest.mark.parametrize("first", ["thesis.pdf", "job.darshan"])
def test_what_could_not_be_read_leads_no_ticket_of_which_something_was(api: Api, first: str) -> None:
    """Also where that is well: its line says both."""
    given = {"thesis.pdf": b"%PDF-1.5\n", "job.darshan": BALANCED, "again.pdf": b"%PDF-1.6\n"}
    of = {name: api.case((name, given[name])) for name in sorted(given, key=lambda name: name != first)}
    api.settle()
    made = ticket(api, cases=list(of.values()))
    (entry,) = queue(api)["entries"]
    assert made["leading"] == entry["case"] == of["job.darshan"]
    assert entry["severity"] in ("info", "clear")
    assert entry["unread"].count("a PDF document, not a log that we know") == 2
    assert api.client.delete(f"/api/v1/tickets/{made['id']}/cases/{of['job.darshan']}").status_code == 200
    left = next(e for e in queue(api)["entries"] if e["ticket"] == made["id"])
    assert (left["severity"], left["case"] in (of["thesis.pdf"], of["again.pdf"])) == (None, True)


def test_of_runs_as_grave_a_ticket_is_about_the_one_of_which_a_cure_could_save_most(api: Api) -> None:
    name = "39-heat2d-legacy"
    less, more = (
        api.case(("a", GRAVE)),
        api.case(("b", (SAMPLE_LOGS / f"darshan_log/{name}/{name}.darshan").read_bytes())),
    )
    api.settle()
    made = ticket(api, cases=[less, more])
    assert [c["severity"] for c in made["cases"]] == ["high", "high"]
    assert made["leading"] == more
    first, *_ = queue(api)["entries"]
    assert (first["ticket"], first["case"]) == (made["id"], more)


def test_who_waits_does_not_begin_to_wait_when_somebody_takes_it(api: Api, three: Three) -> None:
    (waiting,) = [e for e in queue(api)["entries"] if e["case"] == three.stats]
    api.client.post("/api/v1/queue/actions", json={"entries": [{"case": three.stats}], "owner": "grace"})
    (taken,) = [e for e in queue(api)["entries"] if e["case"] == three.stats]
    assert (taken["owner"], taken["created_at"]) == ("grace", waiting["created_at"])
    found = api.client.get(f"/api/v1/tickets/{taken['ticket']}").json()
    assert found["created_at"] == waiting["created_at"] < found["changed_at"]


@pytest.mark.every_database
def test_many_entries_are_assigned_and_closed_at_once(api: Api, three: Three) -> None:
    made = ticket(api, cases=[three.grave])
    entries = [{"ticket": made["id"], "version": 0}, {"case": three.stats}, {"ticket": 9999}, {"case": "gone"}]
    asked = {"entries": entries, "owner": "grace", "status": "in work"}
    done = api.client.post("/api/v1/queue/actions", json=asked).json()
    assert [d["refused"] is None for d in done] == [False, True, False, False]
    asked["entries"] = [{"ticket": made["id"], "version": made["version"]}]
    (one,) = api.client.post("/api/v1/queue/actions", json=asked).json()
    assert one == {"ticket": made["id"], "case": None, "refused": None}
    assert set(cases_in(queue(api, owner="grace", status="in work"))) == {three.grave, three.stats}
    assert cases_in(queue(api, unowned=True)) == [three.balanced]
    api.client.post("/api/v1/queue/actions", json={"entries": [{"ticket": made["id"]}], "owner": ""})
    assert set(cases_in(queue(api, unowned=True))) == {three.balanced, three.grave}


def test_of_two_who_take_a_case_at_once_the_second_is_told(api: Api, three: Three) -> None:
    seen = next(e for e in queue(api)["entries"] if e["case"] == three.grave)
    asked = {"entries": [{"case": three.grave, "version": seen["version"]}], "status": "in work"}
    first, second = (
        api.client.post("/api/v1/queue/actions", json={**asked, "owner": who}).json()[0] for who in ("grace", "hugo")
    )
    assert first["refused"] is None
    assert second["refused"] == f"Somebody took it meanwhile: it is of ticket {first['ticket']} now."
    assert [e["owner"] for e in queue(api)["entries"] if e["case"] == three.grave] == ["grace"]


@pytest.mark.every_database
def test_cases_of_before_there_was_a_queue_are_entered(api: Api, three: Three) -> None:
    before = queue(api)["entries"]
    with api.services.database.writing() as session, session.begin():
        for table in (SearchTextRow, QueueEntryRow, CaseFactsRow, CaseFindingRow):
            session.execute(delete(table))
    assert queue(api)["entries"] == []
    api.services.worker.maintain()
    after = queue(api)["entries"]
    assert [{**e, "id": 0} for e in after] == [{**e, "id": 0} for e in before]
    assert cases_in(queue(api, words="indep-1000b")) == [three.grave]


@pytest.mark.every_database
def test_a_ticket_of_before_stands_with_the_case_that_leads_now(api: Api, three: Three) -> None:
    """An earlier version had chosen by other rules. Where that is the same, nothing of its entry is written again."""
    made = ticket(api, cases=[three.balanced, three.grave])
    ticket(api, cases=[three.stats])
    before = queue(api)["entries"]
    with api.services.database.writing() as session, session.begin():
        entry = QueueEntryRow.ticket_id == made["id"]
        session.execute(update(QueueEntryRow).where(entry).values(case_id=three.balanced, severity="info"))
    assert api.client.get(f"/api/v1/tickets/{made['id']}").json()["leading"] == three.balanced
    for changed in (1, 0):
        assert lead_earlier_tickets(api.services.database) == changed
        assert queue(api)["entries"] == before


def test_filters_are_kept_under_a_name(api: Api) -> None:
    view = {"name": "mine", "filter": {"owner": "ada", "severity": ["high"]}, "sort": "oldest"}
    kept = api.client.post("/api/v1/queue/views", json=view)
    assert kept.status_code == 201, kept.text
    assert api.client.post("/api/v1/queue/views", json={**view, "shared": True}).json()["id"] == kept.json()["id"]
    (found,) = api.client.get("/api/v1/queue/views").json()
    assert (found["filter"]["owner"], found["filter"]["severity"], found["sort"]) == ("ada", ["high"], "oldest")
    assert api.client.delete(f"/api/v1/queue/views/{found['id']}").status_code == 204
    assert api.client.get("/api/v1/queue/views").json() == []
