"""Pages and mails of HTML of which few lines end: what a ticket system or a mail program made of a text, where the ends
of lines are elements (`<br>`, `</p>`, `</div>`, `</tr>`, `</li>`); and what documents of a word processor have within,
which are archives (`word/document.xml` of Office Open XML, `content.xml` of OpenDocument).

These end lines again, and other tags are left out, so that places are those among the lines as a page shows them. A
less-than sign that is none of a tag stays.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import BinaryIO, Final

from iotriage_parsers.evidence import Problem
from iotriage_parsers.extraction.extracted_text import ExtractedText
from iotriage_parsers.reader import Limits
from iotriage_parsers.temporary_files import temporary_file

_END: Final = re.compile(
    rb"<br[ ]?/?>|<(?:w:br|text:line-break)(?:\s[^<>]{0,400})?/>|</(?:w:|text:)?(?:p|div|tr|li|h[1-6]?)>", re.IGNORECASE
)
_TAG: Final = re.compile(
    rb"</?[A-Za-z][A-Za-z0-9]{0,20}(?::[A-Za-z-]{1,40})?(?:\s[^<>]{0,2000})?/?>|<\?xml[^<>]{1,200}\?>"
)
_TAB: Final = re.compile(rb"<(?:w|text):tab\s?/>")
_WRITTEN_BLANKS: Final = re.compile(rb"<text:s(?:\s+text:c=\"(\d{1,4})\")?\s?/>")
"""What OpenDocument has for several blanks."""
_MOST_BLANKS: Final = 100
"""No line of a log has more beside one another; a page that has is not to fill a disk with them."""
_BLANK: Final = re.compile(rb"&(?:nbsp|#160|#x0{0,4}a0);", re.IGNORECASE)
_LEAST_ENDS: Final = 6
_OF_LINES: Final = 3
"""So many ends for each of the text's own, from which on those are not the page's lines."""
_PIECE: Final = 2**20
_LONGEST_TAG: Final = 2_048


def is_one_line_page(head: bytes) -> bool:
    """Whether lines end by elements, and hardly any by themselves, in the first 64 KiB."""
    ends = len(_END.findall(head)) if b"<" in head else 0
    return ends >= max(_LEAST_ENDS, _OF_LINES * head.count(b"\n"))


@contextmanager
def opened(stream: BinaryIO, limits: Limits) -> Iterator[ExtractedText]:
    """The text as a page shows it, at offset 0, in a file of its own."""
    stream.seek(0)
    with temporary_file() as text:
        held = b""
        while piece := stream.read(min(_PIECE, limits.line_bytes)):
            data = held + piece
            cut = data.rfind(b"<", max(len(data) - _LONGEST_TAG, 0))
            whole = len(data) if cut < 0 or b">" in data[cut:] else cut
            text.write(_shown(data[:whole]))
            held = data[whole:]
        text.write(_shown(held))
        text.seek(0)
        message = "the elements of a page were taken off, and lines ended where it ends them: they are counted so"
        yield ExtractedText(text, Problem("stripped", message))


def _shown(data: bytes) -> bytes:
    data = _WRITTEN_BLANKS.sub(_blanks, _TAB.sub(b"\t", _END.sub(b"\n", data)))
    return _BLANK.sub(b" ", _TAG.sub(b"", data))


def _blanks(written: re.Match[bytes]) -> bytes:
    return b" " * min(int(written[1] or 1), _MOST_BLANKS)
