"""Serving under a path prefix, whether or not the proxy in front takes it off."""

from __future__ import annotations

from starlette.types import ASGIApp, Receive, Scope, Send


class PathPrefix:
    """Tells the application under which prefix it stands; its routes match with and without it."""

    def __init__(self, app: ASGIApp, prefix: str) -> None:
        self.app = app
        self.prefix = prefix

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http":
            scope = {**scope, "root_path": self.prefix}
        await self.app(scope, receive, send)


def path_below_prefix(scope: Scope) -> str:
    """The address as the routes have it, whether or not the proxy has taken the prefix off."""
    path: str = scope["path"]
    return path.removeprefix(scope.get("root_path", "").rstrip("/"))
