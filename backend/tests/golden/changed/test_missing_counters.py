"""Counters taken out of real logs, a column at a time: no metric is then another number that passes for the true one.

It is absent, a lower bound, says that it does not know, or is what it was. A few columns of a few samples are taken out
here, the same ones each time; `make fuzz` takes out all of all.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace

import numpy as np
import pytest
from budget import dice, some, tries
from numpy.typing import NDArray
from sample_documents import sources_of
from samples import cases

from iotriage.metrics import compute_metrics
from iotriage.metrics.core.metric import Metric
from iotriage.metrics.tables.selecting import select_job
from iotriage_parsers.evidence import NOT_AVAILABLE, CounterTable, DarshanLog, Evidence, Part
from iotriage_parsers.evidence.darshan import Bools

TABLES = ("posix", "mpiio", "stdio", "h5f", "h5d", "pnetcdf_file", "pnetcdf_var", "dfs", "daos", "apmpi")

COLUMNS = 8
"""Of a log, in `make test`."""

NEAR = 1e-6

WAYS: Mapping[str, Callable[[CounterTable], Bools]] = {
    "all": lambda table: np.ones(len(table), np.bool_),
    "every second": lambda table: np.arange(len(table)) % 2 == 0,
    "those of all ranks": lambda table: table.ranks < 0,
}


OF_SINGLE_RANKS = ("SLOWEST_RANK", "FASTEST_RANK", "VARIANCE_RANK_TIME")
"""Which rank a record names, where −1 names nobody, and how far the others lie apart. Where none is known, seconds of
one rank are the most that it can have spent, as their formulas say."""


LIBRARIES = ("h5f", "h5d", "pnetcdf_file", "pnetcdf_var")
"""What these lack the layers below have nearly all of: inferred is then told for what it is."""

FALL_BACK = ("mpiio.effective_per_node", "mpiio.effective_per_stripe")
"""Metrics that are known just where another one, which looks at more counters, is not."""


def _logs() -> Iterator[tuple[str, tuple[tuple[int, Part], ...], DarshanLog]]:
    for case in some(cases()):
        found = sources_of(case.sources)[0].outcome if len(case.sources) == 1 else None
        logs = found.of(DarshanLog) if isinstance(found, Evidence) else ()
        if isinstance(found, Evidence) and len(logs) == 1:
            yield str(case), tuple((0, part) for part in found.parts), logs[0]


def _columns(log: DarshanLog) -> list[tuple[str, CounterTable, str]]:
    """Those of which some record has more than 0: of the others nobody misses anything."""
    tables = [(field, table) for field in TABLES if (table := getattr(log, field)) is not None]
    return [
        (field, table, name)
        for field, table in tables
        for name, column in _named(table)
        if (column > 0).any() and not name.endswith(OF_SINGLE_RANKS)
    ]


def _named(table: CounterTable) -> Iterator[tuple[str, NDArray[np.generic]]]:
    yield from zip(table.int_names, table.ints.T, strict=True)
    yield from zip(table.float_names, table.floats.T, strict=True)


def _without(table: CounterTable, counter: str, rows: Bools) -> CounterTable:
    if counter in table.int_names:
        ints: NDArray[np.int64] = table.ints.copy()
        ints[rows, table.int_names.index(counter)] = NOT_AVAILABLE
        return table.copy(ints=ints)
    floats: NDArray[np.float64] = table.floats.copy()
    floats[rows, table.float_names.index(counter)] = np.nan
    return table.copy(floats=floats)


def _passes_for_the_true_one(before: Metric, after: Metric, *, inferred: bool) -> bool:
    if after.value is None or after.value == "unknown" or after.bound is not None:
        return False
    if inferred and after.confidence == "inferred":
        return False
    if isinstance(before.value, str) or isinstance(after.value, str) or before.value is None:
        return before.value != after.value
    return not math.isclose(before.value, after.value, rel_tol=NEAR)


@pytest.mark.fuzz
def test_what_is_not_counted_is_no_number() -> None:
    tried, found = 0, list[tuple[str, str, str, str, object, object]]()
    for name, parts, log in _logs():
        whole = select_job(parts)
        if any(rows.side_by_side > 1 for rows in whole.logs):
            # Of how many calls at a time all timers are is told by a dozen columns together.
            continue
        before, columns = compute_metrics(whole), _columns(log)
        for field, table, counter in tries(dice(name).sample(columns, min(COLUMNS, len(columns))), columns):
            for way, chosen in WAYS.items():
                rows = chosen(table)
                if not rows.any() or (way != "all" and rows.all()):
                    continue
                changed = replace(log, **{field: _without(table, counter, rows)})  # type: ignore[arg-type]
                after = compute_metrics(select_job([(i, changed if part is log else part) for i, part in parts]))
                tried += 1
                found += [
                    (name, counter, way, id, before[id].value, metric.value)
                    for id, metric in after.items()
                    if id not in FALL_BACK
                    and _passes_for_the_true_one(before[id], metric, inferred=way != "all" or field in LIBRARIES)
                ]
    assert tried
    assert found == []
