"""People of every role, and what each of them asks of one application."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass

from httpx2 import Response
from starlette.applications import Starlette

from iotriage.api.services import Services

from ..whole_answers import WholeAnswers

BASE = "http://127.0.0.1:8200"
GROUPS = {"user": "", "helpdesk": "support", "admin": "operators"}


@dataclass(frozen=True)
class Somebody:
    """A browser or a program; `headers` is what the proxy in front, or the program itself, says of who it is."""

    client: WholeAnswers
    headers: dict[str, str]

    def ask(self, method: str, path: str, **more: object) -> Response:
        return self.client.request(method, path, headers=self.headers, follow_redirects=False, **more)

    def upload(self, data: bytes) -> str:
        sha256 = hashlib.sha256(data).hexdigest()
        answer = self.ask("PUT", f"/api/v1/sources/{sha256}", content=data)
        assert answer.status_code in (200, 201), answer.text
        return sha256

    def case(self, data: bytes) -> str:
        given = {"sources": [{"sha256": self.upload(data), "name": "job.txt"}]}
        answer = self.ask("POST", "/api/v1/cases", json=given)
        assert answer.status_code == 201, answer.text
        case_id: str = answer.json()["id"]
        return case_id


@dataclass(frozen=True)
class House:
    """An application behind a proxy at 127.0.0.1."""

    app: Starlette
    services: Services
    opened: WholeAnswers

    def browser(self, address: str = "127.0.0.1") -> Somebody:
        """Of nobody yet; it keeps cookies."""
        client = WholeAnswers(self.app, base_url=BASE, raise_server_exceptions=False, client=(address, 50000))
        # One event loop for all: to start one for each request takes longer than the request.
        client.portal = self.opened.portal
        return Somebody(client, {})

    def person(self, name: str, role: str = "user") -> Somebody:
        headers = {"x-remote-user": name, "x-remote-groups": f"staff; {GROUPS[role]}"}
        return Somebody(self.browser().client, headers)

    def program(self, token: str) -> Somebody:
        return Somebody(self.browser().client, {"authorization": f"Bearer {token}"})
