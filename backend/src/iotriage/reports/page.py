"""A case as one HTML file: the page with its answers inside, so that it opens from a disk without a server.

The page itself is the front end's (`frontend/scripts/export.mjs` makes it, its content security policy included); what
it would ask a server for stands in it as text.
"""

from __future__ import annotations

import base64
import gzip
import json
from collections.abc import Mapping
from pathlib import Path

from iotriage.reports.escaping import escape_html

TEMPLATE = "export.html"
"""The page's name beside the built front end."""

_PLACE = '<script type="application/gzip" id="answers"></script>'


class NoTemplateError(Exception):
    """The front end has not been built, or was built by something else."""


def as_page(web: Path | None, title: str, answers: Mapping[str, str]) -> str:
    """The page. `answers` are JSON texts by the address that the page would ask ("api/v1/info"). NoTemplateError where
    `web`, the folder of the built front end, has no page to put them in."""
    try:
        page = "" if web is None else (web / TEMPLATE).read_text("utf-8")
    except OSError:
        page = ""
    before, place, after = page.partition(_PLACE)
    if not place:
        raise NoTemplateError
    embedded = ",".join(f"{json.dumps(address)}:{answer}" for address, answer in answers.items())
    # Same document, same file: no time stamp.
    packed = base64.b64encode(gzip.compress(f"{{{embedded}}}".encode(), mtime=0)).decode("ascii")
    named = before.replace("<title>IOtriage</title>", f"<title>{escape_html(title)} · IOtriage</title>", 1)
    return f"{named}{place.replace('><', f'>{packed}<')}{after}"
