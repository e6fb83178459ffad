"""Conditions decided in three values: true, false, and unknown where evidence is missing.

Pure: a condition of a rule is answered over metrics and thresholds by their ids. The page does the same over the same
document; `tests/vectors/` holds both to it.
"""

from __future__ import annotations

import operator as operators
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import product

from iotriage.analysis.document import ThresholdInForce, Verdict
from iotriage.metrics.core.metric import Metric, MetricValue
from iotriage.rules.core.condition import Compare, Condition, IsOneOf, Operator, Present
from iotriage.rules.core.rule import Severity
from iotriage_parsers.frozen import frozen

Answer = bool | None
Metrics = Mapping[str, Metric]
Thresholds = Mapping[str, ThresholdInForce]

NOT_COMPUTED = "This quantity is not computed for this scope."
LOWER_BOUND = "The evidence is partial: the true figure may be larger than the one seen."
NOT_A_NUMBER = "This quantity is a word; it cannot be compared with a number."

_ONLY: Mapping[Answer, frozenset[Answer]] = {found: frozenset([found]) for found in (True, False, None)}
_ANSWERS: Mapping[tuple[bool, bool, bool], frozenset[Answer]] = {
    (can_hold, unknown, can_fail): frozenset([*[True] * can_hold, *[None] * unknown, *[False] * can_fail])
    for can_hold, unknown, can_fail in product((False, True), repeat=3)
}
_HOLDS: Mapping[Operator, Callable[[float, float], bool]] = {
    ">": operators.gt,
    ">=": operators.ge,
    "<": operators.lt,
    "<=": operators.le,
    "==": operators.eq,
    "!=": operators.ne,
}
_SEVERITIES: tuple[Severity, ...] = ("high", "medium", "low", "info")


@frozen
class AnsweredLeaf:
    """A comparison with what it was decided on; `metric` is None where the scope has no such quantity. Where the answer
    is unknown, `reason` says why."""

    leaf: Compare | IsOneOf | Present
    metric: Metric | None
    answer: Answer
    reason: str | None


@frozen
class AnsweredParts:
    """An all-of or any-of, and its parts."""

    answer: Answer
    of: tuple[Answered, ...]


Answered = AnsweredLeaf | AnsweredParts


def answer(condition: Condition, metrics: Metrics, thresholds: Thresholds) -> Answer:
    """KeyError where a comparison names a threshold that is not in `thresholds`: a defect of the rule."""
    if condition.kind == "all_of" or condition.kind == "any_of":
        settles = condition.kind == "any_of"
        unknown = False
        for part in condition.of:
            found = answer(part, metrics, thresholds)
            if found is settles:
                return settles
            unknown = unknown or found is None
        return None if unknown else not settles
    metric = metrics.get(condition.metric)
    if condition.kind == "present":
        return metric is not None and metric.value is not None
    if metric is None:
        return None
    if condition.kind == "is_one_of":
        return is_one_of(metric.value, condition.words)
    return compare(metric.value, condition.operator, thresholds[condition.threshold].value, metric.bound)


def answered(condition: Condition, metrics: Metrics, thresholds: Thresholds) -> Answered:
    """The same with every figure that it was decided on."""
    found = answer(condition, metrics, thresholds)
    if condition.kind == "all_of" or condition.kind == "any_of":
        return AnsweredParts(found, tuple(answered(part, metrics, thresholds) for part in condition.of))
    metric = metrics.get(condition.metric)
    return AnsweredLeaf(condition, metric, found, _reason(condition, metric, found))


def can_be(condition: Condition, metrics: Metrics, thresholds: Thresholds) -> frozenset[Answer]:
    """The answers that thresholds within their bounds can give to the condition. Of parts that share a threshold more
    are found than there are, never fewer."""
    if condition.kind == "all_of" or condition.kind == "any_of":
        return _any_can_be(condition.of, metrics, thresholds, settles=condition.kind == "any_of")
    if condition.kind != "compare":
        return _ONLY[answer(condition, metrics, thresholds)]
    metric = metrics.get(condition.metric)
    if metric is None or metric.value is None or isinstance(metric.value, str):
        return _ONLY[None]
    threshold, operator, value, bound = thresholds[condition.threshold], condition.operator, metric.value, metric.bound
    low, high = min(threshold.minimum, threshold.value), max(threshold.maximum, threshold.value)
    if operator == "==" or operator == "!=":
        # Unlike the others, these may answer otherwise between the two.
        between = [number for number in (threshold.value, value) if low <= number <= high]
        return frozenset(compare(value, operator, number, bound) for number in (low, high, *between))
    at_low, at_high = compare(value, operator, low, bound), compare(value, operator, high, bound)
    return _ONLY[at_low] if at_low is at_high else frozenset((at_low, at_high))


