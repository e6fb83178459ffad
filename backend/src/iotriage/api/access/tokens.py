"""API tokens, and what an administrator ends."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Annotated

from fastapi import Path
from pydantic import Field

from iotriage.access.people import all_people, as_person, known_person, remember
from iotriage.access.person import Role
from iotriage.access.sessions import end_sessions
from iotriage.access.share_links import revoke_links_of
from iotriage.access.tokens import LONGEST, new_token, revoke_token, revoke_tokens, tokens_of
from iotriage.api.guard.current_person import CurrentPerson
from iotriage.api.guard.policies import MANAGES_ACCESS, MANAGES_OWN_ACCESS
from iotriage.api.problems import not_found
from iotriage.api.requests import RequestBody
from iotriage.api.routers import api_router
from iotriage.api.services import Here, ReadSession
from iotriage.store.access_tables import ApiTokenRow, TokenScope
from iotriage.store.audit import add_audit_detail
from iotriage_parsers.frozen import frozen

router = api_router(tag="access")

TokenId = Annotated[str, Path(description="The token's id, which is not the token.", pattern="^[a-z2-7]{16}$")]
PersonId = Annotated[str, Path(description="A person's id, as the log-in has it.", max_length=255)]


class TokenRequest(RequestBody):
    """`name` says what it is for. Scope "read" looks; "submit" also gives sources and makes cases; "full" may all that
    the person may, but for log-ins and tokens."""

    name: str = Field(min_length=1, max_length=200)
    scope: TokenScope = "submit"
    days: int = Field(default=90, ge=1, le=LONGEST.days)


@frozen
class TokenView:
    """`used_at` is when it was first shown, null while nobody did."""

    id: str
    person: str
    name: str
    scope: TokenScope
    made_at: datetime
    ends_at: datetime
    used_at: datetime | None


@frozen
class NewToken:
    """`token` is shown this once."""

    token: str
    view: TokenView


@frozen
class PersonView:
    """`role` is what the person had when last seen."""

    id: str
    name: str
    role: Role
    seen_at: datetime


@frozen
class Ended:
    sessions: int
    tokens: int
    links: int


@router.get("/tokens", dependencies=[MANAGES_OWN_ACCESS])
def list_tokens(person: CurrentPerson, session: ReadSession) -> list[TokenView]:
    """The person's tokens; an administrator sees everybody's. Those that were revoked are left out."""
    return [_view(row) for row in tokens_of(session, None if person.role == "admin" else person.id)]


@router.post("/tokens", status_code=201, dependencies=[MANAGES_OWN_ACCESS])
def create_token(request: TokenRequest, person: CurrentPerson, services: Here) -> NewToken:
    """Makes a token for one of the person's programs."""
    now, lasts = services.gate.clock(), timedelta(days=request.days)
    with services.database.writing() as session, session.begin():
        remember(session, person, now, "session")
        row, token = new_token(session, person, request.name, request.scope, now, lasts)
        add_audit_detail(session, f"token {row.id} {request.name!r}, scope {request.scope}")
        return NewToken(token, _view(row))


@router.delete("/tokens/{token_id}", status_code=204, dependencies=[MANAGES_OWN_ACCESS])
def remove_token(token_id: TokenId, person: CurrentPerson, services: Here) -> None:
    """Revokes a token. An administrator may revoke anybody's."""
    whose = None if person.role == "admin" else person.id
    with services.database.writing() as session, session.begin():
        if not revoke_token(session, token_id, services.gate.clock(), whose):
            raise not_found("token", token_id)


@router.get("/people", dependencies=[MANAGES_ACCESS])
def list_people(session: ReadSession) -> list[PersonView]:
    """Everybody who has logged in."""
    return [PersonView(row.id, row.name, as_person(row).role, row.seen_at) for row in all_people(session)]


@router.delete("/people/{person_id}/access", dependencies=[MANAGES_ACCESS])
def end_access(person_id: PersonId, services: Here) -> Ended:
    """Ends the person's log-ins, and revokes their tokens and the share links that they made. Whoever may still log in
    can do so again."""
    now = services.gate.clock()
    with services.database.writing() as session, session.begin():
        ended = Ended(
            sessions=end_sessions(session, person_id),
            tokens=revoke_tokens(session, person_id, now),
            links=revoke_links_of(session, person_id, now),
        )
        if not any((ended.sessions, ended.tokens, ended.links)) and known_person(session, person_id) is None:
            raise not_found("person", person_id)
        return ended


def _view(row: ApiTokenRow) -> TokenView:
    return TokenView(row.id, row.person, row.name, row.scope, row.made_at, row.ends_at, row.used_at)
