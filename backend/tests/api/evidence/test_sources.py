"""Sources over HTTP: given by their hash, whole, and within the limit."""

from __future__ import annotations

import hashlib
import resource
import threading
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta

import pytest

from ..conftest import Api

DATA = b"some bytes\n"
SHA = hashlib.sha256(DATA).hexdigest()
ADDRESS = f"/api/v1/sources/{SHA}"


@pytest.mark.every_database
def test_hash_first_then_the_body(api: Api) -> None:
    assert api.client.head(ADDRESS).status_code == 404
    assert api.client.get(ADDRESS).status_code == 404
    assert api.client.put(ADDRESS, content=DATA).status_code == 201
    assert api.client.head(ADDRESS).status_code == 200
    assert api.client.get(ADDRESS).json() == {"sha256": SHA, "size_bytes": len(DATA)}


def test_the_body_of_a_known_source_may_stay_away(api: Api) -> None:
    api.upload(DATA)
    answer = api.client.put(ADDRESS)
    assert (answer.status_code, answer.json()["size_bytes"]) == (200, len(DATA))


def test_other_bytes_than_announced_are_refused(api: Api) -> None:
    answer = api.client.put(ADDRESS, content=DATA[:-1])
    assert (answer.status_code, answer.json()["type"]) == (400, "urn:iotriage:problem:hash-mismatch")
    assert api.client.head(ADDRESS).status_code == 404


def test_an_empty_source_is_accepted(api: Api) -> None:
    assert api.client.put(f"/api/v1/sources/{hashlib.sha256(b'').hexdigest()}", content=b"").status_code == 201


@pytest.mark.parametrize("announce", [True, False])
def test_too_much_is_cut_off(start: Callable[..., object], announce: bool) -> None:
    sent = 0

    def chunks() -> Iterator[bytes]:
        nonlocal sent
        for _ in range(100):
            sent += 1
            yield b"x" * 100

    with start(upload_limit_bytes=1000) as api:
        # A body from a generator goes out in chunks, without a Content-Length.
        answer = api.client.put(ADDRESS, content=b"x" * 1001 if announce else chunks())
        assert (answer.status_code, answer.json()["type"]) == (413, "urn:iotriage:problem:too-large")
        assert "1,000 bytes" in answer.json()["detail"]
        assert list((api.services.folder.root / "incoming").iterdir()) == []
        exact = b"x" * 1000
        assert api.client.put(f"/api/v1/sources/{hashlib.sha256(exact).hexdigest()}", content=exact).status_code == 201


@pytest.mark.every_database
def test_the_same_source_uploaded_by_many_at_once(api: Api) -> None:
    data = bytes(range(256)) * 4000
    address = f"/api/v1/sources/{hashlib.sha256(data).hexdigest()}"
    statuses: list[int] = []
    threads = [
        threading.Thread(target=lambda: statuses.append(api.client.put(address, content=data).status_code))
        for _ in range(8)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert set(statuses) <= {200, 201}
    assert len(statuses) == 8
    assert api.client.get(address).json()["size_bytes"] == len(data)


def test_a_full_disk_is_said(api: Api) -> None:
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    data = b"x" * (9 * 2**20)
    address = f"/api/v1/sources/{hashlib.sha256(data).hexdigest()}"
    resource.setrlimit(resource.RLIMIT_FSIZE, (8 * 2**20, hard))
    try:
        answer = api.client.put(address, content=data)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    assert (answer.status_code, answer.json()["type"]) == (507, "urn:iotriage:problem:no-room")
    assert list((api.services.folder.root / "incoming").iterdir()) == []
    assert api.client.put(address, content=data).status_code == 201


@pytest.mark.parametrize("name", ["..%2f..%2fetc%2fpasswd", SHA.upper(), "0" * 63, "%00" * 64, "a" * 10_000])
def test_only_a_hash_is_an_address(api: Api, name: str) -> None:
    for method in ("GET", "PUT"):
        answer = api.client.request(method, f"/api/v1/sources/{name}")
        assert answer.status_code in (404, 405, 422)
        assert answer.headers["content-type"] == "application/problem+json"


class Watch:
    """A clock that stands until it is put forward."""

    def __init__(self) -> None:
        self.now = datetime.now(UTC)

    def __call__(self) -> datetime:
        return self.now

    def forward(self, hours: float) -> None:
        self.now += timedelta(hours=hours)


def bytes_are_here(api: Api, sha256: str) -> bool:
    return api.services.folder.path(sha256).is_file()


def test_an_upload_that_no_case_uses_goes_after_a_day(start: Callable[..., object]) -> None:
    watch = Watch()
    with start(clock=watch) as api:
        used = api.upload(b"of a case")
        case_id = api.case(("log", b"of a case"))
        api.upload(DATA)
        watch.forward(11.9)
        assert api.client.head(ADDRESS).status_code == 200
        watch.forward(12)
        api.services.worker.maintain()
        assert bytes_are_here(api, SHA)
        watch.forward(0.2)
        api.services.worker.maintain()
        assert not bytes_are_here(api, SHA)
        assert api.client.head(ADDRESS).status_code == 404
        assert api.client.head(f"/api/v1/sources/{used}").status_code == 200
        assert len(api.client.get(f"/api/v1/cases/{case_id}").json()["sources"]) == 1


def test_a_start_clears_away_too_and_by_its_own_setting(start: Callable[..., object]) -> None:
    watch = Watch()
    with start(clock=watch) as api:
        api.upload(DATA)
        watch.forward(23)
    with start(clock=watch) as api:
        api.settle()
        assert bytes_are_here(api, SHA)
    with start(clock=watch, keep_unused_hours=22) as api:
        api.settle()
        assert not bytes_are_here(api, SHA)


def test_an_upload_about_to_go_is_asked_for_again_and_then_stays_another_day(start: Callable[..., object]) -> None:
    watch = Watch()
    with start(clock=watch) as api:
        api.upload(DATA)
        watch.forward(12.1)
        assert api.client.head(ADDRESS).status_code == 404, "whoever asks now could be too late with the case"
        assert api.client.put(ADDRESS, content=DATA).status_code == 201
        assert api.client.head(ADDRESS).status_code == 200
        watch.forward(12.1)
        api.services.worker.maintain()
        assert bytes_are_here(api, SHA)


def test_what_is_half_written_and_does_not_arrive_goes(start: Callable[..., object]) -> None:
    with start() as api:
        leftover = api.services.folder.root / "incoming" / "tmpabc"
        leftover.write_bytes(b"half")
        api.services.worker.maintain()
        assert not leftover.exists()
