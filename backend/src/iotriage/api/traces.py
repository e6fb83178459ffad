"""When a log's ranks did what: bytes by rank and time, and the calls of a trace, for any window of either."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from fastapi import APIRouter, Depends, Query

from iotriage.analysis.views.heatmap import HeatmapView, Window, heatmap_view
from iotriage.analysis.views.timeline import Colour, Filter, Layers, Offsets, TimelineView, timeline_view
from iotriage.analysis.views.trace import HeatLayer, Operation, TracedLog, traced_log
from iotriage.analysis.views.trace_summary import TraceSummary, trace_summary
from iotriage.api.excerpts import Member, source_of, unreadable
from iotriage.api.problems import ProblemError
from iotriage.api.requests import CaseId, SourceIndex
from iotriage.api.services import Here
from iotriage.intake.evidence_cache import EvidenceCache
from iotriage_parsers.evidence import Failure

router = APIRouter(prefix="/cases/{case_id}/sources/{index}/trace", tags=["evidence"])

LARGEST_TIME_S = 1e9
Seconds = Annotated[
    float | None, Query(description="Seconds from the start of the run; none: all.", ge=0, le=LARGEST_TIME_S)
]
RankBound = Annotated[int | None, Query(description="A rank, included; none: all.", ge=0, lt=2**24)]
Pixels = Annotated[int, Query(description="At most so many.", ge=1, le=2048)]
Byte = Annotated[
    int | None, Query(description="Of rows that are offsets of a file: which are in view.", ge=0, lt=2**62)
]
Ost = Annotated[int | None, Query(description="Index of an OST: only calls with bytes on it.", ge=0, lt=2**31)]
RecordOfFile = Annotated[str | None, Query(description="Darshan's id of a file.", pattern=r"^[0-9]{1,20}$")]


@dataclass(frozen=True, slots=True)
class _Part:
    """The part of the run that is asked for, and how many pixels there are for it."""

    from_s: Seconds = None
    to_s: Seconds = None
    first_rank: RankBound = None
    last_rank: RankBound = None
    rows: Pixels = 256
    columns: Pixels = 512

    def of(self, log: TracedLog) -> Window:
        low = self.from_s or 0.0
        high = log.extent_s if self.to_s is None else self.to_s
        first = self.first_rank or 0
        last = log.nprocs - 1 if self.last_rank is None else min(self.last_rank, log.nprocs - 1)
        if not low < high or first > last:
            detail = f"The run has {log.extent_s:g} s and the ranks 0 to {log.nprocs - 1}; a window has some of both."
            raise ProblemError(422, "invalid-range", "That is not a part of the run", detail)
        return Window(low, high, first, last, self.rows, self.columns)


Part = Annotated[_Part, Depends()]


def _log(case_id: CaseId, index: SourceIndex, services: Here, member: Member = None) -> TracedLog:
    # Closed before anything is computed: a plane that is moved asks often, and connections are few.
    with services.database.reading() as session:
        sha256 = source_of(session, case_id, index).sha256
    return _traced(services.evidence, sha256, member)


def _traced(cache: EvidenceCache, sha256: str, member: int | None) -> TracedLog:
    found = cache.evidence(sha256, member)
    if isinstance(found, Failure):
        raise unreadable(found)
    log = traced_log(found)
    if log is None:
        detail = "It has neither the calls of DXT nor Darshan's HEATMAP module."
        raise ProblemError(404, "no-trace", "The source does not tell when which rank did I/O", detail)
    return log


Log = Annotated[TracedLog, Depends(_log)]


@router.get("")
def get_trace(log: Log) -> TraceSummary:
    """Files, slowest ranks, and the phases in which many ranks are inside calls together."""
    return trace_summary(log)


@router.get("/heatmap")
def get_heatmap(log: Log, layer: HeatLayer, part: Part) -> HeatmapView:
    """Bytes by rank and time, summed up to pixels; with margins, and the busiest ranks and times in figures."""
    found = heatmap_view(log, layer, part.of(log))
    if found is None:
        raise _no_layer(layer)
    return found


@router.get("/timeline")
def get_timeline(
    log: Log,
    part: Part,
    layer: Layers = "POSIX",
    operation: Operation | None = None,
    file: RecordOfFile = None,
    ost: Ost = None,
    colour: Colour = "operation",
    low_offset: Byte = None,
    high_offset: Byte = None,
) -> TimelineView:
    """The calls in a window: each of them where there are at most 20,000, pixels where there are more. Rows are ranks,
    or, with `low_offset` and `high_offset`, offsets of a file."""
    offsets = None if low_offset is None or high_offset is None else Offsets(low_offset, high_offset)
    if offsets is not None and (offsets.low >= offsets.high or file is None):
        detail = "Offsets are those of one `file`, `low_offset` before `high_offset`."
        raise ProblemError(422, "invalid-range", "That is not a part of a file", detail)
    record = None if file is None else int(file)
    if record is not None and record >= 2**64:
        raise ProblemError(422, "invalid-record", "That is no file's id", "Darshan's ids have 64 bits.")
    found = timeline_view(log, Filter(layer, operation, record, ost), colour, part.of(log), offsets)
    if found is None:
        raise _no_layer(layer)
    return found


def _no_layer(layer: str) -> ProblemError:
    return ProblemError(404, "no-trace", "The source has nothing of this layer", f"It was asked for {layer}.")
