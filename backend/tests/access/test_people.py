"""What people see of one another's, whom a proxy names."""

from __future__ import annotations

import hashlib
import logging
from datetime import UTC, datetime, timedelta

import pytest
from sqlalchemy import select

from iotriage.access.roles import RoleRules, role_of
from iotriage.api.app import create_app
from iotriage.settings import Settings
from iotriage.store.tables import Base

from .conftest import Open
from .people import House, Somebody

LOG = b"a log that nobody can read\n"


def _seen(somebody: Somebody) -> list[str]:
    return [case["id"] for case in somebody.ask("GET", "/api/v1/cases").json()["cases"]]


@pytest.mark.every_database
def test_a_case_is_seen_by_who_made_it_whom_it_was_given_to_and_the_helpdesk(house: House) -> None:
    alice, bob, helper = house.person("alice"), house.person("bob"), house.person("hilda", "helpdesk")
    case = alice.case(LOG)
    address = f"/api/v1/cases/{case}"
    assert (_seen(alice), _seen(bob), _seen(helper)) == ([case], [], [case])
    hidden, nowhere = bob.ask("GET", address), bob.ask("GET", f"/api/v1/cases/{'a' * 16}")
    assert (hidden.status_code, nowhere.status_code) == (404, 404)
    assert hidden.json() == {**nowhere.json(), "detail": hidden.json()["detail"]}
    assert bob.ask("GET", f"/api/v1/compare?cases={case},{case}").status_code == 404

    assert alice.ask("PUT", f"{address}/people/bob").status_code == 403
    assert helper.ask("PUT", f"{address}/people/bob").status_code == 204
    assert _seen(bob) == [case]
    assert bob.ask("PATCH", address, json={"site": "archer2"}).status_code == 200
    assert helper.ask("DELETE", f"{address}/people/bob").status_code == 204
    assert bob.ask("GET", address).status_code == 404


@pytest.mark.every_database
def test_a_hash_is_usable_only_by_who_sent_its_bytes(house: House) -> None:
    alice, bob, helper = house.person("alice"), house.person("bob"), house.person("hilda", "helpdesk")
    sha256 = alice.upload(LOG)
    address, given = f"/api/v1/sources/{sha256}", {"sources": [{"sha256": sha256, "name": "job.txt"}]}
    for somebody in (bob, helper):
        assert somebody.ask("HEAD", address).status_code == 404
        assert somebody.ask("GET", address).status_code == 404
        assert somebody.ask("POST", "/api/v1/cases", json=given).json()["type"].endswith(":unknown-source")
    assert alice.ask("HEAD", address).status_code == 200
    assert alice.ask("PUT", address, content=b"").status_code == 200

    # An announced hash alone gives nothing: the bytes are read, and are others.
    assert bob.ask("PUT", address, content=b"").status_code == 400
    assert bob.ask("PUT", address, content=LOG).status_code == 201
    assert bob.ask("POST", "/api/v1/cases", json=given).status_code == 201
    assert bob.ask("HEAD", address).status_code == 200


def test_a_source_of_a_case_that_one_sees_makes_another_case_of_one_of_its_jobs(house: House) -> None:
    case = house.person("alice").case(LOG)
    helper, sha256 = house.person("hilda", "helpdesk"), hashlib.sha256(LOG).hexdigest()
    assert helper.ask("GET", f"/api/v1/cases/{case}").status_code == 200
    given = {"sources": [{"sha256": sha256, "name": "job.txt", "of_job": "1"}]}
    assert helper.ask("POST", "/api/v1/cases", json=given).status_code == 201


def test_who_may_look_and_not_change_is_told_so(house: House) -> None:
    alice, bob = house.person("alice"), house.person("bob")
    case = alice.case(LOG)
    link = alice.ask("POST", f"/api/v1/cases/{case}/links", json={}).json()
    bob.ask("GET", link["url"])
    assert bob.ask("GET", f"/api/v1/cases/{case}").status_code == 200
    refused = bob.ask("DELETE", f"/api/v1/cases/{case}")
    assert (refused.status_code, refused.json()["type"]) == (403, "urn:iotriage:problem:read-only")
    assert _seen(bob) == []


