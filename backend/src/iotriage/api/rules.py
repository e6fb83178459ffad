"""The rules as data."""

from __future__ import annotations

from typing import Annotated

from fastapi import Path

from iotriage.analysis.cited import reference_to
from iotriage.api.guard.policies import READS
from iotriage.api.problems import not_found
from iotriage.api.routers import api_router
from iotriage.api.views import RuleView
from iotriage.rules import all_rules, page_of
from iotriage.rules.core.documents import DOCUMENTS
from iotriage.rules.core.quotations import quotations
from iotriage.rules.core.rule import Rule

router = api_router("/rules", tag="rules", dependencies=[READS])


@router.get("")
def list_rules() -> list[RuleView]:
    """Every rule, nearest to the root of trouble first."""
    return [rule_view(rule) for rule in sorted(all_rules().values(), key=lambda r: (r.priority, r.id))]


@router.get("/{rule_id}")
def get_rule(rule_id: Annotated[str, Path(description="The rule's id.", max_length=64)]) -> RuleView:
    """One rule: when it applies, when it holds, on whose numbers, and its page."""
    rule = all_rules().get(rule_id)
    if rule is None:
        raise not_found("rule", "rule", rule_id)
    return rule_view(rule)


def rule_view(rule: Rule) -> RuleView:
    """The rule as the API answers it."""
    sections = [(c.document, c.section) for c in rule.citations]
    sections += [(t.stated_by.document, t.stated_by.section) for t in rule.thresholds]
    cited = [DOCUMENTS[key] for key in dict.fromkeys(document for document, _ in sections) if key in DOCUMENTS]
    return RuleView(
        rule.id,
        rule.title,
        rule.clear_title,
        rule.scope,
        rule.severity,
        rule.confidence,
        rule.priority,
        rule.requires,
        rule.condition,
        rule.supports,
        rule.thresholds,
        rule.citations,
        tuple(reference_to(document) for document in cited),
        quotations(sections),
        rule.explains,
        tuple(sorted(other.id for other in all_rules().values() if rule.id in other.explains)),
        page_of(rule.id),
    )
