"""Two tickets about one thing made one, over the real application and real logs."""

from __future__ import annotations

import pytest

from .conftest import Api, Three, cases_in, queue, ticket


def test_a_ticket_that_is_joined_into_another_loses_nothing(api: Api, three: Three) -> None:
    kept = ticket(api, subject="slow output", reference="RT-1", cases=[three.grave], note="the first mail")
    other = ticket(api, subject="again", reference="RT-2", user="ada", cases=[three.balanced], note="zebra, the second")
    joined = api.client.post(f"/api/v1/tickets/{kept['id']}/join", json={"ticket": "RT-2", "version": kept["version"]})
    assert joined.status_code == 200, joined.text
    one = joined.json()
    assert {c["id"] for c in one["cases"]} == {three.grave, three.balanced}
    assert [n["text"] for n in one["notes"]] == ["the first mail", "zebra, the second"]
    fields = one["fields"]
    assert (fields["subject"], fields["reference"], fields["user"]) == ("slow output", "RT-1", "ada")
    assert ("joined", "RT-2", "again") in {(e["kind"], e["before"], e["after"]) for e in one["history"]}
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
    return api.client.post(f"/api/v1/tickets/{ticket_id}/join", json=asked).status_code
