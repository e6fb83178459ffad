"""A client of an application in this process that gets each answer whole."""

from __future__ import annotations

import asyncio
from urllib.parse import unquote

import httpx2
from starlette.testclient import TestClient
from starlette.types import Message


class WholeAnswers(TestClient):
    """Starlette's client hands every piece of an answer from the application's thread to the test's, and asks it eight
    times for each request: half of what a request costs that the application answers at once. This one asks once."""

    def __init__(
        self,
        app: object,
        base_url: str,
        raise_server_exceptions: bool = True,
        headers: dict[str, str] | None = None,
        client: tuple[str, int] = ("testclient", 50000),
    ) -> None:
        super().__init__(app, base_url, raise_server_exceptions, headers=headers, client=client)
        self._transport = _AskedOnce(self, raise_server_exceptions, client)


class _AskedOnce(httpx2.BaseTransport):
    def __init__(self, of: WholeAnswers, raises: bool, client: tuple[str, int]) -> None:
        self._of = of
        self._raises = raises
        self.client = client

    def handle_request(self, request: httpx2.Request) -> httpx2.Response:
        """500 where the application fails before it begins to answer, unless it is to raise."""
        body, answer = request.read(), _Answer()
        with self._of._portal_factory() as portal:
            try:
                portal.call(self._answered, request, body, answer)
            except Exception:
                if self._raises:
                    raise
        said = b"" if request.method == "HEAD" else bytes(answer.body)
        return httpx2.Response(answer.status, headers=answer.headers, stream=httpx2.ByteStream(said), request=request)

    async def _answered(self, request: httpx2.Request, body: bytes, answer: _Answer) -> None:
        whole, asked = asyncio.Event(), False

        async def receive() -> Message:
            nonlocal asked
            if asked:
                await whole.wait()
                return {"type": "http.disconnect"}
            asked = True
            return {"type": "http.request", "body": body}

        async def send(message: Message) -> None:
            if message["type"] == "http.response.start":
                answer.status, answer.headers = message["status"], list(message.get("headers", []))
            elif message["type"] == "http.response.body":
                answer.body += message.get("body", b"")
                if not message.get("more_body", False):
                    whole.set()

        try:
            await self._of.app(self._scope(request), receive, send)
        finally:
            whole.set()

    def _scope(self, request: httpx2.Request) -> dict[str, object]:
        url = request.url
        headers = [(name.lower(), value) for name, value in request.headers.raw]
        return {
            "type": "http",
            "http_version": "1.1",
            "method": request.method,
            "path": unquote(url.path),
            "raw_path": url.raw_path.split(b"?", 1)[0],
            "root_path": "",
            "scheme": url.scheme,
            "query_string": url.query,
            "headers": headers,
            "client": self.client,
            "server": [url.host, url.port or {"http": 80, "https": 443}[url.scheme]],
            "extensions": {},
            "state": self._of.app_state.copy(),
        }


class _Answer:
    status = 500

    def __init__(self) -> None:
        self.headers: list[tuple[bytes, bytes]] = []
        self.body = bytearray()
