"""What stands before every line of a text and is of no make that is known: a page's labels, a person's initials, a
program's own clock. It is learnt from the lines themselves, digits and the width of blanks apart, and taken off only
where a block begins behind it that began nowhere before.

What cannot be told: whether numbers in it are writers, beyond those behind a word that says so ("rank 3:").
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from typing import Final

from iotriage_parsers.extraction.line_prefixes import MOST_LOOKED_AT, SURE, Form
from iotriage_parsers.text.prefix import LONGEST_PREFIX, known_prefix

LEAST_LINES: Final = 6
"""With fewer lines what they have in common may be their own."""
_MOST_TRIED: Final = 3
"""So many of the first lines may be strays."""
_END: Final = re.compile(rb"(?<=[^ \t])[ \t]|[:>|\])}](?![ \t])")
_RUN: Final = re.compile(rb"([A-Za-z_]*)(\W{0,2}?)(\d+)|([ \t]+)|.", re.DOTALL)
_WRITERS: Final = frozenset(b"rank ranks proc process task pe node host worker mpi".split())
_COLOURS: Final = re.compile(rb"\x1b?\[[\d;]{0,16}[mK]")
_WORD: Final = re.compile(rb"[A-Za-z]")
_MARK: Final = re.compile(rb"[^\s#+$%]")
"""Not of a comment, a trace or a prompt alone, which have meanings of their own."""

MayBegin = Callable[[bytes], bool]
"""Whether a block may begin somewhere in a line: hardly any other is worth a closer look."""
Begins = Callable[[bytes], int | None]
"""Where in a line a block of some reader begins; None where none does."""


def learnt_form(head: bytes, may_begin: MayBegin, begins: Begins) -> Form | None:
    """What nearly all lines of the first 64 KiB begin with, if blocks begin behind it that did not, or did within it,
    and none had it for a part of its own."""
    whole = head[: head.rfind(b"\n") + 1]
    lines = [line for line in whole.splitlines() if line.strip()][:MOST_LOOKED_AT]
    telling = [line for line in lines if may_begin(line)]
    if len(lines) < LEAST_LINES or not telling:
        return None
    shared = {found[2]: found for line in lines[:_MOST_TRIED] for found in _shared_by(lines, line)}
    began = [_begun(line, begins) for line in telling] if shared else []
    for _, _, pattern in sorted(shared.values(), key=lambda one: one[:2], reverse=True):
        ends = [found.end() if (found := pattern.match(line)) is not None else 0 for line in telling]
        begin = [_begun(line[end:], begins) is not None for line, end in zip(telling, ends, strict=True)]
        every = list(zip(telling, began, ends, begin, strict=True))
        kept = all(after or before is None for _, before, _, after in every)
        if kept and any(after and _begins_sooner(line, before, end) for line, before, end, after in every):
            return Form("a repeated prefix", pattern)
    return None


def _begins_sooner(line: bytes, at: int | None, end: int) -> bool:
    """Whether no block begins in the line, or one behind what is known before lines and ahead of other words that end
    there."""
    return at is None or (bool(line[:at].strip()) and _WORD.search(line, at, end) is not None)


def _begun(line: bytes, begins: Begins) -> int | None:
    """Where a block begins in the line, if nothing but indentation or what is known before lines stands before it."""
    at = begins(line)
    known = at is not None and (not line[:at].strip() or known_prefix(line[:at].decode("utf-8", "replace")) is not None)
    return at if known else None


def _shared_by(lines: Sequence[bytes], first: bytes) -> Iterator[tuple[float, int, re.Pattern[bytes]]]:
    """What `first` begins with that nearly all lines do: the share of those, its length and pattern."""
    for end in _END.finditer(first, 0, LONGEST_PREFIX):
        text = first[: end.end()]
        pattern = re.compile(_shape(text))
        share = sum(pattern.match(line) is not None for line in lines) / len(lines)
        if share < SURE:
            return
        if _MARK.search(text) and not _is_known(text):
            yield share, len(text), pattern


def _is_known(text: bytes) -> bool:
    """Whether it is what is known before lines, in colours too: labels of ranks tell their lines apart."""
    plain = _COLOURS.sub(b"", text)
    return not plain.strip() or known_prefix(plain.decode("utf-8", "replace")) is not None


def _shape(text: bytes) -> bytes:
    """Any digits for digits, any blanks for those before and between; in a group the number of who writes. The blank
    that ends it is missing where the line has nothing else."""
    body = text.rstrip(b" \t")
    named = False

    def run(found: re.Match[bytes]) -> bytes:
        nonlocal named
        word, between, digits, blanks = found.groups()
        if blanks is not None:
            return rb"[ \t]*" if body[found.end() : found.end() + 1].isdigit() else rb"[ \t]+"
        if digits is None:
            return re.escape(found[0])
        writes = not named and word.strip(b"_").lower().rpartition(b"_")[2] in _WRITERS
        named = named or writes
        before = re.escape(word) + (rb"\W{0,8}?" if between.strip() != between else re.escape(between))
        return before + (rb"(\d+)" if writes else rb"\d+")

    return _RUN.sub(run, body) + (rb"(?:[ \t]|$)" if body != text else b"")
