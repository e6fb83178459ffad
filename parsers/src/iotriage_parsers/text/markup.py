"""What was put on a line when it was shown or sent: entities of HTML, bold type, remarks, the fences of code."""

from __future__ import annotations

import html
import re
from typing import Final

_ENTITY: Final = re.compile(r"&(?:lt|gt|amp|quot|apos|nbsp|#[0-9]{1,6}|#x[0-9a-fA-F]{1,5});")

_REMARK: Final = re.compile(r"(?<=\S)\s+<[-=]{2,8}(?=\s|$)")
"""Begins what somebody who shows a text wrote behind a line of it: "<=== here". No angle bracket closes behind it."""

_BOLD: Final = re.compile(r"(\s*)\*\*(?!\*)(.*[^*])\*\*\s*")
"""A line that somebody marked in Markdown. What Slurm prints has three asterisks."""

_FENCE: Final = "```"
_OPENED: Final = re.compile(r"(?<!`)```(?!`)(?=\s*\S)(?!\s*[\w+.#-]{1,20}\s*$)")
"""A chat sends the first line right behind the fence; a word alone there is the language."""
_CLOSED: Final = re.compile(r"(?<=[^\s`])\s*```\s*$")


def without_markup(text: str) -> tuple[str, list[str]]:
    """The line without them, and what they were."""
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
