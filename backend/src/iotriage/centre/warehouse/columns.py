"""The tables and their columns. A metric is one column, named after it: a number or a word, NULL where there is none.
Beside them `lower_bounds` has the ids of those numbers of a row that are lower bounds, and `absent` by reason the ids
of metrics that the row cannot have. A metric that is NULL and not in `absent` was not looked at, or the version that
wrote the row did not have it.
A file has columns for the metrics that any of its rows has a value of: in others they are NULL, as are columns that a
later version adds in what was written before.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from functools import cache
from typing import Final, Literal

from iotriage.centre.log_rows import MetricCells, Saving
from iotriage.metrics.core.registry import MetricSpec, metrics_of_scope
from iotriage.metrics.tables.account.cells import CELLS, Cells

SCHEMA: Final = 2
"""The version of what is written. A change that readers of the one before would misread takes the next number; no
release wrote 1."""

Table = Literal["steps", "groups", "findings", "documents"]
TABLES: Final[tuple[Table, ...]] = ("steps", "groups", "findings", "documents")

Json = str | int | float | bool | None | list[str] | Mapping[str, "Json"]

_CELLS: Final = "STRUCT(" + ", ".join(f"{cell} DOUBLE" for cell in CELLS) + ")"
_NUMBER: Final = "DOUBLE"
_WORD: Final = "VARCHAR"

_SAVINGS: Final = "MAP(VARCHAR, STRUCT(most_share DOUBLE, least_share DOUBLE, stays_s DOUBLE))"
"""By rule: see `iotriage.rules.core.rule.Impact`."""

_OF_METRICS: Final = {"lower_bounds": "VARCHAR[]", "absent": "MAP(VARCHAR, VARCHAR[])"}

_STEPS: Final = {
    "row": "VARCHAR",
    "outcome": "VARCHAR",
    "path": "VARCHAR",
    "size_bytes": "BIGINT",
    "modified_ns": "BIGINT",
    "run": "VARCHAR",
    "partial_log": "BOOLEAN",
    "content": "VARCHAR",
    "code": "VARCHAR",
    "message": "VARCHAR",
    "job_id": "VARCHAR",
    "uid": "BIGINT",
    "executable": "VARCHAR",
    "program": "VARCHAR",
    "nprocs": "BIGINT",
    "nnodes": "BIGINT",
    "start_time": "DOUBLE",
    "end_time": "DOUBLE",
    "runtime_s": "DOUBLE",
    "site": "VARCHAR",
    "losses": "VARCHAR[]",
    "modules": "VARCHAR[]",
    "partial_modules": "VARCHAR[]",
    "headline": "VARCHAR",
    "headline_severity": "VARCHAR",
    "headline_rule": "VARCHAR",
    "cells": _CELLS,
    "account_basis": "VARCHAR",
    "account_partial": "BOOLEAN",
    "savings": _SAVINGS,
    "looked_at": "VARCHAR",
    "judged_by": "VARCHAR",
    "unexplained_s": "DOUBLE",
    **_OF_METRICS,
}
_GROUPS: Final = {
    "row": "VARCHAR",
    "id": "VARCHAR",
    "position": "BIGINT",
    "label": "VARCHAR",
    "files": "BIGINT",
    "largest_file": "VARCHAR",
    "pattern": "VARCHAR",
    "mount": "VARCHAR",
    "cells": _CELLS,
    "savings": _SAVINGS,
    **_OF_METRICS,
}
_FINDINGS: Final = {
    "row": "VARCHAR",
    "rule": "VARCHAR",
    "scope": "VARCHAR",
    "scope_label": "VARCHAR",
    "verdict": "VARCHAR",
    "severity": "VARCHAR",
    "explained_by": "VARCHAR",
    "takes_s": "DOUBLE",
    "could_save_at_least_s": "DOUBLE",
    "could_save_s": "DOUBLE",
    "position": "BIGINT",
    "headline": "VARCHAR",
}
_DOCUMENTS: Final = {"row": "VARCHAR", "document": "VARCHAR"}

MetricsRead = Mapping[Table, Collection[str]]
"""By table, the ids of the metrics that a question looks at; of a table that is not named, none."""


@cache
def columns_of(table: Table) -> Mapping[str, str]:
    """The types that DuckDB gives the table's columns, by name."""
    return {**_fixed(table), **_metrics(table)}


def columns_read(table: Table, metrics: MetricsRead) -> Mapping[str, str]:
    """Those of `columns_of` that are no metrics, or are among `metrics`."""
    read = metrics.get(table, ())
    return {**_fixed(table), **{id: kind for id, kind in _metrics(table).items() if id in read}}


def _fixed(table: Table) -> Mapping[str, str]:
    match table:
        case "steps":
            return _STEPS
        case "groups":
            return _GROUPS
        case "findings":
            return _FINDINGS
        case "documents":
            return _DOCUMENTS


@cache
def _metrics(table: Table) -> Mapping[str, str]:
    match table:
        case "steps":
            found = metrics_of_scope("job")
        case "groups":
            found = metrics_of_scope("group")
        case "findings" | "documents":
            return {}
    return {id: _NUMBER if is_number(spec) else _WORD for id, spec in found.items()}


def is_number(metric: MetricSpec) -> bool:
    return metric.unit != "word"


def as_columns(table: Table, metrics: MetricCells) -> dict[str, Json]:
    """The metrics as columns of the table: those that have a value, and what is said of the others."""
    known = _metrics(table)
    found: dict[str, Json] = {id: number for id, number in metrics.numbers.items() if known.get(id) == _NUMBER}
    found.update((id, word) for id, word in metrics.words.items() if known.get(id) == _WORD)
    found["lower_bounds"] = [id for id in metrics.lower if id in found]
    found["absent"] = {reason: list(ids) for reason, ids in metrics.absent.items()}
    return found


def savings_column(savings: Iterable[Saving]) -> Json:
    return {s.rule: {"most_share": s.most_share, "least_share": s.least_share, "stays_s": s.stays_s} for s in savings}


def cells_column(cells: Cells | None) -> Json:
    return None if cells is None else {cell: cells.of(cell) for cell in CELLS}
