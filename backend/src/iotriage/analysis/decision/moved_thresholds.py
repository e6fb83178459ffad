"""The case document under numbers that a person chose instead of the documents' or the site's."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from difflib import get_close_matches
from functools import cache
from math import inf, isfinite

from iotriage.analysis.decision.basis import basis_of
from iotriage.analysis.decision.headline import headline_of
from iotriage.analysis.decision.order import decide_findings
from iotriage.analysis.decision.significance import FLOORS
from iotriage.analysis.decision.unexplained import unexplained_of
from iotriage.analysis.document import CaseDocument, ThresholdInForce
from iotriage.analysis.run_sets.next_run import next_run_of
from iotriage.rules import all_rules, all_thresholds
from iotriage.rules.core.rule import Threshold


class UnknownThresholdError(ValueError):
    """No rule has a threshold of this id, or it cannot have the number given."""


def with_thresholds(document: CaseDocument, own: Mapping[str, float]) -> CaseDocument:
    """The document decided again with `own` (threshold id → number): findings, their order and advice, the headline and
    the next run. Each moved threshold keeps the number that held before in `moved_from`, so that whoever reads the
    document is told.

    The words of a finding stay those that were made with the first numbers: they state the job's figures, not the
    threshold's. A threshold of a rule that none can change here, or of the rules about run sets, moves nothing in this
    case. UnknownThresholdError for an id that no rule has, for NaN or infinity, and for a number out of the
    threshold's range: the document has words and rules for what numbers of the ranges can decide. On a logarithmic
    line, which has no 0, that is "however little": the least of the range.
    """
    known = document.thresholds
    for name, value in own.items():
        if name not in known and name not in all_thresholds() and name not in _of_one_case():
            raise UnknownThresholdError(f"{name} is not a threshold of these rules{_meant(name)}")
        if not isfinite(value):
            raise UnknownThresholdError(f"{name}: {value} is not a number that can be compared with")
        low, high = _range(name, known)
        if not (low <= value <= high or (value == 0 and _has_no_zero(name, known))):
            raise UnknownThresholdError(f"{name}: {value:.15g} is not within {low:.15g} to {high:.15g}")
    meant = {name: max(value, _range(name, known)[0]) for name, value in own.items() if name in known}
    moved = {name: value for name, value in meant.items() if value != known[name].value}
    if not moved:
        return document
    thresholds = {t.id: _moved(t, moved[t.id]) if t.id in moved else t for t in known.values()}
    basis = replace(basis_of(document), thresholds=thresholds)
    findings = decide_findings(document.findings, basis)
    unexplained = unexplained_of(findings, basis)
    return replace(
        document,
        headline=headline_of(findings, basis, unexplained),
        findings=findings,
        thresholds=thresholds,
        next_run=next_run_of(findings, document.launch, basis),
        unexplained=unexplained,
    )


def _meant(name: str) -> str:
    """Whoever mistypes one finds it among hundreds by its nearest."""
    near = get_close_matches(name, [*all_thresholds(), *_of_one_case()], n=1)
    return f"; did you mean {near[0]}?" if near else ": `iotriage rules` lists them"


def _range(name: str, known: Mapping[str, ThresholdInForce]) -> tuple[float, float]:
    """The numbers that the threshold may have, the one that held before included. Those of the rules about run sets
    decide nothing here."""
    here = known.get(name)
    if here is not None:
        before = here.value if here.moved_from is None else here.moved_from
        return min(here.minimum, before), max(here.maximum, before)
    declared = _of_one_case().get(name)
    return (-inf, inf) if declared is None else (declared.minimum, declared.maximum)


def _has_no_zero(name: str, known: Mapping[str, ThresholdInForce]) -> bool:
    threshold = known.get(name) or _of_one_case().get(name)
    return threshold is not None and threshold.scale == "log"


@cache
def _of_one_case() -> Mapping[str, Threshold]:
    """The thresholds of the rules about one case, and those of significance."""
    rules = [t for rule in all_rules().values() if rule.scope != "run-set" for t in rule.thresholds]
    return {t.id: t for t in (*rules, *FLOORS)}


def _moved(threshold: ThresholdInForce, value: float) -> ThresholdInForce:
    """Moved twice, it still says what held before it was moved at all."""
    before = threshold.value if threshold.moved_from is None else threshold.moved_from
    return replace(threshold, value=value, moved_from=None if value == before else before)
