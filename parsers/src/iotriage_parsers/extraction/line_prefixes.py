"""Texts of which nearly every line begins with what a collector, a logger or a tool put before it, or has it around it,
in words that only a whole text of them tells from the lines' own.

Read here: containers' logs as Kubernetes keeps them (`TIME stderr F `) and `kubectl logs --prefix` shows them,
`journalctl` and syslog (RFC 3164, 5424), loggers of any make that write a time and a level or a place in the program,
`gh run view --log`, Open MPI's tags with a host or a time, `grep -H` or `-n` and what stands around its lines (`-A`),
`cat -n`, a patch, comments of any language, points of a list, lines in the quotes of CSV or of a list in JSON, in
elements of HTML or XML, in drawn boxes, with the ends of `cat -A`, and as logfmt or Python have them. Times,
ranks' numbers and quoting before the lines of one block are told there (`iotriage_parsers.text.prefix`).

Lines stay at their numbers. Where several writers are named, each line has the number of its own as a label, so that
their blocks are told apart.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from itertools import pairwise
from typing import BinaryIO, Final, Literal

from iotriage_parsers.evidence import Problem
from iotriage_parsers.extraction.extracted_text import ExtractedText
from iotriage_parsers.frozen import frozen
from iotriage_parsers.reader import Limits
from iotriage_parsers.temporary_files import temporary_file

MOST_LOOKED_AT: Final = 400
LEAST_LINES: Final = 4
SURE: Final = 0.9
"""Share of the lines that must begin so: others may be the tool's own."""
MOST_WRITERS: Final = 100_000

_DAY: Final = rb"(?:[A-Z][a-z]{2} )?[A-Z][a-z]{2} [ \d]\d"
_CLOCK: Final = rb"\d\d:\d\d:\d\d(?:[.,]\d{1,9})?"
_ISO: Final = rb"\d{4}-\d\d-\d\d[T ]" + _CLOCK + rb"(?:Z|[+-]\d\d:?\d\d)?"
_TIME: Final = rb"(?:" + _DAY + rb" " + _CLOCK + rb"(?: \d{4})?|" + _ISO + rb")"
_LEVEL: Final = rb"(?:DEBUG|INFO|NOTICE|WARN|WARNING|ERROR|CRITICAL|FATAL)"
_WHEN: Final = rb"[\[(]?(?:" + _TIME + rb"|" + _CLOCK + rb"|\d{2,4}/\d\d/\d\d " + _CLOCK + rb")[\])]?"
_PLACE: Final = rb"[\w.<>/-]{1,80}(?::[\w.<>-]{1,80}){1,2}"
"""A module with a line or a function, or both."""
_WITHIN: Final = rb"(?:" + _LEVEL + rb"|\d{1,9}|[a-z][\w./:<>-]{0,80}|[\w.-]{0,80}[.:][\w.:<>-]{1,80})"
"""A level, a place, a process or thread. Other words in brackets are the program's: IO500 and DLIO begin lines with
[RESULT] and [METRIC]."""
_SAID: Final = rb"(?:[ \t]{1,3}(?:" + _LEVEL + rb"|" + _PLACE + rb"|\[ {0,3}" + _WITHIN + rb" {0,3}\])){%d}"
"""So many things that loggers say of a line beside its time."""
_MOST_SAID: Final = 4
_NAME: Final = rb"[\w.@/+-]{1,120}"
_ONE_CELL: Final = re.compile(rb'"(?:[^"]|"")*+"')
"""Several are columns, which a reader of CSV wants as they are."""
_TRACED: Final = re.compile(rb"\+{1,8} \S")
_NO_COMMENTS: Final = (
    rb"^# (?:darshan log version|(?:exe|uid|jobid|nprocs|total|total_bytes|agg_\w{1,40}): |(?:unique|shared) files"
    rb"|\*(?:ERROR|WARNING)\*: |(?:\*{10,200}|-{5,200})\s*$)"
    rb"|^[ \t]*(?:[^#\s]|#[!A-Z@$])"
)
"""What darshan-parser begins lines with; and any line that is no comment: those of a script are not carried out."""
_OF_A_SCRIPT: Final = rb"^#[!A-Z@$]"
"""A shell or a scheduler that a script begins with."""
_NOTHING_TO_READ: Final = re.compile(rb"\s*+(?:<[^<>\n]{1,400}>\s*+){1,40}|\|[-:| ]{3,200}")
"""A line of a page that has tags alone, and the rule of a table in Markdown."""
_MORE_COLUMNS: Final = re.compile(rb"[^|+\n][^|\n]{0,200} \| ")
"""Behind the first column. A box begins with its side or its rule."""
_SIDE: Final = rb"(?:\xe2\x94[\x82\x83]|\xe2\x95\x91)"
"""Of a drawn box, in UTF-8."""
# `|(?!)`: until Python 3.11.5 a possessive group whose last try failed halfway went on from there.
# https://github.com/python/cpython/issues/106052
_ESCAPES: Final = rb"(?:\x1b\[[0-?]*+[ -/]*+[@-~]|(?!))*+"


