"""Cray MPICH's MPICH_MPIIO_TIMERS=1: one box per file and direction with the times of its phases, printed after those
of MPICH_MPIIO_STATS when the file is closed.

Two layouts are known: that of 2017 (XC40), for writes of all ranks, and that of 8.1 (EX), for reads and writes, of all
ranks and of the writers or readers only, which leaves out rows for what did not happen and prints details of level 2
below the box. Rows of other versions are kept as they stand. Lines of two files can be mixed where ranks share one
stream; numbers are never guessed from such a mixture.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import replace
from typing import Final

from iotriage_parsers.evidence import MpiioTimers, Part, Problem
from iotriage_parsers.readers.mpich_timers.block import TITLE
from iotriage_parsers.readers.mpich_timers.machine import BoxedMachine
from iotriage_parsers.readers.mpich_timers.unboxed import UnboxedMachine
from iotriage_parsers.readers.mpich_timers.untitled import UntitledMachine
from iotriage_parsers.text.blocks import BlockReader, BlockResult, Machine
from iotriage_parsers.text.boxed import copied
from iotriage_parsers.text.lines import Line
from iotriage_parsers.text.wording import plural

_SCALE: Final = "time scale: 1 = 2**"


def _begins(text: str) -> int | None:
    """Where a title stands in `text`, with or without its box, or a line that must have one above it."""
    match = TITLE.search(text)
    if match is not None:
        return match.start()
    scale = text.find(_SCALE)
    box = text.rfind("|", 0, scale) if scale > 0 else -1
    return box if box >= 0 and not text[box + 1 : scale].strip() else None


def _start(line: Line, before: Iterable[Line]) -> Machine:
    if not TITLE.search(line.text):
        return UntitledMachine(line, before)
    return BoxedMachine(line, before) if line.text.lstrip().startswith("|") else UnboxedMachine(line)


def _finish(parts: tuple[Part, ...], _every: tuple[Part, ...]) -> BlockResult:
    """Numbers the blocks of a file, and drops one of two byte-identical ones, which `2>&1 | tee` makes of one: times
    in ticks are never the same twice."""
    occurrences: Counter[tuple[str, str, str | None]] = Counter()
    first: dict[MpiioTimers, MpiioTimers] = {}
    blocks: list[MpiioTimers] = []
    problems: list[Problem] = []
    for block in (p for p in parts if isinstance(p, MpiioTimers)):
        content = _content(block)
        if block.trusted and block.total_ticks is not None and content in first:
            problems.append(copied(block.lines, first[content].lines))
            continue
        first.setdefault(content, block)
        key = (block.direction, block.ranks, block.file)
        occurrences[key] += 1
        blocks.append(replace(block, occurrence=occurrences[key]))
    return BlockResult(tuple(blocks), tuple(problems))


def _content(block: MpiioTimers) -> MpiioTimers:
    """The block without its place."""
    return replace(
        block,
        lines=replace(block.lines, first=0, last=0),
        seconds=tuple(replace(x, line=0) for x in block.seconds),
        phases=tuple(replace(x, line=0) for x in block.phases),
        details=tuple(replace(x, line=0) for x in block.details),
        named_ranks=tuple(replace(x, line=0) for x in block.named_ranks),
        rows=tuple(replace(x, line=0) for x in block.rows),
    )


def _describe(parts: tuple[Part, ...]) -> str | None:
    blocks = [p for p in parts if isinstance(p, MpiioTimers)]
    if not blocks:
        return None
    files = len({b.file for b in blocks})
    return f"MPICH_MPIIO_TIMERS: {plural(len(blocks), 'block')} of {plural(files, 'file')}"


reader: Final = BlockReader(
    id="mpich_timers",
    title="MPICH_MPIIO_TIMERS output",
    anchors=(b"MPIIO write by phases, ", b"MPIIO read by phases, ", b"time scale: 1 = 2**"),
    begins=_begins,
    start=_start,
    describe=_describe,
    finish=_finish,
    precedence=95,
)
