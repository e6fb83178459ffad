"""Seconds of several blocks of MPICH_MPIIO_TIMERS together: those that pass at the same time count once."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from iotriage.metrics.core.metric import Absent, Value
from iotriage.metrics.core.selection import Selection
from iotriage.metrics.core.selection_cache import cached_per_job
from iotriage.metrics.tables.grouping import templates_of
from iotriage.metrics.tables.texts.phases import TimersBlock, all_rank_blocks, seconds_of, total_seconds, totals_at
from iotriage_parsers.evidence.mpiio_stats import Direction

_DIGITS = re.compile(r"\d+")


def ranks_beside(block: TimersBlock, s: Selection) -> int:
    """The ranks each of which has such a file at the same time as the block's; 1 where it has none beside it."""
    return _side_by_side(s).get(block.file, 1)


@cached_per_job
def _side_by_side(s: Selection) -> Mapping[str, int]:
    """Of files that one rank each opened, whose names differ in digits only, as many as there are ranks or a multiple
    of that: the ranks, for each has its own at the same time as the others. Their seconds over these pass one after the
    other."""
    alone = {t.file for t in all_rank_blocks(s) if t.of_one_rank}
    ranks = s.nprocs
    if ranks is None or ranks < 2 or len(alone) < ranks:
        return {}
    files = sorted(alone)
    alike: dict[str, list[str]] = {}
    for file, template in zip(files, templates_of(files), strict=True):
        alike.setdefault(template, []).append(file)
    return {file: ranks for mine in alike.values() if not len(mine) % ranks for file in mine}


@cached_per_job
def perhaps_in_turn(s: Selection) -> bool:
    """Whether files that are taken to be a rank's each, in use at the same time, may be one rank's, in use one after
    the other: nothing printed says whose a file is. One rank closes what it numbers in the order of the numbers; where
    the blocks stand in another order, several ranks printed them."""
    printed = [block.file for block in sorted(all_rank_blocks(s), key=lambda t: (t.source, t.block.lines.first))]
    side_by_side = [file for file in dict.fromkeys(printed) if file in _side_by_side(s)]
    alike: dict[str, list[str]] = {}
    for file, template in zip(side_by_side, templates_of(side_by_side), strict=True):
        alike.setdefault(template, []).append(file)
    return any(files == sorted(files, key=_in_numbers) for files in alike.values())


def _in_numbers(file: str) -> list[int]:
    return [int(digits) for digits in _DIGITS.findall(file)]


def seconds_of_all(blocks: Sequence[TimersBlock], s: Selection) -> tuple[float, bool] | Absent:
    """Seconds of the blocks that have any, together, and whether each has its own. What ranks do side by side passes
    once."""
    found = [(seconds_of(block, s), ranks_beside(block, s)) for block in blocks]
    known = [(one[0] / beside, one[1]) for one, beside in found if not isinstance(one, Absent)]
    if not known:
        return next(reason for reason, _ in found if isinstance(reason, Absent))
    return sum(seconds for seconds, _ in known), len(known) == len(found) and all(own for _, own in known)


def timed_bandwidth(s: Selection, direction: Direction | None = None) -> Value | None:
    """Bytes a second of the closes that print both, of one direction or both; None where there is none. Where they may
    have passed one after the other, at least that."""
    least = perhaps_in_turn(s)
    known = [
        (block, block.bytes, seconds / (1 if least else ranks_beside(block, s)))
        for block in all_rank_blocks(s)
        if direction in (None, block.block.direction)
        if block.bytes and not isinstance(seconds := total_seconds(block, s), Absent)
    ]
    if not known:
        return None
    rate = sum(moved for _, moved, _ in known) / sum(took for _, _, took in known)
    return Value(rate, "inferred", totals_at([block for block, _, _ in known]), "lower" if least else None)
