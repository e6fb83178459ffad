"""The evidence of one case and the views made of it, from which a case's process answers queries."""

from __future__ import annotations

from functools import cached_property
from typing import TypeVar

from pydantic import TypeAdapter

from iotriage.analysis.inputs import ReadSource, unpack_archives
from iotriage.analysis.jobs import case_identity_of, select_job_parts
from iotriage.analysis.views.blocks import Blocks, block_count, blocks_between
from iotriage.analysis.views.counter_cells import CounterPage, counter_page, modules_of
from iotriage.analysis.views.embedded_trace import EmbeddedTrace, embedded_trace
from iotriage.analysis.views.file_detail import FileDetail, file_detail
from iotriage.analysis.views.file_list import FileList, every_row, file_list, job_of, matching, ordered
from iotriage.analysis.views.file_pages import FileGroupPage, FilePage, group_page, page
from iotriage.analysis.views.file_spans import FileSpansView, file_spans
from iotriage.analysis.views.heatmap import HeatmapView, Window, heatmap_view
from iotriage.analysis.views.rank_table import RankTable, rank_table
from iotriage.analysis.views.record import Record, record_of
from iotriage.analysis.views.timeline import TimelineView, timeline_view
from iotriage.analysis.views.trace import TracedLog, traced_log
from iotriage.analysis.views.trace_selection import SelectedCalls, selected_calls
from iotriage.analysis.views.trace_summary import TraceSummary, trace_summary
from iotriage.intake.case_queries import (
    HOLDS,
    SAID,
    BlocksBetween,
    Contents,
    CountersPage,
    Diagnose,
    EmbeddedTraceQuery,
    FilesAsCsv,
    FilesPage,
    FileTimes,
    HeatmapOf,
    IdentifyCase,
    OneFile,
    OneRecord,
    Place,
    Query,
    Ranks,
    Refusal,
    RunWindow,
    SelectionOf,
    SiteMeasured,
    SourceHolds,
    TimelineOf,
    TraceOf,
)
from iotriage.intake.diagnosis import diagnose_inputs
from iotriage.intake.document_size import DocumentTooLargeError, fit_document
from iotriage.intake.reading import MIB
from iotriage.reports.files_csv import csv_lines
from iotriage.sites.measured_profile import BadNameError, MeasuredProfile, NewSite, profile_of
from iotriage_parsers.evidence import Archive, Evidence, Failure

T = TypeVar("T")

_FILES, _GROUPS, _FILE = TypeAdapter(FilePage), TypeAdapter(FileGroupPage), TypeAdapter(FileDetail)
_RANKS, _BLOCKS, _COUNTERS = TypeAdapter(RankTable), TypeAdapter(Blocks), TypeAdapter(CounterPage)
_RECORD, _TRACE = TypeAdapter(Record), TypeAdapter(TraceSummary)
_TIMES: TypeAdapter[FileSpansView | None] = TypeAdapter(FileSpansView | None)
_PROFILE, _KEPT = TypeAdapter(MeasuredProfile), TypeAdapter(EmbeddedTrace)
_HEATMAP, _TIMELINE, _SELECTION = TypeAdapter(HeatmapView), TypeAdapter(TimelineView), TypeAdapter(SelectedCalls)


class QueryRefusedError(Exception):
    """A query that has no answer."""

    def __init__(self, refusal: Refusal) -> None:
        super().__init__(refusal.title)
        self.refusal = refusal


