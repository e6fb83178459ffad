"""Conditions, claims and verdicts as SQL over a warehouse's columns. NULL is unknown: SQL's AND, OR and NOT are the
logic in three values that conditions have (`iotriage.analysis.decision.condition`); both are held to the same
vectors."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Final, Literal

from iotriage.centre.warehouse.literal import literal
from iotriage.metrics.tables.account.cells import Cell
from iotriage.rules.core.claim import BeyondOnce, Claim, LargestOf, Part, ProductOf, SecondsOf, ShareOf, ShortOf, Whole
from iotriage.rules.core.condition import AllOf, AnyOf, Compare, Condition, IsOneOf, Operator, Present, metrics_of
from iotriage_parsers.frozen import frozen

NOT_APPLICABLE, CLEAR, UNKNOWN, TRIGGERED, FAILED = range(5)
"""What a verdict is in a query; `FAILED` is a rule that had no words when the log was taken in."""

_OPERATORS: Final[Mapping[Operator, str]] = {"<": "<", "<=": "<=", ">": ">", ">=": ">=", "==": "=", "!=": "<>"}


@frozen
class MetricColumn:
    """How a query writes a metric: its value, and whether that is a lower bound."""

    value: str
    lower: str
    unit: Literal["number", "word"]


def metric_column(table: str, id: str, unit: Literal["number", "word"]) -> MetricColumn:
    """The metric of a row of `table`, one of the warehouse's or with its columns."""
    return MetricColumn(f'{table}."{id}"', f"list_contains({table}.lower_bounds, {literal(id)})", unit)


@frozen
class Terms:
    """How a query writes what conditions name: `metrics` of the scope, by id, and a threshold's number."""

    metrics: Mapping[str, MetricColumn]
    threshold: Callable[[str], str]


def number(value: float) -> str:
    """A DOUBLE; a plain figure would be a DECIMAL, and another number."""
    return f"'{value!r}'::DOUBLE"


def answer(condition: Condition, terms: Terms) -> str:
    """The condition as an expression of SQL that is TRUE, FALSE or NULL."""
    match condition:
        case AllOf():
            return _joined(" AND ", (answer(part, terms) for part in condition.of), "TRUE")
        case AnyOf():
            return _joined(" OR ", (answer(part, terms) for part in condition.of), "FALSE")
        case Present():
            return present(condition.metric, terms)
        case IsOneOf():
            return _is_one_of(condition, terms)
        case Compare():
            return _compare(condition, terms)


def _joined(by: str, parts: Iterable[str], of_none: str) -> str:
    return "(" + (by.join(parts) or of_none) + ")"


def present(metric: str, terms: Terms) -> str:
    column = terms.metrics.get(metric)
    return "FALSE" if column is None else f"({column.value} IS NOT NULL)"


def _is_one_of(asked: IsOneOf, terms: Terms) -> str:
    column = terms.metrics.get(asked.metric)
    if column is None:
        return "NULL::BOOLEAN"
    if column.unit == "number" or not asked.words:
        return f"CASE WHEN {column.value} IS NOT NULL THEN FALSE END"
    return f"({column.value} IN ({', '.join(map(literal, asked.words))}))"


def _compare(asked: Compare, terms: Terms) -> str:
    """What is a lower bound may be larger: that it holds is sure of > and >=, that it fails of < and <=."""
    column = terms.metrics.get(asked.metric)
    if column is None or column.unit == "word":
        return "NULL::BOOLEAN"
    holds = f"{column.value} {_OPERATORS[asked.operator]} {terms.threshold(asked.threshold)}"
    match asked.operator:
        case ">" | ">=":
            return f"({holds} OR ({column.lower} AND NULL))"
        case "<" | "<=":
            return f"({holds} AND (NOT {column.lower} OR NULL))"
        case _:
            return f"CASE WHEN NOT {column.lower} THEN {holds} END"


@frozen
class VerdictParts:
    """What a verdict is made of, as a query writes it: whether the rule applies, whether its condition holds, and
    whether any figure of that was `seen`."""

    applies: str
    holds: str
    seen: str


def verdict_parts(requires: Condition, condition: Condition, terms: Terms) -> VerdictParts:
    seen = _joined(" OR ", (present(metric, terms) for metric in sorted(metrics_of(condition))), "FALSE")
    return VerdictParts(answer(requires, terms), answer(condition, terms), seen)


def verdict(of: VerdictParts) -> str:
    """`NOT_APPLICABLE` too where the condition cannot hold and none of its figures is there."""
    return (
        f"CASE WHEN {of.applies} IS FALSE THEN {NOT_APPLICABLE} "
        f"WHEN {of.holds} IS FALSE THEN CASE WHEN {of.seen} THEN {CLEAR} ELSE {NOT_APPLICABLE} END "
        f"WHEN {of.applies} AND {of.holds} THEN {TRIGGERED} ELSE {UNKNOWN} END::UTINYINT"
    )


def claimed(claim: Claim, terms: Terms, cell: Callable[[Cell], str]) -> str:
    """The fraction of the seconds of its cells that a claim asks for; NULL where its condition is not true. `cell` is
    how a cell of the scope is written."""
    seconds = _joined(" + ", map(cell, claim.cells), "0")
    part = _fraction(claim.part, terms, seconds)
    return f"CASE WHEN {answer(claim.when, terms)} THEN {part} END"


def _fraction(part: Part, terms: Terms, seconds: str) -> str:
    match part:
        case Whole():
            return number(1.0)
        case LargestOf():
            return f"greatest({', '.join(_fraction(one, terms, seconds) for one in part.of)})"
        case ProductOf():
            return f"({' * '.join(_fraction(one, terms, seconds) for one in part.of)})"
    column = terms.metrics.get(part.metric)
    if column is None or column.unit == "word":
        return number(0.0)
    value = column.value
    match part:
        case ShareOf():
            found = value
        case ShortOf():
            found = f"1.0 - {value}"
        case SecondsOf():
            found = f"CASE WHEN {seconds} > 0 THEN {value} / {seconds} ELSE 0 END"
        case BeyondOnce():
            found = f"CASE WHEN {value} > 0 THEN 1.0 - 1.0 / {value} ELSE 0 END"
    return f"CASE WHEN {value} IS NULL THEN 0 ELSE least(1, greatest(0, {found})) END::DOUBLE"
