"""Logging in at a real provider of OpenID Connect, which is a process of its own on the loopback."""

from __future__ import annotations

import json
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import closing
from datetime import UTC, datetime, timedelta
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs, urlsplit

import httpx2
import pytest

from iotriage.api.access.provider import identity_in
from iotriage.api.guard.provider import LogInError
from iotriage.settings import Settings

from .conftest import Open
from .people import BASE, Somebody

PEOPLE = (
    {"sub": "s-1", "name": "Alice Ångström", "preferred_username": "alice", "groups": ["hpc"]},
    {"sub": "s-2", "name": "Hilda", "preferred_username": "hilda", "groups": ["hpc", "support"]},
    {"sub": "s-3", "name": "Root", "preferred_username": "root"},
    {"sub": "s-4", "name": "Zed", "preferred_username": "zed", "groups": ["others"]},
)
LONGEST_S = 60.0


@pytest.fixture(scope="module")
def issuer() -> Iterator[str]:
    with closing(socket.create_server(("127.0.0.1", 0))) as free:
        port = free.getsockname()[1]
    claims = [argument for one in PEOPLE for argument in ("--user-claims", json.dumps(one))]
    command = [sys.executable, "-m", "oidc_provider_mock", "--port", str(port), "--require-nonce", "true", *claims]
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
        address, deadline = f"http://127.0.0.1:{port}", time.monotonic() + LONGEST_S
        while True:
            try:
                httpx2.get(f"{address}/.well-known/openid-configuration", verify=False).raise_for_status()
                break
            except httpx2.HTTPError:
                assert process.poll() is None
                assert time.monotonic() < deadline
                time.sleep(0.05)
        yield address
        process.terminate()


def _settings(issuer: str) -> dict[str, object]:
    return {
        "access": "oidc",
        "oidc_issuer": issuer,
        "oidc_client_id": "iotriage",
        "oidc_client_secret": "a secret of the client",
        "oidc_user_claim": "preferred_username",
        "public_url": BASE,
        "administrators": "root",
        "user_groups": "hpc",
    }


def _at_the_provider(leading: str, sub: str) -> str:
    """What a person does there; the address to which it sends their browser."""
    answer = httpx2.post(leading, data={"sub": sub}, verify=False)
    assert answer.status_code == 302, answer.text
    return answer.headers["location"]


def _log_in(browser: Somebody, sub: str, onwards: str = "") -> tuple[int, str]:
    """Status and address of the last answer."""
    leading = browser.ask("GET", f"/sign-in?next={onwards}")
    assert leading.status_code == 302
    back = _at_the_provider(leading.headers["location"], sub)
    answer = browser.ask("GET", back)
    return answer.status_code, answer.headers.get("location", "")


def test_people_log_in_with_the_role_of_their_groups(open_house: Open, issuer: str) -> None:
    with open_house(**_settings(issuer)) as house:
        alice, hilda, root, zed = (house.browser() for _ in PEOPLE)
        me = alice.ask("GET", "/api/v1/me").json()
        assert (me["id"], me["sign_in"]) == (None, "sign-in")
        assert alice.ask("GET", "/api/v1/cases").status_code == 401
        assert _log_in(alice, "s-1", "compare%3Fcases=a,b") == (303, f"{BASE}/compare?cases=a,b")
        assert _log_in(hilda, "s-2", "//elsewhere.example") == (303, f"{BASE}/")
        assert _log_in(root, "s-3")[0] == 303
        assert _log_in(zed, "s-4")[0] == 403
        shown = [b.ask("GET", "/api/v1/me").json() for b in (alice, hilda, root, zed)]
        assert [(one["id"], one["role"]) for one in shown] == [
            ("alice", "user"),
            ("hilda", "helpdesk"),
            ("root", "admin"),
            (None, None),
        ]
        assert shown[0]["name"] == "Alice Ångström"
        case = alice.case(b"a log\n")
        assert hilda.ask("GET", f"/api/v1/cases/{case}").status_code == 200
        # A header is nobody's word here.
        claimed = {"x-remote-user": "root", "x-remote-groups": "operators"}
        assert house.browser().client.get("/api/v1/me", headers=claimed).json()["id"] is None


def test_a_session_ends_by_logging_out_by_its_time_and_by_an_administrator(open_house: Open, issuer: str) -> None:
    now = [datetime.now(UTC)]
    with open_house(clock=lambda: now[0], **_settings(issuer), session_hours=2) as house:
        first, second, root = (house.browser() for _ in range(3))
        for browser, sub in ((first, "s-1"), (second, "s-1"), (root, "s-3")):
            _log_in(browser, sub)
        held = dict(first.client.cookies)
        assert first.ask("POST", "/api/v1/me/sign-out").status_code == 204
        first.client.cookies.update(held)
        assert [b.ask("GET", "/api/v1/cases").status_code for b in (first, second)] == [401, 200]
        assert root.ask("DELETE", "/api/v1/people/alice/access").json() == {"sessions": 1, "tokens": 0, "links": 0}
        assert second.ask("GET", "/api/v1/cases").status_code == 401
        _log_in(second, "s-1")
        now[0] += timedelta(hours=2)
        assert [b.ask("GET", "/api/v1/cases").status_code for b in (second, root)] == [401, 401]


