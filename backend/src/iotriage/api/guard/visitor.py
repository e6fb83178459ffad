"""Who is there: somebody who logged in, a program with a token, somebody who opened share links, or nobody."""

from __future__ import annotations

from typing import Annotated, Literal

from fastapi import Depends, Request
from starlette.concurrency import run_in_threadpool

from iotriage.access.person import LOCAL, Person
from iotriage.access.roles import RoleRules, role_of
from iotriage.access.sessions import person_of_session
from iotriage.access.share_links import linked_cases
from iotriage.access.tokens import PREFIX, note_first_use, validate_token
from iotriage.api.guard.cookies import opened_shares, session_cookie
from iotriage.api.guard.identity import Identity, identity_of
from iotriage.api.problems import ProblemError
from iotriage.api.services import Here, Services
from iotriage.settings import Settings
from iotriage.store.access_tables import TokenScope
from iotriage_parsers.frozen import frozen

By = Literal["loopback", "proxy", "session", "token", "nothing"]

_BEARER = f"bearer {PREFIX}"


@frozen
class Visitor:
    """`by` is what says who it is; `scope` what a token may, everything where there is none; `shared` the cases that
    opened share links show, where the person would not see all of them anyhow."""

    person: Person | None
    by: By
    scope: TokenScope = "full"
    shared: frozenset[str] = frozenset()


async def _visitor(request: Request, services: Here) -> Visitor:
    shown_token = request.headers.get("authorization", "")
    if shown_token.lower().startswith(_BEARER):
        return await run_in_threadpool(_with_token, services, shown_token[len("bearer ") :])
    settings, identity = services.settings, identity_of(request.scope)
    if settings.access == "local" and settings.open_loopback:
        return Visitor(LOCAL, "loopback")
    person = _person_of(settings, identity) if settings.access == "proxy" and identity is not None else None
    if person is not None and not services.gate.has_noted(person):
        await run_in_threadpool(services.gate.note, person)
    cookie = session_cookie(request) if settings.access != "proxy" else None
    shares = opened_shares(request)
    if cookie is None and (not shares or (person is not None and person.sees_every_case)):
        return Visitor(person, "proxy" if person else "nothing")
    return await run_in_threadpool(_with_cookies, services, person, cookie, shares)


Visiting = Annotated[Visitor, Depends(_visitor)]


def rules_of(settings: Settings) -> RoleRules:
    return RoleRules(
        frozenset(settings.administrators),
        frozenset(settings.admin_groups),
        frozenset(settings.helpdesk_groups),
        frozenset(settings.user_groups),
    )


_HOW_TO_SIGN_IN = {
    "local": "Open the address that `iotriage serve` printed, or one that `iotriage access open` prints.",
    "proxy": "Log in at the proxy in front of this server.",
    "oidc": "Log in.",
}


def not_signed_in(services: Services) -> ProblemError:
    detail = f"{_HOW_TO_SIGN_IN[services.settings.access]} A program shows a token."
    return ProblemError(401, "not-signed-in", "This server does not know who you are", detail)


def not_let_in() -> ProblemError:
    detail = "You are logged in, and in none of the groups that may use this service: ask whoever runs it."
    return ProblemError(403, "not-let-in", "You may not use this service", detail)


def _person_of(settings: Settings, identity: Identity) -> Person:
    role = role_of(rules_of(settings), identity.person, identity.groups)
    if role is None:
        raise not_let_in()
    return Person(identity.person, identity.name, role)


def _with_token(services: Services, token: str) -> Visitor:
    with services.database.reading() as session:
        found = validate_token(session, token, services.gate.clock())
    if found is None:
        detail = "The token is not one of this server's, has ended, or was revoked."
        raise ProblemError(401, "bad-token", "The token does not open anything", detail)
    if not found.used:
        with services.database.writing() as session, session.begin():
            note_first_use(session, found, services.gate.clock())
    return Visitor(found.person, "token", found.scope)


def _with_cookies(services: Services, person: Person | None, cookie: str | None, shares: tuple[str, ...]) -> Visitor:
    secret = services.gate.keys.unsigned(cookie) if cookie else None
    now = services.gate.clock()
    with services.database.reading() as session:
        who = person_of_session(session, secret, now) if secret else person
        if who is not None and who.sees_every_case:
            shares = ()
        shared = linked_cases(session, shares, now) if shares else frozenset()
    by: By = "nothing" if who is None else "proxy" if who is person else "session"
    return Visitor(who, by, shared=shared)
