"""The register of metrics. A formula declares itself with `@metric`; every module of `iotriage.metrics` is imported to
find them.

A formula is given a `Selection`, the evidence of a job or of one group of its files, and returns a `Value`, or `Absent`
with the reason. A selection computes each metric once, when it is first asked for. Formulas read other metrics by
`outcome`; rules, charts and the document read them by `compute_metrics` and `group_metrics`.
"""

from __future__ import annotations

import importlib
import math
import pkgutil
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cache, lru_cache, wraps
from typing import TypeVar, overload

from iotriage.metrics.core.about import CLOCKED, NOTHING_MORE, About
from iotriage.metrics.core.lacking import WhereLacking, without_missing
from iotriage.metrics.core.metric import Absent, Metric, Outcome, Scope, UncountedMetric, Unit, Value
from iotriage.metrics.core.selection import Selection
from iotriage_parsers.evidence.darshan import begin_notes, end_notes, note_missing
from iotriage_parsers.frozen import frozen

Formula = Callable[[Selection], Outcome]
Basis = Callable[[Selection], object]
D = TypeVar("D")
F = TypeVar("F")


@frozen
class MetricSpec:
    """A declared metric. `formula` and `needs` are sentences for the reader of the docs; `compute` is the formula
    itself. `basis` is the function that the metric named by `of` or `unless`: where that returns `Absent`, `compute`
    returns the same. `where_lacking` says what the metric becomes where records lack counters that the formula
    reads."""

    id: str
    title: str
    unit: Unit
    scopes: frozenset[Scope]
    formula: str
    needs: str
    compute: Formula
    basis: Basis | None = None
    about: About = NOTHING_MORE
    where_lacking: WhereLacking = "absent"

    @property
    def of_time(self) -> bool:
        return self.unit in CLOCKED or self.about.time is True


_declared: dict[str, MetricSpec] = {}


@overload
def metric(
    id: str,
    title: str,
    unit: Unit,
    *,
    formula: str,
    needs: str,
    about: About = ...,
    where_lacking: WhereLacking = ...,
    scopes: Iterable[Scope] = ...,
    unless: Callable[[Selection], Absent | None] | None = None,
) -> Callable[[Formula], Formula]: ...


@overload
def metric(
    id: str,
    title: str,
    unit: Unit,
    *,
    formula: str,
    needs: str,
    about: About = ...,
    where_lacking: WhereLacking = ...,
    scopes: Iterable[Scope] = ...,
    of: Callable[[Selection], F | Absent],
) -> Callable[[Callable[[F], Outcome]], Callable[[F], Outcome]]: ...


def metric(
    id: str,
    title: str,
    unit: Unit,
    *,
    formula: str,
    needs: str,
    about: About = NOTHING_MORE,
    where_lacking: WhereLacking = "absent",
    scopes: Iterable[Scope] = ("job", "group"),
    unless: Callable[[Selection], Absent | None] | None = None,
    of: Callable[[Selection], F | Absent] | None = None,
) -> Callable[[Callable[..., Outcome]], Callable[..., Outcome]]:
    """Declares the decorated function as the formula of the metric `id`. ValueError when the id is taken.

    Metrics that are absent for the same reason name one function that says it, by one of two names; where it answers
    `Absent`, all of them are absent at once and no formula is asked:

    of      finds what the metrics are about, say the slowest OST. The formula is given that, not the selection.
    unless  says what is missing, or None. The formula is then given the selection, as always: that nothing is said to
            be missing does not mean that it finds something.

    Such a function is cached (`cached_per_selection`), or costs next to nothing: each of its metrics asks it.
    """

    def declare(compute: Callable[..., Outcome]) -> Callable[..., Outcome]:
        if id in _declared:
            raise ValueError(f"metric {id} is declared twice")
        whole: Formula = _of_found(of, compute) if of else _unless_missing(unless, compute) if unless else compute
        _declared[id] = MetricSpec(
            id, title, unit, frozenset(scopes), formula, needs, whole, unless or of, about, where_lacking
        )
        return compute

    return declare


