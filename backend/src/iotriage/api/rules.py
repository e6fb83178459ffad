"""The rules as data."""

from __future__ import annotations

from typing import Annotated

from fastapi import Path

from iotriage.analysis.cited import reference_to
from iotriage.api.guard.policies import READS
from iotriage.api.problems import present
from iotriage.api.routers import api_router
from iotriage.api.views import RuleView, ThresholdView
from iotriage.rules import all_rules, page_of
from iotriage.rules.core.documents import DOCUMENTS
from iotriage.rules.core.quotations import quotations
from iotriage.rules.core.rule import Rule, Threshold

router = api_router("/rules", tag="rules", dependencies=[READS])


@router.get("")
def list_rules() -> list[RuleView]:
    """Every rule, causes before symptoms."""
    return [rule_view(rule) for rule in sorted(all_rules().values(), key=lambda r: (r.priority, r.id))]


@router.get("/{rule_id}")
def get_rule(rule_id: Annotated[str, Path(description="The rule's id.", max_length=64)]) -> RuleView:
    """One rule: when it applies, when it holds, who states its numbers, and its page."""
    return rule_view(present(all_rules().get(rule_id), "rule", rule_id))


def rule_view(rule: Rule) -> RuleView:
    """The rule as the API answers it."""
    cited = [DOCUMENTS[key] for key in dict.fromkeys(one.document for one in rule.sections) if key in DOCUMENTS]
    return RuleView(
        id=rule.id,
        title=rule.title,
        clear_title=rule.clear_title,
        scope=rule.scope,
        severity=rule.severity,
        confidence=rule.confidence,
        priority=rule.priority,
        requires=rule.requires,
        condition=rule.condition,
        supports=rule.supports,
        thresholds=tuple(_threshold_view(threshold) for threshold in rule.thresholds),
        citations=rule.citations,
        documents=tuple(reference_to(document) for document in cited),
        quotations=quotations(rule.sections),
        explains=rule.explains,
        explained_by=tuple(sorted(other.id for other in all_rules().values() if rule.id in other.explains)),
        page=page_of(rule.id),
    )


def _threshold_view(threshold: Threshold) -> ThresholdView:
    return ThresholdView(
        id=threshold.id,
        title=threshold.title,
        default=threshold.default,
        unit=threshold.unit,
        stated_by=threshold.stated_by,
        minimum=threshold.minimum,
        maximum=threshold.maximum,
        scale=threshold.scale,
    )
