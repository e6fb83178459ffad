"""Metrics as computed, and as the case document has them: reasons once, and the counters of one record together."""

from __future__ import annotations

from collections.abc import Collection, Container, Iterator, Mapping, Sequence

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


class Absences:
    """The reasons met so far, each with its index. What is `irrelevant`, by its key, settles nothing here."""

    def __init__(self, irrelevant: Collection[str] = ()) -> None:
        self._irrelevant = frozenset(irrelevant)
        self._indices: dict[tuple[str, tuple[str, ...]], int] = {}

    def index_of(self, reason: str, settled_by: tuple[str, ...]) -> int:
        if not self._irrelevant.isdisjoint(settled_by):
            settled_by = tuple(key for key in settled_by if key not in self._irrelevant)
        return self._indices.setdefault((reason, settled_by), len(self._indices))

    def all(self) -> tuple[Absence, ...]:
        return tuple(Absence(reason, settled_by) for reason, settled_by in self._indices)


def in_document(
    metrics: Mapping[str, Metric], absences: Absences, looked_at: Container[str]
) -> dict[str, DocumentMetric]:
    """`looked_at` has the ids of the metrics that rules of the document look at."""
    return {name: _packed(metric, absences, name in looked_at) for name, metric in metrics.items()}


def from_document(metrics: Mapping[str, DocumentMetric], absences: Sequence[Absence]) -> dict[str, Metric]:
    """The same metrics as they were computed."""
    return {name: _unpacked(name, metric, absences) for name, metric in metrics.items()}


def _packed(metric: Metric, absences: Absences, looked_at: bool) -> DocumentMetric:
    title = metric.title if looked_at else None
    if metric.value is None or metric.confidence is None:
        return AbsentMetric(title, metric.unit, absences.index_of(metric.reason or "", metric.settled_by))
    return KnownMetric(title, metric.unit, metric.value, metric.confidence, metric.bound, _places(metric.where))


def _unpacked(name: str, metric: DocumentMetric, absences: Sequence[Absence]) -> Metric:
    title = _title(name) if metric.title is None else metric.title
    if isinstance(metric, AbsentMetric):
        absence = absences[metric.absent]
        return Metric(name, title, metric.unit, None, reason=absence.reason, settled_by=absence.settled_by)
    where = tuple(w for place in metric.where for w in wheres_of(place))
    return Metric(name, title, metric.unit, metric.value, metric.confidence, bound=metric.bound, where=where)


def _title(name: str) -> str:
    """As the metric is declared; its id where no metric is called so any more."""
    declared = all_metrics().get(name)
    return name if declared is None else declared.title


def _places(where: Sequence[Where]) -> tuple[Place, ...]:
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
