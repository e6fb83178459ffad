"""Conditions decided in three values: true, false, and unknown where evidence is missing.

Pure: a condition of a rule is answered over metrics and thresholds by their ids. The page does the same over the same
document; `tests/vectors/` holds both to it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from iotriage.analysis.document import ThresholdInForce, Verdict
from iotriage.metrics.core.metric import Metric, MetricValue
from iotriage.rules.core.condition import AllOf, AnyOf, Compare, Condition, IsOneOf, Operator, Present
from iotriage.rules.core.rule import Severity

Answer = bool | None
Metrics = Mapping[str, Metric]
Thresholds = Mapping[str, ThresholdInForce]

NOT_COMPUTED = "This quantity is not computed for this scope."
LOWER_BOUND = "The evidence is partial: the true figure may be larger than the one seen."
NOT_A_NUMBER = "This quantity is a word; it cannot be compared with a number."

_SEVERITIES: tuple[Severity, ...] = ("high", "medium", "low", "info")


@dataclass(frozen=True, slots=True)
class AnsweredLeaf:
    """A comparison with what it was decided on; `metric` is None where the scope has no such quantity. Where the answer
    is unknown, `reason` says why."""

    leaf: Compare | IsOneOf | Present
    metric: Metric | None
    answer: Answer
    reason: str | None


@dataclass(frozen=True, slots=True)
class AnsweredParts:
    """An all-of or any-of, and its parts."""

    answer: Answer
    of: tuple[Answered, ...]


Answered = AnsweredLeaf | AnsweredParts


def answer(condition: Condition, metrics: Metrics, thresholds: Thresholds) -> Answer:
    """KeyError where a comparison names a threshold that is not in `thresholds`: a defect of the rule."""
    match condition:
        case Compare():
            metric, threshold = metrics.get(condition.metric), thresholds[condition.threshold]
            return None if metric is None else compare(metric.value, condition.operator, threshold.value, metric.bound)
        case IsOneOf():
            metric = metrics.get(condition.metric)
            return None if metric is None else is_one_of(metric.value, condition.words)
        case Present():
            metric = metrics.get(condition.metric)
            return metric is not None and metric.value is not None
        case AllOf():
            return all_of([answer(part, metrics, thresholds) for part in condition.of])
        case AnyOf():
            return any_of([answer(part, metrics, thresholds) for part in condition.of])


def answered(condition: Condition, metrics: Metrics, thresholds: Thresholds) -> Answered:
    """The same with every figure that it was decided on."""
    if isinstance(condition, AllOf | AnyOf):
        parts = tuple(answered(part, metrics, thresholds) for part in condition.of)
        join = all_of if isinstance(condition, AllOf) else any_of
        return AnsweredParts(join([part.answer for part in parts]), parts)
    metric, found = metrics.get(condition.metric), answer(condition, metrics, thresholds)
    return AnsweredLeaf(condition, metric, found, _reason(condition, metric, found))


def can_be(condition: Condition, metrics: Metrics, thresholds: Thresholds) -> frozenset[Answer]:
    """The answers that thresholds within their bounds can give to the condition. Of parts that share a threshold more
    are found than there are, never fewer."""
    match condition:
        case Compare():
            metric, threshold = metrics.get(condition.metric), thresholds[condition.threshold]
            if metric is None:
                return frozenset([None])
            return frozenset(
                compare(metric.value, condition.operator, value, metric.bound)
                for value in _values_that_differ(threshold, metric.value)
            )
        case AllOf():
            return _joined([can_be(part, metrics, thresholds) for part in condition.of], settles=False)
        case AnyOf():
            return _joined([can_be(part, metrics, thresholds) for part in condition.of], settles=True)
        case _:
            return frozenset([answer(condition, metrics, thresholds)])


def _values_that_differ(threshold: ThresholdInForce, value: MetricValue | None) -> set[float]:
    """Numbers of the threshold, one for each way in which `value` may compare with it: below, at and above."""
    low, high = min(threshold.minimum, threshold.value), max(threshold.maximum, threshold.value)
    at = {float(value)} if isinstance(value, int | float) and low <= value <= high else set()
    return {low, high, threshold.value} | at


def _joined(parts: Sequence[frozenset[Answer]], *, settles: bool) -> frozenset[Answer]:
    """Of all-of (`settles` is False) and any-of (True): one part with that answer settles the whole."""
    found: set[Answer] = set()
    if any(settles in part for part in parts):
        found.add(settles)
    if all(part - {settles} for part in parts):
        if any(None in part for part in parts):
            found.add(None)
        if all((not settles) in part for part in parts):
            found.add(not settles)
    return frozenset(found)


def compare(value: MetricValue | None, operator: Operator, threshold: float, bound: str | None) -> Answer:
    """`value operator threshold`. Unknown where there is no number, and where the value is a lower bound whose
    true figure could turn the answer round."""
    if value is None or isinstance(value, str):
        return None
    match operator:
        case ">":
            holds = value > threshold
        case ">=":
            holds = value >= threshold
        case "<":
            holds = value < threshold
        case "<=":
            holds = value <= threshold
        case "==":
            holds = value == threshold
        case "!=":
            holds = value != threshold
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


def all_of(answers: Sequence[Answer]) -> Answer:
    """False where any is false, else unknown where any is unknown, else true (true of nothing)."""
    if False in answers:
        return False
    return None if None in answers else True


def any_of(answers: Sequence[Answer]) -> Answer:
    """True where any is true, else unknown where any is unknown, else false (false of nothing)."""
    if True in answers:
        return True
    return None if None in answers else False


def verdict(requires: Answer, condition: Answer) -> Verdict:
    """Whether a rule applies comes before whether it holds; a rule that cannot hold is clear either way."""
    if requires is False:
        return "not_applicable"
    if condition is False:
        return "clear"
    return "triggered" if requires is True and condition is True else "unknown"


def severity(answered: Verdict, base: Severity, *, weighed: bool, significant: Answer, explained: bool) -> Severity:
    """`significant` says whether there is enough I/O for the finding to count: asked where the rule is weighed.

    Not triggered, explained, or not mattering is info; where it cannot be known, medium is the most.
    """
    if answered != "triggered" or explained:
        return "info"
    if not weighed:
        return base
    if significant is False:
        return "info"
    return base if significant else max(base, "medium", key=_SEVERITIES.index)


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


def _reason(leaf: Compare | IsOneOf | Present, metric: Metric | None, found: Answer) -> str | None:
    if metric is None:
        return NOT_COMPUTED
    if metric.value is None:
        return metric.reason
    if found is not None or not isinstance(leaf, Compare):
        return None
    return NOT_A_NUMBER if isinstance(metric.value, str) else LOWER_BOUND
