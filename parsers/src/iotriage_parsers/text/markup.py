"""Removes what was added to a line when it was shown or sent: HTML entities, bold type, remarks, code fences."""

from __future__ import annotations

import html
import re
from typing import Final

_ENTITY: Final = re.compile(r"&(?:lt|gt|amp|quot|apos|nbsp|#[0-9]{1,6}|#x[0-9a-fA-F]{1,5});")

_REMARK: Final = re.compile(r"(?<=\S)\s+<[-=]{2,8}(?=\s|$)")
"""The beginning of a remark behind a line, added by the person who shows the text: "<=== here". No closing angle
bracket follows."""

_BOLD: Final = re.compile(r"(\s*)\*\*(?!\*)(.*[^*])\*\*\s*")
"""A line made bold in Markdown. Slurm prints three asterisks, not two."""

_FENCE: Final = "```"
_OPENED: Final = re.compile(r"(?<!`)```(?!`)(?=\s*\S)(?!\s*[\w+.#-]{1,20}\s*$)")
"""Chat programs put the first line directly after the fence; a single word there is the name of a language."""
_CLOSED: Final = re.compile(r"(?<=[^\s`])\s*```\s*$")


def without_markup(text: str) -> tuple[str, list[str]]:
    """The line without the markup, and what kinds of it were removed."""
    marks: list[str] = []
    if "&" in text and _ENTITY.search(text):
        text = html.unescape(text)
        if _ENTITY.search(text):
            # A page that shows another one's source.
            text = html.unescape(text)
        marks.append("html")
    if "**" in text and (bold := _BOLD.fullmatch(text)) is not None:
        text = f"{bold[1]}{bold[2]}"
        marks.append("bold")
    if ("<-" in text or "<=" in text) and (remark := _REMARK.search(text, text.rfind(">") + 1)) is not None:
        text = text[: remark.start()]
        marks.append("remark")
    if _FENCE in text:
        without = _CLOSED.sub("", _OPENED.sub("", text, count=1))
        if without != text:
            text = without
            marks.append("fence")
    return text, marks