Quotes = Literal["csv", "json"]


@frozen
class Form:
    """`begins` matches what stands before the line's own text; its group, where it has one, names the writer. `ends`
    matches what stands behind it. `quotes` says how those within are written: twice, or as JSON has them. No text is of
    it that has a line which `unless` finds, or none that `having` does; and, where it is `counted`, none of which a
    number in `begins` does not follow from that of the line before: from there on the numbers are others, as those of
    ranks that have greeted in turn. `columns` where a table may begin its rows so; `of_cat` where tabs are written
    out."""

    title: str
    begins: re.Pattern[bytes]
    ends: re.Pattern[bytes] | None = None
    quotes: Quotes | None = None
    unless: re.Pattern[bytes] | None = None
    having: re.Pattern[bytes] | None = None
    counted: bool = False
    columns: bool = False
    of_cat: bool = False


def _form(
    title: str,
    pattern: bytes,
    ends: bytes | None = None,
    *,
    quotes: Quotes | None = None,
    unless: bytes | None = None,
    having: bytes | None = None,
    counted: bool = False,
    columns: bool = False,
    of_cat: bool = False,
) -> Form:
    behind = None if ends is None else re.compile(rb"(?:" + ends + rb")\s*$")
    own, its = (None if one is None else re.compile(one, re.MULTILINE) for one in (unless, having))
    return Form(title, re.compile(_ESCAPES + pattern), behind, quotes, own, its, counted, columns, of_cat)


