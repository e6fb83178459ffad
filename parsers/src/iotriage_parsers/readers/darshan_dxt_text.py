"""What darshan-dxt-parser prints of a log, as text: every call of every rank.

With its header such a text begins like one of darshan-parser, and is read by the same machine; this reader is for the
parts that begin later, at a file's heading.
"""

from __future__ import annotations

from typing import Final

from iotriage_parsers.evidence import DxtTrace, Part
from iotriage_parsers.readers.darshan_text.dxt import FIRST
from iotriage_parsers.readers.darshan_text.machine import DXT_ID, start
from iotriage_parsers.text.blocks import MOST_RUNS, BlockReader


def _begins(text: str) -> int | None:
    at = text.find(FIRST)
    return at if at >= 0 else None


def _describe(parts: tuple[Part, ...]) -> str | None:
    traces = [p for p in parts if isinstance(p, DxtTrace)]
    if not traces:
        return None
    return "DXT trace: " + ", ".join(f"{len(t):,} {t.layer} calls" for t in traces)


reader: Final = BlockReader(
    id=DXT_ID,
    title="darshan-dxt-parser text",
    anchors=(FIRST.encode(),),
    begins=_begins,
    start=start,
    describe=_describe,
    signs="head",
    precedence=91,
    most_blocks=MOST_RUNS,
)
