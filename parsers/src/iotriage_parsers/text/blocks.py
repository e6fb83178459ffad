"""`BlockReader`: how a text format is read. Anchors, which are cheap to search for, find the first lines of its blocks,
and a state machine (`Machine`) is fed the lines from there on.

A new text format is one module in `readers/` with `reader = BlockReader(...)`, and a folder in `sample-logs/`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from enum import Enum, auto
from functools import cache
from typing import Final, Literal, Protocol, TypeGuard

from iotriage_parsers.evidence import Lines, Part, Problem
from iotriage_parsers.frozen import frozen
from iotriage_parsers.text.lines import Line

MOST_BLOCKS: Final = 100_000
"""A job prints statistics for every file that it closes, and `lfs getstripe -r` a layout of every file."""
MOST_RUNS: Final = 10_000
"""Of what a program prints once a run: no campaign has more, and each run is held against the others."""

_LF: Final = 10


class LineResult(Enum):
    """What a machine makes of a line that it was fed."""

    TAKEN = auto()
    """Mine; go on."""
    LAST = auto()
    """Mine, and the block is over."""
    HELD = auto()
    """Mine, unless a block of another reader begins with it; go on."""
    FOREIGN = auto()
    """Not mine; the block may go on after it."""
    OVER = auto()
    """Not mine, and the block was over before it."""


@frozen
class BlockResult:
    """What was read of a block, or of all blocks of one kind. `reader` is the id of the reader that a block belongs to,
    where that is not the one that began it: formats of one family may begin alike. `quoted` are the lines of the block
    that are another file's, as a script writes them by a here-document: what stands there nothing has printed."""

    parts: tuple[Part, ...] = ()
    problems: tuple[Problem, ...] = ()
    reader: str | None = None
    quoted: tuple[Lines, ...] = ()


@frozen
class ReadBlock:
    """A block that is over: its first and its last line, and what was read of it."""

    first: int
    last: int
    read: BlockResult


def _as_they_are(parts: tuple[Part, ...], _every: tuple[Part, ...]) -> BlockResult:
    return BlockResult(parts)


class Machine(Protocol):
    """A state machine that reads one block, or several that are interleaved. `feed` is called with the lines of one
    channel: those with the block's own launcher label, timestamp or quoting, which is taken off. `close` is called
    once: after LAST or OVER, when the block got no line for long, or at the end of the text."""

    def feed(self, line: Line) -> LineResult: ...

    def close(self) -> BlockResult: ...


class BulkMachine(Machine, Protocol):
    """A machine that can read many lines at once, for formats of millions of lines. It must come to the same as by
    `feed`, so it takes only lines that need nothing done to them: ASCII, without control characters or `&`."""

    def take(self, data: bytes, start: int, end: int, number: int) -> int:
        """Reads lines of its own from `start` on, of which the first has this number, and no further than `end`, where
        a line ends. Returns where the first line begins that was not read: `start`, if none was."""


class PatientMachine(Machine, Protocol):
    """A machine whose block may go on after any number of foreign lines: it says itself, by OVER, when the block is
    over, and it holds nothing but lines of its own. Lines that are surely not its own are not fed to it."""

    def next_own(self, data: bytes, start: int, end: int) -> int:
        """Where the first line at or after `start`, a line's beginning, stands that may be its own; `end` where none
        does."""


@cache
def _has_method(kind: type[Machine], method: str) -> bool:
    return callable(getattr(kind, method, None))


def is_bulk(machine: Machine) -> TypeGuard[BulkMachine]:
    """Whether it is one, asked once of its class: a text may begin 100,000 blocks, and `isinstance` of a protocol takes
    longer than most of them."""
    return _has_method(type(machine), "take")


def is_patient(machine: Machine) -> TypeGuard[PatientMachine]:
    """Whether it is one, asked as of `is_bulk`."""
    return _has_method(type(machine), "next_own")


def line_finder(begins: bytes) -> Callable[[bytes, int, int], int]:
    """A `next_own` that finds lines that begin with the pattern `begins`, indented or not, or after a CR; and whatever
    may be an HTML entity."""
    first = re.compile(rb"[ \t\r]*(?:&|" + begins + rb")")
    after_lf = re.compile(rb"\n[ \t]*(?:&|" + begins + rb")")
    after_any = re.compile(rb"[\r\n][ \t]*(?:&|" + begins + rb")")

    def next_own(data: bytes, start: int, end: int) -> int:
        if first.match(data, start, end):
            return start
        pattern = after_any if data.find(b"\r", start, end) >= 0 else after_lf
        found = pattern.search(data, start, end)
        if found is None:
            return end
        at = found.start()
        return at + 1 if data[at] == _LF else data.rfind(b"\n", start, at) + 1 or start

    return next_own


@frozen
class BlockReader:
    """A text format.

    anchors     literal bytes; every block has one of them in its first line.
    begins      offset in the line at which a block's first line begins (what stands before is a prefix), or None
                where the anchor is a mere mention.
    start       makes the machine for a first line, prefix taken off. The lines before it, nearest first, end at the
                last one that some block has taken.
    finish      what to do with all blocks of the text together: number them, drop copies. It is given those of the
                kind, and the blocks of every kind, which may tell what is a copy.
    describe    a few words for a person about the parts of this kind in a source; None where it holds none.
    suffices    whether a text that holds nothing but these parts was worth giving; a module's version alone is not.
    precedence  a text with blocks of several kinds is named after the kind with the highest.
    in_comments whether a block in the comments of a script is told to be one, and not read. What a script's own reader
                makes of its comments is its matter.
    signs       which lines of it begin with the sign of a comment as it is printed. Where its "head" does, which says
                of which run it is, it is that text wherever it stands; where "some" do, a script may have made
                comments of the others.
    most_blocks how many of one text are read; what is beyond them is said.
    has_rows    whether a line of three dots between its lines stands for some that were left out, as in a table. Those
                of a script may be its own.
    """

    id: str
    title: str
    anchors: tuple[bytes, ...]
    begins: Callable[[str], int | None]
    start: Callable[[Line, Iterable[Line]], Machine]
    describe: Callable[[tuple[Part, ...]], str | None]
    finish: Callable[[tuple[Part, ...], tuple[Part, ...]], BlockResult] = _as_they_are
    suffices: Callable[[tuple[Part, ...]], bool] = bool
    precedence: int = 0
    in_comments: bool = True
    signs: Literal["none", "some", "head"] = "none"
    has_rows: bool = True
    most_blocks: int = MOST_BLOCKS