FORMS: Final = (
    _form("what a container's runtime writes before each line", _ISO + rb" (?:stdout|stderr) [FP](?: |$)"),
    _form("the names of pods", rb"\[(pod/" + _NAME + rb")\](?: |$)"),
    _form(
        "what journald or syslog writes before each line",
        _TIME + rb" (" + _NAME + rb" " + _NAME + rb"(?:\[\d{1,10}\])?):(?: |$)",
    ),
    _form(
        "what syslog writes before each line",
        rb"<\d{1,3}>1 (?:" + _ISO + rb"|-) (" + _NAME + rb" " + _NAME + rb" " + _NAME + rb") " + _NAME
        + rb" (?:-|\[[^\]\n]{0,400}\])(?: |$)",
    ),
    _form("what a logger writes before each line", _TIME + rb" - " + _NAME + rb" - " + _LEVEL + rb" -(?: |$)"),
    _form("what a logger writes before each line", _WHEN + rb" {1,3}\| " + _LEVEL + rb" *\| " + _PLACE + rb" -(?: |$)"),
    _form("what a logger writes before each line", _TIME + rb"[ |]{1,3}" + _LEVEL + rb" {0,8}[|:](?: |$)"),
    _form("what a logger writes before each line", _LEVEL + rb":" + _NAME + rb":"),
    *(
        _form("what a logger writes before each line", _WHEN + between + _SAID % count + end + rb"(?: |$)")
        for between, end in ((rb"(?: -)?", rb" -"), (rb"", rb":?"))
        for count in range(_MOST_SAID, 0, -1)
    ),
    _form(
        "what a logger writes before each line",
        rb"[DIWEF]\d{4} " + _CLOCK + rb" {1,8}\d{1,9} [\w./-]{1,80}:\d{1,6}\](?: |$)",
    ),
    _form("what a runner of jobs writes before each line", rb"[^\t\n]{1,80}\t[^\t\n]{1,80}\t" + _ISO + rb"(?: |$)"),
    _form("tags of processes", rb"\[(" + _NAME + rb"@\d{1,9},\d{1,9})\]<\w{1,10}>: ?"),
    _form("tags of processes", _TIME + rb" ?\[(\d{1,9},\d{1,9})\]<\w{1,10}>: ?"),
    _form(
        "names of files",
        rb"([\w@%+=./-]{0,200}\.[A-Za-z]\w{0,9})(?::(?:\d{1,9}:)?|-(?:\d{1,9}-|(?=[|+])))",
    ),
    _form(
        "what grep writes before lines and those around them",
        rb"\d{1,9}[-:](?!\d|[A-Z][a-z]{2}-\d)",
        having=rb"^(?:\d{1,9}-(?!\d)[^\n]*+\n){4}",
    ),
    _form(
        "line numbers",
        rb"\s{0,8}(\d{1,9}) {1,3}(?:\||\xe2\x94\x82)[ \t]?",
        unless=rb"^\s{0,8}\d{1,9}(?!\d| {1,3}(?:\||\xe2\x94\x82))",
        counted=True,
    ),
    _form("line numbers", rb"\s{0,8}(\d{1,9})(?:[:|.)\t]|(?= )|$)[ \t]?", counted=True),
    _form("the sign of a patch", rb"\+(?!\+\+ )"),
    _form("the sign of a comment", rb"#(?: |$)", unless=_NO_COMMENTS),
    _form("the signs of a comment", rb"##(?: {1,3}|$)", unless=_OF_A_SCRIPT),
    _form("the sign of a comment", rb"(?:!|;|//|--|REM)(?: |$)"),
    _form("the sign of a comment", rb" {0,3}\*(?: |$)"),
    _form("the signs of a list", rb"[ \t]{0,8}(?:\xe2\x80\xa2|\xc2\xb7)(?: |\t|$)"),
    _form("the signs of a list", rb"[ \t]{0,8}-(?: |$)", unless=rb"^(?![ \t]{0,8}- |[ \t]{0,8}-?\r?$)"),
    _form("the sign of an example", rb":(?: |$)"),
    _form("the names of streams", rb"(?:std)?(?:out|err):(?: |$)"),
    _form("the names of containers", rb"([A-Za-z][\w.-]{0,60}) {1,20}\|(?: |$)", columns=True),
    _form("the sign of what differs", rb"<(?: |$)"),
    _form("quotes", rb'"', rb'"', quotes="csv"),
    _form("the quotes of a list", rb'\s{0,16}"', rb'",?', quotes="json"),
    _form(
        "what a logger writes around each line",
        rb'(?:\w{1,40}=(?:"[^"]{0,200}"|[^\s"]{0,200}) ){1,20}(?:msg|message)="',
        rb'"',
    ),
    _form("the marks of bytes", rb"b'", rb"(?:\\n)?'"),
    _form(
        "the elements of a page or document",
        rb"(?:(?:<!?\w{1,40}(?:\s[^<>]{0,400})?>|</(?:head|title|style)>)\s{0,8}){1,16}",
        rb"(?:</?[\w:]{1,40}\s?/?>\s*+){0,8}</[\w:]{1,40}>",
    ),
    _form("the backquotes of a table or a chat", rb"(?:\|[ \t]{0,8})?`(?!`)", rb"`(?:[ \t]{0,8}\|)?"),
    _form(
        "line breaks of a page",
        rb"(?:<(?:p|div|span)(?:\s[^<>]{0,400})?>){0,4}",
        rb"(?:<br ?/?>|</(?:p|div|span)>){1,8}",
    ),
    _form("line ends written out", rb"", rb"\\n"),
    _form("the marks of line ends", rb"", rb"\$", of_cat=True),
    _form("the sides of a box", _SIDE + rb" ?", _SIDE),
)  # fmt: skip


def form_of(head: bytes) -> Form | None:
    """What nearly all lines of the first 64 KiB begin with; None where that is nothing known."""
    whole = head[: head.rfind(b"\n") + 1]
    lines = [line for line in whole.splitlines() if line.strip() and not _NOTHING_TO_READ.fullmatch(line)][
        :MOST_LOOKED_AT
    ]
    if len(lines) < LEAST_LINES:
        return None
    for form in FORMS:
        if _nearly_all_have(form, lines) and _may_be(form, lines, head):
            sign = form.begins.match(b"+ ")
            return None if sign is not None and sign.end() and _is_traced(lines) else form
    return None


