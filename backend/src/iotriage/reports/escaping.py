"""Escapes names from logs and people for each target that would obey them: one function a target.

| goes to | function |
|---|---|
| a terminal, a mail, a line of a log | `escape_line` |
| HTML and SVG: the exported page's title, the page's <base>, a notebook | `escape_html` |
| CSV | `escape_csv` |
| Markdown | `escape_markdown` |
| Jira's wiki markup | `escape_jira` |
| JSON | `escape_json` |
| the address of a link, in any of these | `safe_url` |
| the name of a download (Content-Disposition) | `content_disposition` |

A command to paste is quoted for the shell where it is written (`iotriage.rules.core.commands`). What the page itself
shows, React and the DOM's own serializer escape. What goes into the head of a mail is `escape_line`: that has no line
end.
"""

from __future__ import annotations

import re
import unicodedata
from urllib.parse import quote

from iotriage.rules.core.words import UNPRINTABLE, printable

_FORMULA = ("=", "+", "-", "@", "\N{FULLWIDTH EQUALS SIGN}", "\N{FULLWIDTH PLUS SIGN}", "\N{FULLWIDTH HYPHEN-MINUS}")
_FULLWIDTH_AT = "\N{FULLWIDTH COMMERCIAL AT}"
_MARKDOWN = re.compile(r"([\\`*_{}\[\]<>#|~&])")
_JIRA_ALWAYS = re.compile(r"([\\{}\[\]|])")
_JIRA_AT_A_WORD = re.compile(r"(?<!\w)([-*_+^~?!#])(?=\S)|(?<=\S)([-*_+^~?!])(?!\w)")
"""What begins or ends emphasis, strikes out or embeds, where it touches one side of a word only."""

_OF_ADDRESSES = ":/?#@!$&'*+,;=%~"
"""What RFC 3986 reserves, and what is encoded already; brackets, blanks, quotes and angles would end a link."""

_NOT_PLAIN_ASCII = re.compile(r"[^\n -~]")
_PLAIN_FILE_NAME = re.compile(r"[^A-Za-z0-9._ -]")


def escape_line(text: str) -> str:
    r"""One line; a control, a bidi mark or half a character is seen as \xNN or \uNNNN."""
    return printable(text)


def escape_html(text: str) -> str:
    """For the content of an element and for a quoted attribute."""
    # Its table of entities takes as long to load as a small log to diagnose.
    import html

    return html.escape(printable(text))


def escape_csv(text: str) -> str:
    """A cell that a spreadsheet takes for text: an apostrophe stands before what it would take for a formula."""
    shown = printable(text)
    return f"'{shown}" if shown.lstrip().startswith((*_FORMULA, _FULLWIDTH_AT)) else shown


def escape_markdown(text: str) -> str:
    """CommonMark with tables and strike-through, as issue trackers read it."""
    return _MARKDOWN.sub(r"\\\1", printable(text))


def escape_jira(text: str) -> str:
    return _JIRA_AT_A_WORD.sub(lambda found: f"\\{found[0]}", _JIRA_ALWAYS.sub(r"\\\1", printable(text)))


def escape_json(written: str) -> str:
    """A JSON text of which a terminal obeys nothing, and which any encoding can say. Its strings are the same."""
    return _NOT_PLAIN_ASCII.sub(lambda found: _as_json_escape(found[0]), written)


def safe_url(address: str) -> str:
    """An http or https address in which nothing ends a link early; empty where it is of another kind."""
    if not address.startswith(("https://", "http://")):
        return ""
    return quote(address, safe=_OF_ADDRESSES)


def content_disposition(name: str) -> str:
    """The value of Content-Disposition (RFC 6266): a name for every client, and where that is not all of it, the whole
    (RFC 8187)."""
    shown = printable(name).replace("/", "_")
    bare = _PLAIN_FILE_NAME.sub("_", shown)
    whole = "" if bare == shown else f"; filename*=UTF-8''{quote(shown, safe='')}"
    return f'attachment; filename="{bare}"{whole}'


def _as_json_escape(character: str) -> str:
    if unicodedata.category(character) not in UNPRINTABLE:
        return character
    pairs = character.encode("utf-16-be", "surrogatepass")
    return "".join(f"\\u{pairs[at]:02x}{pairs[at + 1]:02x}" for at in range(0, len(pairs), 2))
