"""The helpdesk's queue and tickets, over the real application and real logs."""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass
from typing import Any

import pytest
from sqlalchemy import delete, event, update

from iotriage.sites import OWN_SITES
from iotriage.store.earlier_cases import lead_earlier_tickets
from iotriage.store.queue_entries import tickets_led_otherwise
from iotriage.store.ticket_tables import CaseFactsRow, CaseFindingRow, QueueEntryRow, SearchTextRow

from .conftest import SAMPLE_LOGS, SHARED, Api

GRAVE = SHARED.read_bytes()
BALANCED = (SAMPLE_LOGS / "darshan_log/14-balanced/14-balanced.darshan").read_bytes()
(STATS,) = (SAMPLE_LOGS / "mpich_stats" / "good-collective-write").glob("*.txt")


def queue(api: Api, **asked: object) -> dict[str, Any]:
    answer = api.client.get("/api/v1/queue", params=asked)
    assert answer.status_code == 200, answer.text
    found: dict[str, Any] = answer.json()
    return found


def cases_in(page: dict[str, Any]) -> list[str]:
    return [entry["case"] for entry in page["entries"]]


def ticket(api: Api, **said: object) -> dict[str, Any]:
    answer = api.client.post("/api/v1/tickets", json=said)
    assert answer.status_code == 201, answer.text
    made: dict[str, Any] = answer.json()
    return made


@dataclass(frozen=True)
class Three:
    grave: str
    balanced: str
    stats: str


@pytest.fixture
def three(api: Api) -> Three:
    """Three cases that nobody has taken."""
    found = Three(
        api.case(("a.darshan", GRAVE), site="lumi"),
        api.case(("out.balanced", BALANCED)),
        api.case(("slurm.err", STATS.read_bytes())),
    )
    api.settle()
    return found


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


def test_a_ticket_takes_its_case_and_gives_it_back(api: Api, three: Three) -> None:
    made = ticket(api, subject="slow output", reference="RT-88412", user="ada", cases=[three.grave])
    assert [c["id"] for c in made["cases"]] == [three.grave]
    (entry,) = [e for e in queue(api)["entries"] if e["ticket"] == made["id"]]
    assert (entry["case"], entry["title"], entry["reference"]) == (three.grave, "slow output", "RT-88412")
    assert (entry["user"], entry["severity"] is not None) == ("ada", True)
    assert len(queue(api)["entries"]) == 3
    assert cases_in(queue(api, words="output 1000b ada")) == [three.grave]
    other = ticket(api)
    taken = api.client.post(f"/api/v1/tickets/{other['id']}/cases", json={"case": three.grave})
    assert (taken.status_code, taken.json()["type"]) == (409, "urn:iotriage:problem:taken-case")
    assert taken.json()["detail"] == "It is of ticket RT-88412: take it out there first."
    left = api.client.delete(f"/api/v1/tickets/{made['id']}/cases/{three.grave}")
    assert (left.status_code, left.json()["cases"]) == (200, [])
    entries = queue(api)["entries"]
    assert {(e["ticket"], e["case"]) for e in entries} == {
        (made["id"], None),
        (other["id"], None),
        (None, three.grave),
        (None, three.balanced),
        (None, three.stats),
    }
    assert cases_in(queue(api, words="indep-1000b")) == [three.grave]
    assert api.client.delete(f"/api/v1/cases/{three.grave}").status_code == 204
    assert cases_in(queue(api, words="indep-1000b")) == []
    assert len(queue(api)["entries"]) == 4


def test_a_ticket_says_what_its_line_of_the_queue_says(api: Api, three: Three) -> None:
    """Of several cases from before the advice the gravest, in whatever order they came."""
    made = ticket(api, cases=[three.balanced])
    assert made["leading"] == three.balanced
    added = {"case": three.grave, "role": "before"}
    assert api.client.post(f"/api/v1/tickets/{made['id']}/cases", json=added).json()["leading"] == three.grave
    (entry,) = [e for e in queue(api)["entries"] if e["ticket"] == made["id"]]
    assert (entry["case"], entry["outcome"]) == (three.grave, None)
    assert ticket(api)["leading"] is None


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


def test_a_case_says_which_ticket_it_is_of(api: Api, three: Three) -> None:
    case = three.grave
    assert api.client.get(f"/api/v1/cases/{case}/ticket").json() is None
    (acted,) = api.client.post(
        "/api/v1/queue/actions", json={"entries": [{"case": case}], "owner": "ada", "status": "in work"}
    ).json()
    held = api.client.get(f"/api/v1/cases/{case}/ticket").json()
    assert held == {"ticket": acted["ticket"], "reference": None, "status": "in work", "owner": "ada"}
    assert api.client.get("/api/v1/cases/aaaaaaaaaaaaaaaa/ticket").status_code == 404


