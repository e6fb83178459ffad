"""Which question tells most about unexplained seconds in metadata calls."""

from __future__ import annotations

from iotriage.analysis.decision.condition import Metrics
from iotriage.analysis.investigations.of_benchmarks import in_closes, in_closes_by_timers
from iotriage.analysis.investigations.of_file_systems import sent_to_one_server
from iotriage.analysis.investigations.question import Question
from iotriage.analysis.investigations.questions import (
    BY_ONE_PROCESS,
    IN_CLOSES_BY_TIMERS,
    LATE_TO_OPEN,
    SEEKS,
    SENT_AT_CLOSE,
    STOOD_STILL,
)
from iotriage.analysis.rates import known_number, known_word
from iotriage.rules.metadata.slow_collective_opens import QUICKEST

SENT = 2.0**30
"""Bytes: what is worth sending."""
MANY_SEEKS, SEEKS_FOR_EACH = 1000, 10
"""Seeks, and for each other metadata call, from which they may be what takes the time."""


def metadata_question(metrics: Metrics, *, logged: bool) -> Question | None:
    """None where the calls have nothing in common that the metrics show; `logged` where Darshan has the times."""
    if _mostly_seeks(metrics):
        return SEEKS
    # Closing the files may be what sends it.
    if sent_to_one_server(metrics) >= SENT:
        return SENT_AT_CLOSE
    if known_word(metrics, "posix.metadata_mostly") == "closes":
        return in_closes(metrics)
    row = known_word(metrics, "timers.open_close_mostly")
    if not logged and row is not None and row in IN_CLOSES_BY_TIMERS:
        return in_closes_by_timers(row, metrics)
    quickest = known_number(metrics, "timers.quickest_open")
    if not logged and quickest is not None and quickest < QUICKEST.default:
        return LATE_TO_OPEN
    if known_word(metrics, "posix.metadata_mostly") == "a few calls":
        return STOOD_STILL
    if known_number(metrics, "job.nprocs") == 1 or known_word(metrics, "io.pattern") == "serial":
        return BY_ONE_PROCESS
    return None


def _mostly_seeks(metrics: Metrics) -> bool:
    """Whether nearly all metadata calls that are counted are seeks."""
    seeks, opens, stats = (known_number(metrics, f"posix.{call}") or 0.0 for call in ("seeks", "opens", "stats"))
    return seeks >= max(MANY_SEEKS, SEEKS_FOR_EACH * (opens + stats))
