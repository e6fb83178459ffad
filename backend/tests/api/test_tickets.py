"""The helpdesk's tickets, over the real application and real logs."""

from __future__ import annotations

from typing import Any

import pytest
from sqlalchemy import event

from iotriage.sites import OWN_SITES
from iotriage.store.queue_entries import tickets_led_otherwise

from .conftest import GRAVE, SAMPLE_LOGS, STATS, Api, Three, cases_in, queue, ticket


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


@pytest.mark.parametrize("downwards", [False, True], ids=["upwards", "downwards"])
def test_a_new_ticket_has_its_cases_in_the_order_in_which_they_are_given(
    api: Api, three: Three, *, downwards: bool
) -> None:
    """Whatever their ids are, by which they are locked."""
    given = sorted((three.grave, three.balanced, three.stats), reverse=downwards)
    assert [c["id"] for c in ticket(api, cases=[*given, given[0]])["cases"]] == given


def test_a_ticket_says_what_its_line_of_the_queue_says(api: Api, three: Three) -> None:
    """Of several cases from before the advice the gravest, in whatever order they came."""
    made = ticket(api, cases=[three.balanced])
    assert made["leading"] == three.balanced
    added = {"case": three.grave, "role": "before"}
    assert api.client.post(f"/api/v1/tickets/{made['id']}/cases", json=added).json()["leading"] == three.grave
    (entry,) = [e for e in queue(api)["entries"] if e["ticket"] == made["id"]]
    assert (entry["case"], entry["outcome"]) == (three.grave, None)
    assert ticket(api)["leading"] is None


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
def test_what_a_change_does_not_say_stays(api: Api, three: Three) -> None:
    """A mail system that closes a ticket knows nothing of its other fields."""
    made = ticket(api, subject="slow output", reference="RT-1", user="ada", cases=[three.grave])
    asked = {"version": made["version"], "status": "closed"}
    closed = api.client.patch(f"/api/v1/tickets/{made['id']}", json=asked).json()
    assert closed["fields"] == {**made["fields"], "status": "closed"}
    emptied = {"version": closed["version"], "user": None}
    fields = api.client.patch(f"/api/v1/tickets/{made['id']}", json=emptied).json()["fields"]
    assert (fields["user"], fields["reference"]) == (None, "RT-1")
    assert api.client.patch("/api/v1/tickets/4711", json=asked).status_code == 404


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


def test_a_log_that_is_submitted_twice_is_one_run_of_its_ticket(api: Api, three: Three) -> None:
    """As `iotriage submit --ticket` sends it, where nobody knew whether the first had come. Who says that it ran after
    the advice wants it looked at."""
    made = ticket(api, reference="RT-7", cases=[three.grave])
    again = api.case(("again.darshan", GRAVE), alone=True)
    before = queue(api)["counts"]["total"]
    placed = api.client.post(f"/api/v1/cases/{again}/ticket", json={"ticket": "RT-7"}).json()
    assert placed == {"ticket": made["id"], "role": "before", "presumed": False, "opened": False}
    now = api.client.get(f"/api/v1/tickets/{made['id']}").json()
    assert ([case["id"] for case in now["cases"]], now["version"]) == ([three.grave], made["version"])
    assert queue(api)["counts"]["total"] == before - 1
    api.client.post(f"/api/v1/cases/{again}/ticket", json={"ticket": "RT-7", "role": "after"})
    assert len(api.client.get(f"/api/v1/tickets/{made['id']}").json()["cases"]) == 2


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
