"""What is recorded of who comes and by what, beside what they change."""

from __future__ import annotations

import csv
from contextvars import copy_context
from datetime import UTC, datetime

import pytest

from iotriage.cli.server_address import one_time_address
from iotriage.store.audit import AuditContext, record, set_audit_context

from .conftest import Open
from .people import House, Somebody

pytestmark = pytest.mark.every_database


def recorded(admin: Somebody, **asked: str) -> list[tuple[str, str, str | None]]:
    answer = admin.ask("GET", "/api/v1/audit", params=asked)
    assert answer.status_code == 200, answer.text
    return [(entry["person"], entry["action"], entry["about"]) for entry in answer.json()]


def test_who_comes_first_and_whose_role_changes_is_recorded(house: House) -> None:
    admin = house.person("ada", "admin")
    house.person("hilda", "user").ask("GET", "/api/v1/cases")
    house.person("hilda", "helpdesk").ask("GET", "/api/v1/cases")
    house.person("hilda", "helpdesk").ask("GET", "/api/v1/cases")
    assert recorded(admin, person="hilda") == [
        ("hilda", "role changed", "from user to helpdesk"),
        ("hilda", "came for the first time", "role user"),
    ]


def test_what_somebody_else_did_on_the_same_connection_is_not_recorded_again(house: House) -> None:
    """Where it reads a long body the server goes on in the context of that request, and begins the next in it; a proxy
    has many people on one connection."""
    eve = AuditContext("eve", "proxy", "PUT /sources/{sha256}")

    def hilda_comes_behind_eve() -> None:
        set_audit_context(eve)
        house.person("hilda", "helpdesk").ask("GET", "/api/v1/cases")

    copy_context().run(hilda_comes_behind_eve)
    admin = house.person("ada", "admin")
    assert recorded(admin, person="eve") == []
    assert recorded(admin, person="hilda") == [("hilda", "came for the first time", "role helpdesk")]


def test_tokens_are_recorded_when_made_first_used_and_revoked_and_never_shown(house: House) -> None:
    admin, hilda = house.person("ada", "admin"), house.person("hilda", "helpdesk")
    made = hilda.ask("POST", "/api/v1/tokens", json={"name": "night job", "scope": "read"}).json()
    program, its = house.program(made["token"]), made["view"]["id"]
    assert made["view"]["used_at"] is None
    for _ in range(2):
        assert program.ask("GET", "/api/v1/cases").status_code == 200
    assert hilda.ask("GET", "/api/v1/tokens").json()[0]["used_at"] is not None
    assert hilda.ask("DELETE", f"/api/v1/tokens/{its}").status_code == 204
    found = recorded(admin, person="hilda", words="token")
    assert found == [
        ("hilda", "DELETE /tokens/{token_id}", f"token {its}"),
        ("hilda", "token used for the first time", f"token {its}"),
        ("hilda", "POST /tokens", f"token {its} 'night job', scope read"),
    ]
    assert made["token"] not in str(recorded(admin))


def test_a_log_in_and_a_log_out_are_recorded(open_house: Open) -> None:
    with open_house(access="local", identity_proxies="") as house:
        browser = house.browser()
        opened = one_time_address(house.services.database, "http://127.0.0.1:8200")
        assert browser.ask("GET", opened).status_code == 303
        assert recorded(browser)[0] == ("local", "logged in", "a one-time address")
        assert browser.ask("POST", "/api/v1/me/sign-out").status_code == 204
        again = house.browser()
        again.ask("GET", one_time_address(house.services.database, "http://127.0.0.1:8200"))
        assert ("local", "POST /me/sign-out", None) in recorded(again)


def test_it_is_filtered_and_exported_for_administrators_alone(house: House) -> None:
    admin, hilda = house.person("ada", "admin"), house.person("=hilda", "helpdesk")
    case = house.person("owner").case(b"a text")
    hilda.ask("POST", f"/api/v1/cases/{case}/links", json={"days": 3})
    (entry,) = recorded(admin, case=case, words="LINKS")
    assert entry[1] == "POST /cases/{case_id}/links"
    assert entry[2] is not None
    assert entry[2].endswith(", 3 days")
    assert recorded(admin, until="2026-01-01T00:00:00Z") == []
    assert recorded(admin, words="per%cent") == []
    answer = admin.ask("GET", "/api/v1/audit/export", params={"person": "=hilda"})
    head, *rows = csv.reader(answer.text.splitlines())
    assert head == ["at", "person", "by", "action", "case", "about"]
    assert {row[1] for row in rows} == {"'=hilda"}
    assert hilda.ask("GET", "/api/v1/audit/export").status_code == 403
    wide = "\N{FULLWIDTH EQUALS SIGN}hilda"
    with house.services.database.writing() as session, session.begin():
        record(session, AuditContext(wide, "oidc", "logged in", about=" =2+3"), datetime.now(UTC))
    answer = admin.ask("GET", "/api/v1/audit/export", params={"person": wide})
    _, row = csv.reader(answer.text.splitlines())
    assert (row[1], row[5]) == (f"'{wide}", "' =2+3")


def test_of_each_ticket_is_recorded_what_was_done_with_it(house: House) -> None:
    """Of what many a request does, each by itself; also where the address names no ticket."""
    admin, hilda, ada = house.person("root", "admin"), house.person("hilda", "helpdesk"), house.person("ada")
    first = hilda.ask("POST", "/api/v1/tickets", json={"reference": "RT-1"}).json()["id"]
    second = hilda.ask("POST", "/api/v1/tickets", json={"reference": "RT-2"}).json()["id"]
    hilda.ask("POST", "/api/v1/tickets", json={"reference": "RT-2", "note": "Again."})
    case = ada.case(b"one")
    hilda.ask("POST", f"/api/v1/cases/{case}/ticket", json={"ticket": "RT-1"})
    named = [{"ticket": first}, {"ticket": second}]
    hilda.ask("POST", "/api/v1/queue/actions", json={"entries": named, "status": "in work", "owner": "hilda"})
    hilda.ask("POST", "/api/v1/queue/actions", json={"entries": named[:1], "owner": ""})
    assert recorded(admin, person="hilda")[:-1] == [
        ("hilda", "POST /queue/actions", f"ticket {first}, owner nobody"),
        ("hilda", "POST /queue/actions", f"ticket {second}, status in work, owner hilda"),
        ("hilda", "POST /queue/actions", f"ticket {first}, status in work, owner hilda"),
        ("hilda", "POST /cases/{case_id}/ticket", f"ticket {first}"),
        ("hilda", "POST /tickets", f"ticket {second}"),
        ("hilda", "POST /tickets", f"ticket {second} opened"),
        ("hilda", "POST /tickets", f"ticket {first} opened"),
    ]


def test_a_ticket_says_who_deleted_a_case_of_it(house: House) -> None:
    hilda, ada = house.person("hilda", "helpdesk"), house.person("ada")
    case = ada.case(b"one")
    ticket = hilda.ask("POST", "/api/v1/tickets", json={"cases": [case]}).json()["id"]
    assert ada.ask("DELETE", f"/api/v1/cases/{case}").status_code == 204
    told = hilda.ask("GET", f"/api/v1/tickets/{ticket}").json()["history"][-1]
    assert (told["kind"], told["by"], told["before"]) == ("case deleted", "ada", case)
