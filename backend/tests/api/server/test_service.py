"""What the service says of itself, and what every answer carries."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
import structlog
from fastapi import FastAPI
from starlette.testclient import TestClient

from iotriage.api.app import create_app
from iotriage.api.guard.bodies import LARGEST_BODY_BYTES
from iotriage.api.guard.hosts import host_name
from iotriage.api.page.frontend import frontend_router
from iotriage.api.prefix import PathPrefix
from iotriage.api.problems import install_problem_handlers
from iotriage.api.requests import LARGEST_CASE_SOURCES
from iotriage.confinement.report import available
from iotriage.rules import all_rules
from iotriage.settings import Settings
from iotriage.sites import all_sites

from ..conftest import SAMPLE_LOGS, Api


def test_what_the_service_is(api: Api) -> None:
    info = api.client.get("/api/v1/info").json()
    assert info["rules"] == len(all_rules())
    assert [s["id"] for s in info["sites"]] == list(all_sites())
    assert info["upload_limit_bytes"] == api.services.settings.upload_limit_bytes


def test_health_says_how_readers_are_confined(api: Api) -> None:
    health = api.client.get("/healthz").json()
    found = available()
    assert health["status"] == "ok"
    assert health["holds_strangers"] is found.holds_strangers
    assert [(layer["name"], layer["in_force"], layer["says"]) for layer in health["confinement"]] == [
        (layer.name, layer.in_force, layer.says) for layer in found.layers
    ]


def test_every_rule_and_site_has_its_own_address(api: Api) -> None:
    rules = api.client.get("/api/v1/rules").json()
    assert {rule["id"] for rule in rules} == set(all_rules())
    for rule in rules:
        assert api.client.get(f"/api/v1/rules/{rule['id']}").json() == rule
        assert rule["page"].strip()
        assert {c["document"] for c in rule["citations"]} <= {d["key"] for d in rule["documents"]} | {"project"}
    for site in api.client.get("/api/v1/sites").json():
        assert api.client.get(f"/api/v1/sites/{site['id']}").json() == site
    assert api.client.get("/api/v1/rules/nobody").status_code == 404
    assert api.client.get("/api/v1/sites/nowhere").status_code == 404


def test_every_answer_has_the_security_headers(api: Api) -> None:
    """And nobody on the way keeps what is answered: of the page's own files alone it is said that they may be kept."""
    case = api.case(("job.txt", b"no log\n"))
    for kept, path in ((True, "/"), (False, f"/api/v1/cases/{case}"), (False, f"/api/v1/cases/{case}/export/json")):
        assert (api.client.get(path).headers["cache-control"] != "no-store") is kept
    assert api.client.get(f"/api/v1/cases/{'a' * 16}").headers["cache-control"] == "no-store"
    for path in ("/", "/healthz", "/api/v1/info", "/api/v1/nothing", "/api/v1/sources/x"):
        headers = api.client.get(path).headers
        assert "default-src 'none'" in headers["content-security-policy"]
        assert "frame-ancestors 'none'" in headers["content-security-policy"]
        assert headers["x-content-type-options"] == "nosniff"
        assert headers["referrer-policy"] == "no-referrer"
        assert "access-control-allow-origin" not in headers


@pytest.mark.parametrize("host", ["evil.example", "evil.example:8200", "127.0.0.1.evil.example", "", "[::2]:8200"])
def test_a_foreign_host_is_refused(api: Api, host: str) -> None:
    answer = api.client.get("/api/v1/info", headers={"host": host})
    assert (answer.status_code, answer.headers["content-type"]) == (421, "application/problem+json")


@pytest.mark.parametrize("host", ["localhost", "LOCALHOST:1", "127.0.0.1", "[::1]:8200"])
def test_the_own_machine_is_answered(api: Api, host: str) -> None:
    assert api.client.get("/api/v1/info", headers={"host": host}).status_code == 200


def test_a_host_that_is_allowed(start: Callable[..., object]) -> None:
    with start(allowed_hosts="io.example.org, other") as api:
        assert api.client.get("/healthz", headers={"host": "io.example.org:443"}).status_code == 200
        assert api.client.get("/healthz", headers={"host": "third"}).status_code == 421
    with start(allowed_hosts="*") as api:
        assert api.client.get("/healthz", headers={"host": "third"}).status_code == 200


