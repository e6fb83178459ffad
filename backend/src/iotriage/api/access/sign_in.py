"""Logging in at a provider of OpenID Connect."""

from __future__ import annotations

import re
from typing import Annotated

import structlog
from fastapi import APIRouter, Query, Request
from starlette.concurrency import run_in_threadpool
from starlette.responses import RedirectResponse, Response

from iotriage.access.person import Person
from iotriage.access.roles import role_of
from iotriage.access.sessions import begin_session
from iotriage.api.access.entrance import SEE_OTHER
from iotriage.api.access.notice import notice
from iotriage.api.guard.cookies import set_session
from iotriage.api.guard.policies import ANYONE
from iotriage.api.guard.provider import LogInError
from iotriage.api.guard.visitor import rules_of
from iotriage.api.services import Here, Services
from iotriage.store.audit import NOT_LET_IN, AuditContext, record
from iotriage.store.column_text import column_text

router = APIRouter(prefix="/sign-in", include_in_schema=False, dependencies=[ANYONE])

log: structlog.stdlib.BoundLogger = structlog.get_logger()

_OURS = re.compile(r"[\w.~%?&=:,+-][\w./~%?&=:,+-]*", re.ASCII)
_LONGEST_SHOWN = 255
_NO_PROVIDER = ("Nobody logs in here.", "IOTRIAGE_ACCESS is not oidc.")
_FAILED = ("Logging in failed.", "Try again; if it fails again, the server's log has the cause.")
_NOT_LET_IN = (
    "You are logged in, and may not use this service.",
    "You are in none of the groups that may: ask whoever runs it.",
)


@router.get("")
async def sign_in(
    request: Request, services: Here, onwards: Annotated[str, Query(alias="next", max_length=2048)] = ""
) -> Response:
    """Leads to the provider; `next` is the page to open afterwards, below the server's address."""
    if services.gate.provider is None:
        return notice(*_NO_PROVIDER, 404)
    try:
        return await services.gate.provider.begin(request, onwards if _OURS.fullmatch(onwards) else "")
    except LogInError as error:
        log.warning("a log-in failed", why=str(error))
        return notice(*_FAILED, 502)


@router.get("/return")
async def return_from_provider(request: Request, services: Here) -> Response:
    """Where the provider sends the browser to."""
    if services.gate.provider is None:
        return notice(*_NO_PROVIDER, 404)
    try:
        who, onwards = await services.gate.provider.finish(request)
    except LogInError as error:
        log.warning("a log-in failed", why=str(error))
        return notice(*_FAILED, 400)
    role = role_of(rules_of(services.settings), who.person, who.groups)
    if role is None:
        log.info("somebody was not let in", person=who.person)
        await run_in_threadpool(_note_refused, services, who.person)
        return notice(*_NOT_LET_IN, 403)
    person = Person(who.person, who.name, role)
    secret = await run_in_threadpool(_begin, services, person)
    log.info("somebody logged in", person=person.id, role=role)
    answer = RedirectResponse(f"{services.settings.public_url}/{onwards}", SEE_OTHER)
    set_session(request, answer, services.settings, services.gate.keys.signed(secret), services.gate.session_lasts)
    services.gate.provider.forget(request, answer)
    return answer


def _note_refused(services: Services, person: str) -> None:
    with services.database.writing() as session, session.begin():
        shown = column_text(person[:_LONGEST_SHOWN]) or ""
        record(
            session, AuditContext(shown, "nothing", NOT_LET_IN, about="in none of the groups"), services.gate.clock()
        )


def _begin(services: Services, person: Person) -> str:
    with services.database.writing() as session, session.begin():
        return begin_session(session, person, services.gate.clock(), services.gate.session_lasts, "OpenID Connect")
