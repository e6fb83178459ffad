"""Finds the blocks of all text formats in one pass.

Chunks are searched for the readers' anchors, which costs next to nothing; line by line it goes only from the line of an
anchor to the end of the block, or, within the block of a patient machine, to the next line that may be its own. Lines
are handed out per channel: the lines of one writer, recognised by the launcher label, node name or quoting before them,
or those without any.
"""

from __future__ import annotations

import re
from collections import Counter, deque
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import BinaryIO, Final

from iotriage_parsers.evidence import Part, Problem
from iotriage_parsers.frozen import frozen
from iotriage_parsers.reader import Limits
from iotriage_parsers.text.anchors import searches_of
from iotriage_parsers.text.blocks import (
    MOST_BLOCKS,
    BlockReader,
    BlockResult,
    BulkMachine,
    LineResult,
    Machine,
    PatientMachine,
    ReadBlock,
    is_bulk,
    is_patient,
)
from iotriage_parsers.text.commented import QuotedBlocks, is_comment
from iotriage_parsers.text.double_spaced import Spacing
from iotriage_parsers.text.left_out import BESIDE, stands_for_rows
from iotriage_parsers.text.lines import CHUNK_BYTES, Chunk, Line, LineSource, decoded, printable
from iotriage_parsers.text.markup import without_markup
from iotriage_parsers.text.prefix import (
    LINE_NUMBER,
    Prefix,
    any_prefix,
    known_prefix,
    numbered,
    rest_of_broken,
    writer,
)

LOOK_BACK_LINES: Final = 40
PATIENCE_LINES: Final = 200
"""Number of foreign lines on a block's own channel after which the block ends, unless its machine is patient."""
IDLE_LINES: Final = 8
"""Number of consecutive foreign lines after which a patient machine is asked where its next line is."""
PATIENCE_ALL_LINES: Final = 20_000
"""As `PATIENCE_LINES`, but counting the lines of all writers: thousands of ranks may print between two lines of a
block."""
MOST_OPEN: Final = 24
"""Number of blocks that may be open at once on a channel, since each of them is asked about each line."""
MOST_CHANNELS: Final = 10_000
MOST_PROBLEMS_OF_A_KIND: Final = 50
_SWEEP_LINES: Final = 1024

_STRIPPED: Final = {
    "ansi": "terminal colours and control sequences",
    "html": "HTML entities",
    "quote": "ticket quoting",
    "label": "launcher labels (rank numbers)",
    "timestamp": "timestamps",
    "node": "node names",
    "number": "line numbers",
    "prefix": "a repeated prefix",
    "bold": "marks of bold type",
    "remark": 'remarks ("<-- …")',
    "blank": "an added blank line",
    "fence": "fences of code (```)",
}


@frozen
class Blocks:
    """All blocks of one kind, in the order in which they begin."""

    reader: BlockReader
    found: BlockResult


@dataclass(slots=True)
class _Open:
    machine: Machine
    reader: BlockReader
    began: int
    last: int
    bulk: BulkMachine | None = None
    patient: PatientMachine | None = None
    foreign: int = 0
    mark: int = 0
    """The line beside its own that stands for rows that were left out; 0 where there is none."""
    commented: bool = False
    """Whether each of its lines, as far as it has come, is a comment."""

    @property
    def is_idle(self) -> bool:
        return self.patient is not None and self.foreign >= IDLE_LINES


@dataclass(slots=True)
class _Channel:
    """`shape` is None for the lines without a prefix."""

    key: str
    shape: re.Pattern[str] | None = None
    prefix: Prefix | None = None
    open: list[_Open] = field(default_factory=list)
    last_taken: int = 0


@frozen
class _Taken:
    """After lines were read in bulk: where they end, and the number of the next line."""

    end: int
    number: int


@frozen
class _Row:
    """A line as it stands in the text, with a record of what was removed from it."""

    line: Line
    marks: tuple[str, ...] = ()


