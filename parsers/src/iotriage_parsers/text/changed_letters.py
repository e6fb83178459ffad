"""Statistics of MPI-IO and layouts of Lustre whose letters or signs were changed on the way, as in what was read
from a picture (OCR): an I, l or | for one another, O for 0. Nothing is read of them, since the figures may be changed
too; that they are there is said.

Statistics are recognised by a title of Cray MPICH's boxes, and behind it lines with the words of theirs; a layout by
lines with the words of lfs getstripe: when look-alikes are taken for one another.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import BinaryIO, Final

from iotriage_parsers.evidence import Problem
from iotriage_parsers.text.anchors import anchor_search
from iotriage_parsers.text.cued_lines import cued_lines
from iotriage_parsers.text.lines import decoded

_CUES: Final = anchor_search(
    (
        b"access pat", b"acces5 pat", b"acce55 pat", b"by phases", b"by pha5es", b"stripe", b"str1pe", b"strlpe",
        b"mm_", b"nm_", b"m pat", b"m lay", b"system write", b"system read", b"aggregators", b"wait for col",
        b"number of ranks",
    )
)  # fmt: skip
_ALIKE: Final = str.maketrans(
    {"1": "i", "l": "i", "I": "i", "|": "i", "!": "i", "0": "o", "O": "o", "5": "s", "S": "s"}
)
_BLANKS: Final = re.compile(r"[\s_.\u00a0]+")
_TITLE: Final = re.compile(r"[^a-z]{0,3}i?[^a-z]{0,2}mpiio(?:write|read)(?:accesspat\w{3,6}|byphases)")
_AS_PRINTED: Final = re.compile(r"\| {1,4}MPIIO (?:write|read) (?:access patterns|by phases)")
"""What is refused of such a title is so for another reason."""
_ROW: Final = re.compile(
    r"(?:stripecount|stripesize|system(?:write|read)s|aggregators|aggregatorsactive|waitforcoii|"
    r"numberofranks(?:not)?(?:writing|reading))[^=]{0,3}[=\u2014-]"
)
_OF_LAYOUT: Final = re.compile(r"[^=:]{0,8}?i[mn]{1,2}(?:stripe(?:count|si[sz2]e|offset)|pattern|iayoutgen)")
_LAYOUT_AS_PRINTED: Final = re.compile(r"\blmm_(?:stripe_(?:count|size|offset)|pattern|layout_gen):\s")
_LEAST_ROWS: Final = 2
_NEAR: Final = 40
_MOST_READ: Final = 200
"""Characters of a line: a title's file may be longer, what tells it is not."""


def changed_letters(stream: BinaryIO, line_bytes: int) -> Problem | None:
    """That statistics stand in the text and cannot be read; None where nothing looks like them. To be asked of a text
    of which none were read."""
    title, rows = None, 0
    layout: list[int] = []
    for number, like in _lines(stream, line_bytes):
        if _OF_LAYOUT.match(like):
            layout = [line for line in layout if line > number - _NEAR] + [number]
        if len(layout) > _LEAST_ROWS:
            return _problem(layout[0], "a layout of Lustre (lfs getstripe) begins", "Give what the command printed")
        if _TITLE.match(like):
            title, rows = number, 0
        elif title is not None and number <= title + _NEAR and _ROW.search(like):
            rows += 1
        if title is not None and rows >= _LEAST_ROWS:
            return _problem(title, "statistics of MPI-IO begin", "Give the job's output")
    return None


def _problem(line: int, what: str, give: str) -> Problem:
    message = (
        f"on line {line} {what} whose letters or signs were changed on the way, as where a text is read from a picture "
        f"(OCR): none of the figures is read, since these may be changed too. {give} itself"
    )
    return Problem("changed-letters", message, loses_data=True, line=line)


def _lines(stream: BinaryIO, line_bytes: int) -> Iterator[tuple[int, str]]:
    """Lines that may be of such a box, with look-alikes as one letter and without blanks."""
    for number, raw in cued_lines(_CUES, stream, line_bytes):
        text = decoded(raw[: _MOST_READ * 4])[0][:_MOST_READ]
        if _AS_PRINTED.search(text) is None and _LAYOUT_AS_PRINTED.search(text) is None:
            yield number, _BLANKS.sub("", text.translate(_ALIKE).lower())
