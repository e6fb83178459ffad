"""When a log's ranks did what: bytes by rank and time, and the calls of a trace, for any window of either."""

from __future__ import annotations

from typing import Annotated

from fastapi import Depends, Query, Response

from iotriage.analysis.document.charts.activity import HeatLayer, TracedLayer
from iotriage.analysis.views.heatmap import HeatmapView
from iotriage.analysis.views.timeline import Colour, Down, Filter, Offsets, Rows, Sizes, TimelineView
from iotriage.analysis.views.trace import Operation
from iotriage.analysis.views.trace_selection import SelectedCalls
from iotriage.analysis.views.trace_summary import TraceSummary
from iotriage.api.evidence.case_query import case_of, place_in, query_case
from iotriage.api.evidence.excerpts import Member
from iotriage.api.guard.policies import READS_CASE
from iotriage.api.problems import ProblemError
from iotriage.api.requests import CaseId, SourceIndex
from iotriage.api.routers import api_router
from iotriage.api.services import Here, Services
from iotriage.intake.case_queries import HeatmapOf, Place, RunWindow, SelectionOf, TimelineOf, TraceOf
from iotriage.store.cases import Snapshot
from iotriage_parsers.frozen import frozen

router = api_router("/cases/{case_id}/sources/{index}/trace", tag="evidence", dependencies=[READS_CASE])

LARGEST_TIME_S = 1e9
Seconds = Annotated[
    float | None, Query(description="Seconds from the start of the run; none: all.", ge=0, le=LARGEST_TIME_S)
]
RankBound = Annotated[int | None, Query(description="A rank, included; none: all.", ge=0, lt=2**24)]
Pixels = Annotated[int, Query(description="At most so many.", ge=1, le=2048)]
Byte = Annotated[int | None, Query(description="Of rows that are offsets or sizes: which are in view.", ge=0, lt=2**62)]
Ost = Annotated[int | None, Query(description="Index of an OST: only calls with bytes on it.", ge=0, lt=2**31)]
RecordOfFile = Annotated[str | None, Query(description="Darshan's id of a file.", pattern=r"^[0-9]{1,20}$")]


@frozen
class _Window:
    """The part of the run that is asked for, and how many pixels there are for it."""

    from_s: Seconds = None
    to_s: Seconds = None
    first_rank: RankBound = None
    last_rank: RankBound = None
    rows: Pixels = 256
    columns: Pixels = 512

    def part(self) -> RunWindow:
        return RunWindow(self.from_s, self.to_s, self.first_rank, self.last_rank, self.rows, self.columns)


Window = Annotated[_Window, Depends()]


@frozen
class _Source:
    """The source whose trace is asked for."""

    services: Services
    case: Snapshot
    place: Place

    def ask(self, query: TraceOf | HeatmapOf | TimelineOf | SelectionOf) -> Response:
        return Response(query_case(self.services, self.case, query), media_type="application/json")


def _source(case_id: CaseId, index: SourceIndex, services: Here, member: Member = None) -> _Source:
    case = case_of(services, case_id)
    return _Source(services, case, place_in(case, index, member))


Source = Annotated[_Source, Depends(_source)]


@router.get("", response_model=TraceSummary)
def get_trace(source: Source) -> Response:
    """Files, slowest ranks, and the phases in which many ranks are inside calls together."""
    return source.ask(TraceOf(source.place))


@router.get("/heatmap", response_model=HeatmapView)
def get_heatmap(source: Source, layer: HeatLayer, window: Window) -> Response:
    """Bytes by rank and time, summed up to pixels; with margins, and the busiest ranks and times in figures."""
    return source.ask(HeatmapOf(source.place, layer, window.part()))


@frozen
class _Chosen:
    """What of the trace is shown, and what its rows are."""

    layer: TracedLayer = "POSIX"
    operation: Operation | None = None
    file: RecordOfFile = None
    ost: Ost = None
    down: Down = "rank"
    low: Byte = None
    high: Byte = None

    def filter(self) -> Filter:
        record = None if self.file is None else int(self.file)
        if record is not None and record >= 2**64:
            raise ProblemError(422, "invalid-record", "That is not a file's id", "Darshan's ids have 64 bits.")
        return Filter(self.layer, self.operation, record, self.ost)

    def rows(self) -> Rows | None:
        if self.down == "rank":
            return None
        if self.low is None or self.high is None or self.low >= self.high:
            detail = "Rows that are offsets or sizes are asked for from `low` to `high`, in bytes."
            raise ProblemError(422, "invalid-range", "That is not a part of a file", detail)
        if self.down == "size":
            return Sizes(self.low, self.high)
        if self.file is None:
            detail = "Offsets are those of one `file`."
            raise ProblemError(422, "invalid-range", "That is not a part of a file", detail)
        return Offsets(self.low, self.high)


Chosen = Annotated[_Chosen, Depends()]


@router.get("/timeline", response_model=TimelineView)
def get_timeline(source: Source, window: Window, chosen: Chosen, colour: Colour = "operation") -> Response:
    """The calls in a window: each of them where there are at most 20,000, pixels where there are more. Rows are ranks;
    from `low` to `high` offsets of a file, or sizes of calls."""
    return source.ask(TimelineOf(source.place, window.part(), chosen.filter(), colour, chosen.rows()))


@router.get("/selection", response_model=SelectedCalls)
def get_selection(source: Source, window: Window, chosen: Chosen) -> Response:
    """Sums over the calls in a window: bytes, ranks, files, OSTs, their time, and the longest of them."""
    return source.ask(SelectionOf(source.place, window.part(), chosen.filter(), chosen.rows()))
