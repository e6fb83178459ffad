"""Packs computed metrics for the case document, and unpacks them. Reasons and places are stored once and referred to by
index, and the counters of one record are stored together."""

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
    """Collects what the metrics of a document have in common, so that each is stored once: reasons of absent metrics
    and places of known ones, by index, and titles by id. Keys of evidence in `irrelevant` are left out of the
    reasons."""

    def __init__(self, irrelevant: Collection[str] = ()) -> None:
        self._irrelevant = frozenset(irrelevant)
        self._absences: dict[tuple[str, tuple[str, ...]], int] = {}
        self._absent: dict[tuple[str, str | None, tuple[str, ...]], AbsentMetric] = {}
        self._places: dict[tuple[object, ...], int] = {}
        self._every_place: list[Place] = []
        self._known: dict[tuple[int, ...], tuple[Sequence[Where], tuple[int, ...]]] = {}
        self.titles: dict[str, str] = {}

    @property
    def absences(self) -> tuple[Absence, ...]:
        return tuple(Absence(reason, settled_by) for reason, settled_by in self._absences)

    @property
    def places(self) -> tuple[Place, ...]:
        return tuple(self._every_place)

    def packed(self, metrics: Mapping[str, Metric]) -> dict[str, DocumentMetric]:
        """The metrics in the form in which the document stores them."""
        found: dict[str, DocumentMetric] = {}
        for name, m in metrics.items():
            if m.value is None or m.confidence is None:
                # Hundreds of metrics lack the same few things: those of one unit are packed as one.
                absent = self._absent.get((m.unit, m.reason, m.settled_by))
                found[name] = self._packed_absent(m) if absent is None else absent
            else:
                places = self._places_of(m.where) if m.where else ()
                found[name] = KnownMetric(m.unit, m.value, m.confidence, m.bound, places)
        return found

    def _packed_absent(self, metric: Metric) -> AbsentMetric:
        settled_by = metric.settled_by and tuple([k for k in metric.settled_by if k not in self._irrelevant])
        index = self._absences.setdefault((metric.reason or "", settled_by), len(self._absences))
        found = self._absent[metric.unit, metric.reason, metric.settled_by] = AbsentMetric(metric.unit, index)
        return found

    def _places_of(self, where: Sequence[Where]) -> tuple[int, ...]:
        """The indexes of these places."""
        # Most metrics are made of the same few: the very places, which are kept with their answer, are told apart at
        # once, and what they say is not looked at.
        same = tuple(map(id, where))
        found = self._known.get(same)
        if found is None:
            found = self._known[same] = where, tuple([self._place(*run) for run in _runs(where)])
        return found[1]

    def _place(self, first: Where, record: tuple[object, ...], counters: Sequence[str]) -> int:
        # Looked up by what tells places apart: most are there already, and none is made for them.
        key = (*record, *counters)
        index = self._places.get(key)
        if index is None:
            index = self._places[key] = len(self._every_place)
            self._every_place.append(_place(first, counters))
        return index


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
    """The metrics in the form in which the document stores them. `metrics_used` are the ids of those that its rules
    read."""
    interner.titles.update([(name, metric.title) for name, metric in metrics.items() if name in metrics_used])
    return interner.packed(metrics)


def unpack_metrics(metrics: Mapping[str, DocumentMetric], interned: InternedMetrics) -> dict[str, Metric]:
    """The metrics as they were computed: the inverse of `pack_metrics`."""
    return {name: _unpack(name, metric, interned) for name, metric in metrics.items()}


def _unpack(name: str, metric: DocumentMetric, interned: InternedMetrics) -> Metric:
    title = interned.titles.get(name) or _title(name)
    if isinstance(metric, AbsentMetric):
        absence = interned.absences[metric.absent]
        return Metric(name, title, metric.unit, None, reason=absence.reason, settled_by=absence.settled_by)
    where = tuple(w for place in metric.where for w in wheres_of(interned.places[place]))
    return Metric(name, title, metric.unit, metric.value, metric.confidence, bound=metric.bound, where=where)


def _title(name: str) -> str:
    """The metric's declared title; its id where no metric with this id is declared any more."""
    declared = all_metrics().get(name)
    return name if declared is None else declared.title


def _runs(where: Sequence[Where]) -> list[tuple[Where, tuple[object, ...], list[str]]]:
    """Groups consecutive counters of the same record, or sums of the same module: the first of each group, what tells
    its record from others, and the names of all its counters. Line ranges have no names."""
    runs: list[tuple[Where, tuple[object, ...], list[str]]] = []
    last: tuple[object, ...] | None = None
    for w in where:
        at = w.at
        if isinstance(at, Lines):
            runs.append((w, (w.source, at.first, at.last), []))
            last = None
            continue
        record = (w.source, at.module, at.record, at.rank, at.file)
        if record == last:
            runs[-1][2].append(at.counter)
        else:
            runs.append((w, record, [at.counter]))
            last = record
    return runs


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
