"""What is worked out once for a selection, or for a log of it, and read by many metrics: its result is kept there."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Concatenate, ParamSpec, TypeVar

from iotriage.metrics.core.answered_once import answered_once
from iotriage.metrics.core.selection import LogRows, Selection

P = ParamSpec("P")
T = TypeVar("T")


def derived(compute: Callable[Concatenate[Selection, P], T]) -> Callable[Concatenate[Selection, P], T]:
    """`compute`, answered once for a selection and each set of further arguments, which are hashable. It may read the
    records, blocks and parts of the selection, not what `replace` can add to it later (pattern, files, losses, site,
    documented rates)."""
    return answered_once(compute)


def derived_of_job(compute: Callable[[Selection], T]) -> Callable[[Selection], T]:
    """The same of the whole job that a selection is part of."""
    once = derived(compute)

    @wraps(compute)
    def of(s: Selection) -> T:
        return once(s.whole)

    return of


def of_log(compute: Callable[Concatenate[LogRows, P], T]) -> Callable[Concatenate[LogRows, P], T]:
    """`compute`, answered once for the records of a log: a group of files that has them all has the job's answer."""
    return answered_once(compute)
