"""What other tools made of a Darshan log: the log itself tells more."""

from __future__ import annotations

from typing import Final

from iotriage_parsers.text.known.kind import UnsupportedFormat, kind_of

_LOG: Final = "Give the Darshan log that it was made of."
_LOOKED_FOR: Final = f"{_LOG[:-1]}: what it says is looked for in that, with the seconds that it takes."


def _of_darshan(title: str, cue: bytes, named: str) -> UnsupportedFormat:
    return kind_of(title, cue, "a summary of a Darshan log", _LOG, named=named)


SUMMARIES: Final = (
    kind_of(
        "Drishti",
        rb".{0,400}\bDRISHTI v\.\d|.{0,80}\bDrishti report generated at \d",
        "what another tool found in a Darshan log",
        _LOOKED_FOR,
    ),
    kind_of(
        "Drishti without its head",
        rb"\S{0,4}[ ]{0,4}(?:\xe2\x96\xb6|\xe2\x86\xaa) {0,4}(?:Recommendations?: *$"
        rb"|Application (?:is (?:read|write) |issues |mostly |might have |uses MPI-IO|could benefit)"
        rb"|Detected (?:read|write|data|I/O|straggler))",
        "what another tool found in a Darshan log",
        _LOOKED_FOR,
        named="a part of what Drishti prints",
    ),
    kind_of(
        "DXT Explorer",
        rb".{0,400}<title>[ \t\n]{0,8}DXT[ -]?Explorer|.{0,60}\bdxt(?:-explorer)?(?: -|:) INFO(?: -|:) ",
        "a drawing of the calls of a Darshan log, or the steps that it took to draw it",
        _LOOKED_FOR,
    ),
    _of_darshan("Darshan's page", rb".{0,400}<title>[ \t\n]{0,8}Darshan", "Darshan's summary as a page"),
    _of_darshan(
        "the text of Darshan's page",
        rb"Darshan (?:Summary|Log Analysis) Report[ \t\r]*$|Per-Module Statistics: [A-Z]"
        rb"|Runtime Library Version[ \t:]+\d|Log Format Version[ \t:]+\d",
        "the text of Darshan's summary page",
    ),
    _of_darshan(
        "darshan-job-summary",
        rb"Most Common Access Sizes|File Count Summary\b|Average I/O cost per process[ \t\r]*$"
        rb"|Timespan from first to last (?:read|write) access|Variance in Shared Files|Data Transfer Per Filesystem",
        "the text of what darshan-job-summary.pl draws",
    ),
    kind_of(
        "darshan-analyzer",
        rb"log dir: /\S{0,400}[ \t\r]*\n[ \t]*total: \d",
        "how many of a centre's logs use which interfaces",
        "Give the Darshan logs themselves, with iotriage ingest where they are many.",
    ),
)