def test_a_ticket_that_is_deleted_leaves_its_cases(api: Api, three: Three) -> None:
    made = ticket(api, cases=[three.grave, three.stats])
    assert queue(api)["counts"]["total"] == 2
    assert api.client.delete(f"/api/v1/tickets/{made['id']}").status_code == 204
    assert api.client.get(f"/api/v1/tickets/{made['id']}").status_code == 404
    assert set(cases_in(queue(api))) == {three.grave, three.balanced, three.stats}
    assert cases_in(queue(api, words="indep-1000b")) == [three.grave]


@pytest.mark.every_database
def test_of_two_who_change_a_ticket_at_once_the_second_gets_both_texts(api: Api, three: Three) -> None:
    made = ticket(api, subject="slow", cases=[three.grave])
    address = f"/api/v1/tickets/{made['id']}"
    mine = {**made["fields"], "subject": "slow writes", "owner": "ada", "version": made["version"]}
    assert api.client.patch(address, json=mine).status_code == 200
    late = {**made["fields"], "subject": "slow reads", "version": made["version"]}
    refused = api.client.patch(address, json=late)
    assert (refused.status_code, refused.headers["content-type"]) == (409, "application/problem+json")
    both = refused.json()
    assert (both["theirs"]["subject"], both["yours"]["subject"]) == ("slow writes", "slow reads")
    again = api.client.patch(address, json={**late, "version": both["version"]})
    assert again.json()["fields"]["subject"] == "slow reads"

    noted = api.client.post(f"{address}/notes", json={"text": "*asked* for TIMERS"}).json()
    (note,) = noted["notes"]
    place = f"{address}/notes/{note['id']}"
    assert api.client.patch(place, json={"text": "one", "version": note["version"]}).status_code == 200
    refused = api.client.patch(place, json={"text": "two", "version": note["version"]})
    assert (refused.status_code, refused.json()["theirs"], refused.json()["yours"]) == (409, "one", "two")
    kinds = [e["kind"] for e in api.client.get(address).json()["history"]]
    assert kinds == ["opened", "case added", "owner", "described", "owner", "described", "note", "note changed"]
    assert cases_in(queue(api, words="one")) == [three.grave]
    assert cases_in(queue(api, words="timers asked")) == []


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


def test_a_ticket_is_found_by_its_number_and_its_reference(start: Any) -> None:
    with start(ticket_url="https://rt.example/Ticket?id={reference}") as api:
        made = ticket(api, reference="RT 1/2")
        assert made["url"] == "https://rt.example/Ticket?id=RT%201%2F2"
        for name in (made["id"], "RT 1%2F2"):
            assert api.client.get(f"/api/v1/ticket-named?name={name}").json() == made
        assert api.client.get("/api/v1/ticket-named?name=nothing").status_code == 404


def test_a_ticket_is_shown_where_its_site_keeps_tickets(start: Any, tmp_path: Any, monkeypatch: Any) -> None:
    profile = """id = "{0}"
title = "{0}"
status = "current"
checked = "2026-11-01"
version = "1"
{1}
"""
    for site, more in (("ours", 'ticket_url = "https://rt.ours.example/{reference}"'), ("theirs", "")):
        (tmp_path / f"{site}.toml").write_text(profile.format(site, more))
    monkeypatch.setenv(OWN_SITES, str(tmp_path))
    with start(ticket_url="https://rt.example/{reference}") as api:
        assert ticket(api, reference="7")["url"] == "https://rt.example/7"
        assert ticket(api, reference="7", system="ours")["url"] == "https://rt.ours.example/7"
        assert ticket(api, reference="7", system="theirs")["url"] == "https://rt.example/7"
        case = api.case(("job.darshan", GRAVE), site="ours")
        api.settle()
        assert ticket(api, cases=[case], reference="a/b")["url"] == "https://rt.ours.example/a%2Fb"


