"""Sphinx's settings for the documentation site: `make site`. Its sources are what gather.py gathered."""

from __future__ import annotations

import os
from pathlib import Path

from docutils import nodes
from sphinx.application import Sphinx

_GATHERED = Path(os.environ["IOTRIAGE_GATHERED"])
_LOOKS = str(_GATHERED / "looks")

project = "IOtriage"
author = "the IOtriage project"
version = release = os.environ["IOTRIAGE_VERSION"]
language = "en_GB"
extensions = ["myst_parser"]
exclude_patterns = ["files"]
nitpicky = True
highlight_language = "none"
pygments_style = "default"
pygments_dark_style = "github-dark"

myst_heading_anchors = 4
myst_enable_extensions = ["colon_fence", "deflist"]
# The documents say in HTML comments that they are generated.
suppress_warnings = ["myst.header"]

html_theme = "furo"
html_title = "IOtriage"
html_favicon = f"{_LOOKS}/favicon.svg"
html_static_path = [_LOOKS]
html_extra_path = [str(_GATHERED / "beside")]
templates_path = [str(Path(__file__).parent / "templates")]
html_css_files = ["inter/wght.css", "jetbrains-mono/wght.css", "tokens.css", "site.css"]
html_copy_source = False
html_show_sourcelink = False
html_show_search_summary = False
html_show_sphinx = False
html_show_copyright = False
html_use_index = False

_DEFINING = ("metrics", "thresholds", "deploy")
"""Pages in whose tables a row that begins with a word in code says what that word means."""


def _place_words(app: Sphinx, document: nodes.document) -> None:
    """Gives each such row an address of its own, and keeps the words of the page."""
    page = app.env.docname
    words: dict[str, str] = {}
    if page in _DEFINING:
        for row in document.findall(nodes.row):
            first = next(iter(row.findall(nodes.literal)), None)
            if first is not None and first.astext() == row[0].astext():
                row["ids"].append(first.astext())
                words[first.astext()] = f"#{first.astext()}"
    elif page.startswith("rules/"):
        words[page.removeprefix("rules/")] = ""
    _words(app)[page] = words


def _words(app: Sphinx) -> dict[str, dict[str, str]]:
    """By page, what it defines, each with the place on it."""
    if not hasattr(app.env, "iotriage_words"):
        app.env.iotriage_words = {}
    return app.env.iotriage_words


def _link_words(app: Sphinx, document: nodes.document, page: str) -> None:
    """Has each such word, wherever it stands in code, lead to where it is defined."""
    defined = {word: (where, at) for where, words in _words(app).items() for word, at in words.items()}
    for literal in list(document.findall(nodes.literal)):
        where, at = defined.get(literal.astext(), (page, ""))
        if where == page or isinstance(literal.parent, nodes.reference | nodes.title):
            continue
        address = app.builder.get_relative_uri(page, where) + at
        literal.replace_self(nodes.reference("", "", literal.deepcopy(), refuri=address, internal=True))


def setup(app: Sphinx) -> None:
    app.connect("doctree-read", _place_words)
    app.connect("doctree-resolved", _link_words)
