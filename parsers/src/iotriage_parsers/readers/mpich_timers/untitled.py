"""A block whose title line is not there: an excerpt, or a text that begins within it."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import replace
from typing import Final

from iotriage_parsers.evidence import MpiioTimers, Problem
from iotriage_parsers.evidence.mpiio_stats import Direction
from iotriage_parsers.evidence.mpiio_timers import RANKS_NOT_STATED
from iotriage_parsers.readers.mpich_timers.block import RULE, TimersSegment, fits
from iotriage_parsers.readers.mpich_timers.machine import BoxedMachine
from iotriage_parsers.readers.mpich_timers.rows import EVERY_PRINTED, KNOWN, is_header, printed
from iotriage_parsers.text.blocks import BlockResult, LineResult
from iotriage_parsers.text.lines import Line

MOST_ABOVE: Final = 40
_BOTH: Final = frozenset(KNOWN["write"]) & frozenset(KNOWN["read"])
_AMONG: Final = re.compile(r"Late arriver among (all ranks|writers|readers) ")
_OPENING: Final = re.compile(r"open/|close ")


class UntitledMachine:
    """The rows tell reads from writes, and their order, their rule and their percents that they are one block's; what
    is not sure to be one block is named and not read. Rows of opening and closing are printed for all ranks alone."""

    def __init__(self, line: Line, before: Iterable[Line]) -> None:
        above = _rows_above(before)
        self._first = above[0].number if above else line.number
        self._waiting: list[Line] = [*above, line]
        self._block: BoxedMachine | None = None
        self._begin_if_known()

    def feed(self, line: Line) -> LineResult:
        if self._block is not None:
            return LineResult.OVER if "MPIIO" in line.text else self._block.feed(line)
        text = line.text.strip()
        if not _is_ours(text) or len(self._waiting) > 2 * MOST_ABOVE:
            return LineResult.OVER
        self._waiting.append(line)
        self._begin_if_known()
        return LineResult.TAKEN

    def close(self) -> BlockResult:
        found = BlockResult() if self._block is None else self._block.close()
        parts = [p for p in found.parts if isinstance(p, MpiioTimers)]
        if len(parts) == 1 and self._block is not None and self._block.is_one_whole and _is_consistent(parts[0]):
            block = replace(parts[0], file=None, ranks=_ranks(parts[0]), complete=False)
            message = f"the block at line {self._first} has no title: whose file it is of is not known"
            return BlockResult((block,), (Problem("torn", message, loses_data=True, line=self._first), *found.problems))
        message = f"line {self._first} belongs to a block without a title (torn or cut off): the block was not read"
        return BlockResult((), (Problem("torn", message, loses_data=True, line=self._first),))

    def _begin_if_known(self) -> None:
        """Begins the block, once a row says whether it is of reads or of writes."""
        direction = next((d for line in self._waiting if (d := _direction(line.text)) is not None), None)
        if direction is None:
            return
        self._block = BoxedMachine(TimersSegment(self._first, direction, "", ranks=RANKS_NOT_STATED, last=self._first))
        for line in self._waiting:
            self._block.feed(line)


def _rows_above(before: Iterable[Line]) -> list[Line]:
    """The rows of the block that stand directly above, in their order."""
    above: list[Line] = []
    for line in before:
        text = line.text.strip()
        if len(above) >= MOST_ABOVE or RULE.match(text) or not _is_ours(text):
            break
        above.append(line)
    return above[::-1]


def _is_ours(text: str) -> bool:
    body = text[1:]
    return text.startswith("|") and (not body.strip() or is_header(body) or printed(body).label in EVERY_PRINTED)


def _direction(text: str) -> Direction | None:
    label = printed(text.strip().removeprefix("|")).label
    if label in _BOTH:
        return None
    return "write" if label in KNOWN["write"] else "read" if label in KNOWN["read"] else None


def _is_consistent(block: MpiioTimers) -> bool:
    return block.trusted and block.total_ticks is not None and all(fits(p, block.total_ticks) for p in block.phases)


def _ranks(block: MpiioTimers) -> str:
    """Whose times they are, as far as rows or details say so."""
    labels = (*(p.label for p in block.phases), *(s.label for s in block.seconds))
    if any(_OPENING.match(label) for label in labels) or block.active_ranks is not None:
        return "all ranks"
    among = next((m.group(1) for n in block.named_ranks if (m := _AMONG.match(n.printed))), None)
    return {"writers": "writers only", "readers": "readers only", "all ranks": "all ranks"}.get(
        among or "", RANKS_NOT_STATED
    )
