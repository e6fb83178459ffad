"""Cray MPICH's MPICH_MPIIO_STATS=1: one box per file and direction, printed when the file is closed.

Three layouts are known (XC40 of 2017; later 7.x with `stripe sized`; 8.1.25 with `ranks in communicator` and a box of
PFL lines above the title). Lines of two files can be mixed where ranks share one stream; numbers are never guessed
from such a mixture.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from typing import Final

from iotriage_parsers.evidence import MpiioStats, Part, Problem
from iotriage_parsers.evidence.mpiio_stats import Direction
from iotriage_parsers.readers.mpich_stats.machine import begins, start
from iotriage_parsers.text.blocks import BlockReader, Found
from iotriage_parsers.text.boxed import short
from iotriage_parsers.text.wording import counted


def _finish(parts: tuple[Part, ...]) -> Found:
    """Numbers the blocks of a file, and drops one of two byte-identical ones.

    Exactly two identical blocks are what `2>&1 | tee` and two output files in one make of one. Three or more are a file
    that the program closed so often.
    """
    blocks = [p for p in parts if isinstance(p, MpiioStats)]
    keys = [_content(b) for b in blocks]
    copies = Counter(k for k, b in zip(keys, blocks, strict=True) if b.trusted and b.fields)
    occurrences: Counter[tuple[Direction, str]] = Counter()
    first: dict[_Content, MpiioStats] = {}
    kept: list[MpiioStats] = []
    problems: list[Problem] = []
    for key, block in zip(keys, blocks, strict=True):
        if copies[key] == 2 and key in first:
            problems.append(_copy_problem(block, first[key]))
            continue
        if copies[key] > 2 and key not in first:
            problems.append(_reopened_note(block, copies[key]))
        first.setdefault(key, block)
        occurrences[block.direction, block.file] += 1
        kept.append(replace(block, occurrence=occurrences[block.direction, block.file]))
    return Found(tuple(kept), tuple(problems))


_Content = tuple[Direction, str, tuple[tuple[str, str], ...], tuple[str, ...]]


def _content(block: MpiioStats) -> _Content:
    fields = tuple((f.label, f.text) for f in block.fields)
    return block.direction, block.file, fields, tuple(c.text for c in block.pfl)


def _copy_problem(block: MpiioStats, first: MpiioStats) -> Problem:
    return Problem(
        "duplicate-block",
        f"the block at lines {block.lines.first}-{block.lines.last} is byte for byte that of lines {first.lines.first}-"
        f"{first.lines.last}: counted once (if the file was really closed twice with the same numbers, the totals are "
        "twice as high)",
        line=block.lines.first,
    )


def _reopened_note(block: MpiioStats, times: int) -> Problem:
    message = f'{times:,} identical blocks of "{short(block.file)}": taken as a file that was closed {times:,} times'
    return Problem("note", message, line=block.lines.first)


def _describe(parts: tuple[Part, ...]) -> str | None:
    blocks = [p for p in parts if isinstance(p, MpiioStats)]
    if not blocks:
        return None
    files = len({b.file for b in blocks})
    return f"MPICH_MPIIO_STATS: {counted(len(blocks), 'block')} of {counted(files, 'file')}"


reader: Final = BlockReader(
    id="mpich_stats",
    title="MPICH_MPIIO_STATS output",
    anchors=(b"MPIIO write access patterns for ", b"MPIIO read access patterns for ", b"total bytes for "),
    begins=begins,
    start=start,
    describe=_describe,
    finish=_finish,
    precedence=100,
)
