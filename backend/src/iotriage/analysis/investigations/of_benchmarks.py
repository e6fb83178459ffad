"""Questions that suggest running IOR in the way of the job: its kind of files, its calls, and the direction with most
of the time."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from iotriage.analysis.decision.condition import Metrics
from iotriage.analysis.investigations.question import Benchmark, Question
from iotriage.analysis.investigations.questions import (
    BY_DFS,
    IN_CLOSES,
    IN_CLOSES_BY_TIMERS,
    IN_DAOS,
    IOR_OWN,
    IOR_SHARED,
    IOR_WRITES,
    LARGE_STREAMS,
    WHAT_IT_GIVES,
)
from iotriage.analysis.rates import known_number, known_word
from iotriage.metrics.core.pattern import OF_ONE_RANK
from iotriage.metrics.tables.account.cells import Cell
from iotriage.rules.core.condition import ALWAYS, Compare, Condition
from iotriage.rules.streams import stdio_heavy

IOR_READS = ("-w", "-r", "-C", "-e")


def rate_of_benchmark(cell: Cell, metrics: Metrics, question: Question = WHAT_IT_GIVES) -> Question:
    """With files of single ranks or one of all, as the job has them."""
    own = known_word(metrics, "io.pattern") in OF_ONE_RANK
    return replace(question, benchmark=_by_ior(cell, metrics, IOR_OWN if own else IOR_SHARED))


def in_closes(metrics: Metrics) -> Question:
    """Writing as the job does: what its closes send is that."""
    shared = (known_word(metrics, "io.pattern") or "").startswith("shared-")
    return replace(IN_CLOSES, benchmark=_by_ior("writes", metrics, IOR_SHARED if shared else IOR_OWN))


def in_closes_by_timers(row: str, metrics: Metrics) -> Question:
    """Of MPI-IO, which prints the timers."""
    question = IN_CLOSES_BY_TIMERS[row]
    own = known_word(metrics, "io.pattern") in OF_ONE_RANK
    if question.benchmark is None or not own:
        return question
    return replace(question, benchmark=replace(question.benchmark, how=(*question.benchmark.how, "-F")))


def large_streams(metrics: Metrics) -> Iterator[Question]:
    """The pattern of the job may be that of other calls."""
    for how, when in ((IOR_OWN, not_shared(metrics)), (IOR_SHARED, ALWAYS)):
        yield replace(LARGE_STREAMS, benchmark=_by_ior("streams", metrics, how), when=when)


def not_shared(metrics: Metrics) -> Condition:
    """That few ranks use one stream, or nobody knows of several."""
    if known_number(metrics, "stdio.sharing_ranks") is None:
        return ALWAYS
    return Compare("stdio.sharing_ranks", "<", stdio_heavy.SHARING.id)


def in_daos(cell: Cell, metrics: Metrics) -> Question:
    """DFS divides what it is given into accesses of DAOS, so that each has sizes of its own."""
    way, moved = _way(cell, metrics)
    layer = (known_word(metrics, "io.layer") or "").lower()
    return replace(IN_DAOS, benchmark=replace(BY_DFS, call=f"{layer}.average_{way}_size", moved=moved))


def _by_ior(cell: Cell, metrics: Metrics, how: tuple[str, ...]) -> Benchmark:
    way, moved = _way(cell, metrics)
    call = "stdio.average_size" if cell == "streams" else f"posix.average_{way}_size"
    return Benchmark((*how, *(IOR_READS if way == "read" else IOR_WRITES)), call, moved)


def _way(cell: Cell, metrics: Metrics) -> tuple[str, str]:
    """What the job mostly does, where the time is not that of reads or of writes alone, and the metric of its bytes."""
    read, written = (known_number(metrics, f"io.bytes_{way}") or 0.0 for way in ("read", "written"))
    reads = cell == "reads" or (cell != "writes" and read > written)
    return ("read", "io.bytes_read") if reads else ("write", "io.bytes_written")