def _of_found(of: Callable[[Selection], F | Absent], compute: Callable[[F], Outcome]) -> Formula:
    @wraps(compute)
    def whole(selection: Selection) -> Outcome:
        found = of(selection)
        return found if isinstance(found, Absent) else compute(found)

    return whole


def _unless_missing(unless: Callable[[Selection], Absent | None], compute: Formula) -> Formula:
    @wraps(compute)
    def whole(selection: Selection) -> Outcome:
        return unless(selection) or compute(selection)

    return whole


@cache
def all_metrics() -> Mapping[str, MetricSpec]:
    """Every declared metric by id, in the order of the ids."""
    package = importlib.import_module("iotriage.metrics")
    for module in pkgutil.walk_packages(package.__path__, f"{package.__name__}."):
        importlib.import_module(module.name)
    return dict(sorted(_declared.items()))


@cache
def metrics_of_scope(scope: Scope) -> Mapping[str, MetricSpec]:
    """Those of all metrics that have the scope."""
    return {id: spec for id, spec in all_metrics().items() if scope in spec.scopes}


def outcome(selection: Selection, id: str) -> Outcome:
    """The metric `id` of the selection, whatever its scope; computed once. A group that has all files of its job takes
    the job's. KeyError for an unknown id; an error in the formula is raised to the caller."""
    known = selection.outcomes
    found = known.get(id)
    if found is None:
        spec, job = all_metrics()[id], selection.job
        of_job = job is not None and "job" in spec.scopes and selection.has_all_of_job
        found = known[id] = outcome(job, id) if job is not None and of_job else _answer(spec, selection)
    if found.missing:
        note_missing(found.missing)
    return found


def _answer(spec: MetricSpec, selection: Selection) -> Outcome:
    outer = begin_notes()
    try:
        found = spec.compute(selection)
    finally:
        missing = end_notes(outer)
    if isinstance(found, Value) and isinstance(found.value, float) and not math.isfinite(found.value):
        found = WITHOUT_END
    return without_missing(found, missing, spec, selection) if missing else found


WITHOUT_END = Absent("the figures that it is made of cannot be: they come to no number")
"""For results that are infinite or not a number: figures of a source can each be possible, and their quotient or sum
not. The document never holds such numbers."""


def compute(spec: MetricSpec, selection: Selection) -> Metric:
    """The metric of `spec` over `selection`, as the case document carries it. Where the formula raises an error, this
    metric alone is absent, and the case goes on."""
    found = selection.outcomes.get(spec.id)
    if found is None:
        try:
            found = selection.outcomes[spec.id] = _answer(spec, selection)
        except Exception as failure:
            found = Absent(f"the formula failed: {type(failure).__name__}: {failure}")
    return as_metric(spec, found)


def as_metric(spec: MetricSpec, outcome: Outcome) -> Metric:
    """The outcome together with the metric's id, title and unit."""
    if isinstance(outcome, Absent):
        of = UncountedMetric if outcome.missing else Metric
        return of(spec.id, spec.title, spec.unit, None, None, outcome.reason, outcome.settled_by)
    return Metric(
        spec.id, spec.title, spec.unit, outcome.value, outcome.confidence, None, (), outcome.bound, outcome.where
    )


class _Metrics(Mapping[str, Metric]):
    """The metrics of one selection by id, each computed when it is first asked for. Those in `alike` are taken from
    there: another selection has the same answers."""

    def __init__(self, selection: Selection, alike: Mapping[str, Metric]) -> None:
        self._selection = selection
        self._specs = metrics_of_scope(selection.scope)
        self._alike = alike
        self._known: dict[str, Metric] = {}

    def __getitem__(self, id: str) -> Metric:
        found = self._known.get(id)
        return self._found(id, self._specs[id]) if found is None else found

    def _found(self, id: str, spec: MetricSpec) -> Metric:
        found = self._known[id] = self._alike.get(id) or compute(spec, self._selection)
        return found

    def get(self, id: str, default: D | None = None) -> Metric | D | None:  # type: ignore[override]
        # Asked a thousand times a diagnosis: Mapping's own goes through an exception where there is no such metric.
        found = self._known.get(id)
        if found is None:
            spec = self._specs.get(id)
            return default if spec is None else self._found(id, spec)
        return found

    def __contains__(self, id: object) -> bool:
        return id in self._specs

    def __iter__(self) -> Iterator[str]:
        return iter(self._specs)

    def __len__(self) -> int:
        return len(self._specs)


