"""The critical value of a threshold, by log: computed once, it tells for every other value which logs the rule would
flag."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Literal

from iotriage.centre.judging.conditions import Terms, answer, number
from iotriage.centre.judging.rules import JudgedRule
from iotriage.rules.core.condition import AllOf, AnyOf, Compare, Condition, Operator, leaves_of
from iotriage_parsers.frozen import frozen

Side = Literal["above", "below"]
_SIDES: dict[Operator, Side] = {">": "above", ">=": "above", "<": "below", "<=": "below"}
_AT: dict[Operator, Operator] = {">": ">=", "<": "<="}
_ENDS: dict[Side, float] = {"above": float("inf"), "below": float("-inf")}
_CANDIDATE = "candidate"


@frozen
class Quantity:
    """What a threshold is compared with: a metric, or several. What is `above` the threshold flags, or `below`; where
    `strict`, equal to it does not."""

    metrics: tuple[str, ...]
    direction: Side
    strict: bool


def quantity_of(rule: JudgedRule, threshold: str) -> Quantity | None:
    """None of a threshold that nothing is compared with, or that is compared in several ways."""
    leaves = [
        leaf
        for condition in (rule.requires, rule.condition)
        for leaf in leaves_of(condition)
        if isinstance(leaf, Compare) and leaf.threshold == threshold
    ]
    operators = {leaf.operator for leaf in leaves}
    if len(operators) != 1 or not operators <= _SIDES.keys():
        return None
    operator = operators.pop()
    metrics = tuple(dict.fromkeys(leaf.metric for leaf in leaves))
    return Quantity(metrics, _SIDES[operator], operator in _AT)


def critical(rule: JudgedRule, threshold: str, quantity: Quantity, terms: Terms) -> str:
    """The extreme number of the threshold under which the rule is triggered, as SQL: infinite where it is under every
    number, NULL where under none. The rule is asked at each figure that the threshold is compared with: between two of
    them nothing changes. What has it is written once for all figures, as DuckDB plans a query for as long as it is, and
    looked at where all else holds."""
    at_figures = (terms.metrics[m].value for m in quantity.metrics if _is_number(m, terms))
    numbers = ", ".join((*at_figures, number(_ENDS[quantity.direction])))
    conjuncts = [part for whole in (rule.requires, rule.condition) for part in _conjuncts(whole)]
    moving = AllOf(tuple(_at_threshold(part, threshold) for part in conjuncts if _names(part, threshold)))
    fixed = AllOf(tuple(part for part in conjuncts if not _names(part, threshold)))
    there = Terms(terms.metrics, lambda id: _CANDIDATE if id == threshold else terms.threshold(id))
    extreme = "max" if quantity.direction == "above" else "min"
    found = f"list_{extreme}(list_filter([{numbers}], lambda {_CANDIDATE}: {answer(moving, there)}))"
    return f"CASE WHEN {answer(fixed, terms)} THEN {found} END"


def flagged(value: str, quantity: Quantity) -> str:
    """Whether the rule is triggered where the threshold is `value`; of a column `critical`."""
    if quantity.direction == "above":
        return f"(critical {'>' if quantity.strict else '>='} {value})"
    return f"(critical {'<' if quantity.strict else '<='} {value})"


def _is_number(metric: str, terms: Terms) -> bool:
    return metric in terms.metrics and terms.metrics[metric].unit == "number"


def _conjuncts(condition: Condition) -> Iterator[Condition]:
    """All of them hold where the condition does."""
    if isinstance(condition, AllOf):
        for part in condition.of:
            yield from _conjuncts(part)
    else:
        yield condition


def _names(condition: Condition, threshold: str) -> bool:
    return any(isinstance(leaf, Compare) and leaf.threshold == threshold for leaf in leaves_of(condition))


def _at_threshold(condition: Condition, threshold: str) -> Condition:
    """The condition as it is where the threshold all but reaches the figure."""
    match condition:
        case AllOf() | AnyOf():
            return replace(condition, of=tuple(_at_threshold(part, threshold) for part in condition.of))
        case Compare(threshold=named, operator=operator) if named == threshold:
            return replace(condition, operator=_AT.get(operator, operator))
        case _:
            return condition
