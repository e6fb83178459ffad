"""A line for every request, and an answer where an endpoint failed."""

from __future__ import annotations

import re
import secrets
import time
from collections.abc import Callable

import structlog
from starlette.datastructures import MutableHeaders
from starlette.requests import ClientDisconnect
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from iotriage.api.problems import ProblemDetails, problem_response
from iotriage.store.audit import clear_audit_context

log: structlog.stdlib.BoundLogger = structlog.get_logger()

_SECRET = re.compile(r"(/(?:open|shared)/).+")
"""One-time addresses and share links (`iotriage.api.access.entrance`)."""

_UNLOGGED = ("/healthz", "/metrics")

CUT_OFF = 499
"""In the log alone: the client went before its request was whole."""


def new_request_id() -> str:
    return secrets.token_hex(8)


class RequestLog:
    """One line a request, under an id that the answer carries too. Health checks are not worth a line; `answered` is
    told of every request: its method, status and seconds.

    What an endpoint raises and nobody turned into a problem is logged under that id and answered with 500; where the
    answer had begun, the connection is cut off, so that nobody takes a part for the whole.
    """

    def __init__(self, app: ASGIApp, answered: Callable[[str, int, float], None] = lambda *_: None) -> None:
        self.app = app
        self.answered = answered

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        clear_audit_context()
        request_id, started, status = new_request_id(), time.perf_counter(), 0

        async def send_with_id(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
                MutableHeaders(scope=message)["x-request-id"] = request_id
            await send(message)

        with structlog.contextvars.bound_contextvars(request_id=request_id):
            try:
                await self.app(scope, receive, send_with_id)
            except ClientDisconnect:
                status = CUT_OFF
            except Exception:
                log.exception("request failed", method=scope["method"], path=shown_path(scope))
                if status == 0:
                    await problem_response(_failed(request_id))(scope, receive, send_with_id)
            seconds = time.perf_counter() - started
            self.answered(scope["method"], status, seconds)
            if not scope["path"].endswith(_UNLOGGED):
                rounded = round(seconds, 4)
                log.info("request", method=scope["method"], path=shown_path(scope), status=status, seconds=rounded)


def _failed(request_id: str) -> ProblemDetails:
    detail = f"The server failed on this request. Its log has the cause, under {request_id}."
    return ProblemDetails("about:blank", "Internal Server Error", 500, detail)


def shown_path(scope: Scope) -> str:
    """The path as it was sent, percent-encoded: decoded, it could hold what a terminal obeys. Without what opens
    something."""
    raw: bytes = scope["raw_path"]
    return _SECRET.sub(r"\1…", raw.decode("ascii", "backslashreplace"))
