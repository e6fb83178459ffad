"""Evaluates conditions in three values: true, false, and unknown where evidence is missing. Pure: the condition of a
rule is evaluated over metrics and thresholds by their ids. The page evaluates the same document; `tests/vectors/` tests
both."""

from __future__ import annotations

import operator as operators
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Literal

from iotriage.analysis.document import ThresholdInForce, Verdict
from iotriage.metrics.core.metric import Metric, MetricValue
from iotriage.rules.core.condition import NEVER_HOLD, Compare, Condition, Leaf, Operator
from iotriage.rules.core.rule import SEVERITIES, Severity
from iotriage_parsers.frozen import frozen

Answer = bool | None
Metrics = Mapping[str, Metric]
Thresholds = Mapping[str, ThresholdInForce]

NOT_COMPUTED = "This quantity is not computed for this scope."
LOWER_BOUND = "The evidence is partial: the true figure may be larger than the one seen."
NOT_A_NUMBER = "This quantity is a word; it cannot be compared with a number."

_TRUE, _UNKNOWN, _FALSE = 1, 2, 4
"""A set of answers is their sum: dozens of them are joined for each rule."""
_BIT: Mapping[Answer, int] = {True: _TRUE, None: _UNKNOWN, False: _FALSE}
_ANSWERS = tuple(frozenset(found for found, bit in _BIT.items() if bits & bit) for bits in range(8))
"""The answers of each such sum."""
_HOLDS: Mapping[Operator, Callable[[float, float], bool]] = {
    ">": operators.gt,
    ">=": operators.ge,
    "<": operators.lt,
    "<=": operators.le,
    "==": operators.eq,
    "!=": operators.ne,
}
_UPWARDS = frozenset[Operator]((">", ">="))
_DOWNWARDS = frozenset[Operator](("<", "<="))
_ORDERS = _UPWARDS | _DOWNWARDS

NOT_KNOWN = "unknown"
"""The value of a metric of words for which no source tells which word holds."""


@frozen
class AnsweredLeaf:
    """A comparison with its figures; `metric` is None where the scope has no such metric. Where the answer is unknown,
    `reason` says why."""

    leaf: Leaf
    metric: Metric | None
    answer: Answer
    reason: str | None


@frozen
class AnsweredParts:
    """An all-of or any-of, and its parts."""

    kind: Literal["all_of", "any_of"]
    answer: Answer
    of: tuple[Answered, ...]


Answered = AnsweredLeaf | AnsweredParts


def answer(condition: Condition, metrics: Metrics, thresholds: Thresholds) -> Answer:
    """The condition's answer. KeyError where a comparison names a threshold that is not in `thresholds`, which is an
    error in the rule."""
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
    """The condition with its answer and, at each leaf, the figure that it was decided on."""
    found = answer(condition, metrics, thresholds)
    if condition.kind == "all_of" or condition.kind == "any_of":
        return AnsweredParts(condition.kind, found, tuple(answered(part, metrics, thresholds) for part in condition.of))
    metric = metrics.get(condition.metric)
    return AnsweredLeaf(condition, metric, found, _reason(condition, metric, found))


def can_be(condition: Condition, metrics: Metrics, thresholds: Thresholds) -> frozenset[Answer]:
    """All answers that thresholds within their ranges can give to the condition. Where parts share a threshold, the
    result may contain answers that are impossible together; it never lacks one."""
    return _ANSWERS[_can_be(condition, metrics, thresholds)]


def _can_be(condition: Condition, metrics: Metrics, thresholds: Thresholds) -> int:
    """`can_be` as a sum of `_TRUE`, `_FALSE` and `_UNKNOWN`. One part that is sure to settle its all-of or any-of
    settles it, and the parts after it are not looked at."""
    if condition.kind == "all_of" or condition.kind == "any_of":
        settles, otherwise = (_TRUE, _FALSE) if condition.kind == "any_of" else (_FALSE, _TRUE)
        some, each = 0, otherwise
        for part in condition.of:
            found = _can_be(part, metrics, thresholds)
            if found == settles:
                return settles
            some |= found
            each &= found
        return (some & (settles | _UNKNOWN)) | each
    metric = metrics.get(condition.metric)
    if condition.kind == "present":
        return _TRUE if metric is not None and metric.value is not None else _FALSE
    if metric is None or metric.value is None:
        return _UNKNOWN
    if condition.kind == "is_one_of":
        return _TRUE if metric.value in condition.words else _FALSE
    if isinstance(metric.value, str):
        return _UNKNOWN
    return _compared(metric.value, condition.operator, thresholds[condition.threshold], metric.bound)


def _compared(value: float, operator: Operator, threshold: ThresholdInForce, bound: str | None) -> int:
    low, high = min(threshold.minimum, threshold.value), max(threshold.maximum, threshold.value)
    if bound is None and operator in _ORDERS:
        holds = _HOLDS[operator]
        return _BIT[holds(value, low)] | _BIT[holds(value, high)]
    found = _BIT[compare(value, operator, low, bound)] | _BIT[compare(value, operator, high, bound)]
    if operator not in _ORDERS:
        # Unlike the others, these may answer otherwise between the two.
        for number in (threshold.value, value):
            if low <= number <= high:
                found |= _BIT[compare(value, operator, number, bound)]
    return found


