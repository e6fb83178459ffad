"""A page that says one thing, for who is not let in to the page itself."""

from __future__ import annotations

import hashlib
from base64 import b64encode
from collections.abc import Mapping

from starlette.responses import HTMLResponse

_STYLE = (
    "body{max-width:34rem;margin:15vh auto 0;padding:0 1.5rem;font:1rem/1.5 system-ui,sans-serif}"
    "h1{font-size:1.25rem;line-height:1.4}small{letter-spacing:.02em}"
)
_POLICY = (
    f"default-src 'none'; style-src 'sha256-{b64encode(hashlib.sha256(_STYLE.encode()).digest()).decode()}'; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)


def notice(sentence: str, more: str, status: int, headers: Mapping[str, str] | None = None) -> HTMLResponse:
    """`sentence` is the heading, `more` what to do; both are HTML. In the colours of the reader's own system: the built
    page, whose these are, may be missing."""
    page = (
        '<!doctype html><html lang="en-GB"><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width"><meta name="color-scheme" content="light dark">'
        f"<title>{sentence} · IOtriage</title><style>{_STYLE}</style>"
        f"<main><small>IOtriage</small><h1>{sentence}</h1><p>{more}</p></main>"
    )
    return HTMLResponse(page, status, {**(headers or {}), "content-security-policy": _POLICY})
