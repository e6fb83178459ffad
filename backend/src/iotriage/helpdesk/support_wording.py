"""Rewords the case document for the centre's support: where a page tells a user to report something, the support says
it as their own."""

from __future__ import annotations

from dataclasses import replace

from iotriage.analysis.decision.basis import basis_of
from iotriage.analysis.decision.headline import headline_of
from iotriage.analysis.decision.unexplained import unexplained_of
from iotriage.analysis.document import CaseDocument, Finding
from iotriage.analysis.document.account import Investigation
from iotriage.rules.core.advice import Advice


def worded_by_support(document: CaseDocument) -> CaseDocument:
    """The document with advice, investigations and headline in the words of the support; all else is as it was."""
    findings = tuple(_finding(f) if isinstance(f, Finding) else f for f in document.findings)
    asked = document.investigations
    of_cells = {cell: tuple(_investigation(one) for one in given) for cell, given in asked.of_cells.items()}
    said = replace(document, findings=findings, investigations=replace(asked, of_cells=of_cells))
    basis = basis_of(said)
    left = unexplained_of(findings, basis)
    return replace(said, headline=headline_of(findings, basis, left), unexplained=left)


def _finding(given: Finding) -> Finding:
    return replace(given, advice=tuple(_advice(a) for a in given.advice))


def _advice(given: Advice) -> Advice:
    return given if given.replied is None else replace(given, text=given.replied)


def _investigation(given: Investigation) -> Investigation:
    return given if given.replied is None else replace(given, sentence=given.replied)
