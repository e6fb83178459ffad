"""When the program of a log ran."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from math import inf
from typing import TypeVar

from iotriage_parsers.evidence import Job
from iotriage_parsers.frozen import frozen

T = TypeVar("T")

CLOCK_S = 1.0
"""Darshan before 3.4 kept whole seconds: of two programs that follow one another, the first may seem to end later."""


@frozen
class Span:
    """Seconds since 1970. What began before `surely_until_s` ran at the same time, whatever was rounded."""

    start_s: float
    end_s: float
    surely_until_s: float


def span_of(job: Job) -> Span | None:
    """None where the log does not say when it began and ended."""
    start, end = job.start_time, job.end_time
    if start is None or end is None or end <= start:
        return None
    return Span(start, end, end - min(CLOCK_S, (end - start) / 2))


def at_the_same_time(timed: Iterable[tuple[Span, T]]) -> Iterator[list[tuple[Span, T]]]:
    """Those that overlap, directly or through others; `timed` and each list in the order of their start."""
    together: list[tuple[Span, T]] = []
    until = -inf
    for ran, one in timed:
        if together and ran.start_s >= until:
            yield together
            together = []
        together.append((ran, one))
        until = max(until, ran.surely_until_s)
    if together:
        yield together
