"""What one client may ask: so many requests a minute. How much it may give stands with the endpoints that take it."""

from __future__ import annotations

import ipaddress
from collections.abc import Callable

from starlette.types import ASGIApp, Receive, Scope, Send

from iotriage.api.guard.identity import identity_of
from iotriage.api.guard.rate_limiter import RateLimiter
from iotriage.api.problems import ProblemDetails, problem_response, problem_type

_IPV6_HOST_BITS = 64
"""One household or machine has a network of that size to itself."""


def client_of(scope: Scope) -> str:
    """Who asks: the address, of IPv6 the network that one is given; behind a proxy of `IOTRIAGE_TRUSTED_PROXIES` what
    the proxy says. Where a proxy says who somebody is, the person. All who come by a socket without an address are one
    client."""
    identity = identity_of(scope)
    if identity is not None:
        return f"person {identity.person}"
    client = scope.get("client")
    if not client:
        return "local"
    host: str = client[0]
    try:
        address = ipaddress.ip_address(host)
    except ValueError:
        return host
    if isinstance(address, ipaddress.IPv6Address):
        if address.ipv4_mapped is not None:
            return str(address.ipv4_mapped)
        return str(ipaddress.ip_network((address, 128 - _IPV6_HOST_BITS), strict=False))
    return host


class ClientRateLimit:
    """Refuses requests to the API past the client's allowance. The page's own files are not counted: it must open to
    say what was refused."""

    def __init__(self, app: ASGIApp, allowance: Callable[[], RateLimiter]) -> None:
        self.app = app
        self._allowance = allowance()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        wait = self._allowance.take(client_of(scope)) if scope["type"] == "http" and "/api/" in scope["path"] else 0
        if wait:
            await problem_response(_too_many(wait), {"retry-after": str(wait)})(scope, receive, send)
        else:
            await self.app(scope, receive, send)


def _too_many(wait: int) -> ProblemDetails:
    seconds = "second" if wait == 1 else f"{wait} seconds"
    detail = f"Too many requests came from here in the last minute. Ask again in {'a ' if wait == 1 else ''}{seconds}."
    return ProblemDetails(problem_type("too-many-requests"), "Too Many Requests", 429, detail)
