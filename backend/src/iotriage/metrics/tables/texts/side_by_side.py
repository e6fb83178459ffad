"""Adds up the seconds of several MPICH_MPIIO_TIMERS blocks, counting seconds that pass at the same time once."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping, Sequence

from iotriage.metrics.core.metric import Absent, Value
from iotriage.metrics.core.selection import Selection
from iotriage.metrics.core.selection_cache import cached_per_job, cached_per_selection
from iotriage.metrics.core.text_statements import stated_runtime
from iotriage.metrics.tables.grouping import templates_of
from iotriage.metrics.tables.texts.phases import (
    BlockSeconds,
    TimersBlock,
    all_rank_blocks,
    seconds_of,
    timed_blocks,
    total_seconds,
    totals_at,
)
from iotriage_parsers.evidence import JobContext, Part
from iotriage_parsers.evidence.mpiio_stats import Direction
from iotriage_parsers.frozen import frozen

LONGER = 1.02
"""Factor over the run time from which seconds must have passed at the same time: clocks and rounding differ by less."""
_DIGITS = re.compile(r"\d+")


def files_at_a_time(block: TimersBlock, s: Selection) -> int:
    """The files, each of one rank or of a part of the ranks, whose seconds pass with those of the block's file, itself
    among them."""
    return _side_by_side(s).get(block.file, 1)


def ticks_that_pass(blocks: Iterable[TimersBlock], s: Selection) -> list[float]:
    """Of each its total; of what ranks do side by side, as much of it as one of them has."""
    return [(block.clock_ticks or 0) / files_at_a_time(block, s) for block in blocks]


@frozen
class PassingBlocks:
    """The blocks of all ranks, the longest first, and of each the ticks that pass."""

    blocks: tuple[TimersBlock, ...]
    ticks: tuple[float, ...]


@cached_per_selection
def passing_blocks(s: Selection) -> PassingBlocks | Absent:
    blocks = timed_blocks(s)
    return blocks if isinstance(blocks, Absent) else PassingBlocks(blocks, tuple(ticks_that_pass(blocks, s)))


@cached_per_job
def _side_by_side(s: Selection) -> Mapping[str, int]:
    """Of files that one rank each opened, whose names differ in digits only, as many as there are ranks or a multiple
    of that: the ranks, for each has its own at the same time as the others. Their seconds over these pass one after the
    other."""
    alone = {t.file for t in all_rank_blocks(s) if t.of_one_rank}
    ranks = s.nprocs
    if ranks is None or ranks < 2:
        return {}
    own = {file: ranks for mine in _alike(alone) if not len(mine) % ranks for file in mine}
    return {**own, **_of_parts(s, ranks)}


def _of_parts(s: Selection, ranks: int) -> dict[str, int]:
    """Where all blocks together are longer than the run, some passed at the same time: those of files alike that equal
    parts of the ranks opened, as many at a time as there are parts. Otherwise one part may have opened them in turn."""
    run = stated_runtime([part for part in s.parts if not _of_a_command(part[1])])
    every = [(block, took) for block in all_rank_blocks(s) if not isinstance(took := seconds_of(block, s), Absent)]
    if run is None or sum(took.seconds for _, took in every) <= LONGER * run[0]:
        return {}
    parts = {block.file: ranks // n for block, _ in every if (n := block.opened_by) and 1 < n < ranks and not ranks % n}
    return {file: min(len(mine), parts[file]) for mine in _alike(parts) for file in mine}


def _of_a_command(part: Part) -> bool:
    """Whether the run time may be that of another command: `time` may have been put before something else than the
    program."""
    return isinstance(part, JobContext) and part.source == "time"


def _alike(files: Collection[str]) -> Iterable[list[str]]:
    """The files, in lists of those whose names differ in digits only."""
    ordered = sorted(files)
    found: dict[str, list[str]] = {}
    for file, template in zip(ordered, templates_of(ordered), strict=True):
        found.setdefault(template, []).append(file)
    return found.values()


@cached_per_job
def perhaps_in_turn(s: Selection) -> bool:
    """Whether files that are taken to be in use at the same time may be so in part alone. Those of a rank each may be
    one rank's, in use one after the other: nothing printed says whose a file is. One rank closes what it numbers in the
    order of the numbers; where the blocks stand in another order, several ranks printed them."""
    if any(not block.of_one_rank and block.file in _side_by_side(s) for block in all_rank_blocks(s)):
        return True
    printed = dict.fromkeys(block.file for block in all_rank_blocks(s))
    place = {file: i for i, file in enumerate(printed)}
    alike = _alike([file for file in printed if file in _side_by_side(s)])
    return any(sorted(files, key=place.__getitem__) == sorted(files, key=_in_numbers) for files in alike)


def _in_numbers(file: str) -> list[int]:
    return [int(digits) for digits in _DIGITS.findall(file)]


def seconds_of_all(blocks: Sequence[TimersBlock], s: Selection) -> BlockSeconds | Absent:
    """Of the blocks that have any, together; their own where each has its own. What ranks do side by side passes
    once."""
    found = [(seconds_of(block, s), files_at_a_time(block, s)) for block in blocks]
    known = [(one, beside) for one, beside in found if not isinstance(one, Absent)]
    if not known:
        return next(reason for reason, _ in found if isinstance(reason, Absent))
    own = len(known) == len(found) and all(one.own for one, _ in known)
    return BlockSeconds(sum(one.seconds / beside for one, beside in known), own)


def timed_bandwidth(s: Selection, direction: Direction | None) -> Value | None:
    """Bytes a second of the closes that print both, of one direction or both; None where there is none. Where they may
    have passed one after the other, at least that."""
    least = perhaps_in_turn(s)
    known = [
        (block, block.bytes, seconds / (1 if least else files_at_a_time(block, s)))
        for block in all_rank_blocks(s)
        if direction in (None, block.block.direction)
        if block.bytes and not isinstance(seconds := total_seconds(block, s), Absent)
    ]
    if not known:
        return None
    rate = sum(moved for _, moved, _ in known) / sum(took for _, _, took in known)
    return Value(rate, "inferred", totals_at([block for block, _, _ in known]), "lower" if least else None)
