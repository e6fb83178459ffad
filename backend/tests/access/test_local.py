"""A server for one person, on a loopback that may be everybody's."""

from __future__ import annotations

import stat
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from iotriage.access.signing import LONGEST_COOKIE, RENEWED_AFTER, SigningKeys
from iotriage.cli import main
from iotriage.cli.server_address import one_time_address

from .conftest import Open
from .people import BASE, House


def _printed(house: House) -> str:
    """What `iotriage serve` prints."""
    return one_time_address(house.services.database, BASE)


@pytest.mark.every_database
def test_the_printed_address_opens_it_once_and_the_browser_stays_in(open_house: Open) -> None:
    now = [datetime.now(UTC)]
    with open_house(clock=lambda: now[0], access="local", identity_proxies="") as house:
        mine, neighbour = house.browser(), house.browser()
        assert [b.ask("GET", "/api/v1/cases").status_code for b in (mine, neighbour)] == [401, 401]
        assert neighbour.ask("GET", "/open/guessed").status_code == 404
        address = _printed(house)
        # What looks through chats for links does not use it up.
        assert "set-cookie" not in neighbour.ask("HEAD", address).headers
        opened = mine.ask("GET", address)
        assert (opened.status_code, opened.headers["location"]) == (303, "/")
        assert {"httponly", "samesite=lax"} <= set(opened.headers["set-cookie"].lower().split("; "))
        assert mine.ask("GET", "/api/v1/me").json()["role"] == "admin"
        assert neighbour.ask("GET", address).status_code == 404
        assert neighbour.ask("GET", "/api/v1/cases").status_code == 401
        # Whatever it says: only a proxy is asked who somebody is, and there is none.
        claimed = {"x-remote-user": "local", "x-remote-groups": "operators"}
        assert neighbour.client.get("/api/v1/cases", headers=claimed).status_code == 401
    with open_house(clock=lambda: now[0], access="local") as house:
        held, mine = dict(mine.client.cookies), house.browser()
        mine.client.cookies.update(held)
        assert mine.ask("GET", "/api/v1/cases").status_code == 200
        now[0] += timedelta(days=29)
        assert mine.ask("GET", "/api/v1/cases").status_code == 200
        now[0] += timedelta(days=1)
        assert mine.ask("GET", "/api/v1/cases").status_code == 401


def test_signing_out_ends_it_on_the_server(open_house: Open) -> None:
    with open_house(access="local") as house:
        mine = house.browser()
        mine.ask("GET", _printed(house))
        held = dict(mine.client.cookies)
        copied = house.browser()
        copied.client.cookies.update(held)
        assert copied.ask("GET", "/api/v1/cases").status_code == 200
        assert mine.ask("POST", "/api/v1/me/sign-out").status_code == 204
        assert copied.ask("GET", "/api/v1/cases").status_code == 401
        assert dict(mine.client.cookies) == {}


def test_a_cookie_that_was_not_signed_here_is_nobodys(open_house: Open) -> None:
    with open_house(access="local") as house:
        mine = house.browser()
        mine.ask("GET", _printed(house))
        ((name, value),) = mine.client.cookies.items()
        forged = house.browser()
        # Not the last character, of which some bits say nothing.
        forged.client.cookies.set(name, value[:-2] + ("A" if value[-2] != "A" else "B") + value[-1])
        assert forged.ask("GET", "/api/v1/cases").status_code == 401


def test_a_machine_of_ones_own_asks_for_nothing(open_house: Open) -> None:
    with open_house(access="local", open_loopback=True) as house:
        assert house.browser().ask("GET", "/api/v1/cases").status_code == 200


def test_a_port_of_its_own_is_a_cookie_of_its_own(open_house: Open) -> None:
    with open_house(access="local") as house:
        mine = house.browser()
        mine.ask("GET", _printed(house))
        assert list(mine.client.cookies) == ["iotriage-session-8200"]


def test_keys_are_renewed_and_what_they_signed_holds(tmp_path: Path) -> None:
    now = [datetime.now(UTC)]
    keys = SigningKeys(tmp_path / "keys", (), lambda: now[0])
    first = keys.signed("a")
    assert stat.S_IMODE((tmp_path / "keys").stat().st_mode) == 0o600
    SigningKeys(tmp_path / "keys", (), lambda: now[0]).renew()
    second = keys.signed("a")
    assert first.rpartition(".")[2] != second.rpartition(".")[2]
    assert (keys.unsigned(first), keys.unsigned(second)) == ("a", "a")
    now[0] += RENEWED_AFTER + timedelta(hours=1)
    third = keys.signed("a")
    assert len((tmp_path / "keys").read_text().splitlines()) == 3
    assert keys.unsigned(second) == "a"
    now[0] += LONGEST_COOKIE + timedelta(days=1)
    keys.renew()
    assert keys.unsigned(first) is None
    assert keys.unsigned(third) == "a"


def test_given_keys_sign_with_the_newest_and_know_all(tmp_path: Path) -> None:
    def clock() -> datetime:
        return datetime.now(UTC)

    old = SigningKeys(tmp_path / "keys", ("one",), clock).signed("a")
    both = SigningKeys(tmp_path / "keys", ("one", "two"), clock)
    assert both.unsigned(old) == "a"
    assert SigningKeys(tmp_path / "keys", ("two",), clock).unsigned(both.signed("a")) == "a"
    assert SigningKeys(tmp_path / "keys", ("two",), clock).unsigned(old) is None
    assert not (tmp_path / "keys").exists()


def test_the_command_line_makes_lists_and_revokes_tokens(
    open_house: Open,
    database_url: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setenv("IOTRIAGE_DATA_DIR", str(tmp_path / "data"))
    monkeypatch.setenv("IOTRIAGE_DATABASE_URL", database_url)

    def say(*arguments: str, status: int = 0) -> str:
        with pytest.raises(SystemExit, match=str(status)):
            main(["access", *arguments])
        # Above it stand lines of the log of the server, which is of this process here.
        return (capsys.readouterr().out.splitlines() or [""])[-1]

    with open_house(access="local") as house:
        program = house.program(say("token", "bench", "--scope", "read"))
        assert program.ask("GET", "/api/v1/cases").status_code == 200
        assert program.ask("POST", "/api/v1/cases", json={}).json()["type"].endswith(":scope")
        listed = say("tokens")
        assert listed.split()[1] == "read"
        say("revoke", listed.split()[0])
        assert program.ask("GET", "/api/v1/cases").status_code == 401
        say("revoke", listed.split()[0], status=2)
        say("token", "x", "--person", "nobody", status=2)
        browser = house.browser()
        assert browser.ask("GET", say("open")).status_code == 303
        assert browser.ask("GET", "/api/v1/cases").status_code == 200
        say("renew-keys")
        assert browser.ask("GET", "/api/v1/cases").status_code == 200
        assert say("end", "local") == "log-ins ended: 1; tokens revoked: 0; links revoked: 0"
        assert browser.ask("GET", "/api/v1/cases").status_code == 401
