"""A reader's own thresholds over several cases: those of the rules about one case, and those of the rules about run
sets."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from iotriage.analysis.document import CaseDocument, ThresholdInForce
from iotriage.analysis.moved import refuse_what_is_no_number, with_thresholds
from iotriage.analysis.run_sets.variation import Usual
from iotriage.metrics.metric import Unit
from iotriage.rules import rules_of_run_sets
from iotriage.rules.run_sets import USUAL


@dataclass(frozen=True, slots=True)
class MovedThreshold:
    """A threshold whose number the reader chose; `moved_from` is the one that held before. Where it differs between the
    runs, by their sites, there is one for each."""

    id: str
    title: str
    unit: Unit
    value: float
    moved_from: float


def decided_by(
    documents: Sequence[tuple[str, CaseDocument]], own: Mapping[str, float]
) -> list[tuple[str, CaseDocument]]:
    """Each case with its title, decided again with those of `own` (threshold id → number) that are not about run sets.
    UnknownThresholdError for an id that neither the cases nor the rules about run sets have, and for NaN or infinity.
    """
    of_run_sets = threshold_ids(())
    refuse_what_is_no_number(own)
    of_cases = {name: value for name, value in own.items() if name not in of_run_sets}
    return [(title, with_thresholds(document, of_cases)) for title, document in documents]


def thresholds_of_run_sets(usual: Usual, own: Mapping[str, float]) -> dict[str, ThresholdInForce]:
    """Those of the rules about run sets, by id. What is usual is the site's where it has it, and the reader's before
    that, which the others of USUAL follow without having been moved themselves."""
    found = {}
    for rule in rules_of_run_sets():
        for t in rule.thresholds:
            given = usual.factor if t.id in USUAL else t.default
            value = own.get(t.id, given)
            before = usual.moved_from if t.id in USUAL and usual.moved_from is not None else given
            found[t.id] = ThresholdInForce(
                t.id,
                rule.id,
                t.title,
                t.unit,
                value,
                t.default,
                t.source,
                t.minimum,
                t.maximum,
                t.scale,
                usual.site_says if t.id in USUAL else None,
                before if t.id in own and value != before else None,
            )
    return found


def threshold_ids(documents: Iterable[CaseDocument]) -> frozenset[str]:
    """The thresholds of the rules about run sets, and those of these cases."""
    of_cases = {t.id for document in documents for t in document.thresholds}
    return frozenset(of_cases | {t.id for rule in rules_of_run_sets() for t in rule.thresholds})


def moved_among(thresholds: Iterable[ThresholdInForce]) -> tuple[MovedThreshold, ...]:
    moved = (
        MovedThreshold(t.id, t.title, t.unit, t.value, t.moved_from) for t in thresholds if t.moved_from is not None
    )
    return tuple(dict.fromkeys(moved))