def compare(value: MetricValue | None, operator: Operator, threshold: float, bound: str | None) -> Answer:
    """`value operator threshold`. Unknown where there is no number, and where the value is a lower bound and the true
    figure could give the other answer."""
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
    """The verdict from a rule's two answers. A rule that does not apply is not applicable, whatever its condition; one
    whose condition is false is clear, even where it is unknown whether it applies."""
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
    """The severity of a finding; `significant` says whether there is enough I/O for findings of weighed rules to
    matter. A finding that is not triggered, is explained, or does not matter has info. Where it is unknown whether the
    I/O matters, the severity is medium at most. Where the I/O is long but a small share of the run, each severity is
    lowered by one step: the cure changes little."""
    if answered != "triggered" or explained:
        return "info"
    if not weighed:
        return base
    if significant is False:
        return "info"
    if small_share:
        return _A_STEP_LESS[base]
    return base if significant else max(base, "medium", key=SEVERITIES.index)


_A_STEP_LESS: dict[Severity, Severity] = {"high": "medium", "medium": "low", "low": "low", "info": "info"}


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
    elif not _is_no_reason(node):
        yield node


def evidence_that_settles(requires: Answered, condition: Answered) -> tuple[str, ...]:
    """Keys of evidence that could decide a finding that is unknown: by showing that its rule does not apply, or that
    its condition is false; or, where nothing else keeps it unknown, that both hold."""
    neither = [_evidence_for(node, wanted=False) for node in (requires, condition)]
    both = [_evidence_for(node, wanted=True) for node in (requires, condition)]
    ways = [*neither, *([] if None in both else both)]
    decides = {key for way in ways for key in way or ()}
    unknown = (leaf.metric for node in (requires, condition) for leaf in leaves(node) if leaf.answer is None)
    asked = (key for metric in unknown if metric is not None for key in metric.settled_by)
    return tuple(key for key in dict.fromkeys(asked) if key in decides)


def _evidence_for(node: Answered, *, wanted: bool) -> tuple[str, ...] | None:
    """Keys of evidence that could make the answer `wanted`. Empty where it is that already; None where no evidence can
    tell, or where the answer is the opposite."""
    if node.answer is not None:
        return () if node.answer is wanted else None
    if isinstance(node, AnsweredLeaf):
        never = wanted and node.leaf in NEVER_HOLD
        return None if node.metric is None or never else node.metric.settled_by or None
    ways = [_evidence_for(part, wanted=wanted) for part in node.of]
    known = [way for way in ways if way is not None]
    enough = len(ways) if wanted is (node.kind == "all_of") else 1
    return tuple(key for way in known for key in way) if len(known) >= enough else None


def _is_no_reason(node: AnsweredLeaf) -> bool:
    """Comparisons that are not given as reasons: that a word is unknown excludes nothing, and that no records are
    missing is the normal case."""
    if node.answer is False:
        return node.leaf in NEVER_HOLD
    if node.answer is None or node.leaf.kind != "is_one_of" or node.metric is None:
        return False
    return node.metric.value == NOT_KNOWN


def binding(found: Iterable[AnsweredLeaf], thresholds: Thresholds) -> tuple[AnsweredLeaf, ...]:
    """The strictest comparison of each quantity: "at least 3" implies "at least 1.5", and the reader is shown one of
    the two. Comparisons in `found` that say the same are all kept."""
    every = tuple(found)
    return tuple(leaf for leaf in every if not any(_says_more(other, leaf, thresholds) for other in every))


def _says_more(one: AnsweredLeaf, other: AnsweredLeaf, thresholds: Thresholds) -> bool:
    """Whether `one` implies `other`, and not the reverse."""
    a, b = one.leaf, other.leaf
    if a.metric != b.metric or one.answer is not other.answer or one.answer is None:
        return False
    if a.kind == "is_one_of" and b.kind == "is_one_of":
        fewer, more = (a, b) if one.answer else (b, a)
        return set(fewer.words) < set(more.words)
    if a.kind != "compare" or b.kind != "compare":
        return False
    this, that = thresholds[a.threshold].value, thresholds[b.threshold].value
    if this == that:
        return False
    if a.operator in _UPWARDS and b.operator in _UPWARDS:
        return (this > that) is one.answer
    return a.operator in _DOWNWARDS and b.operator in _DOWNWARDS and (this < that) is one.answer


def ruled_out_by(condition: Condition, metrics: Metrics, thresholds: Thresholds) -> list[Leaf]:
    """For a condition that does not hold, the comparisons that fail: those of the first part that is false in an
    all-of, those of every part in an any-of. That no record is missing is never among them: that comparison only keeps
    the answer from being unknown."""
    if condition.kind == "all_of":
        for part in condition.of:
            if answer(part, metrics, thresholds) is False:
                return ruled_out_by(part, metrics, thresholds)
        return []
    if condition.kind == "any_of":
        return [leaf for part in condition.of for leaf in ruled_out_by(part, metrics, thresholds)]
    return [] if condition.kind == "is_one_of" and condition in NEVER_HOLD else [condition]


def _reason(leaf: Leaf, metric: Metric | None, found: Answer) -> str | None:
    if metric is None:
        return NOT_COMPUTED
    if metric.value is None:
        return metric.reason
    if found is not None or not isinstance(leaf, Compare):
        return None
    return NOT_A_NUMBER if isinstance(metric.value, str) else LOWER_BOUND