def test_a_proxy_is_believed_at_its_own_address_alone(house: House) -> None:
    me = "/api/v1/me"
    claimed = {"x-remote-user": "alice", "x-remote-groups": "operators"}
    for address, role in (
        ("127.0.0.1", "admin"),
        ("127.0.0.2", None),
        ("10.0.0.1", None),
        ("::ffff:127.0.0.1", "admin"),
    ):
        client = house.browser(address).client
        assert client.get(me, headers=claimed).json()["role"] == role, address
    # X-Forwarded-For is not an address.
    assert (
        house.browser("10.0.0.1").client.get(me, headers={**claimed, "x-forwarded-for": "127.0.0.1"}).json()["role"]
        is None
    )
    twice = house.browser().client.get(me, headers=[("x-remote-user", "alice"), ("X-Remote-User", "root@example.org")])
    assert twice.status_code == 400


def test_the_first_administrator_is_named_by_a_setting(house: House) -> None:
    assert house.person("root@example.org").ask("GET", "/api/v1/people").status_code == 200
    assert house.person("alice").ask("GET", "/api/v1/people").status_code == 403


@pytest.mark.parametrize(
    ("person", "groups", "role"),
    [
        ("root", (), "admin"),
        ("alice", ("operators", "support"), "admin"),
        ("alice", ("support",), "helpdesk"),
        ("alice", ("staff",), "user"),
        ("alice", ("guests",), None),
        ("local", ("staff",), None),
        ("", ("staff",), None),
        ("al\nice", ("staff",), None),
        ("a" * 256, ("staff",), None),
    ],
)
def test_roles(person: str, groups: tuple[str, ...], role: str | None) -> None:
    operators, support, staff = (frozenset({name}) for name in ("operators", "support", "staff"))
    assert role_of(RoleRules(frozenset({"root"}), operators, support, staff), person, groups) == role


def test_who_is_in_no_group_of_the_service_is_told_so(open_house: Open) -> None:
    with open_house(user_groups="hpc") as house:
        refused = house.person("alice").ask("GET", "/api/v1/cases")
        assert (refused.status_code, refused.json()["type"]) == (403, "urn:iotriage:problem:not-let-in")
        assert house.person("hilda", "helpdesk").ask("GET", "/api/v1/cases").status_code == 200


def test_a_proxy_that_nobody_named_refuses_the_start(tmp_path: object) -> None:
    with pytest.raises(ValueError, match="IOTRIAGE_IDENTITY_PROXIES"):
        create_app(Settings(access="proxy"))
    with pytest.raises(ValueError, match="IOTRIAGE_OIDC_ISSUER, IOTRIAGE_OIDC_CLIENT_ID, IOTRIAGE_PUBLIC_URL"):
        create_app(Settings(access="oidc"))


@pytest.mark.every_database
def test_a_token_is_of_its_person_until_it_ends_or_is_revoked(open_house: Open) -> None:
    now = [datetime.now(UTC)]
    with open_house(clock=lambda: now[0]) as house:
        alice, admin = house.person("alice"), house.person("ada", "admin")
        made = [alice.ask("POST", "/api/v1/tokens", json={"name": "ci", "days": 2}).json() for _ in range(2)]
        first, second = (house.program(one["token"]) for one in made)
        case = first.case(LOG)
        assert (_seen(alice), _seen(first)) == ([case], [case])
        assert house.person("bob").ask("DELETE", f"/api/v1/tokens/{made[0]['view']['id']}").status_code == 404
        assert alice.ask("DELETE", f"/api/v1/tokens/{made[0]['view']['id']}").status_code == 204
        assert first.ask("GET", "/api/v1/cases").status_code == 401
        assert second.ask("GET", "/api/v1/cases").status_code == 200
        assert admin.ask("DELETE", "/api/v1/people/alcie/access").status_code == 404
        assert admin.ask("DELETE", "/api/v1/people/alice/access").json() == {"sessions": 0, "tokens": 1, "links": 0}
        assert second.ask("GET", "/api/v1/cases").status_code == 401
        last = house.program(alice.ask("POST", "/api/v1/tokens", json={"name": "ci", "days": 2}).json()["token"])
        now[0] += timedelta(days=1)
        assert last.ask("GET", "/api/v1/cases").status_code == 200
        now[0] += timedelta(days=1)
        assert last.ask("GET", "/api/v1/cases").status_code == 401


def test_a_token_has_no_more_than_its_person_has_now(house: House) -> None:
    made = house.person("hilda", "helpdesk").ask("POST", "/api/v1/tokens", json={"name": "queue"}).json()
    program, case = house.program(made["token"]), house.person("alice").case(LOG)
    assert program.ask("GET", f"/api/v1/cases/{case}").status_code == 200
    assert house.person("hilda").ask("GET", "/api/v1/cases").status_code == 200
    assert program.ask("GET", f"/api/v1/cases/{case}").status_code == 404


