"""Lines with their numbers out of any binary stream, in one pass and bounded memory.

A text comes in whatever encoding the terminal, the editor or the crash left it in: UTF-8, UTF-16, Windows-1252, with
LF, CRLF or CR ends, with NULs where a node died, with colours, with one line of 20 MB. What is done about each is said
in `LineSource.problems`; line ends and byte-order marks are nobody's concern.
"""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterator
from functools import cached_property
from typing import BinaryIO, Final, NamedTuple

from iotriage_parsers.evidence import Problem
from iotriage_parsers.frozen import frozen_identity
from iotriage_parsers.reader import HEAD_BYTES

CHUNK_BYTES: Final = 2**20
HOLE_BYTES: Final = 64
"""A run of NULs this long is a hole where data is missing, not padding: what stands on its two sides is not joined."""

_HOLE_MARK: Final = b"\x1a"
_HOLE: Final = re.compile(rb"\0{%d,}" % HOLE_BYTES)
_ESCAPE_SEQUENCE: Final = re.compile(
    rb"\x1b(?:\[[0-?]*+[ -/]*+[@-~]"  # CSI: colours, cursor
    rb"|[\]PX^_][^\x07\x1b\n]*+(?:\x07|\x1b\\)"  # OSC (window title, links) and the other strings
    rb"|[ -/]++[0-~]|[0-OQ-WYZ\\`-~])"  # two- and three-byte sequences (character set, keypad)
)
_WRITTEN_OUT: Final = re.compile(rb"(?:\^\[|\\(?:033|e|x1[bB]|u001[bB]))\[[0-9;]{0,12}[mK]")
"""A colour whose escape character was written out, as `cat -v` and what quotes a text do."""
_LOST_ESCAPE: Final = re.compile(rb"\[\d{1,3}(?:;\d{1,3}){0,4}m(?!\])")
_OF_LOST_ESCAPES: Final = re.compile(rb"^[^\n]*\[0m(?!\])[^\n]*$", re.MULTILINE)
"""A line with the end of a colour, without its escape character, which a page left out."""
_CARRIAGE_RETURN: Final = b"^M\n"
"""As `cat -v` writes it out."""
_PRE: Final = (b"<pre", b"</pre", b"<PRE", b"</PRE", b"<![CDATA[", b"]]>")
_AROUND_PRE: Final = re.compile(
    rb"^[ \t]*(?:<[^\n]{0,2000}?)?(?:<pre(?:\s[^<>\n]{0,400})?>(?:<(?:code|samp)(?:\s[^<>\n]{0,400})?>)?|<!\[CDATA\[)"
    rb"|(?:(?:</(?:code|samp)>)?</pre>|\]\]>)(?:[ \t]*</?[a-z][^<>\n]{0,400}>){0,20}[ \t]*$",
    re.IGNORECASE | re.MULTILINE,
)
"""What a page, or a document in XML, has before the first line of a text as it was printed, and behind the last."""
_UNSEEN: Final = (b"\x07", b"\x08", b"\x0c")
"""A bell, a step back, and a page's end, which no line has as text."""
_OVERTYPED: Final = re.compile(rb"[^\n\x08]\x08")
"""What a terminal shows the next character in place of."""
_BLANKS: Final = tuple(character.encode() for character in ("\xa0", "\u2002", "\u2003", "\u3000"))
"""What a chat, a word processor or a page makes of blanks. Thin ones stand within figures, between thousands."""
_WRITTEN_BLANK: Final = re.compile(rb"&(?:nbsp|#160);")
_WRITTEN_QUOTE: Final = re.compile(rb"&(?:quot|#34|#x22);")
_OF_NO_WIDTH: Final = tuple(
    chr(number).encode()
    for number in (0xAD, 0x200B, 0x200E, 0x200F, *range(0x202A, 0x202F), 0x2060, 0x2063, *range(0x2066, 0x206A), 0xFEFF)
)
"""What editors and chats put between letters to say where a line may, or may not, be broken, and which way it runs."""
_DASHES: Final = tuple(character.encode() for character in "\u2010\u2011\u2212")
"""A hyphen, one at which no line is broken, and a minus: none that anybody types."""
_LIGATURES: Final = {
    character.encode(): letters
    for character, letters in zip("\ufb00\ufb01\ufb02\ufb03\ufb04", (b"ff", b"fi", b"fl", b"ffi", b"ffl"), strict=True)
}
"""What a document in PDF has for letters that are set as one."""
_THIN_BLANKS: Final = re.compile(
    rb"(?<= )(?:\xe2\x80[\x87-\x8a\xaf])+|(?<!\xe2\x80[\x87-\x8a\xaf])(?:\xe2\x80[\x87-\x8a\xaf])+(?= )"
)
"""Thin ones beside others part columns as these do."""
_JOINERS: Final = re.compile(
    rb"(?<![\x80-\xff])(?:\xe2\x80[\x8c\x8d])+|(?<!\xe2\x80[\x8c\x8d])(?:\xe2\x80[\x8c\x8d])+(?![\x80-\xff])"
)
"""U+200C and U+200D beside a character of ASCII, where they join and part nothing; between letters of other scripts and
between signs they are a part of the name."""
_SEPARATORS: Final = tuple(character.encode() for character in "\u2028\u2029")
"""What chats and word processors end a line with, within a paragraph and at its end."""
_SURE_OF_UTF16: Final = 0.9
"""Share of the characters whose upper byte is zero, in a text of mostly Latin letters."""
_BYTE_ORDER_MARKS: Final = (
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)