def scan(
    stream: BinaryIO,
    readers: Sequence[BlockReader],
    limits: Limits,
    chunk_bytes: int = CHUNK_BYTES,
    *,
    numbered_lines: bool = False,
    double_spaced: bool = False,
) -> tuple[tuple[Blocks, ...], tuple[Problem, ...]]:
    """The blocks of every reader that found any, and the problems of the text itself, by line. `numbered_lines` where
    each line begins with its number, `double_spaced` where a blank one was put behind each."""
    source = LineSource(stream, limits.line_bytes, chunk_bytes)
    run = _Scan(readers, numbered_lines, Spacing() if double_spaced else None)
    for chunk in source:
        run.chunk(chunk)
    blocks = run.blocks()
    return blocks, _capped((*source.problems(), *run.problems()))


class _Scan:
    def __init__(self, readers: Sequence[BlockReader], numbered_lines: bool, spacing: Spacing | None) -> None:
        self._readers = tuple(readers)
        self._numbered = numbered_lines
        self._spacing = spacing
        self._anchors, self._owners = searches_of(tuple(r.anchors for r in readers))
        self._recent: deque[tuple[int, bytes]] = deque(maxlen=LOOK_BACK_LINES)
        self._root = _Channel("")
        self._channels: dict[tuple[str, str], _Channel] = {}
        self._shapes: dict[str, re.Pattern[str]] = {}
        self._latest = self._root
        self._open = 0
        self._labelled = 0
        self._started: Counter[str] = Counter()
        self._refused: dict[str, Problem] = {}
        self._found: dict[str, list[ReadBlock]] = {r.id: [] for r in readers}
        self._stripped: dict[str, tuple[int, int]] = {}
        self._windows: list[int] = []
        self._left_out: dict[int, None] = {}
        self._signed: set[tuple[int, str]] = set()
        self._quoted = QuotedBlocks()
        self._chunk: Chunk | None = None

    def chunk(self, chunk: Chunk) -> None:
        """Reads the lines of the next chunk."""
        self._chunk = chunk
        data = chunk.data
        hits: Iterator[int] | None = None
        at, number, hit = 0, chunk.first, -1
        whole = (
            0 if chunk.original is not data else len(data) if chunk.ended else data.rfind(b"\n", 0, len(data) - 1) + 1
        )
        while at < len(data):
            if self._open == 1 and (lines := self._take_many(data, at, whole, number)):
                at, number = lines.end, lines.number
                continue
            if hits is None:
                hits = self._anchors(data)
            while hit < at:
                hit = next(hits, len(data))
            if not self._labelled:
                start = len(data) if hit == len(data) else data.rfind(b"\n", at, hit) + 1 or at
                start = self._next_wanted(data, at, start)
                self._skip(data, at, start, number)
                number += data.count(b"\n", at, start)
                at = start
                if at == len(data):
                    return
            end = data.find(b"\n", at)
            raw = data[at:end]
            self._raw_line(number, raw, chunk.ended or end + 1 < len(data), anchored=hit < end)
            at, number = end + 1, number + 1
            if self._open and not number % _SWEEP_LINES:
                self._sweep(number)

    def blocks(self) -> tuple[Blocks, ...]:
        """Closes what is open and settles each reader's blocks."""
        for channel in (self._root, *self._channels.values()):
            for block in list(channel.open):
                self._close(channel, block)
        self._quoted.take_out(self._found, self._signed)
        every = tuple(part for blocks in self._found.values() for block in blocks for part in block.read.parts)
        holding = (r for r in self._readers if self._found[r.id] or any(self._quoted.of(r)))
        return tuple(self._settled(reader, every) for reader in holding)

    def problems(self) -> Iterator[Problem]:
        """What was taken off the lines of blocks, and what was left unread."""
        for kind, (first, count) in self._stripped.items():
            lines = "1 line" if count == 1 else f"{count:,} lines"
            yield Problem("stripped", f"{_STRIPPED[kind]} removed from {lines}, first on line {first}", line=first)
        if self._windows:
            first = self._windows[0]
            more = f" (and {len(self._windows) - 1:,} more)" if len(self._windows) > 1 else ""
            yield Problem("encoding", f"line {first} is not UTF-8{more}: read as Windows-1252", line=first)
        for number in self._left_out:
            message = f"line {number} stands for rows that were left out: they are not known"
            yield Problem("unterminated", message, loses_data=True, line=number)
        yield from self._refused.values()

    def _settled(self, reader: BlockReader, every: tuple[Part, ...]) -> Blocks:
        founds = [block.read for block in sorted(self._found[reader.id], key=lambda block: block.first)]
        finished = reader.finish(tuple(part for found in founds for part in found.parts), every)
        problems = (*(p for found in founds for p in found.problems), *finished.problems, *self._quoted.of(reader))
        return Blocks(reader, BlockResult(finished.parts, _capped(problems)))

    def _take_many(self, data: bytes, at: int, end: int, number: int) -> _Taken | None:
        """Lets the only open block read many lines at once; None where it does not."""
        block = next(iter(self._root.open), None)
        if block is None or block.bulk is None or at >= end:
            return None
        stop = block.bulk.take(data, at, end, number)
        if stop <= at:
            return None
        number += data.count(b"\n", at, stop)
        block.last, block.foreign, block.commented = number - 1, 0, False
        self._root.last_taken = number - 1
        return _Taken(stop, number)

    def _next_wanted(self, data: bytes, at: int, end: int) -> int:
        """Where the first line before `end` stands that some open block may want."""
        for block in self._root.open:
            if not block.is_idle or block.patient is None:
                return at
            end = block.patient.next_own(data, at, end)
        return end

    def _skip(self, data: bytes, start: int, end: int, number: int) -> None:
        """Keeps the last lines of a region without blocks for those who look back."""
        if start == end:
            return
        at = end - 1
        for _ in range(LOOK_BACK_LINES):
            at = data.rfind(b"\n", start, at)
            if at < 0:
                break
        first = start if at < 0 else at + 1
        number += data.count(b"\n", start, first)
        lines = enumerate(data[first : end - 1].split(b"\n"), number)
        self._recent.extend(line for line in lines if self._spacing is None or not self._spacing.is_added(line[1]))

    def _raw_line(self, number: int, raw: bytes, ended: bool, anchored: bool) -> None:
        raw = raw.rstrip(b"\r")
        if self._spacing is not None and self._spacing.is_added(raw):
            first, count = self._stripped.get("blank", (number, 0))
            self._stripped["blank"] = first, count + 1
            return
        if b"\r" not in raw:
            self._line(self._row(number, raw, ended=ended), raw, anchored)
            self._recent.append((number, raw))
            return
        segments = raw.split(b"\r")
        for segment in segments[:-1]:
            self._line(self._row(number, segment, ended=True), segment, anchored)
            self._recent.append((number, segment))
        self._line(self._row(number, segments[-1], ended=ended), segments[-1], anchored)
        self._recent.append((number, segments[-1]))

    def _row(self, number: int, raw: bytes, *, ended: bool) -> _Row:
        text, windows = decoded(raw)
        text, marks = without_markup(text)
        if windows:
            marks.append("windows-1252")
        if self._chunk is not None and number in self._chunk.coloured:
            marks.append("ansi")
        return _Row(Line(number, printable(text), ended), tuple(marks))

    def _line(self, row: _Row, raw: bytes, anchored: bool) -> None:
        number, text, ended = row.line
        reader, at = self._begins(raw, text) if anchored else (None, 0)
        if reader is not None and text[:at].strip():
            self._begin_after_prefix(row, reader, at)
            return
        if self._labelled:
            # A mention has its label for a part of its sentence; whose block it may stand in, is told by that.
            is_next = self._latest.last_taken == number - 1 and bool(self._latest.open)
            for shape in self._shapes.values():
                match = shape.match(text)
                channel = self._channel_of(shape.pattern, match.group()) if match else None
                if match and channel and channel.open:
                    is_next = is_next and channel is not self._latest
                    rest = Line(number, _unquoted(text[match.end() :], channel), ended)
                    if self._offer(channel, rest, row, None):
                        return
            rest_of_last = rest_of_broken(text, self._latest.prefix) if is_next else None
            if rest_of_last is not None:
                taken = self._offer(self._latest, Line(number, rest_of_last, ended), row, None)
                if taken or self._latest is self._root:
                    return
        self._offer(self._root, row.line, row, reader)

    def _channel_of(self, shape: str, prefix: str) -> _Channel | None:
        """That of the writer of a line with this prefix; lines that are only numbered have one."""
        return self._channels.get((shape, LINE_NUMBER)) or self._channels.get((shape, writer(prefix)))

    def _begins(self, raw: bytes, text: str) -> tuple[BlockReader | None, int]:
        for index in self._owners(raw):
            reader = self._readers[index]
            at = reader.begins(text)
            if at is not None:
                return reader, at
        return None, 0

    def _begin_after_prefix(self, row: _Row, reader: BlockReader, at: int) -> None:
        number, text, ended = row.line
        before = (decoded(raw)[0] for _, raw in reversed(self._recent))
        prefix = (
            numbered(text[:at], text[at:], before, every=self._numbered)
            or known_prefix(text[:at])
            or self._repeated_prefix(text[:at])
        )
        if prefix is not None and "comment" in prefix.kinds and not reader.in_comments:
            self._offer(self._root, row.line, row, None)
            return
        if prefix is None:
            # Somebody's unfinished line stands before it: the machine that waits for that line sees it whole.
            self._offer(self._root, row.line, row, reader, Line(number, text[at:], ended))
            return
        channel = self._channel(prefix)
        self._offer(channel, Line(number, _unquoted(text[at:], channel), ended), row, reader)

    def _repeated_prefix(self, text: str) -> Prefix | None:
        """A prefix of unknown make is one if the box's rule or line before has the same."""
        prefix = any_prefix(text)
        if prefix is None or not self._recent:
            return None
        before = decoded(self._recent[-1][1])[0]
        match = re.match(prefix.shape, before)
        return prefix if match and before[match.end() :].startswith(("+-", "|")) else None

    def _channel(self, prefix: Prefix) -> _Channel:
        shape = self._shapes.setdefault(prefix.shape, re.compile(prefix.shape))
        key = (prefix.shape, prefix.key)
        if key not in self._channels:
            if len(self._channels) >= MOST_CHANNELS:
                self._forget_idle_channels()
            self._channels[key] = _Channel(prefix.key, shape, prefix)
        return self._channels[key]

    def _forget_idle_channels(self) -> None:
        for channel in list(self._channels.values())[: MOST_CHANNELS // 2]:
            for block in list(channel.open):
                self._close(channel, block)
        self._channels = {k: c for k, c in self._channels.items() if c.open}
        kept = {shape for shape, _ in self._channels}
        self._shapes = {s: rx for s, rx in self._shapes.items() if s in kept}

    def _offer(
        self, channel: _Channel, line: Line, row: _Row, reader: BlockReader | None, first: Line | None = None
    ) -> bool:
        """Gives the line to the channel's open blocks, or begins one with `first` (the line, where not given)."""
        for block in reversed(channel.open[:]):
            answer = block.machine.feed(line)
            if answer is LineResult.HELD:
                answer = LineResult.TAKEN if reader in (None, block.reader) else LineResult.FOREIGN
            if answer in (LineResult.TAKEN, LineResult.LAST):
                if block.mark and line.number - block.mark <= BESIDE:
                    self._left_out[block.mark] = None
                block.last, block.foreign, block.mark = line.number, 0, 0
                block.commented = block.commented and is_comment(row.line.text, channel.prefix)
                self._take(channel, row)
                if answer is LineResult.LAST:
                    self._close(channel, block)
                return True
            block.foreign += 1
            if line.number - block.last <= BESIDE and block.reader.has_rows and stands_for_rows(line.text):
                block.mark = line.number
            if answer is LineResult.OVER or (block.patient is None and block.foreign > PATIENCE_LINES):
                self._close(channel, block)
        if reader is None:
            return False
        if self._is_refused(reader, line.number):
            return False
        if len(channel.open) >= MOST_OPEN:
            # Who waits longest, patient ones last.
            self._close(channel, min(channel.open, key=lambda block: (block.patient is not None, block.last)))
        machine = reader.start(line if first is None else first, self._before(channel))
        bulk = machine if is_bulk(machine) else None
        patient = machine if is_patient(machine) else None
        commented = reader.in_comments and is_comment(row.line.text, channel.prefix)
        block = _Open(machine, reader, line.number, line.number, bulk, patient, commented=commented)
        channel.open.append(block)
        self._started[reader.id] += 1
        self._open += 1
        self._labelled += channel.shape is not None
        self._take(channel, row)
        return True

    def _is_refused(self, reader: BlockReader, number: int) -> bool:
        """Whether as many blocks are read as may be: of this reader, or of all."""
        if self._started[reader.id] >= reader.most_blocks:
            most, of, key = reader.most_blocks, f" of {reader.title}", reader.id
        elif self._started.total() >= MOST_BLOCKS:
            most, of, key = MOST_BLOCKS, "", ""
        else:
            return False
        if key not in self._refused:
            message = f"more than {most:,} blocks{of}: those from line {number} on were not read"
            self._refused[key] = Problem("limit", message, loses_data=True, line=number)
        return True

    def _before(self, channel: _Channel) -> Iterator[Line]:
        for number, raw in reversed(self._recent):
            if number <= channel.last_taken:
                return
            row = self._row(number, raw.rstrip(b"\r"), ended=True)
            if channel.shape is None:
                yield row.line
            elif (match := channel.shape.match(row.line.text)) and channel.key in (LINE_NUMBER, writer(match.group())):
                yield Line(number, _unquoted(row.line.text[match.end() :], channel))

    def _take(self, channel: _Channel, row: _Row) -> None:
        number = row.line.number
        channel.last_taken = number
        self._latest = channel
        kinds: Iterable[str] = row.marks if channel.prefix is None else (*row.marks, *channel.prefix.kinds)
        for kind in kinds:
            if kind == "comment":
                continue
            if kind == "windows-1252":
                self._windows.append(number)
            else:
                first, count = self._stripped.get(kind, (number, 0))
                self._stripped[kind] = first, count + 1

    def _close(self, channel: _Channel, block: _Open) -> None:
        channel.open.remove(block)
        self._open -= 1
        self._labelled -= channel.shape is not None
        found = block.machine.close()
        owner = found.reader if found.reader in self._found else block.reader.id
        own_signs = channel.prefix is None or "comment" not in channel.prefix.kinds
        if block.commented and own_signs and block.reader.signs != "none":
            if block.reader.signs == "some":
                self._signed.add((block.began, owner))
        elif block.commented:
            if found.parts:
                self._quoted.keep_commented(owner, block.began, block.last)
            return
        self._found[owner].append(ReadBlock(block.began, block.last, found))

    def _sweep(self, number: int) -> None:
        """Closes blocks that have waited too long, so that a text with one incomplete block is still read quickly."""
        for channel in (self._root, *self._channels.values()):
            for block in list(channel.open):
                in_root = channel is self._root
                if number - block.last > PATIENCE_ALL_LINES and not (in_root and block.patient is not None):
                    self._close(channel, block)


def _unquoted(text: str, channel: _Channel) -> str:
    """Without the closing backtick, where each line is code in a quotation."""
    return text.rstrip().removesuffix("`") if channel.prefix and channel.prefix.quoted_code else text


def _capped(problems: Iterable[Problem]) -> tuple[Problem, ...]:
    """By line; of many of one kind the first ones, and how many there were."""
    ordered = sorted(problems, key=lambda p: (p.line or 0, p.code))
    counts = Counter(p.code for p in ordered)
    seen: Counter[str] = Counter()
    kept: list[Problem] = []
    for problem in ordered:
        seen[problem.code] += 1
        if seen[problem.code] <= MOST_PROBLEMS_OF_A_KIND:
            kept.append(problem)
        elif seen[problem.code] == MOST_PROBLEMS_OF_A_KIND + 1:
            more = counts[problem.code] - MOST_PROBLEMS_OF_A_KIND
            losses = any(p.loses_data for p in ordered if p.code == problem.code)
            kept.append(Problem(problem.code, f"and {more:,} more of this kind", losses, line=problem.line))
    return tuple(kept)