@pytest.mark.parametrize(
    ("header", "name"), [("a.b:80", "a.b"), ("[::1]:80", "::1"), ("[::1]", "::1"), ("A", "a"), ("", ""), ("[x", "x")]
)
def test_the_name_in_a_host_header(header: str, name: str) -> None:
    assert host_name(header) == name


def test_another_sites_page_changes_nothing(api: Api) -> None:
    case_id = api.case(("x", b"y"))
    for foreign in ("cross-site", "same-site"):
        headers = {"sec-fetch-site": foreign}
        assert api.client.delete(f"/api/v1/cases/{case_id}", headers=headers).status_code == 403
    # What a form of another page can send without asking first.
    plain = api.client.post("/api/v1/cases", content='{"sources": []}', headers={"content-type": "text/plain"})
    assert plain.status_code == 422
    assert api.client.get(f"/api/v1/cases/{case_id}").status_code == 200


@pytest.mark.parametrize("announce", [True, False])
def test_a_body_that_would_fill_the_memory_is_cut_off(api: Api, announce: bool) -> None:
    def chunks() -> Iterator[bytes]:
        for _ in range(64):
            yield b" " * 2**20

    content = b" " * (LARGEST_BODY_BYTES + 1) if announce else chunks()
    answer = api.client.post("/api/v1/cases", content=content, headers={"content-type": "application/json"})
    assert (answer.status_code, answer.headers["content-type"]) == (413, "application/problem+json")


def test_the_largest_case_fits_into_a_body(api: Api) -> None:
    sources = [{"sha256": f"{number:064x}", "name": "é" * 1024} for number in range(LARGEST_CASE_SOURCES)]
    answer = api.client.post("/api/v1/cases", json={"sources": sources})
    assert answer.json()["type"].endswith(":unknown-source")


def test_what_a_terminal_obeys_does_not_reach_the_log(api: Api) -> None:
    with structlog.testing.capture_logs() as events:
        api.client.get("/api/v1/%1b%0aforged")
    assert [event["path"] for event in events] == ["/api/v1/%1b%0aforged"]


def test_large_answers_are_compressed(api: Api) -> None:
    answer = api.client.get("/api/v1/rules", headers={"accept-encoding": "gzip"})
    assert answer.headers["content-encoding"] == "gzip"
    assert len(answer.json()) == len(all_rules())


def test_what_does_not_exist_is_a_problem(api: Api) -> None:
    for path in ("/api/v1/nothing", "/api", "/api/v2/cases"):
        answer = api.client.get(path)
        assert (answer.status_code, answer.headers["content-type"]) == (404, "application/problem+json")
    for method in ("POST", "DELETE"):
        assert api.client.request(method, "/api/v1/nothing").status_code == 404


@pytest.mark.parametrize(
    ("method", "path", "allowed"),
    [
        ("PUT", "info", "GET, HEAD"),
        ("GET", "tickets", "POST"),
        ("HEAD", "tickets", "POST"),
        ("PUT", "cases/none", "DELETE, GET, HEAD, PATCH"),
        ("POST", "tickets/1/notes/1", "PATCH"),
    ],
)
def test_an_address_says_which_methods_it_has(api: Api, method: str, path: str, allowed: str) -> None:
    answer = api.client.request(method, f"/api/v1/{path}")
    assert (answer.status_code, answer.headers["allow"]) == (405, allowed)
    assert method == "HEAD" or answer.json()["detail"] == f"/api/v1/{path} has no {method}: it has {allowed}."


@pytest.mark.parametrize("path", ["/", "/metrics", "/sign-in", "/open/code", "/cases/none", "/healthz"])
def test_what_is_no_address_of_the_api_is_an_address_all_the_same(api: Api, path: str) -> None:
    answer = api.client.post(path)
    assert (answer.status_code, answer.headers["allow"]) == (405, "GET, HEAD")
    assert answer.json()["detail"] == f"{path} has no POST: it has GET, HEAD."


def test_an_unknown_default_site_is_refused_at_start() -> None:
    with pytest.raises(ValueError, match="IOTRIAGE_SITE"):
        create_app(Settings(site="mars"))


