"""A user's reruns reach the ticket that is about their job, and no other."""

from __future__ import annotations

from .people import House


def test_a_user_gives_their_case_to_a_ticket_that_they_are_part_of(house: House) -> None:
    ada, eve, desk = house.person("ada"), house.person("eve"), house.person("hal", "helpdesk")
    first, rerun, foreign = ada.case(b"one"), ada.case(b"two"), eve.case(b"three")
    ticket = desk.ask("POST", "/api/v1/tickets", json={"cases": [first], "reference": "RT-1"}).json()["id"]

    given = ada.ask("POST", f"/api/v1/cases/{rerun}/ticket", json={"ticket": "RT-1"})
    assert (given.status_code, given.json()) == (200, {"ticket": ticket, "role": "after", "opened": False})
    assert eve.ask("POST", f"/api/v1/cases/{foreign}/ticket", json={"ticket": "RT-1"}).status_code == 404
    assert eve.ask("POST", f"/api/v1/cases/{rerun}/ticket", json={"ticket": "RT-1"}).status_code == 404
    assert ada.ask("GET", f"/api/v1/tickets/{ticket}").status_code == 403
    assert ada.ask("GET", "/api/v1/queue").status_code == 403
    cases = desk.ask("GET", f"/api/v1/tickets/{ticket}").json()["cases"]
    assert {c["id"]: c["role"] for c in cases} == {first: "before", rerun: "after"}


def test_jobs_like_this_one_are_those_that_the_person_may_see(house: House) -> None:
    ada, eve = house.person("ada"), house.person("eve")
    mine, foreign = ada.case(b"one"), eve.case(b"two")
    assert ada.ask("GET", f"/api/v1/cases/{mine}/similar").json() == []
    assert ada.ask("GET", f"/api/v1/cases/{foreign}/similar").status_code == 404