class CaseEvidence:
    """The sources of one case. Results that several queries need are computed when the first one asks."""

    def __init__(self, document_bytes: int) -> None:
        self._document_bytes = document_bytes
        self._given: list[ReadSource] = []
        self._of_jobs: list[str | None] = []
        self._traced: dict[Place, TracedLog] = {}

    def add(self, source: ReadSource, of_job: str | None = None) -> None:
        self._given.append(source)
        self._of_jobs.append(of_job)

    def answer(self, query: Query) -> bytes:
        """The answer as JSON; for the list of files as CSV, as text. Raises `QueryRefusedError`."""
        match query:
            case Diagnose():
                return self._document(query)
            case IdentifyCase():
                return SAID.dump_json(case_identity_of(unpack_archives(self._sources)))
            case FilesPage(q, sort, offset, limit, grouped=True):
                return _GROUPS.dump_json(group_page(self._files, q, sort, offset, limit))
            case FilesPage(q, sort, offset, limit):
                return _FILES.dump_json(page(self._files, q, sort, offset, limit))
            case FilesAsCsv(q, sort):
                rows = ordered(self._files, matching(self._files, q), sort)
                return "".join(csv_lines(every_row(self._files, rows))).encode("utf-8", "backslashreplace")
            case OneFile(path):
                found = file_detail(self._files, job_of(self._sources), path)
                return _FILE.dump_json(_present(found, _unknown_file(path)))
            case FileTimes():
                return _TIMES.dump_json(file_spans(job_of(self._sources)))
            case Ranks():
                return _RANKS.dump_json(rank_table(self._sources))
            case TraceOf(place):
                return _TRACE.dump_json(trace_summary(self._log(place)))
            case EmbeddedTraceQuery(place):
                return _KEPT.dump_json(embedded_trace(self._log(place)))
            case HeatmapOf(place, layer, part):
                log = self._log(place)
                return _HEATMAP.dump_json(_present(heatmap_view(log, layer, _window(part, log)), _no_layer(layer)))
            case TimelineOf(place, part, filter, colour, down):
                log = self._log(place)
                drawn = timeline_view(log, filter, colour, _window(part, log), down)
                return _TIMELINE.dump_json(_present(drawn, _no_layer(filter.layer)))
            case SelectionOf(place, part, filter, down):
                log = self._log(place)
                selected = selected_calls(log, filter, _window(part, log), down)
                return _SELECTION.dump_json(_present(selected, _no_layer(filter.layer)))
            case SiteMeasured():
                return _PROFILE.dump_json(self._measured(query))
            case _:
                return self._of_source(query)

    def _of_source(self, query: Contents | BlocksBetween | CountersPage | OneRecord) -> bytes:
        found = self._outcome(query.place)
        if isinstance(query, Contents):
            if isinstance(found, Failure):
                return HOLDS.dump_json(SourceHolds(0, (), found))
            return HOLDS.dump_json(SourceHolds(block_count(found), modules_of(found)))
        evidence = _readable(found)
        match query:
            case BlocksBetween(_, first, last, most):
                return _BLOCKS.dump_json(blocks_between(evidence, first, last, most))
            case CountersPage(_, asked, offset, limit):
                cells = counter_page(evidence, asked, offset, limit)
                return _COUNTERS.dump_json(_present(cells, _unknown_module(asked.module)))
            case OneRecord(_, asked):
                what = f"record {asked.record}" if asked.record is not None else "counters"
                detail = f"The source has no {what} of {asked.module!r}."
                refusal = Refusal(404, "unknown-record", "There is no such record", detail)
                return _RECORD.dump_json(_present(record_of(evidence, asked), refusal))

    def _document(self, query: Diagnose) -> bytes:
        document = diagnose_inputs(self._sources, query.site, query.default_site)
        try:
            return b"null" if document is None else fit_document(document, self._document_bytes)
        except DocumentTooLargeError:
            detail = (
                f"Its document would be larger than the {self._document_bytes // MIB:,} MiB that it may be. "
                "Give fewer or smaller sources, or have IOTRIAGE_DOCUMENT_BYTES allow more."
            )
            raise QueryRefusedError(Refusal(422, "too-large", "The case says too much", detail)) from None

    def _measured(self, query: SiteMeasured) -> MeasuredProfile:
        results = [(s.name, s.outcome) for s in unpack_archives(self._sources) if isinstance(s.outcome, Evidence)]
        try:
            new = NewSite(query.title, query.mount, host=query.host)
            return profile_of(query.site, results, query.checked, new, query.before)
        except BadNameError as bad:
            raise QueryRefusedError(Refusal(422, "bad-name", "This cannot be a site's name", f"{bad}.")) from None

    @cached_property
    def _sources(self) -> list[ReadSource]:
        return select_job_parts(self._given, self._of_jobs)

    @cached_property
    def _files(self) -> FileList:
        return file_list(self._sources)

    def _log(self, place: Place) -> TracedLog:
        known = self._traced.get(place)
        if known is None:
            detail = "It has neither the calls of DXT nor Darshan's HEATMAP module."
            refusal = Refusal(404, "no-trace", "The source does not tell when which rank did I/O", detail)
            known = self._traced[place] = _present(traced_log(_readable(self._outcome(place))), refusal)
        return known

    def _outcome(self, place: Place) -> Evidence | Failure:
        if not 0 <= place.index < len(self._sources):
            raise QueryRefusedError(Refusal(404, "unknown-source", "There is no such source of this case", ""))
        found = self._sources[place.index].outcome
        if not isinstance(found, Archive):
            return found
        if place.member is None or not 0 <= place.member < len(found.members):
            return Failure("unsupported", "an archive is several sources", "Say which of its files is meant.")
        return found.members[place.member].outcome


def _readable(found: Evidence | Failure) -> Evidence:
    if isinstance(found, Failure):
        raise QueryRefusedError(unreadable(found))
    return found


def unreadable(failure: Failure) -> Refusal:
    """The error for a query about a source that could not be read."""
    detail = f"{failure.message.rstrip('.')}. {failure.next_step}"
    return Refusal(422, failure.code, "The source could not be read", detail)


def _present(found: T | None, refusal: Refusal) -> T:
    if found is None:
        raise QueryRefusedError(refusal)
    return found


def _window(part: RunWindow, log: TracedLog) -> Window:
    low = part.from_s or 0.0
    high = log.extent_s if part.to_s is None else part.to_s
    first = part.first_rank or 0
    last = log.nprocs - 1 if part.last_rank is None else min(part.last_rank, log.nprocs - 1)
    if not low < high or first > last:
        detail = f"The run has {log.extent_s:g} s and the ranks 0 to {log.nprocs - 1}; a window has some of both."
        raise QueryRefusedError(Refusal(422, "invalid-range", "That is not a part of the run", detail))
    return Window(low, high, first, last, part.rows, part.columns)


def _no_layer(layer: str) -> Refusal:
    return Refusal(404, "no-trace", "The source has nothing of this layer", f"It was asked for {layer}.")


def _unknown_file(path: str) -> Refusal:
    return Refusal(
        404, "unknown-file", "There is no such file of this case", f"File of this case {path!r} is not here."
    )


def _unknown_module(module: str) -> Refusal:
    detail = f"The source has no records of {module!r}."
    return Refusal(404, "unknown-module", "There is no such module", detail)
