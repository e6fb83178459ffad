"""The addresses that a person opens to be let in: each sets a cookie and leads to a page."""

from __future__ import annotations

from datetime import timedelta

import structlog
from fastapi import APIRouter, Request
from starlette.responses import HTMLResponse, RedirectResponse, Response

from iotriage.access.person import LOCAL
from iotriage.access.sessions import begin_session, use_code
from iotriage.access.share_links import SharedCase, linked_case
from iotriage.api.access.notice import notice
from iotriage.api.cases import current_document
from iotriage.api.exports import page_without_names
from iotriage.api.guard.cookies import add_share, set_session
from iotriage.api.guard.policies import ANYONE
from iotriage.api.problems import RETRY_SECONDS, ProblemError
from iotriage.api.services import Here, Services
from iotriage.intake.case_process import CaseEndedError
from iotriage.intake.queue import BusyError
from iotriage.store.cases import SourcesGoneError

router = APIRouter(include_in_schema=False, dependencies=[ANYONE])

log: structlog.stdlib.BoundLogger = structlog.get_logger()

SEE_OTHER = 303
_USED = (
    "This address opens nothing any more.",
    "It opens the server once, and was used or is older than a day. <code>iotriage access open</code> prints another.",
)
_NOT_NOW = ("The case cannot be shown at the moment.", "Open the link again later, or ask whoever sent it.")
_PAGE_OF_ONE_FILE = (
    "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; img-src data:; font-src data:; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
"""The page's own policy, which holds beside this, names its scripts and styles by hash. It asks no server."""
_NO_LINK = ("This link shows nothing.", "It has ended, was revoked, or is cut short. Ask whoever sent it for another.")


@router.get("/open/{code}")
def open_with_code(code: str, request: Request, services: Here) -> Response:
    """The one-time address that `iotriage serve` prints."""
    gate = services.gate
    if services.settings.access != "local":
        return notice(*_USED, 404)
    with services.database.writing() as session, session.begin():
        good = use_code(session, code, gate.clock())
        secret = begin_session(session, LOCAL, gate.clock(), gate.session_lasts, "a one-time address") if good else None
    if secret is None:
        return notice(*_USED, 404)
    log.info("opened with a one-time address")
    answer = RedirectResponse(f"{_root(request)}/", SEE_OTHER)
    set_session(request, answer, services.settings, gate.keys.signed(secret), gate.session_lasts)
    return answer


@router.get("/shared/{share}")
def open_share(share: str, request: Request, services: Here) -> Response:
    """A share link: the browser may look at its case until it ends. One without names is the page itself, and the
    browser may look at nothing else: it gets no cookie."""
    now = services.gate.clock()
    with services.database.reading() as session:
        found = linked_case(session, share, now)
    if found is None:
        return notice(*_NO_LINK, 404)
    if found.pseudonym_key is not None:
        return _without_names(services, found, found.pseudonym_key)
    answer = RedirectResponse(f"{_root(request)}/cases/{found.case_id}", SEE_OTHER)
    add_share(request, answer, services.settings, share, max(found.ends_at - now, timedelta(seconds=1)))
    return answer


def _without_names(services: Services, linked: SharedCase, key: str) -> Response:
    try:
        with services.database.reading() as session:
            page = page_without_names(
                services, current_document(services, session, linked.case_id, None), key, linked.ends_at
            )
    except (ProblemError, SourcesGoneError, CaseEndedError, BusyError):
        # What these say may name the case or its files.
        return notice(*_NOT_NOW, 503, {"retry-after": str(RETRY_SECONDS)})
    # Kept by nobody: revoked, the link shows nothing any more.
    headers = {"content-security-policy": _PAGE_OF_ONE_FILE, "cache-control": "no-store"}
    return HTMLResponse(page, headers=headers)


def _root(request: Request) -> str:
    return str(request.scope.get("root_path", ""))
