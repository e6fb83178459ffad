"""A share link that was made without names: whatever whoever has it asks, no name is in the answer."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from httpx2 import Response
from starlette.applications import Starlette

from iotriage.access.share_links import revoke_link
from iotriage.api.guard.policies import policies

from ...reports.planted import PLANTED, SCRIPT, STATS, planted_log
from ..conftest import Api, Start
from ..page_of_one_file import content

NAMES = ("zquser", "zqproject", "zqout_", "zqsolver", "zqjob.sh", "98765432")
"""Which none of the page's own bytes spell by chance."""
SOURCES = (("zquser_98765432.darshan", planted_log()), ("zqjob.sh", SCRIPT), ("98765432.err", STATS))


@dataclass(frozen=True)
class Link:
    path: str
    id: str


def _link(api: Api, case: str, **asked: object) -> Link:
    made = api.client.post(f"/api/v1/cases/{case}/links", json=asked)
    assert made.status_code == 201, made.text
    assert made.json()["view"]["without_names"] is asked.get("without_names", False)
    return Link(made.json()["url"].removeprefix("http://127.0.0.1:8200"), made.json()["view"]["id"])


class _Filled(dict[str, str]):
    def __missing__(self, key: str) -> str:
        return "1"


def _answers(api: Api, case: str, share: str) -> Iterator[tuple[str, Response]]:
    """Of every address that may be looked at, asked for this case and its first source."""
    assert isinstance(api.client.app, Starlette)
    named = _Filled(case_id=case, index="0", share=share, form="json", site_id="archer2", rule_id="small-io")
    for method, path, _ in policies(api.client.app.routes):
        if method == "GET":
            address = path.replace("{path:path}", f"cases/{case}").format_map(named)
            yield address, api.client.get(address, params={"cases": case}, follow_redirects=False)


def _said(answer: Response) -> str:
    text = content(answer.text) if 'id="answers"' in answer.text else answer.text
    return f"{text} {answer.headers}".lower()


def _paths(answer: Response) -> set[str]:
    return set(re.findall(r'"path":"(/lustre/[^"]+)"', content(answer.text)))


def test_shows_one_page_without_names_and_opens_nothing_else(start: Start) -> None:
    with start() as api:
        case = api.case(*SOURCES)
        hidden, other = (_link(api, case, without_names=True) for _ in range(2))
        naming = _link(api, case)
        api.settle()
        document = api.client.get(f"/api/v1/cases/{case}").json()["document"]
    secret = hidden.path.rpartition("/")[2]
    names = (*NAMES, *(source["sha256"] for source in document["sources"]))
    with start(open_loopback=False) as api:
        page = api.client.get(hidden.path, follow_redirects=False)
        assert (page.status_code, page.headers["cache-control"]) == (200, "no-store")
        assert "set-cookie" not in page.headers
        assert document["headline"]["sentence"] in content(page.text)
        # Nor by a cookie that somebody writes.
        api.client.cookies.set("iotriage-shares-8200", secret)
        found = [(address, answer.status_code, _said(answer)) for address, answer in _answers(api, case, secret)]
        assert [(at, name) for at, _, said in found for name in names if name in said] == []
        of_case = [status for at, status, _ in found if f"api/v1/cases/{case}" in at]
        assert len(of_case) > 20
        assert set(of_case) == {401}

        # Each time the same names, and by another link others.
        first, again, others = (_paths(api.client.get(link.path)) for link in (hidden, hidden, other))
        assert first
        assert first == again
        assert first.isdisjoint(others)
        with api.services.database.writing() as session, session.begin():
            assert revoke_link(session, case, hidden.id, api.services.gate.clock())
        assert api.client.get(hidden.path).status_code == 404
        api.client.get(naming.path)
        told = api.client.get(f"/api/v1/cases/{case}").text.lower()
        assert [name for name in names if name not in told] == []


def test_of_a_case_without_a_document_says_that_it_cannot_be_shown(start: Start) -> None:
    with start() as api:
        case = api.case(("zquser.txt", b"zq is nothing that is known here"))
        link = _link(api, case, without_names=True)
        api.settle()
        answer = api.client.get(link.path)
    assert (answer.status_code, PLANTED.search(answer.text)) == (503, None)
    assert "cannot be shown at the moment" in answer.text
