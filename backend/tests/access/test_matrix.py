"""Every route of the application, asked by everybody: who gets in stands here by hand, and which route has which policy
is what the application says."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

import pytest
from fastapi import APIRouter
from sqlalchemy.orm import Session

from iotriage.access.person import Person
from iotriage.access.share_links import new_link
from iotriage.access.tokens import new_token
from iotriage.api.guard.policies import NoPolicyError, Policy, check_policies, policies
from iotriage.store.access_tables import CasePersonRow, TokenScope
from iotriage.store.tables import CaseRow

from .people import House, Somebody

IN, SIGN_IN, NOT_YOURS, HIDDEN = "in", 401, 403, 404

ALL_IN = dict.fromkeys(("nobody", "guest", "other", "owner", "given", "helpdesk", "admin"), IN)
READERS = {**ALL_IN, "nobody": SIGN_IN}
PEOPLE = {**READERS, "guest": SIGN_IN}
WHO_GETS_IN: dict[str, dict[str, str | int]] = {
    "anyone": ALL_IN,
    "reads": READERS,
    "reads-own": PEOPLE,
    "submits": PEOPLE,
    "reads-case": {**READERS, "other": HIDDEN},
    "reads-case-as-person": {**PEOPLE, "other": HIDDEN},
    "adds-to-case": {**PEOPLE, "other": HIDDEN},
    "changes-case": {**PEOPLE, "other": HIDDEN},
    "helpdesk-reads": {**PEOPLE, "other": NOT_YOURS, "owner": NOT_YOURS, "given": NOT_YOURS},
    "helpdesk-submits": {**PEOPLE, "other": NOT_YOURS, "owner": NOT_YOURS, "given": NOT_YOURS},
    "helps": {**PEOPLE, "other": NOT_YOURS, "owner": NOT_YOURS, "given": NOT_YOURS},
    "administers": {**PEOPLE, "other": NOT_YOURS, "owner": NOT_YOURS, "given": NOT_YOURS, "helpdesk": NOT_YOURS},
    "manages-own-access": PEOPLE,
    "manages-access": {**PEOPLE, "other": NOT_YOURS, "owner": NOT_YOURS, "given": NOT_YOURS, "helpdesk": NOT_YOURS},
}
TOKEN_NEEDED: dict[str, TokenScope | None] = {
    "reads": "read",
    "reads-own": "read",
    "submits": "submit",
    "reads-case": "read",
    "reads-case-as-person": "read",
    "adds-to-case": "submit",
    "changes-case": "full",
    "helpdesk-reads": "read",
    "helpdesk-submits": "submit",
    "helps": "full",
    "administers": "full",
    "manages-own-access": None,
    "manages-access": None,
}
OPEN_TO_ANYONE = {
    ("GET", "/healthz"),
    ("GET", "/api/v1/me"),
    ("GET", "/open/{code}"),
    ("GET", "/shared/{share}"),
    ("GET", "/sign-in"),
    ("GET", "/sign-in/return"),
    ("GET", "/{path:path}"),
    ("HEAD", "/{path:path}"),
}
CHANGING = {
    *("submits", "adds-to-case", "changes-case", "helpdesk-submits", "helps", "administers"),
    *("manages-own-access", "manages-access"),
}
"""The policies of routes that change something."""

REFUSALS = {"not-signed-in", "not-allowed", "read-only", "scope", "unknown-case"}
PARAMETERS = {"index": "0", "sha256": "0" * 64, "site_id": "archer2", "rule_id": "serial-io", "form": "plain"}


@dataclass(frozen=True)
class Case:
    id: str
    share: str


@pytest.fixture
def routes(house: House) -> list[tuple[str, str, Policy]]:
    return list(policies(house.app.routes))


def _new_case(house: House, case_id: str) -> Case:
    now = datetime.now(UTC)
    with house.services.database.writing() as session, session.begin():
        _insert(session, case_id, now)
        _, share = new_link(session, case_id, Person("owner", "Owner", "user"), now, timedelta(days=1))
    return Case(case_id, share)


def _insert(session: Session, case_id: str, now: datetime) -> None:
    # One that has failed is not read again.
    session.add(CaseRow(id=case_id, created_at=now, status="failed", title="job", owner="owner"))
    session.flush()
    session.add(CasePersonRow(case_id=case_id, person="given"))


def _everybody(house: House, case: Case) -> Iterator[tuple[str, Somebody]]:
    yield "nobody", house.browser()
    guest = house.browser()
    assert guest.ask("GET", f"/shared/{case.share}").status_code == 303
    yield "guest", guest
    for name in ("other", "owner", "given"):
        yield name, house.person(name)
    yield "helpdesk", house.person("hilda", "helpdesk")
    yield "admin", house.person("ada", "admin")


def _asked(somebody: Somebody, method: str, path: str, case: Case) -> tuple[int, str]:
    """Status, and which refusal of a policy's it is, if any."""
    filled = path.replace("{path:path}", "nowhere").format_map(_Filled({**PARAMETERS, "case_id": case.id}))
    query = f"?cases={case.id}" if path.endswith("/compare") else ""
    answer = somebody.ask(method, filled + query, **({"json": {}} if method in ("POST", "PATCH") else {}))
    if method == "HEAD":
        # It has no body; all of these are of policies.
        return answer.status_code, {401: "not-signed-in", 403: "scope"}.get(answer.status_code, "")
    problem = "problem+json" in answer.headers.get("content-type", "")
    kind = answer.json()["type"].rpartition(":")[2] if problem and answer.content else ""
    return answer.status_code, kind if kind in REFUSALS else ""