class Line(NamedTuple):
    """`number` counts from 1. `ended` is false for a last line without a line end: its last word may be cut."""

    number: int
    text: str
    ended: bool = True


@frozen_identity
class Chunk:
    """Whole lines, each with its LF, without escape sequences. `original` still has them, line for line."""

    first: int
    data: bytes
    original: bytes
    ended: bool = True

    @cached_property
    def coloured(self) -> frozenset[int]:
        """Numbers of the lines from which escape sequences were removed."""
        if self.original is self.data:
            return frozenset()
        lines = enumerate(zip(self.original.split(b"\n"), self.data.split(b"\n"), strict=True), self.first)
        return frozenset(number for number, (before, line) in lines if before != line)


class LineSource:
    """Iterates over the chunks of `stream`. A line of more than `line_bytes` bytes comes as an empty line.

    Lines end at LF (CRLF is LF), at the separators of Unicode, or at CR where the first 64 KiB have no LF at all. A CR
    within an LF line, as progress bars write it, stays: it separates what overwrote one another on one line.
    """

    def __init__(self, stream: BinaryIO, line_bytes: int, chunk_bytes: int = CHUNK_BYTES) -> None:
        self._stream = stream
        self._line_bytes = line_bytes
        self._chunk_bytes = max(chunk_bytes, 1)
        self._nuls = 0
        self._first_nul: int | None = None
        self._ends_with_nul = False
        self._long_lines: list[int] = []
        self._number = 1

    def __iter__(self) -> Iterator[Chunk]:
        carry = b""
        skipping = False
        for block in self._blocks():
            data = self._without_nuls(block, carry)
            if skipping:
                end = data.find(b"\n")
                if end < 0:
                    continue
                data, skipping = data[end:], False
            data = carry + data
            cut = data.rfind(b"\n") + 1
            carry = data[cut:]
            if cut:
                yield from self._chunk(data[:cut])
            if len(carry) > self._line_bytes:
                self._long_lines.append(self._number)
                carry, skipping = b"", True
        if carry:
            yield from self._chunk(carry + b"\n", ended=False)

    def problems(self) -> tuple[Problem, ...]:
        """What was met on the way; complete once the iteration is over."""
        return (*self._nul_problems(), *self._long_line_problems())

    def _chunk(self, data: bytes, ended: bool = True) -> Iterator[Chunk]:
        data = self._without_long_lines(data)
        if not data.isascii():
            data = _with_plain_blanks(data)
        if b"&" in data:
            data = _WRITTEN_QUOTE.sub(b'"', _WRITTEN_BLANK.sub(b" ", data))
        if any(tag in data for tag in _PRE):
            data = _AROUND_PRE.sub(b"", data)
        if _CARRIAGE_RETURN in data:
            data = data.replace(_CARRIAGE_RETURN, b"\n")
        clean = _ESCAPE_SEQUENCE.sub(b"", data) if b"\x1b" in data else data
        if b"[0m" in clean or b"[m" in clean:
            clean = _OF_LOST_ESCAPES.sub(_uncoloured, _WRITTEN_OUT.sub(b"", clean))
        # A bell ends some sequences.
        if any(control in clean for control in _UNSEEN):
            clean = _OVERTYPED.sub(b"", clean).translate(None, b"".join(_UNSEEN))
        yield Chunk(self._number, clean, data, ended)
        self._number += data.count(b"\n")

    def _blocks(self) -> Iterator[bytes]:
        """UTF-8 (or what claims to be) with LF or CRLF line ends."""
        head = _read_fully(self._stream, HEAD_BYTES)
        mark, encoding = next(((m, e) for m, e in _BYTE_ORDER_MARKS if head.startswith(m)), (b"", _unmarked(head)))
        blocks = self._raw_blocks(head[len(mark) :])
        if encoding != "utf-8":
            blocks = _transcoded(blocks, encoding)
        first = next(blocks, b"")
        only_cr = b"\n" not in first and b"\r" in first
        blocks = _chained(first, blocks, self._chunk_bytes)
        return _without_separators(_with_lf(blocks) if only_cr else blocks)

    def _raw_blocks(self, head: bytes) -> Iterator[bytes]:
        if head:
            yield head
        while block := _read_fully(self._stream, self._chunk_bytes):
            yield block

    def _without_nuls(self, block: bytes, carry: bytes) -> bytes:
        if block:
            self._ends_with_nul = block.endswith(b"\0")
        if b"\0" not in block:
            return block
        # A hole may have gigabytes, of which nothing is to be looked for.
        only_nuls = block == bytes(len(block))
        self._nuls += len(block) if only_nuls else block.count(b"\0")
        if self._first_nul is None:
            self._first_nul = self._number + carry.count(b"\n") + block.count(b"\n", 0, block.index(b"\0"))
        if only_nuls:
            return _HOLE_MARK if len(block) >= HOLE_BYTES else b""
        return _HOLE.sub(_HOLE_MARK, block).replace(b"\0", b"")

    def _without_long_lines(self, data: bytes) -> bytes:
        kept: list[bytes] = []
        start = copied = 0
        while len(data) - start > self._line_bytes:
            end = data.rfind(b"\n", start, start + self._line_bytes + 1)
            if end < 0:
                end = data.find(b"\n", start)
                self._long_lines.append(self._number + data.count(b"\n", 0, start))
                kept.append(data[copied:start])
                copied = end
            start = end + 1
        return b"".join((*kept, data[copied:])) if kept else data

    def _nul_problems(self) -> Iterator[Problem]:
        if self._nuls:
            cause = "likely truncated by a node crash" if self._ends_with_nul else "a hole that another writer left"
            yield Problem(
                "damaged",
                f"file has {self._nuls:,} NUL bytes, {cause}; they were taken out",
                loses_data=self._ends_with_nul,
                line=self._first_nul,
            )

    def _long_line_problems(self) -> Iterator[Problem]:
        if self._long_lines:
            first, count = self._long_lines[0], len(self._long_lines)
            others = f" (and {count - 1:,} more such lines)" if count > 1 else ""
            yield Problem(
                "line-too-long",
                f"line {first} is longer than {self._line_bytes // 1024:,} KiB and was skipped{others}",
                line=first,
            )


