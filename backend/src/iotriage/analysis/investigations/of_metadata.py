"""The most telling question about unexplained seconds in metadata calls."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from iotriage.analysis.decision.condition import Metrics
from iotriage.analysis.investigations.of_benchmarks import in_closes, in_closes_by_timers
from iotriage.analysis.investigations.of_file_systems import sent_to_one_server
from iotriage.analysis.investigations.question import Question
from iotriage.analysis.investigations.questions import (
    BY_ONE_PROCESS,
    BY_ONE_PROCESS_ON_A_NODE,
    IN_CLOSES_BY_TIMERS,
    LATE_TO_OPEN,
    OF_CELLS,
    OF_RANKS_OF_A_NODE,
    ON_STORAGE_OF_A_NODE,
    SEEKS,
    SENT_AT_CLOSE,
    STOOD_STILL,
)
from iotriage.analysis.rates import known_number, known_word
from iotriage.metrics.tables.mounts import OF_A_NODE
from iotriage.rules.advice.placement import what_stood_still
from iotriage.rules.advice.small_files import FEW_STATS
from iotriage.rules.core.condition import Compare
from iotriage.rules.core.documented_rates import A_STRIPED_FILE_S
from iotriage.rules.core.words import plural, seconds
from iotriage.rules.metadata.slow_collective_opens import QUICKEST

SENT = 2.0**30
"""Bytes from which data is worth sending."""
MANY_SEEKS, SEEKS_FOR_EACH = 1000, 10
"""Seeks, and for each other metadata call, from which they may be what takes the time."""


def metadata_questions(metrics: Metrics, *, logged: bool) -> Iterator[Question]:
    """By what the calls have in common, where the metrics show something; `logged` where Darshan has the times."""
    if _mostly_seeks(metrics):
        yield SEEKS
    # Closing the files may be what sends it.
    if sent_to_one_server(metrics) >= SENT:
        yield SENT_AT_CLOSE
    if known_word(metrics, "posix.metadata_mostly") == "closes":
        yield in_closes(metrics)
    row = known_word(metrics, "timers.open_close_mostly")
    if not logged and row is not None and row in IN_CLOSES_BY_TIMERS:
        yield in_closes_by_timers(row, metrics)
    if not logged:
        yield replace(LATE_TO_OPEN, when=Compare("timers.quickest_open", "<", QUICKEST.id))
    if known_word(metrics, "posix.metadata_mostly") == "a few calls":
        still = what_stood_still(known_word(metrics, "file.lies_on"))
        yield replace(STOOD_STILL, words=STOOD_STILL.words.format(still))
    yield _with_each_open(_who_makes_opens_slow(metrics), metrics)


def _who_makes_opens_slow(metrics: Metrics) -> Question:
    """What tells whether it is how many open files, or what they wait for."""
    alone = known_number(metrics, "job.nprocs") == 1 or known_word(metrics, "io.pattern") == "serial"
    lies_on = known_word(metrics, "file.lies_on")
    if lies_on in OF_A_NODE:
        question = BY_ONE_PROCESS_ON_A_NODE if alone else ON_STORAGE_OF_A_NODE
        return replace(question, words=question.words.format("its disk" if lies_on == "node-disk" else "the node"))
    if alone:
        return BY_ONE_PROCESS
    return OF_RANKS_OF_A_NODE if known_number(metrics, "job.nnodes") == 1 else OF_CELLS["metadata"]


def stream_opens_question(metrics: Metrics) -> Question | None:
    """Where opens take most of the time in streams: larger pieces of the data are no help then."""
    opening, opens = known_number(metrics, "stdio.metadata_fraction"), known_number(metrics, "stdio.opens")
    took = known_number(metrics, "stdio.open_time")
    if opening is None or opening < MOSTLY_OPENING or not opens or took is None:
        return None
    each = f"{plural(opens, 'open')} of streams took {seconds(took)} each on average, with the closes."
    return replace(_who_makes_opens_slow(metrics), known=each)


MOSTLY_OPENING = 0.5
"""Share of the time in streams from which it is mostly spent on opening them: ours."""


def _with_each_open(question: Question, metrics: Metrics) -> Question:
    """With how long an open takes, where that is long on any file system: of few files that is what is wrong."""
    took, opens = known_number(metrics, "posix.metadata_time"), known_number(metrics, "posix.opens")
    stats = known_number(metrics, "posix.stats")
    if took is None or not opens or stats is None:
        return question
    calls = opens if stats <= FEW_STATS * opens else opens + stats
    if took / calls < A_STRIPED_FILE_S:
        return question
    if calls == 1:
        return replace(question, known=f"the only open took {seconds(took)}, with its close.")
    what = plural(opens, "open") if calls == opens else f"{plural(opens, 'open')} and {plural(stats, 'stat')}"
    return replace(question, known=f"{what} took {seconds(took / calls)} each on average, with the closes.")


def _mostly_seeks(metrics: Metrics) -> bool:
    """Whether nearly all metadata calls that are counted are seeks."""
    seeks, opens, stats = (known_number(metrics, f"posix.{call}") or 0.0 for call in ("seeks", "opens", "stats"))
    return seeks >= max(MANY_SEEKS, SEEKS_FOR_EACH * (opens + stats))
