"""Looks for links of a built site that lead nowhere, and for anything that a page would fetch from elsewhere.

python docs/site/dead_links.py FOLDER      prints them; exit status 1 where there are any
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

FETCHED = {("script", "src"), ("img", "src"), ("source", "srcset"), ("link", "href"), ("iframe", "src")}
"""What a browser fetches to show a page."""


class _Page(HTMLParser):
    """The ids of a page, and where it leads: (address, whether a browser fetches it to show the page)."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.ids: set[str] = set()
        self.addresses: list[tuple[str, bool]] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        for name, value in attrs:
            if value is None:
                continue
            if name == "id":
                self.ids.add(value)
            elif (tag, name) in FETCHED or (tag == "a" and name == "href"):
                self.addresses.append((value, tag != "a"))


def dead_links(folder: Path) -> Iterator[str]:
    """Each in words, with its page."""
    pages = {path: _Page(path.read_text(encoding="utf-8")) for path in sorted(folder.rglob("*.html"))}
    for path, page in pages.items():
        for address, fetched in page.addresses:
            wrong = _wrong(address, fetched, path, pages)
            if wrong:
                yield f"{path.relative_to(folder)}: {address}: {wrong}"


def _wrong(address: str, fetched: bool, path: Path, pages: dict[Path, _Page]) -> str | None:
    parts = urlsplit(address)
    if parts.scheme == "data":
        return None
    if parts.scheme or parts.netloc:
        return "is fetched from elsewhere" if fetched else None
    if parts.path.startswith("/"):
        return "does not stand below a path prefix"
    target = Path(os.path.normpath(path.parent / unquote(parts.path))) if parts.path else path
    if not target.is_file():
        return "leads nowhere"
    # An exported case has its own addresses behind the sign.
    if not parts.fragment or parts.fragment.startswith("/") or target not in pages:
        return None
    return None if unquote(parts.fragment) in pages[target].ids else "has no such place on the page"


def main() -> None:
    found = list(dead_links(Path(sys.argv[1])))
    if found:
        sys.exit("\n".join(found))


if __name__ == "__main__":
    main()
