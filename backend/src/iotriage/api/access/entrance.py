"""The addresses that a person opens to be let in: each sets a cookie and leads to a page."""

from __future__ import annotations

from datetime import timedelta

import structlog
from fastapi import APIRouter, Request
from starlette.responses import HTMLResponse, RedirectResponse, Response

from iotriage.access.person import LOCAL
from iotriage.access.sessions import begin_session, use_code
from iotriage.access.share_links import linked_case
from iotriage.api.guard.cookies import add_share, set_session
from iotriage.api.guard.policies import ANYONE
from iotriage.api.services import Here

router = APIRouter(include_in_schema=False, dependencies=[ANYONE])

log: structlog.stdlib.BoundLogger = structlog.get_logger()

SEE_OTHER = 303
_USED = (
    "This address opens the server once, and was used or is older than a day. "
    "<code>iotriage access open</code> prints another."
)
_NO_LINK = "This link shows nothing: it has ended, or was revoked. Ask whoever sent it for another."


def notice(sentence: str) -> str:
    """A page that says this, which is HTML."""
    head = '<!doctype html><html lang="en-GB"><meta charset="utf-8"><title>IOtriage</title>'
    return f"{head}<h1>IOtriage</h1><p>{sentence}</p>"


@router.get("/open/{code}")
def open_with_code(code: str, request: Request, services: Here) -> Response:
    """The one-time address that `iotriage serve` prints."""
    gate = services.gate
    if services.settings.access != "local":
        return HTMLResponse(notice(_USED), 404)
    with services.database.writing() as session, session.begin():
        good = use_code(session, code, gate.clock())
        secret = begin_session(session, LOCAL, gate.clock(), gate.session_lasts, "a one-time address") if good else None
    if secret is None:
        return HTMLResponse(notice(_USED), 404)
    log.info("opened with a one-time address")
    answer = RedirectResponse(f"{_root(request)}/", SEE_OTHER)
    set_session(request, answer, services.settings, gate.keys.signed(secret), gate.session_lasts)
    return answer


@router.get("/shared/{share}")
def open_share(share: str, request: Request, services: Here) -> Response:
    """A share link: the browser may look at its case until it ends."""
    now = services.gate.clock()
    with services.database.reading() as session:
        found = linked_case(session, share, now)
    if found is None:
        return HTMLResponse(notice(_NO_LINK), 404)
    case_id, ends_at = found
    answer = RedirectResponse(f"{_root(request)}/cases/{case_id}", SEE_OTHER)
    add_share(request, answer, services.settings, share, max(ends_at - now, timedelta(seconds=1)))
    return answer


def _root(request: Request) -> str:
    return str(request.scope.get("root_path", ""))
