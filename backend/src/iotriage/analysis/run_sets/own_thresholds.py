"""The thresholds that several runs are held against one another by: the cases' own, and those of the rules about run
sets; and which of them have the reader's own numbers."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from iotriage.analysis.decision.moved_thresholds import UnknownThresholdError
from iotriage.analysis.document import CaseDocument, ThresholdInForce
from iotriage.analysis.run_sets.variation import UsualFactor
from iotriage.rules import rules_of_run_sets
from iotriage.rules.run_sets.usual import USUAL


def thresholds_of_run_sets(usual: UsualFactor, own: Mapping[str, float]) -> dict[str, ThresholdInForce]:
    """Those of the rules about run sets, by id. What is usual is the site's where it has it, and the reader's before
    that, which the others of USUAL follow without having been moved themselves."""
    found = {}
    for rule in rules_of_run_sets():
        for t in rule.thresholds:
            given = usual.factor if t.id in USUAL else t.default
            value = own.get(t.id, given)
            before = usual.moved_from if t.id in USUAL and usual.moved_from is not None else given
            found[t.id] = ThresholdInForce(
                id=t.id,
                rule=rule.id,
                title=t.title,
                unit=t.unit,
                value=value,
                default=t.default,
                stated_by=t.stated_by,
                minimum=t.minimum,
                maximum=t.maximum,
                scale=t.scale,
                site_says=usual.site_says if t.id in USUAL else None,
                moved_from=before if t.id in own and value != before else None,
            )
    return found


def raised_to_their_least(own: Mapping[str, float]) -> dict[str, float]:
    """The reader's numbers, those of the rules about run sets no less than the least of their lines: 0 on a logarithmic
    one is that, as it is of a case's thresholds, and UnknownThresholdError is for what is less. By a factor below 1 the
    slower of two runs would be called the faster."""
    found = dict(own)
    for t in (t for rule in rules_of_run_sets() for t in rule.thresholds if t.id in own):
        value = own[t.id]
        if value < t.minimum and not t.may_be_set_to(value):
            raise UnknownThresholdError(f"{t.id}: {value:.15g} is less than {t.minimum:.15g}")
        found[t.id] = max(value, t.minimum)
    return found


def threshold_ids(documents: Iterable[CaseDocument]) -> frozenset[str]:
    """The thresholds of the rules about run sets, and those of these cases."""
    of_cases = {t.id for document in documents for t in document.thresholds.values()}
    return frozenset(of_cases | {t.id for rule in rules_of_run_sets() for t in rule.thresholds})


def moved_thresholds_of(thresholds: Iterable[ThresholdInForce]) -> tuple[ThresholdInForce, ...]:
    """Those whose number the reader chose, each once; where what held before differs between the runs, by their sites,
    once for each."""
    return tuple({(t.id, t.value, t.moved_from): t for t in thresholds if t.moved_from is not None}.values())
