"""Questions about bytes that are written more than once, or forced out one by one."""

from __future__ import annotations

from dataclasses import replace

from iotriage.analysis.decision.condition import Metrics
from iotriage.analysis.investigations.of_movers import SEVERAL
from iotriage.analysis.investigations.question import Question
from iotriage.analysis.investigations.questions import FILLED, FILLED_FIRST, SYNCED, SYNCED_UNSEEN, WRITTEN_OVER
from iotriage.analysis.rates import known_number, known_word
from iotriage.rules.advice.calls import library_named
from iotriage.rules.advice.one_rank import written_twice
from iotriage.rules.core.condition import Compare, all_of
from iotriage.rules.core.words import number, seconds, size
from iotriage.rules.metadata import sync_heavy

WRITTEN_AGAIN = 1.5
"""Bytes written for each that the program has, from which much is written twice: headers and metadata are far less."""


def _times_over(metrics: Metrics) -> float:
    """Bytes written for each that the files have up to the last."""
    span = known_number(metrics, "file.written_span_over_bytes")
    return 1 / span if span else 1.0


def written_over_question(metrics: Metrics) -> Question | None:
    """Where the same bytes of the files are written again."""
    times = _times_over(metrics)
    return replace(WRITTEN_OVER, words=WRITTEN_OVER.words.format(number(times))) if times >= WRITTEN_AGAIN else None


def filled_question(metrics: Metrics) -> Question | None:
    """Where the library writes far more than the program gives it; without its records, where it writes all twice."""
    over = _times_over(metrics)
    if written_twice(over) and library_named(known_word(metrics, "file.largest")) is not None:
        return replace(FILLED_FIRST, words=FILLED_FIRST.words.format(number(over)))
    for metric, question in FILLED.items():
        times = known_number(metrics, metric)
        if times is not None and times >= WRITTEN_AGAIN:
            return replace(question, words=question.words.format(number(times)))
    return None


def synced_question(metrics: Metrics) -> Question | None:
    """Where the data is forced out more than once for each file of a rank, and after every few writes."""
    calls, opens, each, between = (
        known_number(metrics, metric) for metric in ("sync.calls", "posix.opens", "sync.per_write", "sync.bytes_each")
    )
    if calls is None or not each or between is None or calls < SEVERAL * (opens or 0.0):
        return None
    writes = "nearly every write" if each >= sync_heavy.OFTEN else f"every {number(1 / each)} writes"
    return replace(SYNCED, words=SYNCED.words.format(writes, size(between)), when=_AFTER_FEW_WRITES)


MOST_OF_WRITING = 0.5
"""Of the seconds of writes, from which it is those syncs that take them."""


def synced_unseen_question(metrics: Metrics) -> Question | None:
    """Where it is syncs of files that take the time of writing, and nobody saw what was written."""
    calls, each, part = (known_number(metrics, f"sync.unseen_{of}") for of in ("calls", "call_time", "time_fraction"))
    if calls is None or each is None or part is None or part < MOST_OF_WRITING:
        return None
    return replace(SYNCED_UNSEEN, words=SYNCED_UNSEEN.words.format(number(calls), seconds(each)))


_AFTER_FEW_WRITES = all_of(
    Compare("sync.per_write", ">=", sync_heavy.PER_WRITE.id), Compare("sync.calls", ">=", sync_heavy.COUNT.id)
)
