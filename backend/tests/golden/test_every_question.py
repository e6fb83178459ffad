"""What the page asks of a case is answered for every sample, or refused with a reason: no view fails on any."""

from __future__ import annotations

import json
from collections.abc import Iterator

import pytest
from sample_documents import sources_of
from samples import Case, cases

from iotriage.analysis.views.counter_cells import CounterQuery
from iotriage.analysis.views.file_list import FileQuery, Sort
from iotriage.analysis.views.timeline import Filter
from iotriage.intake.case_evidence import CaseEvidence, QueryRefusedError
from iotriage.intake.case_queries import (
    Contents,
    CountersPage,
    EmbeddedTraceQuery,
    FilesAsCsv,
    FilesPage,
    FileTimes,
    HeatmapOf,
    OneFile,
    Place,
    Query,
    Ranks,
    RunWindow,
    SelectionOf,
    TimelineOf,
    TraceOf,
)

ALL = RunWindow(None, None, None, None, rows=64, columns=256)
MODULES = ("POSIX", "MPI-IO", "STDIO", "LUSTRE")


def answered_or_refused(case: CaseEvidence, query: Query) -> bool:
    try:
        return bool(case.answer(query))
    except QueryRefusedError as refused:
        return refused.refusal.status < 500


def questions(place: Place) -> Iterator[Query]:
    yield Contents(place)
    yield from (CountersPage(place, CounterQuery(module), 0, 100) for module in MODULES)
    yield TraceOf(place)
    yield EmbeddedTraceQuery(place)
    for layer in ("POSIX", "MPIIO"):
        yield HeatmapOf(place, layer, ALL)
    filter = Filter("POSIX", None, None)
    yield TimelineOf(place, ALL, filter, "operation", None)
    yield SelectionOf(place, ALL, filter, None)


@pytest.mark.parametrize("sample", cases(), ids=str)
def test_every_question_of_the_page_has_an_answer(sample: Case) -> None:
    case, sources = CaseEvidence(2**26), sources_of(sample.sources)
    for source in sources:
        case.add(source)
    files = json.loads(case.answer(FilesPage(FileQuery(), Sort(), 0, 100)))
    groups = json.loads(case.answer(FilesPage(FileQuery(), Sort(), 0, 200, grouped=True)))
    assert sum(group["files"] for group in groups["groups"]) == files["matched"] or groups["matched"] > 200
    assert len({(group["template"], group["pattern"]) for group in groups["groups"]}) == len(groups["groups"])
    assert case.answer(FilesAsCsv(FileQuery(), Sort())).decode().count("\n") == files["matched"] + 1
    for file in files["files"][:1]:
        assert file in json.loads(case.answer(OneFile(file["path"])))["rows"]
    case.answer(FileTimes())
    case.answer(Ranks())
    for index in range(len(sources)):
        for query in questions(Place(index)):
            assert answered_or_refused(case, query), query
