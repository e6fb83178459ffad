"""How much a request may send that is read into memory."""

from __future__ import annotations

from starlette.exceptions import HTTPException
from starlette.types import ASGIApp, Message, Receive, Scope, Send

LARGEST_BODY_BYTES = 4 * 2**20
"""Of a body that is read into memory: 256 sources, each with a name of 1,024 characters, have half of it."""


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
