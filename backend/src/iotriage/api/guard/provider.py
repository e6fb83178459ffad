"""Who says who somebody is, where people log in at a provider."""

from __future__ import annotations

from typing import Protocol

from starlette.requests import Request
from starlette.responses import Response

from iotriage.api.guard.identity import Identity


class LogInError(Exception):
    """The provider did not answer, or what it answered does not let anybody in; the message is for the log."""


class Provider(Protocol):
    """Says who somebody is. The first two raise `LogInError`."""

    async def begin(self, request: Request, onwards: str) -> Response:
        """Leads to the provider; `onwards` is the page, below the server's address, to open afterwards."""

    async def finish(self, request: Request) -> tuple[Identity, str]:
        """Who logged in, and the page to open."""

    def forget(self, request: Request, answer: Response) -> None:
        """The log-in that this request finished: the browser may have begun others."""
