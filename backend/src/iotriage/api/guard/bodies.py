"""A limit on the size of request bodies that are read into memory."""

from __future__ import annotations

from starlette.datastructures import Headers
from starlette.exceptions import HTTPException
from starlette.types import ASGIApp, Message, Receive, Scope, Send

LARGEST_BODY_BYTES = 4 * 2**20
"""Of a body that is read into memory: 256 sources, each with a name of 1,024 characters, have half of it."""

WITH_ATTACHMENTS = "/api/v1/tickets"
"""What the path ends with at which a form with files may come."""

SOURCES = "/api/v1/sources/"


class BodySizeLimit:
    """Refuses a body past `LARGEST_BODY_BYTES`, since it is read into memory. What is put among the sources goes to the
    disk as it comes, and is counted there. Files that come with a ticket go there too, `attachments_bytes` of them."""

    def __init__(self, app: ASGIApp, attachments_bytes: int) -> None:
        self.app = app
        self._attachments_bytes = attachments_bytes

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or (scope["method"] == "PUT" and SOURCES in scope["path"]):
            await self.app(scope, receive, send)
            return
        received, most = 0, LARGEST_BODY_BYTES
        if scope["path"].endswith(WITH_ATTACHMENTS):
            content_type = Headers(scope=scope).get("content-type", "")
            most += self._attachments_bytes if content_type.startswith("multipart/form-data") else 0

        async def receive_bounded() -> Message:
            nonlocal received
            message = await receive()
            received += len(message.get("body", b""))
            if received > most:
                raise HTTPException(413, f"At most {most:,} bytes are accepted at this address.")
            return message

        await self.app(scope, receive_bounded, send)