class _Filled(dict[str, str]):
    def __missing__(self, key: str) -> str:
        return "a" * 16


def test_every_role_at_every_route(house: House, routes: list[tuple[str, str, Policy]]) -> None:
    case = _new_case(house, "a" * 16)
    wrong, asked = [], 0
    for who, somebody in _everybody(house, case):
        for number, (method, path, policy) in enumerate(routes):
            its = case
            if method == "DELETE" and WHO_GETS_IN[policy.name][who] == IN:
                # What is deleted is another's that this one may delete as well.
                its = _new_case(house, f"{who}{number}".rjust(16, "b"))
            status, refusal = _asked(somebody, method, path, its)
            expected = WHO_GETS_IN[policy.name][who]
            asked += 1
            if not (_got_in(refusal, who) if expected == IN else refusal != "" and status == expected):
                wrong.append((who, method, path, status, refusal))
    assert wrong == []
    assert asked == len(routes) * len(ALL_IN) > 300


def _got_in(refusal: str, who: str) -> bool:
    """To who sees all cases it is an endpoint, and no policy, that says that there is none."""
    return refusal == "" or (refusal == "unknown-case" and who in ("helpdesk", "admin"))


def test_every_scope_at_every_route(house: House, routes: list[tuple[str, str, Policy]]) -> None:
    """Tokens of an administrator, who may all: what they may not is for the scope."""
    case = _new_case(house, "a" * 16)
    assert house.person("ada", "admin").ask("GET", "/api/v1/samples").status_code == 200
    now, wrong = datetime.now(UTC), []
    scopes: tuple[TokenScope, ...] = ("read", "submit", "full")
    for mine, scope in enumerate(scopes):
        with house.services.database.writing() as session, session.begin():
            _, token = new_token(session, Person("ada", "Ada", "admin"), scope, scope, now, timedelta(days=1))
        program = house.program(token)
        for method, path, policy in routes:
            needed = TOKEN_NEEDED.get(policy.name, "read")
            may = needed is not None and scopes.index(needed) <= mine
            if may and method == "DELETE":
                continue
            if (_asked(program, method, path, case)[1] == "scope") is may:
                wrong.append((scope, method, path))
    assert wrong == []


def test_what_anyone_may_is_listed_and_what_changes_something_needs_more_than_to_read(
    routes: list[tuple[str, str, Policy]],
) -> None:
    assert {(method, path) for method, path, policy in routes if policy.name == "anyone"} == OPEN_TO_ANYONE
    unsafe = [(m, path, p) for m, path, p in routes if m not in ("GET", "HEAD")]
    assert [(m, path) for m, path, p in unsafe if p.name not in CHANGING] == []
    of_cases = [(m, path, p) for m, path, p in routes if "{case_id}" in path]
    assert len(of_cases) > 20
    assert [path for _, path, p in of_cases if p.of_case is None and p.who not in ("helpdesk", "admin")] == []


def test_a_route_without_a_policy_is_not_served() -> None:
    router = APIRouter()

    @router.get("/new")
    def new() -> None:
        """Whoever adds it forgot to say who may."""

    with pytest.raises(NoPolicyError, match="/new states 0 policies"):
        check_policies(router.routes)
