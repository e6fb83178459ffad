"""What every answer carries, whoever gives it, and what one client may ask."""

from __future__ import annotations

import hashlib
import json
import socket
from collections.abc import Callable

import pytest
import structlog
from pydantic import ValidationError

from iotriage.api.guard.clients import client_of
from iotriage.api.guard.headers import SECURITY_HEADERS
from iotriage.api.guard.rate_limiter import RateLimiter
from iotriage.settings import Settings

from ..conftest import Api
from ..real_server import RealServer


def test_an_endpoint_that_fails_is_answered_and_logged_under_one_id(api: Api, monkeypatch: pytest.MonkeyPatch) -> None:
    def fails() -> None:
        raise RuntimeError("a secret of the program")

    monkeypatch.setattr("iotriage.api.health.all_rules", fails)
    with structlog.testing.capture_logs(processors=[structlog.contextvars.merge_contextvars]) as events:
        answer = api.client.get("/api/v1/info")
    assert (answer.status_code, answer.headers["content-type"]) == (500, "application/problem+json")
    assert SECURITY_HEADERS.items() <= dict(answer.headers).items()
    assert "secret" not in answer.text
    failed = next(event for event in events if event["event"] == "request failed")
    assert failed["request_id"] == answer.headers["x-request-id"]
    assert answer.headers["x-request-id"] in answer.json()["detail"]
    assert [event["status"] for event in events if event["event"] == "request"] == [500]


@pytest.mark.parametrize("sent", [b"\x16\x03\x01 no HTTP\r\n\r\n", b"GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n"])
def test_what_is_no_request_is_answered_like_all_others(sent: bytes, server: RealServer) -> None:
    with socket.create_connection(("127.0.0.1", server.port)) as connection:
        connection.sendall(sent)
        said = b"".join(iter(lambda: connection.recv(4096), b""))
    head, _, body = said.partition(b"\r\n\r\n")
    headers = dict(line.lower().split(b": ", 1) for line in head.split(b"\r\n")[1:])
    assert head.startswith(b"HTTP/1.1 400 ")
    assert headers[b"content-type"] == b"application/problem+json"
    assert json.loads(body)["detail"]
    assert {
        name.encode(): value.lower().encode() for name, value in SECURITY_HEADERS.items()
    }.items() <= headers.items()
    server.wait_for_log(headers[b"x-request-id"].decode())


def test_an_upload_that_is_cut_off_is_a_line_in_the_log(server: RealServer) -> None:
    with socket.create_connection(("127.0.0.1", server.port)) as connection:
        head = f"PUT /api/v1/sources/{'0' * 64} HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 1000\r\n\r\n"
        connection.sendall(head.encode() + b"some")
    server.wait_for_log('"status": 499')


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({"origin": "http://evil.example"}, 403),
        ({"origin": "null"}, 403),
        ({"origin": "http://127.0.0.1:9999"}, 403),
        ({"origin": "http://127.0.0.1:8200"}, 422),
        ({"origin": "http://localhost:4443", "host": "localhost"}, 422),
        ({"origin": "http://evil.example", "sec-fetch-site": "same-origin"}, 422),
        ({}, 422),
    ],
)
def test_a_browser_without_sec_fetch_is_told_by_its_origin(api: Api, headers: dict[str, str], status: int) -> None:
    assert api.client.post("/api/v1/cases", json={"sources": []}, headers=headers).status_code == status


def test_an_allowance_comes_back_evenly_whatever_the_time_of_day_does() -> None:
    now = [1000.0]
    allowance = RateLimiter(3, 60, lambda: now[0])
    assert [allowance.take("a") for _ in range(4)] == [0, 0, 0, 20]
    assert allowance.take("b", 3) == 0
    assert allowance.take("c", 4) == 20
    now[0] += 20
    assert [allowance.take("a") for _ in range(2)] == [0, 20]


@pytest.mark.parametrize(
    ("address", "client"),
    [
        ("10.1.2.3", "10.1.2.3"),
        ("::ffff:10.1.2.3", "10.1.2.3"),
        ("2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"),
        ("no address", "no address"),
    ],
)
def test_who_a_client_is(address: str, client: str) -> None:
    assert client_of({"client": (address, 1)}) == client
    assert client_of({"client": None}) == "local"


