"""Two tickets about one thing made one, over the real application and real logs."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from uuid import uuid4

import pytest

from .conftest import SAMPLE_LOGS, Api, Three, cases_in, queue, ticket

LOGS = SAMPLE_LOGS / "darshan_log"
BAD = LOGS / "11-coll-subarray-cb-ds-disable" / "11-coll-subarray-cb-ds-disable.darshan"
GOOD = LOGS / "09-coll-subarray-cb-enable" / "09-coll-subarray-cb-enable.darshan"


def test_a_ticket_that_is_joined_into_another_loses_nothing(api: Api, three: Three) -> None:
    kept = ticket(
        api, subject="slow output", reference="RT-1", project="y07", cases=[three.grave], note="the first mail"
    )
    told = {"subject": "again", "user": "ada", "project": "z19", "note": "zebra, the second"}
    other = ticket(api, reference="RT-2", cases=[three.balanced], **told)
    joined = api.client.post(f"/api/v1/tickets/{kept['id']}/join", json={"ticket": "RT-2", "version": kept["version"]})
    assert joined.status_code == 200, joined.text
    one = joined.json()
    assert {c["id"] for c in one["cases"]} == {three.grave, three.balanced}
    assert [n["text"] for n in one["notes"]] == ["the first mail", "zebra, the second"]
    fields = one["fields"]
    assert (fields["subject"], fields["reference"], fields["user"]) == ("slow output", "RT-1", "ada")
    assert ("joined", "RT-2", "again, ada, z19") in {(e["kind"], e["before"], e["after"]) for e in one["history"]}
    (entry,) = [e for e in queue(api)["entries"] if e["ticket"] is not None]
    assert (entry["ticket"], entry["cases"], entry["case"]) == (kept["id"], 2, three.grave)
    for words in ("zebra", "balanced", "RT-2", "RT-1"):
        assert [e["ticket"] for e in queue(api, words=words)["entries"]] == [kept["id"]], words
    assert api.client.get(f"/api/v1/tickets/{other['id']}").json()["id"] == kept["id"]


@pytest.mark.parametrize("name", ["RT-2", "number"])
def test_what_comes_later_for_the_one_that_was_joined_comes_to_the_other(api: Api, three: Three, name: str) -> None:
    kept, other, third = ticket(api, reference="RT-1"), ticket(api, reference="RT-2"), ticket(api, reference="RT-3")
    first = {"ticket": "RT-2", "version": kept["version"]}
    assert api.client.post(f"/api/v1/tickets/{kept['id']}/join", json=first).status_code == 200
    # And once more: of three mails about one thing the last has all.
    assert _joined(api, third["id"], "RT-1", third["version"]) == 200
    named = f"{other['id']}" if name == "number" else name
    given = api.client.post(f"/api/v1/cases/{three.stats}/ticket", json={"ticket": named})
    assert (given.status_code, given.json()["ticket"], given.json()["opened"]) == (200, third["id"], False)
    mail = api.client.post("/api/v1/tickets", json={"reference": "RT-2", "note": "is there news?"})
    assert (mail.status_code, mail.json()["id"]) == (201, third["id"])
    assert len([e for e in queue(api)["entries"] if e["ticket"] is not None]) == 1


def test_the_old_number_is_that_of_the_one_that_stays(api: Api, three: Three) -> None:
    """For a program that opened the ticket, or a page of it that stands open still; but not to delete it."""
    kept, other = ticket(api, reference="RT-1"), ticket(api, reference="RT-2", note="and more")
    for words in ("a change", "another"):
        seen = api.client.get(f"/api/v1/tickets/{other['id']}").json()["version"]
        changed = api.client.patch(f"/api/v1/tickets/{other['id']}", json={"subject": words, "version": seen})
        assert changed.status_code == 200, changed.text
    assert _joined(api, kept["id"], "RT-2", kept["version"]) == 200
    address = f"/api/v1/tickets/{other['id']}"
    noted = api.client.post(f"{address}/notes", json={"text": "is there news?"})
    attached = api.client.post(f"{address}/cases", json={"case": three.stats})
    assert [(answer.status_code, answer.json().get("id")) for answer in (noted, attached)] == [(201, kept["id"])] * 2
    found = api.client.get(address).json()
    assert [note["text"] for note in found["notes"]] == ["and more", "is there news?"]
    assert [case["id"] for case in found["cases"]] == [three.stats]
    # Whoever saw one of the two before has not seen what it is now.
    for version in range(found["version"]):
        assert api.client.patch(address, json={"owner": "ada", "version": version}).status_code == 409
    # So it is in a queue that was listed before.
    refused = f"Somebody changed it meanwhile: it is version {found['version']} now."
    for version, said in ((other["version"], refused), (found["version"], None)):
        asked = {"entries": [{"ticket": other["id"], "version": version}], "owner": "grace"}
        assert api.client.post("/api/v1/queue/actions", json=asked).json()[0]["refused"] == said
    decided = {"verdict": "helped", "rules": [], "reason": "by telephone"}
    for way, said in (("/outcome", decided), ("", {"owner": "ada"})):
        version = api.client.get(address).json()["version"]
        answer = api.client.patch(f"{address}{way}", json=said | {"version": version})
        assert (answer.status_code, answer.json()["id"]) == (200, kept["id"]), answer.text
    assert api.client.delete(f"{address}/cases/{three.stats}").json()["cases"] == []
    assert api.client.delete(address).status_code == 404
    assert api.client.get(f"/api/v1/tickets/{kept['id']}").json()["fields"]["owner"] == "ada"


def test_what_was_joined_goes_with_its_ticket(api: Api, three: Three) -> None:
    kept, other = ticket(api, reference="RT-1"), ticket(api, reference="RT-2", cases=[three.stats])
    assert _joined(api, kept["id"], "RT-2", kept["version"]) == 200
    assert api.client.delete(f"/api/v1/tickets/{kept['id']}").status_code == 204
    assert three.stats in cases_in(queue(api))
    assert api.client.get(f"/api/v1/tickets/{other['id']}").status_code == 404
    assert api.client.get("/api/v1/ticket-named", params={"name": "RT-2"}).status_code == 404


def test_a_closed_ticket_is_worked_on_again_where_the_other_was(api: Api) -> None:
    kept, other = ticket(api, reference="RT-1", status="closed"), ticket(api, reference="RT-2", owner="eve")
    assert _joined(api, kept["id"], f"{other['id']}", kept["version"]) == 200
    fields = api.client.get(f"/api/v1/tickets/{kept['id']}").json()["fields"]
    assert (fields["status"], fields["owner"]) == ("new", "eve")
    answered = ticket(api, reference="RT-3", status="answered")
    late = ticket(api, reference="RT-4", status="closed")
    assert _joined(api, late["id"], "RT-3", late["version"]) == 200
    assert api.client.get(f"/api/v1/tickets/{answered['id']}").json()["fields"]["status"] == "closed"


def test_what_cannot_be_joined_changes_nothing(api: Api, three: Three) -> None:
    kept, other = ticket(api, reference="RT-1"), ticket(api, reference="RT-2", cases=[three.grave])
    assert _joined(api, kept["id"], "RT-1", kept["version"]) == 409
    assert _joined(api, kept["id"], f"{kept['id']}", kept["version"]) == 409
    assert _joined(api, kept["id"], "RT-9", kept["version"]) == 404
    assert _joined(api, kept["id"], "RT-2", kept["version"] + 1) == 409
    assert _joined(api, 9_999, "RT-2", 1) == 404
    assert api.client.get(f"/api/v1/tickets/{other['id']}").json()["cases"][0]["id"] == three.grave
    assert len([e for e in queue(api)["entries"] if e["ticket"] is not None]) == 2


def test_what_became_of_the_advice_comes_along(api: Api) -> None:
    kept, other = ticket(api, reference="RT-1"), ticket(api, reference="RT-2")
    decided = {"version": other["version"], "verdict": "helped", "rules": ["small-io"], "reason": "by telephone"}
    assert api.client.patch(f"/api/v1/tickets/{other['id']}/outcome", json=decided).status_code == 200
    assert _joined(api, kept["id"], "RT-2", kept["version"]) == 200
    outcome = api.client.get(f"/api/v1/tickets/{kept['id']}").json()["outcome"]
    assert (outcome["verdict"], outcome["rules"], outcome["reason"]) == ("helped", ["small-io"], "by telephone")


def _joined(api: Api, ticket_id: int, other: str, version: int) -> int:
    asked = {"ticket": other, "version": version}
    status: int = api.client.post(f"/api/v1/tickets/{ticket_id}/join", json=asked).status_code
    return status


@pytest.mark.every_database
def test_of_two_who_join_two_tickets_into_one_another_at_once_one_does(api: Api, three: Three) -> None:
    """Neither waits for the other for ever, and no case or note is lost."""
    for _ in range(4):
        notes = {f"note {uuid4()}" for _ in range(2)}
        one, two = (
            ticket(api, cases=[case], note=note) for case, note in zip((three.grave, three.stats), notes, strict=True)
        )
        with ThreadPoolExecutor(2) as both:
            asked = ((a["id"], f"{b['id']}", a["version"]) for a, b in ((one, two), (two, one)))
            answers = sorted(both.map(lambda of: _joined(api, *of), asked))
        assert answers[0] == 200
        assert answers[1] in (404, 409)
        left = api.client.get(f"/api/v1/tickets/{one['id']}").json()
        assert left == api.client.get(f"/api/v1/tickets/{two['id']}").json()
        assert {n["text"] for n in left["notes"]} == notes
        assert {c["id"] for c in left["cases"]} == {three.grave, three.stats}
        assert api.client.delete(f"/api/v1/tickets/{left['id']}").status_code == 204


@pytest.mark.parametrize("kept_is_answered", [True, False])
def test_a_rerun_that_opened_a_ticket_of_its_own_is_the_run_after(api: Api, kept_is_answered: bool) -> None:
    """By when its job began, as one that comes to the ticket that was answered."""
    bad, good = (api.case((name, of.read_bytes())) for name, of in (("bad", BAD), ("good", GOOD)))
    api.settle()
    opened = ticket(api, reference="RT-1", cases=[bad])
    answered = {"status": "answered", "version": opened["version"]}
    first = api.client.patch(f"/api/v1/tickets/{opened['id']}", json=answered).json()
    api.date_back(first["id"])
    second = ticket(api, reference="RT-2", cases=[good])
    kept, other = (first, "RT-2") if kept_is_answered else (second, "RT-1")
    assert _joined(api, kept["id"], other, kept["version"]) == 200
    found = api.client.get(f"/api/v1/tickets/{kept['id']}").json()
    assert {c["id"]: (c["role"], c["presumed"]) for c in found["cases"]} == {
        bad: ("before", False),
        good: ("after", False),
    }
    assert (found["outcome"]["verdict"], found["outcome"]["after_case"]) == ("helped", good)


@pytest.mark.parametrize("log_came_first", [True, False])
@pytest.mark.parametrize("stays", ["RT-1", "RT-2"])
def test_who_was_asked_for_a_log_on_one_is_advised_by_neither(
    api: Api, three: Three, stays: str, log_came_first: bool
) -> None:
    """What comes next ran before any advice."""
    if log_came_first:
        ticket(api, reference="RT-2", cases=[three.grave])
    asked = ticket(api, reference="RT-1")
    waits = {"status": "waiting", "version": asked["version"]}
    assert api.client.patch(f"/api/v1/tickets/{asked['id']}", json=waits).status_code == 200
    if not log_came_first:
        ticket(api, reference="RT-2", cases=[three.grave])
    kept = api.client.get("/api/v1/ticket-named", params={"name": stays}).json()
    assert _joined(api, kept["id"], "RT-2" if stays == "RT-1" else "RT-1", kept["version"]) == 200
    given = api.client.post(f"/api/v1/cases/{three.stats}/ticket", json={"ticket": "RT-1"})
    assert given.status_code == 200, given.text
    found = api.client.get(f"/api/v1/tickets/{kept['id']}").json()
    assert {c["id"]: c["role"] for c in found["cases"]} == {three.grave: "before", three.stats: "before"}


def test_a_reference_of_another_systems_tickets_leads_to_the_one_that_stays(api: Api) -> None:
    kept = ticket(api, reference="RT-1", system="archer2")
    ticket(api, reference="17", system="theta")
    assert _joined(api, kept["id"], "17", kept["version"]) == 200
    for system, comes_to_it in (("theta", True), ("archer2", False)):
        mail = api.client.post("/api/v1/tickets", json={"reference": "17", "system": system, "note": "news?"})
        assert mail.status_code == 201, mail.text
        assert (mail.json()["id"] == kept["id"]) is comes_to_it


def test_what_a_person_decided_of_the_advice_stands_before_a_comparison(api: Api) -> None:
    bad, good = (api.case((name, of.read_bytes())) for name, of in (("bad", BAD), ("good", GOOD)))
    api.settle()
    opened = ticket(api, reference="RT-1", cases=[bad])
    rerun = api.client.post(f"/api/v1/tickets/{opened['id']}/cases", json={"case": good, "role": "after"})
    assert rerun.status_code in (200, 201), rerun.text
    kept = api.client.get(f"/api/v1/tickets/{opened['id']}").json()
    assert kept["outcome"]["verdict"] == "helped"
    other = ticket(api, reference="RT-2")
    decided = {"version": other["version"], "verdict": "unclear", "rules": [], "reason": "the machine was busy"}
    assert api.client.patch(f"/api/v1/tickets/{other['id']}/outcome", json=decided).status_code == 200
    assert _joined(api, kept["id"], "RT-2", kept["version"]) == 200
    outcome = api.client.get(f"/api/v1/tickets/{kept['id']}").json()["outcome"]
    assert (outcome["verdict"], outcome["reason"]) == ("unclear", "the machine was busy")
