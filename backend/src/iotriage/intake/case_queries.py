"""The queries to a case's process and their answers, as types that are written as JSON."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field, TypeAdapter

from iotriage.analysis.document.charts.activity import HeatLayer
from iotriage.analysis.jobs import CaseIdentity
from iotriage.analysis.views.counter_cells import CounterQuery, ModuleRecords
from iotriage.analysis.views.file_list import FileQuery, Sort
from iotriage.analysis.views.record import RecordQuery
from iotriage.analysis.views.timeline import Colour, Filter, Rows
from iotriage_parsers.evidence import Failure
from iotriage_parsers.frozen import frozen


@frozen
class Diagnose:
    """The case's document; null where every source failed. Without a `site` the evidence decides, and where it does not
    tell, `default_site` holds."""

    site: str | None
    default_site: str | None = None
    kind: Literal["diagnose"] = "diagnose"


@frozen
class IdentifyCase:
    """What the sources say about their job (`iotriage.analysis.jobs.CaseIdentity`)."""

    kind: Literal["job-says"] = "job-says"


@frozen
class FilesPage:
    """A page of the files; with `grouped`, of the groups of files."""

    query: FileQuery
    sort: Sort
    offset: int
    limit: int
    grouped: bool = False
    kind: Literal["files"] = "files"


@frozen
class FilesAsCsv:
    """All files that are asked for, as text."""

    query: FileQuery
    sort: Sort
    kind: Literal["files-csv"] = "files-csv"


@frozen
class OneFile:
    path: str
    kind: Literal["file"] = "file"


@frozen
class FileTimes:
    """When each file was in use; null where no source tells."""

    kind: Literal["file-times"] = "file-times"


@frozen
class Ranks:
    kind: Literal["ranks"] = "ranks"


@frozen
class Place:
    """One source of the case, by its position; `member` is the index of a file in an archive."""

    index: int
    member: int | None = None


@frozen
class Contents:
    """Asks what the source holds (`SourceHolds`)."""

    place: Place
    kind: Literal["contents"] = "contents"


@frozen
class BlocksBetween:
    place: Place
    first: int
    last: int
    most: int
    kind: Literal["blocks"] = "blocks"


@frozen
class CountersPage:
    place: Place
    query: CounterQuery
    offset: int
    limit: int
    kind: Literal["counters"] = "counters"


@frozen
class OneRecord:
    place: Place
    query: RecordQuery
    kind: Literal["record"] = "record"


@frozen
class TraceOf:
    place: Place
    kind: Literal["trace"] = "trace"


@frozen
class EmbeddedTraceQuery:
    """What a page without a server keeps of a trace."""

    place: Place
    kind: Literal["kept-trace"] = "kept-trace"


@frozen
class RunWindow:
    """The part of a run that is asked for, None for all there is, and how many pixels there are for it."""

    from_s: float | None
    to_s: float | None
    first_rank: int | None
    last_rank: int | None
    rows: int
    columns: int


@frozen
class HeatmapOf:
    place: Place
    layer: HeatLayer
    part: RunWindow
    kind: Literal["heatmap"] = "heatmap"


@frozen
class TimelineOf:
    place: Place
    part: RunWindow
    filter: Filter
    colour: Colour
    down: Rows | None
    kind: Literal["timeline"] = "timeline"


@frozen
class SelectionOf:
    """Asks for the sums over the calls in a part of the timeline."""

    place: Place
    part: RunWindow
    filter: Filter
    down: Rows | None
    kind: Literal["selection"] = "selection"


@frozen
class SiteMeasured:
    """A site's profile made of the benchmarks among the sources (`iotriage.sites.measured_profile`). `checked` is the
    day, YYYY-MM-DD; `mount` where a new site's file system is and `host` one of its nodes, else as the results say;
    `before` the TOML of the profile that is extended."""

    site: str
    checked: str
    title: str | None = None
    mount: str | None = None
    host: str | None = None
    before: str | None = None
    kind: Literal["site-measured"] = "site-measured"


Query = (
    Diagnose
    | IdentifyCase
    | FilesPage
    | FilesAsCsv
    | OneFile
    | FileTimes
    | Ranks
    | Contents
    | BlocksBetween
    | CountersPage
    | OneRecord
    | TraceOf
    | EmbeddedTraceQuery
    | HeatmapOf
    | TimelineOf
    | SelectionOf
    | SiteMeasured
)
QUERY: TypeAdapter[Query] = TypeAdapter(Annotated[Query, Field(discriminator="kind")])


@frozen
class SourceHolds:
    """`failure` where nothing could be read of it."""

    blocks: int
    modules: tuple[ModuleRecords, ...]
    failure: Failure | None = None


@frozen
class Refusal:
    """Why a query has no answer: `kind` is a problem's short name, `detail` a sentence for a person."""

    status: Literal[404, 409, 422]
    kind: str
    title: str
    detail: str


@frozen
class SourceHeader:
    """A source of the case, before what was read of it. With `of_job`, only what is of that job is the case's."""

    name: str
    sha256: str
    size_bytes: int
    of_job: str | None = None


@frozen
class SourceRead:
    """What came of a source: the reader, or for an archive its packing, or why it failed."""

    reader: str | None
    failure: Failure | None


@frozen
class CaseLimits:
    """What a case's process may cost: seconds of processor time and of wall clock for one query, address space, the
    bytes of the document and of any other answer."""

    cpu_seconds: float = 60.0
    wall_seconds: float = 180.0
    memory_bytes: int = 2048 * 2**20
    document_bytes: int = 16 * 2**20
    answer_bytes: int = 128 * 2**20


HEADER = TypeAdapter(SourceHeader)
READ = TypeAdapter(SourceRead)
HOLDS = TypeAdapter(SourceHolds)
SAID = TypeAdapter(CaseIdentity)
REFUSAL = TypeAdapter(Refusal)
FAILURE = TypeAdapter(Failure)
LIMITS = TypeAdapter(CaseLimits)