def test_a_prefix_may_be_taken_off_by_the_proxy_or_not(start: Callable[..., object]) -> None:
    with start(root_path="iotriage/") as api:
        for path in ("/iotriage/api/v1/info", "/api/v1/info"):
            assert api.client.get(path).status_code == 200
        assert api.client.get("/iotriage/api/v1/nothing").headers["content-type"] == "application/problem+json"


def test_the_samples_are_loaded_once(start: Callable[..., object]) -> None:
    with start(samples_dir=SAMPLE_LOGS) as api:
        api.settle()
        first = api.client.get("/api/v1/samples").json()
        assert len(first) >= 7
        for sample in first:
            assert sample["status"] == "ready"
            assert sample["headline"]
            assert sample["evidence"]
        assert all(c["sample"] for c in api.client.get("/api/v1/cases").json()["cases"])
    with start(samples_dir=SAMPLE_LOGS) as api:
        api.settle()
        assert api.client.get("/api/v1/samples").json() == first


def test_samples_that_the_showcase_no_longer_has_go(start: Callable[..., object], tmp_path: Path) -> None:
    folder = tmp_path / "showcase"
    folder.mkdir()
    (folder / "a.txt").write_text("no log")

    def showcase(*titles: str) -> None:
        entries = [f'[[case]]\ntitle = "{title}"\nsources = ["*.txt"]\n' for title in titles]
        (folder / "showcase.toml").write_text("\n".join(entries))

    def titles() -> list[str]:
        with start(samples_dir=folder) as api:
            api.settle()
            return [s["title"] for s in api.client.get("/api/v1/samples").json()]

    showcase("one", "two")
    assert titles() == ["one", "two"]
    showcase("two", "three")
    assert sorted(titles()) == ["three", "two"]
    (folder / "showcase.toml").write_text("case = 7")
    assert titles() == []


@pytest.fixture
def page(tmp_path: Path) -> TestClient:
    web = tmp_path / "web"
    (web / "assets").mkdir(parents=True)
    (web / "index.html").write_text('<head><base href="/" /></head>the page')
    (web / "favicon.svg").write_text("<svg/>")
    (web / "assets" / "index-abc123.js").write_text("let a")
    (tmp_path / "secret.txt").write_text("secret")
    app = FastAPI()
    app.add_middleware(PathPrefix, prefix="/io&triage")
    install_problem_handlers(app)
    app.include_router(frontend_router(web))
    return TestClient(app, base_url="http://localhost")


@pytest.mark.parametrize("path", ["/", "/cases/abc", "/rules/single-aggregator", "/index.html", "/no/such.thing"])
def test_every_address_of_the_page_is_the_page(page: TestClient, path: str) -> None:
    answer = page.get(path)
    assert answer.status_code == 200
    assert '<base href="/io&amp;triage/" />' in answer.text
    assert answer.headers["cache-control"] == "no-cache"


def test_assets_never_change_and_never_turn_into_the_page(page: TestClient) -> None:
    assert "immutable" in page.get("/assets/index-abc123.js").headers["cache-control"]
    assert page.get("/favicon.svg").headers["cache-control"] == "no-cache"
    assert page.get("/assets/index-old.js").status_code == 404


def test_assets_are_answered_as_the_browser_takes_them_also_once_the_page_is_built_again(
    page: TestClient, tmp_path: Path
) -> None:
    plain = page.get("/assets/index-abc123.js", headers={"accept-encoding": "identity"})
    assert (plain.text, plain.headers["content-type"]) == ("let a", "text/javascript; charset=utf-8")
    assert "content-encoding" not in plain.headers
    (tmp_path / "web" / "assets" / "index-abc123.js").unlink()
    gzipped = page.get("/assets/index-abc123.js", headers={"accept-encoding": "gzip, br"})
    assert (gzipped.text, gzipped.headers["content-encoding"]) == ("let a", "gzip")
    assert gzipped.headers["vary"].lower() == "accept-encoding"


@pytest.mark.parametrize("path", ["/../secret.txt", "/..%2fsecret.txt", "/assets/..%2f..%2fsecret.txt", "/%00"])
def test_nothing_outside_the_built_page_is_served(page: TestClient, path: str) -> None:
    assert "secret" not in page.get(path).text
