"""Whatever a user, or who opened a link of another case, asks by any route: nothing of a case that is not theirs to see
is answered, and nothing of it is changed."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass

from darshan_writer import Counters, Job, Log, build, record_id
from httpx2 import Response
from starlette.applications import Starlette

from iotriage.api.guard.policies import policies

from ...reports.planted import SCRIPT, STATS, planted_log
from ..conftest import PROXY, Api, Start, as_person
from ..page_of_one_file import content

NAMES = ("zquser", "zqproject", "zqout_", "zqsolver", "zqjob", "zqsubject", "zqnote", "zqreason", "zqview", "zqtoken")
"""What alice and the helpdesk wrote, and no id spells by chance."""

ALICES = (("zqjob.darshan", planted_log()), ("zqjob.sh", SCRIPT), ("zqjob.err", STATS))
ASKED = {
    "path": "/lustre/zqproject/zquser/zqout_0000.h5",
    "module": "POSIX",
    "record": str(record_id("/lustre/zqproject/zquser/zqout_0000.h5")),
    "first": "1",
    "last": "20",
    "layer": "POSIX",
    "name": "measured-here",
    "mount": "/measured",
    "words": "zq",
    "user": "1000",
}
ECHOED = ("/files/detail",)
"""What says the path that it was asked for, and the path alone."""


def _like_alices() -> bytes:
    """A log of the same job of the same user, by another program on other files."""
    path = "/lustre/other/mine.h5"
    row = {"id": record_id(path), "rank": -1, "POSIX_OPENS": 512, "POSIX_WRITES": 400_000}
    more = {"POSIX_BYTES_WRITTEN": 40_000_000, "POSIX_SIZE_WRITE_100_1K": 400_000, "POSIX_F_WRITE_TIME": 9000.0}
    job = Job(job_id=98765432, exe="/bin/other", nprocs=512)
    return build(Log(job=job, names={record_id(path): path}, modules=(Counters.of("POSIX", {**row, **more}),)))


@dataclass(frozen=True)
class Known:
    """What an attacker may have guessed or been told: ids, which open nothing."""

    ids: dict[str, str]
    case: str
    sha256: str
    ticket: str

    def body(self, path: str) -> dict[str, object]:
        """What the route is asked to do with alice's."""
        sources = [{"sha256": self.sha256, "name": "x"}]
        entries = [{"case": self.case}, {"ticket": int(self.ticket)}]
        bodies: dict[str, dict[str, object]] = {
            "/api/v1/cases": {"sources": sources},
            "/api/v1/cases/{case_id}": {"site": "archer2"},
            "/api/v1/cases/{case_id}/sources": {"sources": sources},
            "/api/v1/cases/{case_id}/join": {"case": self.case},
            "/api/v1/cases/{case_id}/ticket": {"ticket": self.ticket},
            "/api/v1/tickets": {"cases": [self.case]},
            "/api/v1/tickets/{ticket_id}/cases": {"case": self.case},
            "/api/v1/tickets/{ticket_id}/notes": {"text": "mine"},
            "/api/v1/queue/actions": {"entries": entries, "status": "closed"},
        }
        return bodies.get(path, {})


def _answers(by: Api, known: Known, case: str, only_of_cases: bool) -> Iterator[tuple[str, Response]]:
    """Of every route, asked for this case and everything else of alice's."""
    assert isinstance(by.client.app, Starlette)
    for method, path, _ in policies(by.client.app.routes):
        of_cases = "{case_id}" in path or path.endswith("/compare")
        if only_of_cases and (not of_cases or method == "DELETE"):
            continue
        named = _Filled({**known.ids, "case_id": case})
        address = path.replace("{path:path}", f"cases/{known.case}").format_map(named)
        asked = {**ASKED, "cases": known.case if case == known.case else f"{case},{known.case}"}
        changing = {"json": known.body(path)} if method in ("POST", "PUT", "PATCH") else {}
        yield (
            f"{method} {path}",
            by.client.request(method, address, params=asked, follow_redirects=False, **changing),
        )