OTHERWISE: Final = re.compile(rb"[^ -%'-~]")
"""What has something done to it before it is read as text: `&` may be of HTML, and other characters are escaped."""


def plain_lines(data: bytes, start: int, end: int) -> Iterator[tuple[str, int]]:
    """The text of each whole line from `start` to `end` and where the next one begins, up to the first that has
    something done to it before it is read."""
    at = start
    while at < end and (stop := data.find(b"\n", at, end)) >= 0 and OTHERWISE.search(data, at, stop) is None:
        yield data[at:stop].decode("ascii"), stop + 1
        at = stop + 1


def decoded(raw: bytes) -> tuple[str, bool]:
    """The text of one line, and whether it had to be read as Windows-1252 because it is not UTF-8, or as Latin-1, which
    differs from that by signs that no terminal shows."""
    try:
        return raw.decode("utf-8"), False
    except UnicodeDecodeError:
        pass
    try:
        return raw.decode("cp1252"), True
    except UnicodeDecodeError:
        return raw.decode("latin-1"), True


def printable(text: str) -> str:
    """`text` with every character that a terminal would obey written as an escape; tabs stay."""
    if text.isprintable() or text.replace("\t", "").isprintable():
        return text
    return "".join(c if c.isprintable() or c == "\t" else _escaped(c) for c in text)


