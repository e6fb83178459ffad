"""What the findings of a document rest on, for the reports that say so."""

from __future__ import annotations

from collections.abc import Sequence

from iotriage.analysis.decision.basis import basis_of, grounds_of
from iotriage.analysis.document import CaseDocument, Finding, MissingEvidence
from iotriage.reports.sections.deciding_figures import deciding_figures
from iotriage_parsers.frozen import frozen


def figures_of(finding: Finding, document: CaseDocument) -> tuple[str, ...]:
    """The comparisons that made the finding's condition hold, in words."""
    grounds = grounds_of(finding, basis_of(document))
    return () if grounds is None else deciding_figures(grounds.condition, document)


@frozen
class DecidingEvidence:
    """`rules` are those that the evidence would settle, in their order by name; empty where that is all of them."""

    evidence: MissingEvidence
    rules: tuple[str, ...]


def evidence_by_rule(findings: Sequence[Finding], document: CaseDocument) -> tuple[DecidingEvidence, ...]:
    """The evidence that would decide the findings, each once, with what it decides."""
    basis = basis_of(document)
    keys = [(f.rule, () if (found := grounds_of(f, basis)) is None else found.settled_by) for f in findings]
    every = {rule for rule, _ in keys}
    by_key: dict[str, set[str]] = {}
    for rule, settled_by in keys:
        for key in settled_by:
            by_key.setdefault(key, set()).add(rule)
    return tuple(
        DecidingEvidence(document.missing_evidence[key], () if rules == every else tuple(sorted(rules)))
        for key, rules in by_key.items()
    )


def evidence_to_decide(findings: Sequence[Finding], document: CaseDocument) -> tuple[MissingEvidence, ...]:
    """The evidence that would decide the findings, each once."""
    return tuple(one.evidence for one in evidence_by_rule(findings, document))
