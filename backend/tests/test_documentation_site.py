"""The documentation as a site: what is gathered for it, and what finds its dead links."""

from __future__ import annotations

import os
import re
from pathlib import PurePosixPath

import pytest
from dead_links import dead_links
from gather import ROOT, documents, moved, place

LINK = re.compile(r"\]\(([^()\s:]+)\)")
HEADING = re.compile(r"^#{1,4} (.+)$", re.MULTILINE)


def _anchor(heading: str) -> str:
    """As GitHub and MyST make it."""
    return re.sub(r"[^\w\- ]", "", re.sub(r"[`*\\]", "", heading).strip().lower()).replace(" ", "-")


def test_every_link_of_the_documents_leads_somewhere_in_the_site():
    texts = {place(path): moved((ROOT / path).read_text(encoding="utf-8"), path) for path in documents()}
    anchors = {page: {_anchor(heading) for heading in HEADING.findall(text)} for page, text in texts.items()}
    assert len(texts) > 200
    for page, text in texts.items():
        for address in LINK.findall(text):
            target, _, anchor = address.partition("#")
            there = PurePosixPath(os.path.normpath(page.parent / target)) if target else page
            if there.parts[0] == "files":
                assert (ROOT / there.relative_to("files")).is_file(), f"{page}: {address}"
            else:
                assert str(there) == "index.md" or there in texts, f"{page}: {address}"
                assert not anchor or anchor in anchors[there], f"{page}: {address}"


def test_a_document_keeps_its_code_and_its_way_to_others():
    linked = "[a](../CONTRIBUTING.md#style) [b](https://x.org) [c](deploy/nginx.conf)"
    text = f"{linked}\n```\n[d](../LICENSE)\n```\n[e](../LICENSE)"
    assert moved(text, PurePosixPath("docs/security.md")).splitlines() == [
        "[a](contributing.md#style) [b](https://x.org) [c](files/docs/deploy/nginx.conf)",
        "```",
        "[d](../LICENSE)",
        "```",
        "[e](files/LICENSE)",
    ]
    assert moved("[all](deploy/)", PurePosixPath("docs/centre.md")) == "all\n"


@pytest.mark.parametrize(
    ("link", "wrong"),
    [
        ('<a href="b.html#there">', None),
        ('<a href="https://x.org/y">', None),
        ('<img src="data:image/png;base64,AA">', None),
        ('<a href="b.html#gone">', "has no such place on the page"),
        ('<a href="c.html">', "leads nowhere"),
        ('<a href="/b.html">', "does not stand below a path prefix"),
        ('<script src="https://cdn.x.org/a.js">', "is fetched from elsewhere"),
        ('<link rel="stylesheet" href="//x.org/a.css">', "is fetched from elsewhere"),
    ],
)
def test_what_leads_nowhere_or_is_fetched_from_elsewhere_is_named(tmp_path, link, wrong):
    (tmp_path / "a.html").write_text(link, encoding="utf-8")
    (tmp_path / "b.html").write_text('<h1 id="there">', encoding="utf-8")
    assert [said.rpartition(": ")[2] for said in dead_links(tmp_path)] == ([wrong] if wrong else [])