def _any_can_be(
    parts: Sequence[Condition], metrics: Metrics, thresholds: Thresholds, *, settles: bool
) -> frozenset[Answer]:
    """Of all-of (`settles` is False) and any-of (True): one part with that answer settles the whole, and what stands
    behind one that has no other is not looked at."""
    can_settle, unknown, otherwise = False, False, True
    for part in parts:
        found = can_be(part, metrics, thresholds)
        if settles in found:
            if len(found) == 1:
                return found
            can_settle = True
        unknown = unknown or None in found
        otherwise = otherwise and (not settles) in found
    return _ANSWERS[(can_settle, unknown, otherwise) if settles else (otherwise, unknown, can_settle)]


def compare(value: MetricValue | None, operator: Operator, threshold: float, bound: str | None) -> Answer:
    """`value operator threshold`. Unknown where there is no number, and where the value is a lower bound whose
    true figure could turn the answer round."""
    if value is None or isinstance(value, str):
        return None
    holds = _HOLDS[operator](value, threshold)
    if bound != "lower":
        return holds
    match operator:
        case ">" | ">=":
            return True if holds else None
        case "<" | "<=":
            return None if holds else False
        case _:
            return None


def is_one_of(value: MetricValue | None, words: Sequence[str]) -> Answer:
    return None if value is None else value in words


def verdict(requires: Answer, condition: Answer) -> Verdict:
    """Whether a rule applies comes before whether it holds; a rule that cannot hold is clear either way."""
    if requires is False:
        return "not_applicable"
    if condition is False:
        return "clear"
    return "triggered" if requires is True and condition is True else "unknown"


def severity(
    answered: Verdict,
    base: Severity,
    *,
    weighed: bool,
    significant: Answer,
    explained: bool,
    small_share: bool = False,
) -> Severity:
    """`significant` says whether there is enough I/O for the finding to count: asked where the rule is weighed.

    Not triggered, explained, or not mattering is info; where it cannot be known, or the I/O is a small share of the
    run, medium is the most.
    """
    if answered != "triggered" or explained:
        return "info"
    if not weighed:
        return base
    if significant is False:
        return "info"
    return base if significant and not small_share else max(base, "medium", key=_SEVERITIES.index)


def leaves(node: Answered) -> Iterator[AnsweredLeaf]:
    """The comparisons of a tree, from left to right."""
    if isinstance(node, AnsweredParts):
        for part in node.of:
            yield from leaves(part)
    else:
        yield node


def deciding(node: Answered) -> Iterator[AnsweredLeaf]:
    """The comparisons that the answer rests on: what made it true or false, or what keeps it unknown."""
    if isinstance(node, AnsweredParts):
        for part in node.of:
            if part.answer is node.answer:
                yield from deciding(part)
    else:
        yield node


def ruled_out_by(condition: Condition, metrics: Metrics, thresholds: Thresholds) -> Iterator[AnsweredLeaf]:
    """Of a condition that does not hold, the comparisons for which it does not: those of the first part that fails, or
    where one part would have been enough, of each."""
    while condition.kind == "all_of":
        condition = next(part for part in condition.of if answer(part, metrics, thresholds) is False)
    if condition.kind == "any_of":
        for part in condition.of:
            yield from ruled_out_by(part, metrics, thresholds)
    else:
        metric = metrics.get(condition.metric)
        yield AnsweredLeaf(condition, metric, False, _reason(condition, metric, False))


def _reason(leaf: Compare | IsOneOf | Present, metric: Metric | None, found: Answer) -> str | None:
    if metric is None:
        return NOT_COMPUTED
    if metric.value is None:
        return metric.reason
    if found is not None or not isinstance(leaf, Compare):
        return None
    return NOT_A_NUMBER if isinstance(metric.value, str) else LOWER_BOUND
