"""What darshan-parser prints of a log, as text: the records, or with --total, --perf and --file figures of all.

Texts of darshan-util 2.x and 3.x, whole, cut, or pasted into something else. The records give the same evidence as the
log itself, to the six decimals that are printed.
"""

from __future__ import annotations

from typing import Final

from iotriage_parsers.evidence import DarshanSummary, Part
from iotriage_parsers.readers.darshan_text.header import begins
from iotriage_parsers.readers.darshan_text.machine import PARSER_ID, start
from iotriage_parsers.text.blocks import MOST_RUNS, BlockReader


def _describe(parts: tuple[Part, ...]) -> str | None:
    """Whole logs are described where all logs are; here, what there is instead."""
    summaries = [p for p in parts if isinstance(p, DarshanSummary)]
    if not summaries:
        return None
    modules = ", ".join(s.module or "all modules" for part in summaries for s in part.summaries)
    return f"darshan-parser totals: {modules}" if modules else "darshan-parser --file-list: no counters"


reader: Final = BlockReader(
    id=PARSER_ID,
    title="darshan-parser text",
    anchors=(b"# darshan log version:", b"#<module>\t<rank>", b"#<rank>\t<file>"),
    begins=begins,
    start=start,
    describe=_describe,
    signs="head",
    precedence=90,
    most_blocks=MOST_RUNS,
)
