"""What every answer carries, and what is refused before any endpoint sees it."""

from __future__ import annotations

import secrets
import time

import structlog
from starlette.datastructures import Headers, MutableHeaders
from starlette.exceptions import HTTPException
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from iotriage.api.problems import ProblemDetails, problem_response

# `base-uri 'self'` and not 'none': the page's <base> tells it the path prefix under which it is served.
# 'wasm-unsafe-eval' lets WebAssembly be compiled and no text be run: a worker computes checksums with it.
CONTENT_SECURITY_POLICY = (
    "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; worker-src 'self'; style-src 'self'; "
    "img-src 'self' data:; font-src 'self'; connect-src 'self'; frame-ancestors 'none'; base-uri 'self'; "
    "form-action 'self'"
)
LOOPBACK_NAMES = frozenset({"localhost", "127.0.0.1", "::1"})

LARGEST_BODY_BYTES = 4 * 2**20
"""Of a body that is read into memory: 256 sources, each with a name of 1,024 characters, have half of it."""

_OWN_PAGE = frozenset({None, "same-origin", "none"})
"""What a browser says of a request that our own page or the address line makes; other programs say nothing."""

_SAFE_METHODS = frozenset({"GET", "HEAD", "OPTIONS"})
_HEADERS = {
    "content-security-policy": CONTENT_SECURITY_POLICY,
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
}

log: structlog.stdlib.BoundLogger = structlog.get_logger()


class SecurityHeaders:
    """Adds the security headers to every answer, errors included."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in _HEADERS.items():
                    headers.setdefault(name, value)
            await send(message)

        await self.app(scope, receive, send_with_headers if scope["type"] == "http" else send)


class KnownHosts:
    """Refuses requests for a host that is not ours, and changes that another site's page asks for.

    The service has no login on a person's own machine: its address is the protection. A page elsewhere that points
    its own name at 127.0.0.1 (DNS rebinding) is told apart by the Host header, and one that just sends a request, be it
    from another port of this machine, by the browser's Sec-Fetch-Site.
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
            return ProblemDetails("urn:iotriage:problem:unknown-host", "Misdirected Request", 421, detail)
        if scope["method"] not in _SAFE_METHODS and headers.get("sec-fetch-site") not in _OWN_PAGE:
            detail = "A page of another origin may not change anything here."
            return ProblemDetails("urn:iotriage:problem:cross-site", "Forbidden", 403, detail)
        return None


class BoundedBodies:
    """Refuses a body past `LARGEST_BODY_BYTES`, since it is read into memory. A PUT is a source: it goes to the disk as
    it comes, and is counted there."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or scope["method"] == "PUT":
            await self.app(scope, receive, send)
            return
        received = 0

        async def receive_bounded() -> Message:
            nonlocal received
            message = await receive()
            received += len(message.get("body", b""))
            if received > LARGEST_BODY_BYTES:
                raise HTTPException(413, f"At most {LARGEST_BODY_BYTES:,} bytes are accepted at this address.")
            return message

        await self.app(scope, receive_bounded, send)


def host_name(host: str) -> str:
    """The name in a Host header, without its port and without the brackets of an IPv6 address, in lower case."""
    if host.startswith("["):
        return host[1:].partition("]")[0].lower()
    return host.partition(":")[0].lower()


class RequestLog:
    """One line a request, under an id that the answer carries too. Health checks are not worth a line."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        request_id, started, status = secrets.token_hex(8), time.perf_counter(), 0

        async def send_with_id(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
                MutableHeaders(scope=message)["x-request-id"] = request_id
            await send(message)

        with structlog.contextvars.bound_contextvars(request_id=request_id):
            await self.app(scope, receive, send_with_id)
            if not scope["path"].endswith("/healthz"):
                seconds = round(time.perf_counter() - started, 4)
                log.info("request", method=scope["method"], path=shown_path(scope), status=status, seconds=seconds)


def shown_path(scope: Scope) -> str:
    """The path as it was sent, percent-encoded: decoded, it could hold what a terminal obeys."""
    raw: bytes = scope["raw_path"]
    return raw.decode("ascii", "backslashreplace")
