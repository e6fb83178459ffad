"""The tables and their columns. A metric is one column, named after it: `value` (a number or a word), whether it is a
lower `bound`, and why there is none, `absent`. A file has the metrics that any of its rows has; elsewhere they are
NULL, as are columns that a later version adds in what was written before.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from functools import cache
from typing import Final, Literal

from iotriage.centre.log_rows import MetricCells, Saving
from iotriage.metrics.core.registry import MetricSpec, metrics_of_scope
from iotriage.metrics.tables.account.cells import CELLS, Cells

SCHEMA: Final = 1
"""The version of what is written. A change that readers of the one before would misread takes the next number."""

Table = Literal["steps", "groups", "findings", "documents"]
TABLES: Final[tuple[Table, ...]] = ("steps", "groups", "findings", "documents")

Json = str | int | float | bool | None | list[str] | Mapping[str, "Json"]

_CELLS: Final = "STRUCT(" + ", ".join(f"{cell} DOUBLE" for cell in CELLS) + ")"
_NUMBER: Final = "STRUCT(value DOUBLE, bound BOOLEAN, absent VARCHAR)"
_WORD: Final = "STRUCT(value VARCHAR, bound BOOLEAN, absent VARCHAR)"

_SAVINGS: Final = "MAP(VARCHAR, STRUCT(most_share DOUBLE, least_share DOUBLE, stays_s DOUBLE))"
"""By rule: see `iotriage.rules.core.rule.Impact`."""

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
    match table:
        case "steps":
            return _STEPS | _metrics("job")
        case "groups":
            return _GROUPS | _metrics("group")
        case "findings":
            return _FINDINGS
        case "documents":
            return _DOCUMENTS


def columns_read(table: Table, metrics: MetricsRead) -> Mapping[str, str]:
    """Those of `columns_of` that are no metrics, or are among `metrics`."""
    read = metrics.get(table, ())
    return {name: kind for name, kind in columns_of(table).items() if name in read or kind not in (_NUMBER, _WORD)}


def _metrics(scope: Literal["job", "group"]) -> dict[str, str]:
    return {id: _NUMBER if is_number(spec) else _WORD for id, spec in metrics_of_scope(scope).items()}


def is_number(metric: MetricSpec) -> bool:
    return metric.unit != "word"


def as_columns(table: Table, metrics: MetricCells) -> dict[str, Json]:
    """The metrics as columns of the table, those that it has none for left out."""
    known, lower = columns_of(table), frozenset(metrics.lower)
    found: dict[str, Json] = {}
    for reason, ids in metrics.absent.items():
        found.update(dict.fromkeys(ids, _cell(None, lower=False, absent=reason)))
    for id, number in metrics.numbers.items():
        found[id] = _cell(number if known.get(id) == _NUMBER else None, id in lower)
    for id, word in metrics.words.items():
        found[id] = _cell(word if known.get(id) == _WORD else None)
    return found if found.keys() <= known.keys() else {id: cell for id, cell in found.items() if id in known}


def _cell(value: float | str | None, lower: bool = False, absent: str | None = None) -> Json:
    return {"value": value, "bound": lower, "absent": absent}


def savings_column(savings: Iterable[Saving]) -> Json:
    return {s.rule: {"most_share": s.most_share, "least_share": s.least_share, "stays_s": s.stays_s} for s in savings}


def cells_column(cells: Cells | None) -> Json:
    return None if cells is None else {cell: cells.of(cell) for cell in CELLS}
