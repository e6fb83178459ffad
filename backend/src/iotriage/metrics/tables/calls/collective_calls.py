"""The collective calls of a STATS block, summed over ranks as Darshan counts them.

Of the versions of Cray MPICH some print that sum, others (8.1.16) one for a call that all ranks make together; no
document says so. It shows in the block: the calls of `aggregators active` are summed over ranks in both, and a sum over
ranks is a multiple of their number.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from iotriage.metrics.core.selection import Selection, StatsBlock
from iotriage.metrics.core.selection_cache import cached_per_job
from iotriage_parsers.evidence import MpiioStats


def collective_calls(s: Selection, stats: StatsBlock) -> int | None:
    """Collective reads or writes summed over ranks; None where the block does not print them. `s` is of its job."""
    block = stats.block
    if block.collective_accesses is None or block.ranks_in_communicator is None:
        return block.collective_accesses
    once = _counted_once(block)
    if once is None:
        once = stats.source in _sources_that_count_once(s.whole)
    return block.collective_accesses * (block.ranks_in_communicator if once else 1)


def with_rank_calls(s: Selection, blocks: Sequence[StatsBlock]) -> tuple[StatsBlock, ...]:
    """The blocks, their collective calls summed over ranks."""
    return tuple(replace(b, block=replace(b.block, collective_accesses=collective_calls(s, b))) for b in blocks)


@cached_per_job
def _sources_that_count_once(job: Selection) -> frozenset[int]:
    """The sources of which one block shows it: one output is of one version of the library."""
    return frozenset(s.source for s in job.stats if _counted_once(s.block))


def _counted_once(block: MpiioStats) -> bool | None:
    """Whether a call that all ranks made is counted once; None where the block does not tell."""
    calls, ranks, active = block.collective_accesses, block.ranks_in_communicator, block.aggregators_active
    if not calls or ranks is None or ranks < 2:
        return None
    if calls % ranks:
        return True
    if active is None:
        return None
    seen = active.one + active.low + active.high + active.all
    return True if seen == calls * ranks else False if seen == calls else None