def test_neither_tokens_nor_links_are_stored_or_logged(
    house: House, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    # What the client says of its own requests is not the server's.
    monkeypatch.setattr(logging.getLogger("httpx2"), "disabled", True)
    alice = house.person("alice")
    case = alice.case(LOG)
    token = alice.ask("POST", "/api/v1/tokens", json={"name": "ci"}).json()["token"]
    share = alice.ask("POST", f"/api/v1/cases/{case}/links", json={}).json()["url"].rpartition("/")[2]
    house.program(token).ask("GET", "/api/v1/cases")
    assert house.browser().ask("GET", f"/shared/{share}").status_code == 303
    with house.services.database.engine.connect() as connection:
        kept = "\n".join(str(row) for table in Base.metadata.sorted_tables for row in connection.execute(select(table)))
    assert "'alice'" in kept
    said = "".join(capfd.readouterr())
    assert "/shared/" in said
    for secret in (token, share):
        assert secret not in kept + said


@pytest.mark.every_database
def test_a_link_shows_its_case_signed_out_until_it_ends_or_is_revoked(open_house: Open) -> None:
    now = [datetime.now(UTC)]
    with open_house(clock=lambda: now[0]) as house:
        alice = house.person("alice")
        case, other = alice.case(LOG), alice.case(b"another\n")
        address = f"/api/v1/cases/{case}"
        made = [alice.ask("POST", f"{address}/links", json={"days": days}).json() for days in (1, 3, 3)]
        guests = [house.browser() for _ in made]
        for guest, link in zip(guests, made, strict=True):
            assert guest.ask("GET", address).status_code == 401
            opened = guest.ask("GET", link["url"])
            assert (opened.status_code, opened.headers["location"]) == (303, f"/cases/{case}")
            assert opened.headers["referrer-policy"] == "no-referrer"
            assert {"httponly", "samesite=lax"} <= set(opened.headers["set-cookie"].lower().split("; "))
            assert guest.ask("GET", address).json()["id"] == case
            assert guest.ask("GET", f"/api/v1/cases/{other}").status_code == 404
            assert guest.ask("GET", "/api/v1/cases").status_code == 401
            assert guest.ask("PATCH", address, json={"site": "archer2"}).status_code == 401
            assert case not in link["url"]
        _, second, third = guests
        shown = alice.ask("GET", f"{address}/links").json()
        assert {link["id"] for link in shown} == {one["view"]["id"] for one in made}
        assert alice.ask("DELETE", f"{address}/links/{made[1]['view']['id']}").status_code == 204
        assert [g.ask("GET", address).status_code for g in guests] == [200, 401, 200]
        assert second.ask("GET", made[1]["url"]).status_code == 404
        now[0] += timedelta(days=2)
        assert [g.ask("GET", address).status_code for g in guests] == [401, 401, 200]
        assert alice.ask("DELETE", address).status_code == 204
        assert third.ask("GET", address).status_code == 401


@pytest.mark.every_database
def test_links_of_whom_a_case_is_taken_from_or_whose_access_ends_show_nothing_any_more(house: House) -> None:
    alice, bob, hilda = house.person("alice"), house.person("bob"), house.person("hilda", "helpdesk")
    case, own = alice.case(LOG), bob.case(b"another\n")
    assert hilda.ask("PUT", f"/api/v1/cases/{case}/people/bob").status_code == 204
    made = [(alice, case, {}), (bob, case, {}), (bob, case, {"without_names": True}), (bob, own, {})]
    links = [who.ask("POST", f"/api/v1/cases/{of}/links", json=form).json()["url"] for who, of, form in made]
    guest = house.browser()
    assert guest.ask("GET", links[1]).status_code == 303
    assert hilda.ask("DELETE", f"/api/v1/cases/{case}/people/bob").status_code == 204
    assert [house.browser().ask("GET", link).status_code for link in links] == [303, 404, 404, 303]
    assert guest.ask("GET", f"/api/v1/cases/{case}").status_code == 401
    ended = house.person("ada", "admin").ask("DELETE", "/api/v1/people/bob/access")
    assert ended.json() == {"sessions": 0, "tokens": 0, "links": 1}
    assert [house.browser().ask("GET", link).status_code for link in links] == [303, 404, 404, 404]
