"""Cray MPICH's MPICH_MPIIO_STATS=1: one box per file and direction, printed when the file is closed.

Three layouts are known (XC40 of 2017; later 7.x with `stripe sized`; 8.1.25 with `ranks in communicator` and a box of
PFL lines above the title). Lines of two files can be mixed where ranks share one stream; numbers are never guessed
from such a mixture.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import accumulate
from typing import Final

from iotriage_parsers.evidence import MpiioStats, MpiioTimers, Part, Problem
from iotriage_parsers.evidence.mpiio_stats import Direction
from iotriage_parsers.readers.mpich_stats.machine import begins, start
from iotriage_parsers.text.blocks import BlockReader, BlockResult
from iotriage_parsers.text.boxed import copied
from iotriage_parsers.text.wording import plural, short

OF_ALL: Final = "all ranks"
_UNLESS: Final = " (if the file was really closed twice with the same numbers, the totals are twice as high)"


def _finish(parts: tuple[Part, ...], every: tuple[Part, ...]) -> BlockResult:
    """Numbers the blocks of a file, and drops copies.

    Times in ticks are never the same twice: where each close of the file is timed too, so many closes there were.
    Else exactly two identical blocks are what `2>&1 | tee`, two output files in one and screens that overlap make of
    one; what stands between the two is there twice as well. Three or more, or two about others that are there once,
    are a file that the program closed so often.
    """
    blocks = [p for p in parts if isinstance(p, MpiioStats)]
    keys = [_content(b) for b in blocks]
    alike = Counter(k for k, b in zip(keys, blocks, strict=True) if b.trusted and b.fields)
    times = _times_each(blocks, every)
    once = (0, *accumulate(alike[key] != 2 for key in keys))
    occurrences: Counter[tuple[Direction, str]] = Counter()
    first: dict[_Content, int] = {}
    seen: Counter[_Content] = Counter()
    counted: list[MpiioStats] = []
    problems: list[Problem] = []
    for place, (key, block) in enumerate(zip(keys, blocks, strict=True)):
        known, before = times.get((block.direction, block.file)), first.setdefault(key, place)
        twice = alike[key] == 2 and once[place] == once[before]
        most = 1 if known is None and twice else alike[key] // (known or 1) or 1
        seen[key] += 1
        if alike[key] and seen[key] > most:
            problems.append(copied(block.lines, blocks[before].lines, "" if known is not None else _UNLESS))
            continue
        if most > 2 and before == place:
            problems.append(_reopened_note(block, most))
        occurrences[block.direction, block.file] += 1
        counted.append(replace(block, occurrence=occurrences[block.direction, block.file]))
    return BlockResult(tuple(counted), tuple(problems))


def _times_each(blocks: Sequence[MpiioStats], every: Sequence[Part]) -> Mapping[tuple[Direction, str], int]:
    """How many times each block of a file stands in the text, where MPICH_MPIIO_TIMERS timed each of its closes."""
    timed: dict[tuple[Direction, str | None], set[tuple[object, ...]]] = {}
    for part in every:
        if isinstance(part, MpiioTimers) and part.trusted and part.total_ticks is not None and part.ranks == OF_ALL:
            ticks = part.scale_exponent, part.total_ticks, *((p.label, p.ticks) for p in part.phases)
            timed.setdefault((part.direction, part.file), set()).add(ticks)
    closed = Counter((b.direction, b.file) for b in blocks if b.trusted and b.fields)
    return {
        file: number // len(timed[file])
        for file, number in closed.items()
        if file in timed and not number % len(timed[file])
    }


_Content = tuple[Direction, str, tuple[tuple[str, str], ...], tuple[str, ...]]


def _content(block: MpiioStats) -> _Content:
    fields = tuple((f.label, f.text) for f in block.fields)
    return block.direction, block.file, fields, tuple(c.text for c in block.pfl)


def _reopened_note(block: MpiioStats, times: int) -> Problem:
    message = f'{times:,} identical blocks of "{short(block.file)}": taken as a file that was closed {times:,} times'
    return Problem("note", message, line=block.lines.first)


def _describe(parts: tuple[Part, ...]) -> str | None:
    blocks = [p for p in parts if isinstance(p, MpiioStats)]
    if not blocks:
        return None
    files = len({b.file for b in blocks})
    return f"MPICH_MPIIO_STATS: {plural(len(blocks), 'block')} of {plural(files, 'file')}"


reader: Final = BlockReader(
    id="mpich_stats",
    title="MPICH_MPIIO_STATS output",
    anchors=(b"MPIIO write access patterns for", b"MPIIO read access patterns for", b"total bytes for "),
    begins=begins,
    start=start,
    describe=_describe,
    finish=_finish,
    precedence=100,
)