def _escaped(character: str) -> str:
    return " " if character == "\xa0" else character.encode("unicode_escape").decode("ascii")


def _with_plain_blanks(data: bytes) -> bytes:
    for blank in _BLANKS:
        data = data.replace(blank, b" ")
    for invisible in _OF_NO_WIDTH:
        data = data.replace(invisible, b"")
    for ligature, letters in _LIGATURES.items():
        data = data.replace(ligature, letters)
    for dash in _DASHES:
        data = data.replace(dash, b"-")
    return _JOINERS.sub(b"", _THIN_BLANKS.sub(b" ", data))


def _uncoloured(line: re.Match[bytes]) -> bytes:
    return _LOST_ESCAPE.sub(b"", line[0])


def _unmarked(head: bytes) -> str:
    """The encoding of a text that begins with no byte-order mark: every other byte of UTF-16 is NUL, and no other."""
    for encoding, upper, lower in (("utf-16-le", head[1::2], head[::2]), ("utf-16-be", head[::2], head[1::2])):
        if b"\0" not in lower and upper.count(0) >= _SURE_OF_UTF16 * len(upper) > 0:
            return encoding
    return "utf-8"


def _read_fully(stream: BinaryIO, size: int) -> bytes:
    """`size` bytes, or what is left: a pipe or socket gives less than asked."""
    pieces: list[bytes] = []
    missing = size
    while missing and (piece := stream.read(missing)):
        pieces.append(piece)
        missing -= len(piece)
    return pieces[0] if len(pieces) == 1 else b"".join(pieces)


def _chained(first: bytes, rest: Iterator[bytes], size: int) -> Iterator[bytes]:
    yield from (first[at : at + size] for at in range(0, len(first), size))
    yield from rest


def _transcoded(blocks: Iterator[bytes], encoding: str) -> Iterator[bytes]:
    decoder = codecs.getincrementaldecoder(encoding)(errors="replace")
    for block in blocks:
        yield decoder.decode(block).encode("utf-8", errors="replace")
    yield decoder.decode(b"", final=True).encode("utf-8", errors="replace")


def _without_separators(blocks: Iterator[bytes]) -> Iterator[bytes]:
    """LF for each; what may be the beginning of one waits for the next block."""
    held = b""
    for block in blocks:
        joined = held + block
        if joined.isascii():
            held = b""
            yield joined
            continue
        begun = next((n for n in (2, 1) if joined[-n:] == _SEPARATORS[0][:n]), 0)
        held = joined[len(joined) - begun :]
        if begun:
            joined = joined[:-begun]
        if _SEPARATORS[0][:2] in joined:
            for separator in _SEPARATORS:
                joined = joined.replace(separator, b"\n")
        yield joined
    if held:
        yield held


def _with_lf(blocks: Iterator[bytes]) -> Iterator[bytes]:
    held = b""
    for block in blocks:
        joined = held + block
        held = b"\r" if joined.endswith(b"\r") else b""
        yield joined[: len(joined) - len(held)].replace(b"\r\n", b"\n").replace(b"\r", b"\n")
    if held:
        yield b"\n"
