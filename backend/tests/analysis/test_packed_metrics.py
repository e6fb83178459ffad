"""What the document has of the metrics is what was computed: all of the job's, and of each group of files what
findings about it or a chart look at."""

from __future__ import annotations

from collections import ChainMap
from collections.abc import Callable, Mapping, MutableMapping
from dataclasses import replace
from typing import ParamSpec, cast

import pytest
from budget import some
from pydantic import TypeAdapter
from sample_documents import sources_of
from samples import Case, cases

from iotriage.analysis import engine
from iotriage.analysis.decision.basis import basis_of
from iotriage.analysis.decision.condition import answer, can_be
from iotriage.analysis.document import CaseDocument, Finding
from iotriage.analysis.packed_metrics import MetricInterner, pack_metrics, unpack_metrics
from iotriage.metrics.core.metric import Metric
from iotriage.reports.plain_json import as_json
from iotriage.rules.core import condition as declared
from iotriage.rules.core.claim import metrics_of_claim

P = ParamSpec("P")

DOCUMENT = TypeAdapter(CaseDocument)


def without_what_settles(metrics: Mapping[str, Metric]) -> dict[str, Metric]:
    """What a run like the job's cannot leave behind is not asked for."""
    return {id: replace(metric, settled_by=()) for id, metric in metrics.items()}


@pytest.mark.fuzz
@pytest.mark.parametrize("case", some(cases()), ids=str)
def test_the_document_has_what_was_computed(case: Case, monkeypatch: pytest.MonkeyPatch) -> None:
    computed: list[Mapping[str, Metric]] = []

    def watching(compute: Callable[P, Mapping[str, Metric]]) -> Callable[P, Mapping[str, Metric]]:
        def watched(*args: P.args, **kwargs: P.kwargs) -> Mapping[str, Metric]:
            computed.append(compute(*args, **kwargs))
            return computed[-1]

        return watched

    monkeypatch.setattr(engine, "compute_metrics", watching(engine.compute_metrics))
    monkeypatch.setattr(engine, "group_metrics", watching(engine.group_metrics))
    document = engine.diagnose(sources_of(case.sources))
    of_job, *of_groups = computed
    # As a stored one is read again.
    basis = basis_of(DOCUMENT.validate_json(as_json(document)))
    assert without_what_settles(basis.metrics) == without_what_settles(of_job)
    assert [group.id for group in document.groups] == list(basis.of_groups)
    assert len(of_groups) == len(document.groups)
    for group, metrics in zip(document.groups, of_groups, strict=True):
        own = cast("MutableMapping[str, Metric]", basis.of_groups[group.id])
        whole = ChainMap(own, cast("MutableMapping[str, Metric]", basis.metrics))
        looked_at = _looked_at(document, group.id) & metrics.keys()
        assert without_what_settles({id: whole[id] for id in looked_at}) == without_what_settles(
            {id: metrics[id] for id in looked_at}
        )
        assert set(own) == {id for id in looked_at if metrics[id] != of_job.get(id)}

    once = MetricInterner()
    packed = pack_metrics(of_job, once, metrics_used=())
    assert unpack_metrics(packed, once) == dict(of_job)

    for finding in document.findings:
        rule = document.rules.get(finding.rule)
        if rule is not None and isinstance(finding, Finding):
            metrics = basis.metrics_of(finding.scope.id)
            # What no threshold can have hold is not taken along.
            for condition in (rule.requires, rule.condition):
                assert can_be(condition, metrics, basis.thresholds) != {False}, finding.rule

    for rule in document.rules.values():
        for condition in (rule.requires, rule.condition, *rule.supports):
            for scope in ("job", *basis.of_groups):
                metrics = basis.metrics_of(scope)
                now = answer(condition, metrics, basis.thresholds)
                assert now in can_be(condition, metrics, basis.thresholds)


def _looked_at(document: CaseDocument, scope: str) -> set[str]:
    asked = [document.rules[f.rule] for f in document.findings if f.scope.id == scope and isinstance(f, Finding)]
    conditions = [c for rule in asked for c in (rule.requires, rule.condition, *rule.supports)]
    drawn = {"io.bytes", "group.bytes_fraction"}
    claimed = {id for rule in asked for claim in rule.claims for id in metrics_of_claim(claim)}
    return drawn | claimed | {id for condition in conditions for id in declared.metrics_of(condition)}
