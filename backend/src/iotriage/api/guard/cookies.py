"""The cookies: a log-in, one that is under way, and the share links that a browser has opened."""

from __future__ import annotations

from datetime import timedelta

from starlette.requests import Request
from starlette.responses import Response

from iotriage.settings import Settings

_MOST_SHARES = 8
"""So many share links a browser has open at once; of more, the newest."""
_BETWEEN = "."


def session_cookie(request: Request) -> str | None:
    return request.cookies.get(_name(request, "session"))


def set_session(request: Request, response: Response, settings: Settings, signed: str, lasts: timedelta) -> None:
    _set(request, response, settings, "session", signed, lasts)


def clear_session(request: Request, response: Response) -> None:
    response.delete_cookie(_name(request, "session"), path=_path(request))


def login_cookie(request: Request) -> str | None:
    return request.cookies.get(_name(request, "login"))


def set_login(request: Request, response: Response, settings: Settings, signed: str, lasts: timedelta) -> None:
    """What is under way of a log-in."""
    _set(request, response, settings, "login", signed, lasts)


def clear_login(request: Request, response: Response) -> None:
    response.delete_cookie(_name(request, "login"), path=_path(request))


def opened_shares(request: Request) -> tuple[str, ...]:
    """What the addresses of the opened share links ended with, newest first."""
    shares = request.cookies.get(_name(request, "shares"), "")
    return tuple(share for share in shares.split(_BETWEEN) if share)[:_MOST_SHARES]


def add_share(request: Request, response: Response, settings: Settings, share: str, lasts: timedelta) -> None:
    others = [one for one in opened_shares(request) if one != share]
    shares = _BETWEEN.join([share, *others][:_MOST_SHARES])
    _set(request, response, settings, "shares", shares, lasts)


def _set(request: Request, response: Response, settings: Settings, kind: str, value: str, lasts: timedelta) -> None:
    secure = (settings.public_url or "").startswith("https://")
    seconds = int(lasts.total_seconds())
    # Lax, not strict: an address in a ticket opens as the person who follows it.
    response.set_cookie(
        _name(request, kind), value, seconds, path=_path(request), secure=secure, httponly=True, samesite="lax"
    )


def _name(request: Request, kind: str) -> str:
    """With the port: browsers do not tell cookies of two ports of one host apart."""
    port = request.headers.get("host", "").rpartition(":")[2]
    return f"iotriage-{kind}-{port}" if port.isdecimal() else f"iotriage-{kind}"


def _path(request: Request) -> str:
    return str(request.scope.get("root_path", "")) or "/"