@contextmanager
def stripped(stream: BinaryIO, form: Form, limits: Limits) -> Iterator[ExtractedText]:
    """The text at offset 0 without what its lines begin with, in a file of its own."""
    writers = _writers(stream, form, limits)
    stream.seek(0)
    first = count = 0
    at: int | None = None
    over = False
    with temporary_file() as text:
        whole = True
        for number, raw in _pieces(stream, limits):
            if whole:
                line = raw.rstrip(b"\r\n")
                found = None if over else form.begins.match(line)
                if form.counted and found is not None:
                    over = at not in (None, int(found[1]) - 1)
                    at, found = int(found[1]), None if over else found
                own = None if found is None else _own(form, line, found)
                if found is not None and own is not None:
                    count += 1
                    first = first or number
                    who = found[1] if writers else b""
                    label = b"%d: " % writers[who] if len(writers) > 1 and who in writers else b""
                    raw = label + own + raw[len(line) :]
            text.write(raw)
            whole = raw.endswith(b"\n")
        text.seek(0)
        lines = "1 line" if count == 1 else f"{count:,} lines"
        message = f"{form.title} removed from {lines}, first on line {first}"
        yield ExtractedText(text, Problem("stripped", message, line=first))


def _writers(stream: BinaryIO, form: Form, limits: Limits) -> dict[bytes, int]:
    """A number for each writer, in the order in which they first write."""
    found: dict[bytes, int] = {}
    if not form.begins.groups or form.counted:
        return found
    stream.seek(0)
    for _, raw in _pieces(stream, limits):
        begins = form.begins.match(raw)
        if begins is not None and len(found) < MOST_WRITERS:
            found.setdefault(begins[1], len(found))
    return found


def _pieces(stream: BinaryIO, limits: Limits) -> Iterator[tuple[int, bytes]]:
    """Lines with their numbers; a very long one in pieces, of which the later begin no line."""
    number = 1
    while raw := stream.readline(limits.line_bytes):
        yield number, raw
        number += raw.endswith(b"\n")


def _nearly_all_have(form: Form, lines: Sequence[bytes]) -> bool:
    """A text has one form, or none: of most forms the first lines say that too many lack it."""
    needed = SURE * len(lines)
    may_have = len(lines)
    for line in lines:
        if not _has(form, line):
            may_have -= 1
            if may_have < needed:
                return False
    return True


def _may_be(form: Form, lines: Sequence[bytes], head: bytes) -> bool:
    """Whether the lines can have been given what the form says, rather than be such themselves."""
    if form.having is not None and form.having.search(head) is None:
        return False
    if (form.counted and not _counted(form, lines)) or (form.columns and _is_table(form, lines)):
        return False
    return form.unless is None or form.unless.search(head) is None


def _has(form: Form, line: bytes) -> bool:
    found = form.begins.match(line)
    return found is not None and _own(form, line, found) is not None


def _own(form: Form, line: bytes, found: re.Match[bytes]) -> bytes | None:
    """What the line, which begins as was found, has of its own; None where it does not end so."""
    if form.quotes == "csv" and _ONE_CELL.fullmatch(line) is None:
        return None
    end = None if form.ends is None else form.ends.search(line, found.end())
    if form.ends is not None and end is None:
        return None
    text = line[found.end() : None if end is None else end.start()]
    if form.of_cat:
        text = text.replace(b"^I", b"\t")
    if form.quotes == "json":
        return _of_json(text)
    return text.replace(b'""', b'"') if form.quotes == "csv" else text


def _of_json(text: bytes) -> bytes | None:
    """What a string of JSON has between its quotes; None where that is more than one line, or no such string."""
    try:
        value: object = json.loads(b'"' + text + b'"', strict=False)
    except ValueError:
        return None
    return value.encode("utf-8", errors="replace") if isinstance(value, str) and "\n" not in value else None


def _is_traced(lines: Sequence[bytes]) -> bool:
    """Whether it is what `set -x` traces, which begins with a plus too, and a blank."""
    return lines[0].startswith(b"+") and all(_TRACED.match(line) for line in lines if line.startswith(b"+"))


def _is_table(form: Form, lines: Sequence[bytes]) -> bool:
    """Whether these are rows of a table: each with another word in its first column, or with more columns."""
    found = [begins for line in lines if (begins := form.begins.match(line)) is not None]
    words = {begins[1] for begins in found}
    more = sum(_MORE_COLUMNS.match(begins.string, begins.end()) is not None for begins in found)
    return 2 * len(words) > len(found) or 2 * more > len(found)


def _counted(form: Form, lines: Sequence[bytes]) -> bool:
    """Whether the numbers before all lines are one more each; those that number blank lines too are left out by whom
    the lines are given."""
    numbers = [int(found[1]) if (found := form.begins.match(line)) is not None else None for line in lines]
    return all(one is not None and other == one + 1 for one, other in pairwise(numbers))
