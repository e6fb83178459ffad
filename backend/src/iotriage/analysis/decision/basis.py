"""The facts from which findings are decided, in the form of the case document: rules, metrics and thresholds by id."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property

from iotriage.analysis.decision.condition import (
    Answer,
    Answered,
    Metrics,
    Thresholds,
    answer,
    answered,
    evidence_that_settles,
    leaves,
)
from iotriage.analysis.decision.significance import TURNS
from iotriage.analysis.document import CaseDocument, DocumentRule, Finding, RuledOut
from iotriage.analysis.document.account import Account, Investigations
from iotriage.analysis.document.finding import EvidenceHeadlines
from iotriage.analysis.packed_metrics import unpack_metrics
from iotriage.metrics.core.metric import Where
from iotriage.metrics.core.registry import MetricsInGroup
from iotriage.rules.core.condition import Compare, Condition
from iotriage.rules.evidence.io_not_the_bottleneck import FRACTION
from iotriage_parsers.frozen import frozen, frozen_identity

MOST_LOCATORS = 16

SMALL_SHARE = Compare("job.io_time_fraction", "<", FRACTION.id)


@frozen_identity
class DecisionBasis:
    """`of_groups` has, by the id of each group of files, those of its metrics that differ from the job's."""

    rules: Mapping[str, DocumentRule]
    metrics: Metrics
    of_groups: Mapping[str, Metrics]
    thresholds: Thresholds
    significance: Condition
    account: Account | None
    investigations: Investigations
    headlines: EvidenceHeadlines

    def metrics_of(self, scope: str) -> Metrics:
        """The metrics of the job, or of the group with this id."""
        own = self.of_groups.get(scope)
        return self.metrics if own is None else MetricsInGroup(own, self.metrics)

    @cached_property
    def significant(self) -> Answer:
        """Whether the job's I/O is enough to matter."""
        return answer(self.significance, self.metrics, self.thresholds)

    @cached_property
    def small_share(self) -> bool:
        """Whether the I/O is known to be a small share of the run, which does not wait for ranks that take turns."""
        if SMALL_SHARE.threshold not in self.thresholds:
            return False
        small, in_turns = (answer(of, self.metrics, self.thresholds) for of in (SMALL_SHARE, TURNS))
        return small is True and in_turns is not True


@frozen
class Grounds:
    """What a finding was decided on: each condition of its rule with its figures. `significance` is None for rules that
    are not weighed."""

    requires: Answered
    condition: Answered
    supports: tuple[Answered, ...]
    significance: Answered | None

    @property
    def where(self) -> tuple[Where, ...]:
        """Where the figures of the condition stand, the first of them."""
        found = (w for leaf in leaves(self.condition) if leaf.metric is not None for w in leaf.metric.where)
        return tuple(dict.fromkeys(found))[:MOST_LOCATORS]

    @property
    def settled_by(self) -> tuple[str, ...]:
        """The evidence that could decide what is unknown, by its keys in the document's `missing_evidence`."""
        return evidence_that_settles(self.requires, self.condition)


def basis_of(document: CaseDocument) -> DecisionBasis:
    return DecisionBasis(
        document.rules,
        unpack_metrics(document.metrics, document),
        {group.id: unpack_metrics(group.metrics, document) for group in document.groups},
        document.thresholds,
        document.significance,
        document.account,
        document.investigations,
        document.headlines,
    )


def grounds_of(finding: Finding | RuledOut, basis: DecisionBasis) -> Grounds | None:
    """None for a finding that holds under no thresholds: the document has its reason instead of its rule."""
    if isinstance(finding, RuledOut):
        return None
    rule = basis.rules.get(finding.rule)
    if rule is None:
        return None
    metrics, thresholds = basis.metrics_of(finding.scope.id), basis.thresholds
    return Grounds(
        answered(rule.requires, metrics, thresholds),
        answered(rule.condition, metrics, thresholds),
        tuple(answered(condition, metrics, thresholds) for condition in rule.supports),
        answered(basis.significance, basis.metrics, thresholds) if finding.weighed else None,
    )
