"""A user's reruns reach the ticket that is about their job, and no other."""

from __future__ import annotations

from datetime import UTC, datetime

from sqlalchemy import update

from iotriage.store.ticket_tables import CaseFactsRow, OutcomeRow, OutcomeRuleRow

from .people import House


def test_a_user_gives_their_case_to_a_ticket_that_they_are_part_of(house: House) -> None:
    ada, eve, desk = house.person("ada"), house.person("eve"), house.person("hal", "helpdesk")
    first, rerun, foreign = ada.case(b"one"), ada.case(b"two"), eve.case(b"three")
    ticket = desk.ask("POST", "/api/v1/tickets", json={"cases": [first], "reference": "RT-1"}).json()["id"]
    answered = {"entries": [{"ticket": ticket}], "status": "answered"}
    assert desk.ask("POST", "/api/v1/queue/actions", json=answered).status_code == 200

    given = ada.ask("POST", f"/api/v1/cases/{rerun}/ticket", json={"ticket": "RT-1"})
    told = {"ticket": ticket, "role": "after", "presumed": True, "opened": False}
    assert (given.status_code, given.json()) == (200, told)
    for reference in ("RT-1", "RT-none"):
        refused = eve.ask("POST", f"/api/v1/cases/{foreign}/ticket", json={"ticket": reference})
        told = f"No ticket '{reference}' has a case of yours: the helpdesk gives it the first one."
        assert (refused.status_code, refused.json()["detail"]) == (404, told)
    assert eve.ask("POST", f"/api/v1/cases/{rerun}/ticket", json={"ticket": "RT-1"}).status_code == 404
    for who, reference, status in (
        (ada, "RT-1", 200),
        (ada, "RT-none", 404),
        (eve, "RT-1", 404),
        (desk, "RT-none", 200),
    ):
        asked = who.ask("GET", "/api/v1/ticket-to-give-to", params={"name": reference})
        assert asked.status_code == status
        if status == 200:
            assert asked.json() == {"ticket": ticket if reference == "RT-1" else None}
    assert ada.ask("GET", f"/api/v1/tickets/{ticket}").status_code == 403
    assert ada.ask("GET", "/api/v1/queue").status_code == 403
    cases = desk.ask("GET", f"/api/v1/tickets/{ticket}").json()["cases"]
    assert {c["id"]: c["role"] for c in cases} == {first: "before", rerun: "after"}


def test_jobs_like_this_one_are_those_that_the_person_may_see(house: House) -> None:
    ada, eve = house.person("ada"), house.person("eve")
    mine, foreign = ada.case(b"one"), eve.case(b"two")
    assert ada.ask("GET", f"/api/v1/cases/{mine}/similar").json() == []
    assert ada.ask("GET", f"/api/v1/cases/{foreign}/similar").status_code == 404


def test_jobs_like_ones_own_tell_nothing_of_others_cases(house: House) -> None:
    mine, like_mine = (house.person("alice").case(text) for text in (b"one\n", b"two\n"))
    hers = house.person("mallory").case(b"three\n")
    hilda = house.person("hilda", "helpdesk")
    ticket = hilda.ask("POST", "/api/v1/tickets", json={"cases": [like_mine]}).json()["id"]
    with house.services.database.writing() as session, session.begin():
        session.add_all(CaseFactsRow(case_id=case, application="icon") for case in (mine, like_mine, hers))
        session.add(_helped(ticket, like_mine, hers))
    address = f"/api/v1/cases/{mine}/similar"
    (told,) = house.person("alice").ask("GET", address).json()
    assert (told["case"], told["ticket"], told["sentence"], told["after_case"]) == (like_mine, ticket, None, None)
    staff = {job["case"]: job["after_case"] for job in hilda.ask("GET", address).json()}
    assert staff == {like_mine: hers, hers: None}
    # Nor of a ticket whose run before the advice is another's.
    with house.services.database.writing() as session, session.begin():
        session.execute(update(OutcomeRow).values(before_case=hers, after_case=like_mine))
        session.add(OutcomeRuleRow(ticket_id=ticket, rule="small-io"))
    alice, mallory = house.person("alice"), house.person("mallory")
    assert alice.ask("GET", address).json()[0]["sentence"] is None
    records = [who.ask("GET", "/api/v1/outcomes").json() for who in (hilda, alice, mallory)]
    assert [[(one["rule"], one["helped"]) for one in told] for told in records] == [[("small-io", 1)], [], []]
    hilda.ask("PUT", f"/api/v1/cases/{hers}/people/alice")
    assert alice.ask("GET", "/api/v1/outcomes").json()[0]["median_factor"] == 2.0


def test_what_is_taken_back_is_not_theirs_again_once_it_is_taken_apart(house: House) -> None:
    whole, part = (house.person("alice").case(text) for text in (b"one\n", b"two\n"))
    hilda, bob = house.person("hilda", "helpdesk"), house.person("bob")
    for case in (whole, part):
        assert hilda.ask("PUT", f"/api/v1/cases/{case}/people/bob").status_code == 204
    assert hilda.ask("POST", f"/api/v1/cases/{whole}/join", json={"case": part}).status_code == 200
    assert hilda.ask("DELETE", f"/api/v1/cases/{whole}/people/bob").status_code == 204
    assert hilda.ask("POST", f"/api/v1/cases/{part}/apart").status_code == 200
    assert [bob.ask("GET", f"/api/v1/cases/{case}").status_code for case in (whole, part)] == [404, 404]


def test_a_ticket_can_be_given_to_who_helps(house: House) -> None:
    hilda = house.person("hilda", "helpdesk")
    house.person("ada", "admin").ask("GET", "/api/v1/queue")
    house.person("eve").ask("GET", "/api/v1/cases")
    assert hilda.ask("GET", "/api/v1/queue/people").json() == [{"id": i, "name": i} for i in ("ada", "hilda")]


def _helped(ticket: int, before: str, after: str) -> OutcomeRow:
    return OutcomeRow(
        ticket_id=ticket,
        verdict="helped",
        factor=2.0,
        sentence="Helped, twice as fast.",
        before_case=before,
        after_case=after,
        decided_at=datetime.now(UTC),
    )
