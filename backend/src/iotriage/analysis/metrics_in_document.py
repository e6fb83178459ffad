"""Metrics as computed, and as the case document has them: reasons once, and the counters of one record together."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby

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
from iotriage_parsers.evidence import Counter, Lines


class Absences:
    """The reasons met so far, each with its index."""

    def __init__(self) -> None:
        self._indices: dict[Absence, int] = {}

    def index_of(self, absence: Absence) -> int:
        return self._indices.setdefault(absence, len(self._indices))

    def all(self) -> tuple[Absence, ...]:
        return tuple(self._indices)


def in_document(metrics: Mapping[str, Metric], absences: Absences) -> dict[str, DocumentMetric]:
    return {name: _packed(metric, absences) for name, metric in metrics.items()}


def from_document(metrics: Mapping[str, DocumentMetric], absences: Sequence[Absence]) -> dict[str, Metric]:
    """The same metrics as they were computed."""
    return {name: _unpacked(name, metric, absences) for name, metric in metrics.items()}


def _packed(metric: Metric, absences: Absences) -> DocumentMetric:
    if metric.value is None or metric.confidence is None:
        absence = Absence(metric.reason or "", metric.settled_by)
        return AbsentMetric(metric.title, metric.unit, absences.index_of(absence))
    return KnownMetric(
        metric.title, metric.unit, metric.value, metric.confidence, metric.bound, tuple(_places(metric.where))
    )


def _unpacked(name: str, metric: DocumentMetric, absences: Sequence[Absence]) -> Metric:
    if isinstance(metric, AbsentMetric):
        absence = absences[metric.absent]
        return Metric(name, metric.title, metric.unit, None, reason=absence.reason, settled_by=absence.settled_by)
    where = tuple(w for place in metric.where for w in wheres_of(place))
    return Metric(name, metric.title, metric.unit, metric.value, metric.confidence, bound=metric.bound, where=where)


def _places(where: Sequence[Where]) -> Iterator[Place]:
    for (source, _), together in groupby(where, key=lambda w: (w.source, _record_of(w))):
        found = [w.at for w in together]
        yield from (LinesIn(source, at.first, at.last) for at in found if isinstance(at, Lines))
        counters = [at for at in found if isinstance(at, Counter)]
        if counters:
            first = counters[0]
            names = tuple(at.counter for at in counters)
            if (first.record, first.rank, first.file) == (None, None, None):
                yield SumsIn(source, first.module, names)
            else:
                yield CountersIn(source, first.module, names, first.record, first.rank, first.file)


def _record_of(where: Where) -> tuple[object, ...]:
    at = where.at
    return (at.module, at.record, at.rank, at.file) if isinstance(at, Counter) else ("lines",)


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
