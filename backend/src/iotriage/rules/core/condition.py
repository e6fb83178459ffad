"""Conditions as data: comparisons over metrics and thresholds, joined by all-of and any-of, each node discriminated by
`kind`; and the shapes of condition that rules share."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated, Literal

from iotriage.by_type import ByType
from iotriage_parsers.frozen import frozen

Operator = Literal["<", "<=", ">", ">=", "==", "!="]

SIGNS: dict[Operator, str] = {"<": "<", "<=": "≤", ">": ">", ">=": "≥", "==": "=", "!=": "≠"}
"""The operators as a person writes them."""


@frozen
class Compare:
    """`metric operator threshold`, the threshold given by id. Unknown where the metric is absent, and where a lower
    bound is below the threshold: the true value may lie above it."""

    metric: str
    operator: Operator
    threshold: str
    kind: Literal["compare"] = "compare"


@frozen
class IsOneOf:
    """The metric's value is one of these words ("io.pattern" is "serial"). Unknown where the metric is absent."""

    metric: str
    words: tuple[str, ...]
    kind: Literal["is_one_of"] = "is_one_of"


@frozen
class Present:
    """The metric has a value. This is true or false, and never unknown."""

    metric: str
    kind: Literal["present"] = "present"


@frozen
class AllOf:
    """All of the conditions hold; true where there are none."""

    of: tuple[Condition, ...]
    kind: Literal["all_of"] = "all_of"


@frozen
class AnyOf:
    """At least one of the conditions holds; false where there are none."""

    of: tuple[Condition, ...]
    kind: Literal["any_of"] = "any_of"


def all_of(*conditions: Condition) -> AllOf:
    return AllOf(conditions)


def any_of(*conditions: Condition) -> AnyOf:
    return AnyOf(conditions)


Leaf = Compare | IsOneOf | Present
Condition = Annotated[Compare | IsOneOf | Present | AllOf | AnyOf, ByType()]

ALWAYS = all_of()


def when_present(metric: str, *conditions: Condition) -> AllOf:
    """The conditions hold, and `metric` is there. False, not unknown, where it is absent: for a quantity whose
    absence means that there is nothing to judge (no writes, no such layer)."""
    return all_of(Present(metric), *conditions)


def any_when_present(*ways: tuple[str, tuple[Condition, ...]]) -> AnyOf:
    """One of several ways holds. Each way is a condition, with the metric that must be present for it. Where none of
    these metrics is present, nothing could be checked, and the answer is unknown: false would claim that all is in
    order. The conditions themselves must be unknown where their metrics are absent."""
    each = tuple(when_present(metric, *conditions) for metric, conditions in ways)
    return any_of(*each, AllOf(tuple(one for _, conditions in ways for one in conditions)))


ON_STORAGE = IsOneOf("file.lies_on", ("node-disk", "node", "nfs", "shared", "unknown"))
"""False for files in the memory of a node, where no server and no disk is involved."""

MAY_BE_SERVED = IsOneOf("file.served", ("yes", "unknown"))
"""Not known to be on storage of one node, where no server keeps ranks apart by locks."""

SHARED_FILES = IsOneOf("io.pattern", ("shared-independent", "shared-collective", "subfiling"))
"""Several ranks use each file, and may wait for one another."""

RECORDS_MISSING = IsOneOf("evidence.records_missing", ("yes",))
"""False where all records are there; unknown where some are missing, since the metric is absent then and never
"yes"."""

RANKS_UNCOUNTED = IsOneOf("balance.ranks_uncounted", ("yes",))
"""The same for reduced records that lack the figures of single ranks."""
NEVER_HOLD = (RECORDS_MISSING, RANKS_UNCOUNTED)
"""Conditions that are false or unknown: joined by any-of they turn a false answer into unknown, and make none true."""


def clear_where_whole(condition: Condition) -> AnyOf:
    """The condition, but unknown instead of false where a log lacks records. For shares: the missing records may make
    them larger."""
    return any_of(condition, RECORDS_MISSING)


def leaves_of(condition: Condition) -> Iterator[Leaf]:
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
