"""The built front end: hashed assets that never change, and one page for every address that is not the API's."""

from __future__ import annotations

import errno
from pathlib import Path

from fastapi import APIRouter, Request
from starlette.concurrency import run_in_threadpool
from starlette.responses import FileResponse, HTMLResponse, Response

from iotriage.api.guard.methods import unanswered
from iotriage.api.guard.policies import ANYONE
from iotriage.api.page.assets import Assets
from iotriage.api.problems import ProblemError
from iotriage.reports.escaping import escape_html

_BASE = '<base href="/" />'
_ASSETS = "assets/"
_NOT_BUILT = """<!doctype html><html lang="en-GB"><meta charset="utf-8"><title>IOtriage</title>
<p>The page has not been built. In a checkout: <code>make install</code>. The API is at <code>/api/v1</code>.</p>"""


def frontend_router(web: Path | None) -> APIRouter:
    """Serves the folder `web`, or a page that says how to build it where there is none. Include it last."""
    router = APIRouter(include_in_schema=False, dependencies=[ANYONE])
    assets = None if web is None else Assets(web / _ASSETS)

    @router.get("/{path:path}")
    @router.head("/{path:path}")
    async def page(path: str, request: Request) -> Response:
        if path == "api" or path.startswith("api/"):
            raise unanswered(request)
        if web is None or assets is None:
            return HTMLResponse(_NOT_BUILT, 200 if path == "" else 404)
        if path.startswith(_ASSETS):
            asset = await assets.answer(path.removeprefix(_ASSETS), request.headers.get("accept-encoding", ""))
            if asset is None:
                detail = "The page was built again: load it anew."
                raise ProblemError(404, "unknown-asset", "There is no such file", detail)
            return asset
        return await run_in_threadpool(_other, web, path, str(request.scope.get("root_path", "")))

    return router


def _other(web: Path, path: str, root_path: str) -> Response:
    """A file that stands beside the page, or the page."""
    found = _file_below(web, path)
    if found is None or found.name == "index.html":
        return HTMLResponse(_page(web, root_path), headers={"cache-control": "no-cache"})
    return FileResponse(found, headers={"cache-control": "no-cache"})


def _file_below(folder: Path, path: str) -> Path | None:
    if "\0" in path:
        return None
    root = folder.resolve()
    try:
        found = (root / path).resolve()
        return found if found.is_relative_to(root) and found.is_file() else None
    except OSError as error:
        if error.errno == errno.ENAMETOOLONG:
            raise ProblemError(400, "too-long", "The address is too long", "No address here is that long.") from None
        raise


def _page(web: Path, root_path: str) -> str:
    """The page, told under which prefix it stands: its addresses are relative to <base>."""
    base = f'<base href="{escape_html(root_path.rstrip("/"))}/" />'
    return (web / "index.html").read_text("utf-8").replace(_BASE, base, 1)
