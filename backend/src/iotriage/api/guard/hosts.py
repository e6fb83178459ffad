"""For whom this server answers, and who may change something."""

from __future__ import annotations

from starlette.datastructures import Headers
from starlette.types import ASGIApp, Receive, Scope, Send

from iotriage.api.problems import ProblemDetails, problem_response, problem_type

LOOPBACK_NAMES = frozenset({"localhost", "127.0.0.1", "::1"})

_OWN_PAGE = frozenset({"same-origin", "none"})
"""What a browser says about a request that our own page or the address line makes."""

_SAFE_METHODS = frozenset({"GET", "HEAD", "OPTIONS"})


class KnownHosts:
    """Refuses requests for a host that is not ours, and changes that another site's page asks for.

    The service has no login on a person's own machine: its address is the protection. A page elsewhere that points
    its own name at 127.0.0.1 (DNS rebinding) is told apart by the Host header, and one that just sends a request, be it
    from another port of this machine, by the browser's Sec-Fetch-Site, or where a browser is too old to say that, by
    its Origin. Programs that are no browsers say neither.
    """

    def __init__(self, app: ASGIApp, hosts: frozenset[str]) -> None:
        self.app = app
        self.hosts = hosts

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        refusal = self._refusal(scope) if scope["type"] == "http" else None
        if refusal is not None:
            await problem_response(refusal)(scope, receive, send)
        else:
            await self.app(scope, receive, send)

    def _refusal(self, scope: Scope) -> ProblemDetails | None:
        headers = Headers(scope=scope)
        host = host_name(headers.get("host", ""))
        if "*" not in self.hosts and host not in self.hosts:
            detail = f"This server does not answer for {host!r}. Add it to IOTRIAGE_ALLOWED_HOSTS if it should."
            return ProblemDetails(problem_type("unknown-host"), "Misdirected Request", 421, detail)
        if scope["method"] not in _SAFE_METHODS and not _is_own(headers, host):
            detail = "A page of another origin may not change anything here."
            return ProblemDetails(problem_type("cross-site"), "Forbidden", 403, detail)
        return None


def _is_own(headers: Headers, host: str) -> bool:
    site, origin = headers.get("sec-fetch-site"), headers.get("origin")
    if site is not None:
        return site in _OWN_PAGE
    if origin is None:
        return True
    # A proxy may pass the name on without the port.
    asked, from_ = headers.get("host", ""), origin.partition("://")[2]
    return from_.lower() == asked.lower() or (asked.lower() == host and host_name(from_) == host)


def host_name(host: str) -> str:
    """The name in a Host header, without its port and without the brackets of an IPv6 address, in lower case."""
    if host.startswith("["):
        return host[1:].partition("]")[0].lower()
    return host.partition(":")[0].lower()