def lazy_metrics(selection: Selection) -> Mapping[str, Metric]:
    """Every metric that has the selection's scope, computed when it is asked for."""
    return _Metrics(selection, {})


def compute_metrics(selection: Selection) -> Mapping[str, Metric]:
    """Every metric that has the selection's scope, computed now: for what reads them all, as the document of a job."""
    outcomes, absent = selection.outcomes, dict[str, Metric]()
    for basis in _bases(selection.scope):
        outer = begin_notes()
        why = _basis_result(basis, selection)
        missing = end_notes(outer)
        if isinstance(why, Absent) and not missing:
            together = _absent_metrics(selection.scope, basis, why.reason, why.settled_by)
            absent.update(together.metrics)
            outcomes.update(together.outcomes)
    found: dict[str, Metric] = {}
    for id, spec in metrics_of_scope(selection.scope).items():
        metric = absent.get(id)
        found[id] = compute(spec, selection) if metric is None else metric
    return found


@cache
def _bases(scope: Scope) -> tuple[Basis, ...]:
    """Every function that metrics of the scope name by `of` or `unless`, once."""
    named = [spec.basis for spec in metrics_of_scope(scope).values() if spec.basis is not None]
    return tuple(dict.fromkeys(named))


def _basis_result(basis: Basis, selection: Selection) -> object:
    """What the function returns; None where it raises an error: then each metric that names it calls it again, and
    reports the error itself."""
    try:
        return basis(selection)
    except Exception:
        return None


@frozen
class _AbsentMetrics:
    metrics: Mapping[str, Metric]
    outcomes: Mapping[str, Outcome]


@lru_cache(maxsize=256)
def _absent_metrics(scope: Scope, basis: Basis, reason: str, settled_by: tuple[str, ...]) -> _AbsentMetrics:
    """All metrics of the scope that name this function, absent for its reason. Cached, since most jobs lack the same
    evidence."""
    why = Absent(reason, settled_by)
    specs = [spec for spec in metrics_of_scope(scope).values() if spec.basis is basis]
    return _AbsentMetrics({s.id: as_metric(s, why) for s in specs}, {s.id: why for s in specs})


def group_metrics(group: Selection, of_job: Mapping[str, Metric]) -> Mapping[str, Metric]:
    """The metrics of a group of files, each computed when it is asked for; those of its job are `of_job`. A group that
    has all that the job has, as where all files are used alike, has the job's answers."""
    return _Metrics(group, of_job if group.has_all_of_job else {})


class MetricsInGroup(Mapping[str, Metric]):
    """What a rule about a group of files reads: the group's own metrics, and of its job those that groups lack.
    Nothing is computed until it is asked for."""

    def __init__(self, of_group: Mapping[str, Metric], of_job: Mapping[str, Metric]) -> None:
        self._of_group, self._of_job = of_group, of_job
        self._known: dict[str, Metric | None] = {}

    @property
    def accessed(self) -> Mapping[str, Metric]:
        """The metrics that were read by `get`, as conditions read them."""
        return {id: metric for id, metric in self._known.items() if metric is not None}

    def __getitem__(self, id: str) -> Metric:
        found = self._of_group.get(id)
        return self._of_job[id] if found is None else found

    def get(self, id: str, default: D | None = None) -> Metric | D | None:  # type: ignore[override]
        found = self._known.get(id)
        if found is None and id not in self._known:
            found = self._of_group.get(id)
            found = self._known[id] = self._of_job.get(id) if found is None else found
        return default if found is None else found

    def __contains__(self, id: object) -> bool:
        return id in self._of_group or id in self._of_job

    def __iter__(self) -> Iterator[str]:
        return iter(dict.fromkeys((*self._of_job, *self._of_group)))

    def __len__(self) -> int:
        return len(self._of_job.keys() | self._of_group.keys())