def test_a_client_that_asks_too_much_is_told_when_to_come_back(start: Callable[..., object]) -> None:
    with start(client_requests_per_minute=3) as api:
        answers = [api.client.get("/api/v1/info") for _ in range(4)]
        assert [a.status_code for a in answers] == [200, 200, 200, 429]
        refused = answers[-1]
        assert int(refused.headers["retry-after"]) == 20
        assert "20 seconds" in refused.json()["detail"]
        assert SECURITY_HEADERS.items() <= dict(refused.headers).items()
        assert api.client.get("/").status_code == 200
        assert api.client.get("/healthz").status_code == 200


def test_a_forwarded_address_is_believed_of_listed_proxies_alone(start: Callable[..., object]) -> None:
    def asked(proxies: str, peer: str) -> list[int]:
        with start(client_requests_per_minute=1, trusted_proxies=proxies) as api:
            api.client._transport.client = (peer, 1)
            given = [f"10.0.0.{number}" for number in range(3)]
            return [api.client.get("/api/v1/info", headers={"x-forwarded-for": f}).status_code for f in given]

    assert asked("192.0.2.0/24, 2001:db8::/32", "192.0.2.7") == [200, 200, 200]
    assert asked("192.0.2.0/24", "198.51.100.1") == [200, 429, 429]
    assert asked("", "127.0.0.1") == [200, 429, 429]


def test_proxies_are_addresses() -> None:
    for wrong in ("*", "proxy.example.org"):
        with pytest.raises(ValidationError, match="trusted_proxies"):
            Settings(trusted_proxies=wrong)


def test_uploads_are_counted_for_each_client(start: Callable[..., object]) -> None:
    with start(client_upload_bytes_per_hour=100) as api:
        api.upload(b"a" * 60)
        refused = _put(api, b"b" * 60)
        assert refused.status_code == 429
        assert int(refused.headers["retry-after"]) > 0
        assert "100 bytes an hour" in refused.json()["detail"]
        # One that does not say its length is counted while it comes.
        assert _put(api, b"c" * 60, announce=False).status_code == 429
        # What is here already costs nothing.
        assert _put(api, b"a" * 60).status_code == 200


def test_one_client_cannot_fill_the_queue(start: Callable[..., object], monkeypatch: pytest.MonkeyPatch) -> None:
    with start(client_waiting_cases=2) as api:
        monkeypatch.setattr(api.services.worker, "submit", lambda *_: None)
        source = {"sha256": api.upload(b"x"), "name": "x"}
        answers = [api.client.post("/api/v1/cases", json={"sources": [source]}) for _ in range(3)]
        assert [a.status_code for a in answers] == [201, 201, 429]
        assert answers[-1].headers["retry-after"]
        assert "2 of your cases" in answers[-1].json()["detail"]


def test_what_is_stored_is_bounded_for_all_and_for_each(start: Callable[..., object]) -> None:
    with start(client_storage_bytes=100) as api:
        case = api.case(("a", b"a" * 80))
        refused = _put(api, b"b" * 30)
        assert (refused.status_code, refused.json()["title"]) == (413, "Your storage is used up")
        assert _put(api, b"b" * 30, announce=False).status_code == 413
        assert api.client.delete(f"/api/v1/cases/{case}").status_code == 204
        assert _put(api, b"b" * 30).status_code == 201
    with start(storage_bytes=50) as api:
        refused = _put(api, b"c" * 30)
        assert (refused.status_code, refused.headers["content-type"]) == (507, "application/problem+json")
        assert not list((api.services.folder.root / "incoming").iterdir())


def test_an_address_longer_than_any_file_is_refused(api: Api) -> None:
    for path, status in (("/" + "x" * 300, 400), ("/assets/" + "y" * 4000 + ".js", 404)):
        answer = api.client.get(path)
        assert (answer.status_code, answer.headers["content-type"]) == (status, "application/problem+json")


def _put(api: Api, data: bytes, announce: bool = True):
    content = data if announce else iter([data])
    return api.client.put(f"/api/v1/sources/{hashlib.sha256(data).hexdigest()}", content=content)