class _Filled(dict[str, str]):
    def __missing__(self, key: str) -> str:
        return "1"


def _names_in(answer: Response, route: str) -> list[str]:
    text = content(answer.text) if 'id="answers"' in answer.text else answer.text
    said = f"{text} {answer.headers}".lower()
    if route.endswith(ECHOED):
        said = said.replace(ASKED["path"], "")
    return [name for name in NAMES if name in said]


def _planted(alice: Api, hilda: Api) -> Known:
    """A case, with all that a helpdesk and its owner may add to one."""
    case = alice.case(*ALICES)
    alice.settle()
    made = hilda.client.post(
        "/api/v1/tickets", json={"cases": [case], "subject": "zqsubject", "reference": "RT-1", "note": "zqnote"}
    ).json()
    decided = {"version": made["version"], "verdict": "helped", "rules": ["small-io"], "reason": "zqreason"}
    assert hilda.client.patch(f"/api/v1/tickets/{made['id']}/outcome", json=decided).status_code == 200
    view = hilda.client.post("/api/v1/queue/views", json={"name": "zqview", "shared": True}).json()
    link = alice.client.post(f"/api/v1/cases/{case}/links", json={}).json()["view"]
    token = alice.client.post("/api/v1/tokens", json={"name": "zqtoken"}).json()["view"]
    sha256 = hashlib.sha256(ALICES[0][1]).hexdigest()
    ids = {
        "sha256": sha256,
        "index": "0",
        "ticket_id": str(made["id"]),
        "note_id": str(made["notes"][0]["id"]),
        "view_id": str(view["id"]),
        "link_id": link["id"],
        "token_id": token["id"],
        "person_id": "alice",
        "rule_id": "small-io",
        "site_id": "archer2",
        "form": "json",
        "kind": "cases",
    }
    return Known(ids, case, sha256, str(made["id"]))


def test_neither_another_user_nor_a_guest_gets_anything_of_a_case_by_any_route(start: Start) -> None:
    with start(**PROXY) as opened:
        alice, mallory, hilda = (as_person(opened, *who) for who in (("alice",), ("mallory",), ("hilda", "support")))
        known = _planted(alice, hilda)
        own = mallory.case(("own.darshan", _like_alices()))
        mallory.settle()
        guest = as_person(opened, "")
        shared = mallory.client.post(f"/api/v1/cases/{own}/links", json={}).json()["url"]
        assert guest.client.get(shared, follow_redirects=False).status_code == 303
        before = [alice.client.get(f"/api/v1/cases/{known.case}").json()["sources"], _tickets(hilda)]

        found, statuses = [], set()
        for who, by in (("mallory", mallory), ("guest", guest)):
            for case in (known.case, own):
                for route, answer in _answers(by, known, case, only_of_cases=case == own):
                    found += [(who, case == own, route, name) for name in _names_in(answer, route)]
                    if case == known.case and "{case_id}" in route:
                        statuses.add(answer.status_code)
        assert found == []
        assert statuses == {401, 403, 404}

        # Nothing of hers was changed; and she is answered what they were not.
        assert [alice.client.get(f"/api/v1/cases/{known.case}").json()["sources"], _tickets(hilda)] == before
        hers = [(route, answer) for route, answer in _answers(alice, known, known.case, True) if "GET" in route]
        assert sum(bool(_names_in(answer, route)) for route, answer in hers) > 10


def _tickets(hilda: Api) -> list[object]:
    return [hilda.client.get(f"/api/v1/tickets/{entry['ticket']}").json() for entry in _entries(hilda)]


def _entries(hilda: Api) -> list[dict[str, int]]:
    found = hilda.client.get("/api/v1/queue").json()["entries"]
    return [entry for entry in found if entry["ticket"] is not None]
