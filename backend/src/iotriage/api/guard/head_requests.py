"""HEAD is answered wherever GET is, as HTTP has it (RFC 9110, 9.3.2): what GET would say, without its body; but where
GET uses an address up."""

from __future__ import annotations

import re
from typing import Final

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from iotriage.api.prefix import path_below_prefix

_USED_BY_GET: Final = re.compile(r"/(?:open/[^/]+|sign-in(?:/return)?)")
"""Addresses that let somebody in, and some of them once: what looks through mails and chats for links asks with HEAD,
which changes nothing (RFC 9110, 9.2.1), and is answered with the page's."""


class HeadAsGet:
    """Routes state GET alone. A route is asked as for GET, so that the answer says how long the body would be."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or scope["method"] != "HEAD" or _USED_BY_GET.fullmatch(path_below_prefix(scope)):
            await self.app(scope, receive, send)
            return

        async def send_without_body(message: Message) -> None:
            await send({**message, "body": b""} if message["type"] == "http.response.body" else message)

        await self.app({**scope, "method": "GET"}, receive, send_without_body)
