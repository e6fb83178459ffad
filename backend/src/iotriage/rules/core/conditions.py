"""Walks over conditions, and the shapes of condition that rules share."""

from __future__ import annotations

from collections.abc import Iterator

from iotriage.rules.core.rule import AllOf, AnyOf, Compare, Condition, IsOneOf, Present, Rule

ALWAYS = AllOf(())


def given(metric: str, *conditions: Condition) -> AllOf:
    """The conditions hold, and `metric` is there. False, not unknown, where it is absent: for a quantity whose
    absence means that there is nothing to judge (no writes, no such layer)."""
    return AllOf((Present(metric), *conditions))


def leaves_of(condition: Condition) -> Iterator[Compare | IsOneOf | Present]:
    if isinstance(condition, AllOf | AnyOf):
        for part in condition.of:
            yield from leaves_of(part)
    else:
        yield condition


def metrics_of(condition: Condition) -> frozenset[str]:
    """The ids of the metrics a condition looks at."""
    return frozenset(leaf.metric for leaf in leaves_of(condition))


def thresholds_of(condition: Condition) -> frozenset[str]:
    """The ids of the thresholds a condition compares with."""
    return frozenset(leaf.threshold for leaf in leaves_of(condition) if isinstance(leaf, Compare))


def conditions_of(rule: Rule) -> tuple[Condition, ...]:
    """Everything that a rule looks at: what it requires, what it asks, and what it shows beside."""
    return (rule.requires, rule.condition, *rule.supports)
