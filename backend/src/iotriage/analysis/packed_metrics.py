"""Packs computed metrics for the case document, and unpacks them: reasons and places stand there once, by index, and
the counters of one record together."""

from __future__ import annotations

from collections.abc import Collection, Container, Iterator, Mapping, Sequence
from typing import Protocol

from iotriage.analysis.document.metrics import (
    Absence,
    AbsentMetric,
    CountersIn,
    DocumentMetric,
    KnownMetric,
    LinesIn,
    Place,
    SumsIn,
)
from iotriage.metrics.core.metric import Metric, Where
from iotriage.metrics.core.registry import all_metrics
from iotriage_parsers.evidence import Counter, Lines


class MetricInterner:
    """Collects what metrics of a document share, so that each stands there once: the reasons of absent metrics and the
    places of known ones, by index, and titles by id. Keys of evidence in `irrelevant` are left out of the reasons."""

    def __init__(self, irrelevant: Collection[str] = ()) -> None:
        self._irrelevant = frozenset(irrelevant)
        self._absences: dict[tuple[str, tuple[str, ...]], int] = {}
        self._index_of: dict[tuple[str | None, tuple[str, ...]], int] = {}
        self._places: dict[Place, int] = {}
        self.titles: dict[str, str] = {}

    @property
    def absences(self) -> tuple[Absence, ...]:
        return tuple(Absence(reason, settled_by) for reason, settled_by in self._absences)

    @property
    def places(self) -> tuple[Place, ...]:
        return tuple(self._places)

    def absent(self, metric: Metric) -> AbsentMetric:
        asked = metric.reason, metric.settled_by
        index = self._index_of.get(asked)
        if index is None:
            settled_by = tuple([key for key in metric.settled_by if key not in self._irrelevant])
            index = self._absences.setdefault((metric.reason or "", settled_by), len(self._absences))
            self._index_of[asked] = index
        return AbsentMetric(metric.unit, index)

    def place(self, place: Place) -> int:
        return self._places.setdefault(place, len(self._places))


class InternedMetrics(Protocol):
    """What packed metrics refer to by index: a document, or the interner of one that is being made."""

    @property
    def absences(self) -> Sequence[Absence]: ...
    @property
    def places(self) -> Sequence[Place]: ...
    @property
    def titles(self) -> Mapping[str, str]: ...


def pack_metrics(
    metrics: Mapping[str, Metric], interner: MetricInterner, metrics_used: Container[str]
) -> dict[str, DocumentMetric]:
    """The metrics as the document has them. `metrics_used` are the ids of those that its rules read."""
    interner.titles.update((name, metric.title) for name, metric in metrics.items() if name in metrics_used)
    return {name: _pack(metric, interner) for name, metric in metrics.items()}


def unpack_metrics(metrics: Mapping[str, DocumentMetric], interned: InternedMetrics) -> dict[str, Metric]:
    """The metrics as they were computed: the inverse of `pack_metrics`."""
    return {name: _unpack(name, metric, interned) for name, metric in metrics.items()}


def _pack(metric: Metric, interner: MetricInterner) -> DocumentMetric:
    if metric.value is None or metric.confidence is None:
        return interner.absent(metric)
    where = tuple(map(interner.place, _group_places(metric.where))) if metric.where else ()
    return KnownMetric(metric.unit, metric.value, metric.confidence, metric.bound, where)


def _unpack(name: str, metric: DocumentMetric, interned: InternedMetrics) -> Metric:
    title = interned.titles.get(name) or _title(name)
    if isinstance(metric, AbsentMetric):
        absence = interned.absences[metric.absent]
        return Metric(name, title, metric.unit, None, reason=absence.reason, settled_by=absence.settled_by)
    where = tuple(w for place in metric.where for w in wheres_of(interned.places[place]))
    return Metric(name, title, metric.unit, metric.value, metric.confidence, bound=metric.bound, where=where)


def _title(name: str) -> str:
    """As the metric is declared; its id where no metric is called so any more."""
    declared = all_metrics().get(name)
    return name if declared is None else declared.title


def _group_places(where: Sequence[Where]) -> tuple[Place, ...]:
    """Counters of one record, or sums of one module, that follow one another together."""
    if len(where) < 2:
        return tuple([_place(w, (w.at.counter,) if isinstance(w.at, Counter) else ()) for w in where])
    runs: list[tuple[Where, list[str]]] = []
    for w in where:
        counter = w.at.counter if isinstance(w.at, Counter) else None
        if counter is not None and runs and _alike(runs[-1][0], w):
            runs[-1][1].append(counter)
        else:
            runs.append((w, [] if counter is None else [counter]))
    return tuple([_place(first, counters) for first, counters in runs])


def _alike(one: Where, other: Where) -> bool:
    x, y = one.at, other.at
    if isinstance(x, Lines) or isinstance(y, Lines) or one.source != other.source:
        return False
    return x.module == y.module and x.record == y.record and x.rank == y.rank and x.file == y.file


def _place(first: Where, counters: Sequence[str]) -> Place:
    at = first.at
    if isinstance(at, Lines):
        return LinesIn(first.source, at.first, at.last)
    if at.record is None and at.rank is None and at.file is None:
        return SumsIn(first.source, at.module, tuple(counters))
    return CountersIn(first.source, at.module, tuple(counters), at.record, at.rank, at.file)


def wheres_of(place: Place) -> Iterator[Where]:
    """Each line range or counter of a place."""
    match place:
        case LinesIn():
            yield Where(place.source, Lines(place.first, place.last))
        case SumsIn():
            yield from (Where(place.source, Counter(place.module, counter)) for counter in place.counters)
        case CountersIn():
            for counter in place.counters:
                yield Where(place.source, Counter(place.module, counter, place.record, place.rank, place.file))
