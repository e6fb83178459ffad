"""Conditions decided in three values: true, false, and unknown where evidence is missing.

Pure: a condition of a rule becomes a tree of answered nodes, and such a tree can be decided again with other
thresholds from its own figures alone. The page does the same; `tests/vectors/conditions.json` holds both to it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from iotriage.analysis.document import (
    AllOfNode,
    Answer,
    AnyOfNode,
    CompareLeaf,
    ConditionNode,
    IsOneOfLeaf,
    PresentLeaf,
    ThresholdInForce,
    Verdict,
)
from iotriage.metrics.core.metric import Metric, MetricValue, Unit
from iotriage.metrics.core.registry import MetricSpec
from iotriage.rules.core.rule import AllOf, AnyOf, Compare, Condition, IsOneOf, Operator, Present, Severity

Leaf = CompareLeaf | IsOneOfLeaf | PresentLeaf

NOT_COMPUTED = "This quantity is not computed for this scope."
LOWER_BOUND = "The evidence is partial: the true figure may be larger than the one seen."
NOT_A_NUMBER = "This quantity is a word; it cannot be compared with a number."

_SEVERITIES: tuple[Severity, ...] = ("high", "medium", "low", "info")


def evaluate(
    condition: Condition,
    metrics: Mapping[str, Metric],
    thresholds: Mapping[str, ThresholdInForce],
    specs: Mapping[str, MetricSpec] | None = None,
) -> ConditionNode:
    """`condition` answered over `metrics`. `specs` gives the title and unit of metrics that are not there.

    KeyError where a comparison names a threshold that is not in `thresholds`: a defect of the rule.
    """
    known = specs or {}
    match condition:
        case Compare():
            return _compare(condition, metrics.get(condition.metric), thresholds[condition.threshold], known)
        case IsOneOf():
            metric = _metric(condition.metric, metrics, known)
            answer = is_one_of(metric.value, condition.words)
            return IsOneOfLeaf(
                metric.id,
                metric.title,
                metric.unit,
                condition.words,
                metric.value,
                answer,
                metric.reason if answer is None else None,
                metric.confidence,
            )
        case Present():
            metric = _metric(condition.metric, metrics, known)
            there = metric.value is not None
            return PresentLeaf(
                metric.id,
                metric.title,
                metric.unit,
                metric.value,
                there,
                None if there else metric.reason,
                metric.confidence,
            )
        case AllOf():
            parts = tuple(evaluate(c, metrics, thresholds, known) for c in condition.of)
            return AllOfNode(all_of([p.answer for p in parts]), parts)
        case AnyOf():
            parts = tuple(evaluate(c, metrics, thresholds, known) for c in condition.of)
            return AnyOfNode(any_of([p.answer for p in parts]), parts)


def recompute(node: ConditionNode, thresholds: Mapping[str, float]) -> ConditionNode:
    """The same tree decided again: comparisons take the threshold in `thresholds` where it is given, and keep
    their own otherwise. Answers already in the tree are not trusted."""
    match node:
        case CompareLeaf():
            threshold = thresholds.get(node.threshold_id, node.threshold)
            answer = compare(node.value, node.operator, threshold, node.bound)
            return replace(node, threshold=threshold, answer=answer, reason=_compare_reason(node, answer))
        case IsOneOfLeaf():
            return replace(node, answer=is_one_of(node.value, node.words))
        case PresentLeaf():
            return replace(node, answer=node.value is not None)
        case AllOfNode():
            parts = tuple(recompute(n, thresholds) for n in node.of)
            return AllOfNode(all_of([p.answer for p in parts]), parts)
        case AnyOfNode():
            parts = tuple(recompute(n, thresholds) for n in node.of)
            return AnyOfNode(any_of([p.answer for p in parts]), parts)


def compare(value: MetricValue | None, operator: Operator, threshold: float, bound: str | None) -> Answer:
    """`value operator threshold`. Unknown where there is no number, and where the value is a lower bound whose
    true figure could turn the answer round."""
    if value is None or isinstance(value, str):
        return None
    match operator:
        case ">":
            answer = value > threshold
        case ">=":
            answer = value >= threshold
        case "<":
            answer = value < threshold
        case "<=":
            answer = value <= threshold
        case "==":
            answer = value == threshold
        case "!=":
            answer = value != threshold
    if bound != "lower":
        return answer
    match operator:
        case ">" | ">=":
            return True if answer else None
        case "<" | "<=":
            return None if answer else False
        case _:
            return None


def is_one_of(value: MetricValue | None, words: Sequence[str]) -> Answer:
    return None if value is None else value in words


def all_of(answers: Sequence[Answer]) -> Answer:
    """False where any is false, else unknown where any is unknown, else true (true of nothing)."""
    if any(a is False for a in answers):
        return False
    return None if any(a is None for a in answers) else True


def any_of(answers: Sequence[Answer]) -> Answer:
    """True where any is true, else unknown where any is unknown, else false (false of nothing)."""
    if any(a is True for a in answers):
        return True
    return None if any(a is None for a in answers) else False


def verdict(requires: Answer, condition: Answer) -> Verdict:
    """Whether a rule applies comes before whether it holds; a rule that cannot hold is clear either way."""
    if requires is False:
        return "not_applicable"
    if condition is False:
        return "clear"
    return "triggered" if requires is True and condition is True else "unknown"


def severity(answered: Verdict, base: Severity, matters: ConditionNode | None, explained: bool) -> Severity:
    """`matters` says whether there is enough I/O for the finding to count; None where the rule is not weighed.

    Not triggered, explained, or not mattering is info; where it cannot be known, medium is the most.
    """
    if answered != "triggered" or explained:
        return "info"
    if matters is None:
        return base
    if matters.answer is False:
        return "info"
    return base if matters.answer else max(base, "medium", key=_SEVERITIES.index)


def leaves(node: ConditionNode) -> Iterator[Leaf]:
    """The comparisons of a tree, from left to right."""
    if isinstance(node, AllOfNode | AnyOfNode):
        for part in node.of:
            yield from leaves(part)
    else:
        yield node


def _compare(
    condition: Compare, found: Metric | None, threshold: ThresholdInForce, specs: Mapping[str, MetricSpec]
) -> CompareLeaf:
    metric = found or _absent(condition.metric, specs, threshold.unit)
    answer = compare(metric.value, condition.operator, threshold.value, metric.bound)
    leaf = CompareLeaf(
        metric.id,
        metric.title,
        metric.unit,
        condition.operator,
        threshold.id,
        threshold.value,
        threshold.source,
        metric.value,
        answer,
        metric.reason,
        metric.bound,
        metric.confidence,
    )
    return replace(leaf, reason=_compare_reason(leaf, answer))


def _compare_reason(leaf: CompareLeaf, answer: Answer) -> str | None:
    if answer is not None:
        return None
    if leaf.value is None:
        return leaf.reason
    return NOT_A_NUMBER if isinstance(leaf.value, str) else LOWER_BOUND


def _metric(metric_id: str, metrics: Mapping[str, Metric], specs: Mapping[str, MetricSpec]) -> Metric:
    return metrics.get(metric_id) or _absent(metric_id, specs, "1")


def _absent(metric_id: str, specs: Mapping[str, MetricSpec], unit: Unit) -> Metric:
    spec = specs.get(metric_id)
    if spec is None:
        return Metric(metric_id, metric_id, unit, None, reason=NOT_COMPUTED)
    return Metric(metric_id, spec.title, spec.unit, None, reason=NOT_COMPUTED)
