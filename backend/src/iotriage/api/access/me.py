"""Who one is."""

from __future__ import annotations

from fastapi import Request, Response

from iotriage.access.person import Role
from iotriage.access.sessions import end_session
from iotriage.access_settings import AccessMode
from iotriage.api.guard.cookies import clear_session, session_cookie
from iotriage.api.guard.policies import ANYONE, MANAGES_OWN_ACCESS
from iotriage.api.guard.visitor import Visiting
from iotriage.api.routers import api_router
from iotriage.api.services import Here
from iotriage_parsers.frozen import frozen

router = api_router("/me", tag="access")


@frozen
class Me:
    """`id`, `name` and `role` are null for who is not logged in; `guest` is whether share links are open. `sign_in` is
    the address, below the server's, that logs one in, null where there is none; `signs_out` whether one can log out
    here."""

    mode: AccessMode
    id: str | None
    name: str | None
    role: Role | None
    guest: bool
    sign_in: str | None
    signs_out: bool


@router.get("", dependencies=[ANYONE])
def get_me(visitor: Visiting, services: Here) -> Me:
    """The person who asks, and how to log in."""
    mode, person = services.settings.access, visitor.person
    sign_in = "sign-in" if mode == "oidc" else None
    if person is None:
        return Me(mode, None, None, None, bool(visitor.shared), sign_in, signs_out=False)
    return Me(mode, person.id, person.name, person.role, bool(visitor.shared), sign_in, visitor.by == "session")


@router.post("/sign-out", status_code=204, dependencies=[MANAGES_OWN_ACCESS])
def sign_out(request: Request, response: Response, services: Here) -> None:
    """Ends the log-in of this browser."""
    cookie = session_cookie(request)
    secret = services.gate.keys.unsigned(cookie) if cookie else None
    if secret is not None:
        with services.database.writing() as session, session.begin():
            end_session(session, secret)
    clear_session(request, response)
