"""What is worked out once for a table of records: its result is kept in the table itself."""

from __future__ import annotations

from collections.abc import Callable
from typing import Concatenate, ParamSpec, TypeVar

from iotriage.metrics.core.answered_once import answered_once
from iotriage_parsers.evidence import CounterTable

P = ParamSpec("P")
T = TypeVar("T")


def of_table(compute: Callable[Concatenate[CounterTable, P], T]) -> Callable[Concatenate[CounterTable, P], T]:
    """`compute`, answered once for a table and each set of further arguments, which are hashable; nobody writes into
    what it returns. A group of files that has every record of its job has the job's own tables, and so their answers.
    """
    return answered_once(compute)
