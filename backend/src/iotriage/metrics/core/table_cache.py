"""A decorator for what is computed from one table of records: cached in the table itself."""

from __future__ import annotations

from collections.abc import Callable
from typing import Concatenate, ParamSpec, TypeVar

from iotriage.metrics.core.caching import cached_on_argument
from iotriage_parsers.evidence import CounterTable

P = ParamSpec("P")
T = TypeVar("T")


def cached_per_table(compute: Callable[Concatenate[CounterTable, P], T]) -> Callable[Concatenate[CounterTable, P], T]:
    """Caches the result in the table, by the further arguments, which must be hashable. Callers must not change what it
    returns. A group of files that has every record of its job has the job's own tables, and so their results."""
    return cached_on_argument(compute)
