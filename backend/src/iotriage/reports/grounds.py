"""What the findings of a document rest on, for the reports that say so."""

from __future__ import annotations

from collections.abc import Iterable

from iotriage.analysis.decision.basis import basis_of, grounds_of
from iotriage.analysis.document import CaseDocument, Finding, MissingEvidence
from iotriage.reports.deciding_figures import deciding_figures


def figures_of(finding: Finding, document: CaseDocument) -> tuple[str, ...]:
    """The comparisons that made the finding's condition hold, in words."""
    grounds = grounds_of(finding, basis_of(document))
    return () if grounds is None else deciding_figures(grounds.condition, document.thresholds)


def evidence_to_decide(findings: Iterable[Finding], document: CaseDocument) -> tuple[MissingEvidence, ...]:
    """The evidence that would decide the findings, each once."""
    basis = basis_of(document)
    grounds = [found for f in findings if (found := grounds_of(f, basis)) is not None]
    keys = dict.fromkeys(key for found in grounds for key in found.settled_by)
    return tuple(document.missing_evidence[key] for key in keys)
