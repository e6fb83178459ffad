"""Keeps a case document below its largest size: shortens what takes most room, and says so in the document."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace

from iotriage.analysis.document import CaseDocument
from iotriage.analysis.document.document_json import document_as_json
from iotriage.analysis.document.metrics import DocumentMetric, KnownMetric
from iotriage_parsers.evidence import Problem

PLACES_OF_A_METRIC = 50
BLOCKS_IN_A_CHART = 500
TEXTS, FILES = 20, 100


class DocumentTooLargeError(Exception):
    """Even with all that can be left out, the document is larger than it may be."""


def fit_document(document: CaseDocument, most_bytes: int) -> bytes:
    """The document as JSON. What is left out of one that is too large is named among the warnings of its first source;
    no figure changes, nor any finding. Raises `DocumentTooLargeError`."""
    written = document_as_json(document)
    left_out: list[str] = []
    for what, cut in _CUTS:
        if len(written) <= most_bytes:
            return written
        document = cut(document)
        left_out.append(what)
        written = document_as_json(_with_warning(document, left_out, most_bytes))
    if len(written) <= most_bytes:
        return written
    raise DocumentTooLargeError


def _with_warning(document: CaseDocument, left_out: list[str], most_bytes: int) -> CaseDocument:
    message = (
        f"the document of the case would be larger than {most_bytes // 2**20:,} MiB, so that it does not have "
        f"{'; nor '.join(left_out)}. No figure and no finding is another for that; the views of the sources have it."
    )
    first, *others = document.sources
    warned = replace(first, warnings=(*first.warnings, Problem("limit", message)))
    return replace(document, sources=(warned, *others))


def _without_places(document: CaseDocument) -> CaseDocument:
    metrics = _with_few_places(document.metrics)
    groups = tuple(replace(group, metrics=_with_few_places(group.metrics)) for group in document.groups)
    used = {place for of_scope in (metrics, *(group.metrics for group in groups)) for place in _places_of(of_scope)}
    renumbered = {place: number for number, place in enumerate(sorted(used))}
    return replace(
        document,
        metrics=_numbered(metrics, renumbered),
        groups=tuple(replace(group, metrics=_numbered(group.metrics, renumbered)) for group in groups),
        places=tuple(document.places[place] for place in renumbered),
    )


def _with_few_places(metrics: Mapping[str, DocumentMetric]) -> dict[str, DocumentMetric]:
    return {
        name: replace(m, where=m.where[:PLACES_OF_A_METRIC]) if isinstance(m, KnownMetric) else m
        for name, m in metrics.items()
    }


def _places_of(metrics: Mapping[str, DocumentMetric]) -> Iterator[int]:
    return (place for metric in metrics.values() if isinstance(metric, KnownMetric) for place in metric.where)


def _numbered(metrics: Mapping[str, DocumentMetric], renumbered: Mapping[int, int]) -> dict[str, DocumentMetric]:
    return {
        name: replace(m, where=tuple(renumbered[place] for place in m.where)) if isinstance(m, KnownMetric) else m
        for name, m in metrics.items()
    }


def _without_blocks(document: CaseDocument) -> CaseDocument:
    charts = document.charts
    return replace(document, charts=replace(charts, aggregators=charts.aggregators[:BLOCKS_IN_A_CHART]))


def _without_texts(document: CaseDocument) -> CaseDocument:
    return replace(document, texts=document.texts[:TEXTS])


def _without_files(document: CaseDocument) -> CaseDocument:
    return replace(document, files=document.files[:FILES])


_CUTS: tuple[tuple[str, Callable[[CaseDocument], CaseDocument]], ...] = (
    (f"more than the first {PLACES_OF_A_METRIC} places of each figure", _without_places),
    (f"more than the first {BLOCKS_IN_A_CHART} blocks of statistics in their chart", _without_blocks),
    (f"more than the first {TEXTS} texts", _without_texts),
    (f"more than the first {FILES} files", _without_files),
)