@pytest.mark.every_database
def test_what_comes_of_one_reference_is_one_ticket(api: Api) -> None:
    first = ticket(api, reference="RT-7", subject="slow", user="ada", note="My job is slow.")
    at = f"/api/v1/tickets/{first['id']}"
    closed = {**first["fields"], "status": "closed", "version": first["version"]}
    assert api.client.patch(at, json=closed).status_code == 200
    said = {"reference": "RT-7", "subject": "Re: slow", "note": "Here is the log."}
    mail = api.client.post("/api/v1/tickets", data=said, files={"attachment": ("job.darshan", GRAVE)})
    assert mail.status_code == 201, mail.text
    api.settle()
    now = api.client.get(at).json()
    assert [n["text"] for n in now["notes"]] == ["My job is slow.", "Here is the log."]
    assert (now["fields"]["subject"], now["fields"]["status"], len(now["cases"])) == ("slow", "new", 1)
    assert queue(api)["counts"]["total"] == 1
    assert ticket(api, reference="RT-7", system="archer2")["id"] == first["id"]
    assert ticket(api, reference="RT-7", system="lumi")["id"] != first["id"]
    assert ticket(api, reference="RT-70")["id"] != first["id"]
    assert ticket(api, reference=f"{first['id']}")["id"] != first["id"]
    assert ticket(api)["id"] != ticket(api)["id"]


def test_what_comes_twice_makes_no_new_version_of_its_ticket(api: Api) -> None:
    """Whoever is editing the ticket is not told that somebody else changed it."""
    first = ticket(api, reference="RT-7", subject="slow", system="archer2")
    assert ticket(api, reference="RT-7", subject="slow", system="archer2")["version"] == first["version"]
    assert ticket(api, reference="RT-7", note="Any news?")["version"] == first["version"] + 1


@pytest.mark.parametrize("named", ["reference", "ticket"])
def test_cases_that_are_given_together_are_of_one_side_and_those_that_are_there_keep_theirs(
    api: Api, three: Three, named: str
) -> None:
    ticket(api, reference="RT-7", status="waiting")
    asked = ticket(api, **{named: "RT-7"}, cases=[three.grave, three.balanced])
    assert [case["role"] for case in asked["cases"]] == ["before"] * 2
    answered = {"entries": [{"ticket": asked["id"]}], "status": "answered"}
    assert api.client.post("/api/v1/queue/actions", json=answered).json()[0]["refused"] is None
    again = ticket(api, **{named: "RT-7"}, cases=[three.stats, three.grave], note="Again.")
    roles = {case["id"]: case["role"] for case in again["cases"]}
    assert roles == {three.grave: "before", three.balanced: "before", three.stats: "after"}


def test_the_logs_of_a_ticket_are_bounded(start: Any) -> None:
    with start(upload_limit_bytes=2**20) as api:
        many = [("attachment", (f"{i}", bytes([i]) * (2**20 - 1))) for i in range(6)]
        assert api.client.post("/api/v1/tickets", data={}, files=many).status_code == 413
        alone = [("attachment", ("x", b"x" * (2**20 + 1)))]
        assert api.client.post("/api/v1/tickets", data={}, files=alone).status_code == 413


def test_what_was_pasted_has_a_name_by_what_it_holds(api: Api) -> None:
    job = SAMPLE_LOGS / "job_context" / "sacct" / "sacct-7204411.txt"
    pasted = [api.case(("pasted-text.txt", text)) for text in (STATS.read_bytes(), job.read_bytes(), b"nothing")]
    api.settle()
    titles = [api.client.get(f"/api/v1/cases/{case_id}").json()["title"] for case_id in pasted]
    assert titles[0].startswith("MPICH_MPIIO_STATS output, ")
    assert titles[1:] == ["job script or accounting of job 7204411", "pasted-text.txt"]


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


def test_tickets_of_several_runs_are_looked_over_without_their_files(api: Api, three: Three) -> None:
    """It is done every ten minutes."""
    ticket(api, cases=[three.balanced, three.grave])
    looked_at: list[str] = []

    def note(connection: Any, cursor: Any, statement: str, *_: Any) -> None:
        looked_at.append(statement)

    with api.services.database.reading() as session:
        engine = session.get_bind()
        event.listen(engine, "before_cursor_execute", note)
        try:
            assert tickets_led_otherwise(session) == ()
        finally:
            event.remove(engine, "before_cursor_execute", note)
    assert [table in " ".join(looked_at) for table in ("ticket_case", "case_source")] == [True, False]


def test_filters_are_kept_under_a_name(api: Api) -> None:
    view = {"name": "mine", "filter": {"owner": "ada", "severity": ["high"]}, "sort": "oldest"}
    kept = api.client.post("/api/v1/queue/views", json=view)
    assert kept.status_code == 201, kept.text
    assert api.client.post("/api/v1/queue/views", json={**view, "shared": True}).json()["id"] == kept.json()["id"]
    (found,) = api.client.get("/api/v1/queue/views").json()
    assert (found["filter"]["owner"], found["filter"]["severity"], found["sort"]) == ("ada", ["high"], "oldest")
    assert api.client.delete(f"/api/v1/queue/views/{found['id']}").status_code == 204
    assert api.client.get("/api/v1/queue/views").json() == []
