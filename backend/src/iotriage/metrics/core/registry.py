"""The register of metrics: a formula declares itself with `@metric`, and every module of this package is found."""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Callable, Iterable, Mapping
from functools import cache

from iotriage.metrics.core.metric import Absent, Metric, MetricSpec, Outcome, Scope, Unit, Value
from iotriage.metrics.core.selection import Selection

_declared: dict[str, MetricSpec] = {}

Formula = Callable[[Selection], Outcome]


def metric(
    id: str, title: str, unit: Unit, *, formula: str, needs: str, scopes: Iterable[Scope] = ("job", "group")
) -> Callable[[Formula], Formula]:
    """Declares the decorated function as the formula of the metric `id`. ValueError when the id is taken."""

    def declare(compute: Formula) -> Formula:
        if id in _declared:
            raise ValueError(f"metric {id} is declared twice")
        _declared[id] = MetricSpec(id, title, unit, frozenset(scopes), formula, needs, compute)
        return compute

    return declare


@cache
def all_metrics() -> Mapping[str, MetricSpec]:
    """Every declared metric by id, in the order of the ids."""
    import iotriage.metrics as package

    for module in pkgutil.walk_packages(package.__path__, f"{package.__name__}."):
        importlib.import_module(module.name)
    return dict(sorted(_declared.items()))


def compute(spec: MetricSpec, selection: Selection) -> Metric:
    """The metric of `spec` over `selection`, as the case document carries it. A formula that fails costs its own
    metric, never the case."""
    try:
        outcome = spec.compute(selection)
    except Exception as failure:
        outcome = Absent(f"the formula failed: {type(failure).__name__}: {failure}")
    return as_metric(spec, outcome)


def as_metric(spec: MetricSpec, outcome: Outcome) -> Metric:
    """What a formula found, with what the metric says of itself."""
    if isinstance(outcome, Absent):
        return Metric(spec.id, spec.title, spec.unit, None, reason=outcome.reason, settled_by=outcome.settled_by)
    return Metric(
        spec.id,
        spec.title,
        spec.unit,
        outcome.value,
        confidence=outcome.confidence,
        bound=outcome.bound,
        where=outcome.where,
    )


def compute_all(selection: Selection) -> dict[str, Metric]:
    """Every metric that has the selection's scope."""
    return {spec.id: compute(spec, selection) for spec in all_metrics().values() if selection.scope in spec.scopes}


def number(outcome: Outcome) -> float | None:
    """The outcome's number, or None where it is absent or a word."""
    return float(outcome.value) if isinstance(outcome, Value) and not isinstance(outcome.value, str) else None