def test_a_login_is_finished_by_the_browser_that_began_it_once(open_house: Open, issuer: str) -> None:
    with open_house(**_settings(issuer)) as house:
        mine, another = house.browser(), house.browser()
        leading = mine.ask("GET", "/sign-in").headers["location"]
        asked = parse_qs(urlsplit(leading).query)
        assert asked["code_challenge_method"] == ["S256"]
        assert asked["redirect_uri"] == [f"{BASE}/sign-in/return"]
        assert {"state", "nonce", "code_challenge"} <= asked.keys()
        back = _at_the_provider(leading, "s-1")
        assert another.ask("GET", back).status_code == 400
        forged = back.replace(parse_qs(urlsplit(back).query)["state"][0], "forged")
        assert mine.ask("GET", forged).status_code == 400
        held = dict(mine.client.cookies)
        assert mine.ask("HEAD", back).status_code != 303
        answer = mine.ask("GET", back)
        assert answer.status_code == 303
        cookies = [value.lower() for value in answer.headers.get_list("set-cookie")]
        session = next(value for value in cookies if value.startswith("iotriage-session"))
        assert {"httponly", "samesite=lax"} <= set(session.split("; "))
        mine.client.cookies.update(held)
        # The provider gives one answer for one code.
        assert mine.ask("GET", back).status_code == 400
        denied = mine.ask("GET", "/sign-in/return?error=access_denied")
        assert denied.status_code == 400


def test_each_of_several_tabs_is_logged_in_and_opens_its_own_page(open_house: Open, issuer: str) -> None:
    with open_house(**_settings(issuer)) as house:
        browser = house.browser()
        pages = ("cases", "queue", "compare")
        leading = [browser.ask("GET", f"/sign-in?next={page}").headers["location"] for page in pages]
        for at in (1, 0, 2):
            answer = browser.ask("GET", _at_the_provider(leading[at], "s-1"))
            assert (answer.status_code, answer.headers["location"]) == (303, f"{BASE}/{pages[at]}")
        assert not [name for name in browser.client.cookies if "login" in name]
        # A cookie has room for some; those that were begun first are begun again.
        many = [browser.ask("GET", f"/sign-in?next={'p' * 1_000}{at}") for at in range(9)]
        assert max(len(value) for answer in many for value in answer.headers.get_list("set-cookie")) < 4_096
        last = browser.ask("GET", _at_the_provider(many[-1].headers["location"], "s-1"))
        assert last.headers["location"].endswith("p8")


@pytest.mark.parametrize("said", [b"[]", b'"x"', b"null", b"<html>", b'{"issuer": 7}', b"{}"])
def test_what_is_no_providers_answer_is_said(open_house: Open, said: bytes) -> None:
    class Answering(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(200)
            self.end_headers()
            self.wfile.write(said)

    with ThreadingHTTPServer(("127.0.0.1", 0), Answering) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        with open_house(**_settings(f"http://127.0.0.1:{server.server_port}")) as house:
            assert house.browser().ask("GET", "/sign-in").status_code == 502
        server.shutdown()


def test_a_provider_that_is_away_is_said(open_house: Open) -> None:
    with open_house(**_settings("http://127.0.0.1:9")) as house:
        assert house.browser().ask("GET", "/sign-in").status_code == 502


def test_a_secure_address_makes_secure_cookies(open_house: Open, issuer: str) -> None:
    with open_house(**{**_settings(issuer), "public_url": "https://io.example.org"}) as house:
        leading = house.browser().ask("GET", "/sign-in")
        assert "secure" in leading.headers["set-cookie"].lower().split("; ")
        named = house.browser().client.get("/api/v1/me", headers={"host": "io.example.org"})
        assert named.status_code == 200


@pytest.mark.parametrize("claims", [{}, {"sub": 7}, {"sub": ""}, {"sub": None}])
def test_claims_that_name_nobody_let_nobody_in(claims: dict[str, object]) -> None:
    with pytest.raises(LogInError, match="IOTRIAGE_OIDC_USER_CLAIM"):
        identity_in(claims, Settings())


def test_claims_as_providers_have_them() -> None:
    one = identity_in({"sub": "s", "groups": "hpc", "name": ""}, Settings())
    assert (one.person, one.name, one.groups) == ("s", "s", {"hpc"})
    assert identity_in({"sub": "s", "groups": ["a", 7, "b"]}, Settings()).groups == {"a", "b"}
