"""The case document: everything IOtriage says about one job. Terminal, JSON, API and page are views of it.

Plain frozen dataclasses, so that the command line needs no web stack to make one; the API gives the same types to
Pydantic. Every field is JSON: no NaN, no infinity, absent is null.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from iotriage.analysis.agreement import Agreement
from iotriage.analysis.charts.accesses import AccessOrder, Alignment, CommonSize, FileSplit
from iotriage.analysis.charts.activity import Activity
from iotriage.analysis.charts.aggregating import Aggregating
from iotriage.analysis.charts.file_systems import FileSystemUse
from iotriage.analysis.charts.layer_growth import LayerGrowth
from iotriage.analysis.charts.mpi_times import MpiTimes
from iotriage.analysis.charts.ost_use import OstUse
from iotriage.analysis.charts.rank_use import RankUse
from iotriage.analysis.charts.time_use import TimeUse
from iotriage.analysis.expectation import Expectation
from iotriage.analysis.run_sets.next_run import NextRun
from iotriage.metrics.metric import Confidence, Metric, MetricValue, Scope, Unit, Where
from iotriage.rules.core.rule import Advice, Citation, Impact, Operator, Severity, Source
from iotriage_parsers.evidence import (
    AggregatorPlacement,
    BenchmarkRun,
    CrayPatReport,
    DarshanSummary,
    DvsStripeWarning,
    InternalError,
    IoError,
    JobContext,
    MpichAbort,
    MpichEnvironment,
    MpiioHints,
    MpiioStats,
    MpiioTimers,
    OstUsage,
    Problem,
    StripeLayout,
)

DOCUMENT_VERSION = 5

Layer = Literal["HDF5", "PnetCDF", "MPI-IO", "POSIX", "STDIO", "DFS", "DAOS"]
Verdict = Literal["triggered", "clear", "unknown", "not_applicable", "error"]
Answer = bool | None


@dataclass(frozen=True, slots=True)
class CompareLeaf:
    """A comparison with what it was decided on. `answer` is null where it cannot be known, and `reason` says why."""

    metric: str
    title: str
    unit: Unit
    operator: Operator
    threshold_id: str
    threshold: float
    source: Source
    value: MetricValue | None
    answer: Answer
    reason: str | None = None
    bound: Literal["lower"] | None = None
    confidence: Confidence | None = None
    kind: Literal["compare"] = "compare"


@dataclass(frozen=True, slots=True)
class IsOneOfLeaf:
    metric: str
    title: str
    unit: Unit
    words: tuple[str, ...]
    value: MetricValue | None
    answer: Answer
    reason: str | None = None
    confidence: Confidence | None = None
    kind: Literal["is_one_of"] = "is_one_of"


@dataclass(frozen=True, slots=True)
class PresentLeaf:
    metric: str
    title: str
    unit: Unit
    value: MetricValue | None
    answer: Answer
    reason: str | None = None
    confidence: Confidence | None = None
    kind: Literal["present"] = "present"


@dataclass(frozen=True, slots=True)
class AllOfNode:
    answer: Answer
    of: tuple[ConditionNode, ...]
    kind: Literal["all_of"] = "all_of"


@dataclass(frozen=True, slots=True)
class AnyOfNode:
    answer: Answer
    of: tuple[ConditionNode, ...]
    kind: Literal["any_of"] = "any_of"


ConditionNode = CompareLeaf | IsOneOfLeaf | PresentLeaf | AllOfNode | AnyOfNode


@dataclass(frozen=True, slots=True)
class FindingScope:
    """The job, or one group of files: its id, a label ("out.####, 4 files") and its largest file."""

    kind: Scope
    id: str
    label: str
    file: str | None = None
    files: int | None = None


@dataclass(frozen=True, slots=True)
class Settle:
    """Evidence that would decide an unknown finding, and the lines of the job script that produce it."""

    evidence: str
    text: str
    lines: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class GivesWay:
    """A finding by rule and scope; `text` says why advice is withheld while that finding is triggered and keeps its."""

    rule: str
    scope: str
    text: str


@dataclass(frozen=True, slots=True)
class Striping:
    """The advice at index `advice` is a line that stripes `directory`, its options and the directory as the line has
    them; null is an option that it leaves alone, and that another finding's line may complete."""

    advice: int
    directory: str
    count: str | None
    size: str | None
    first_ost: str | None
    pool: str | None
    gives_way_to: tuple[GivesWay, ...] = ()


@dataclass(frozen=True, slots=True)
class WouldSay:
    """What a finding says, and what it advises, when its condition holds and it stands alone: a directory has one
    striping, and `stripings` say what becomes of the lines that set it where others are triggered too
    (`iotriage.analysis.contradictions`)."""

    headline: str
    summary: str
    advice: tuple[Advice, ...]
    impact: Impact | None
    stripings: tuple[Striping, ...] = ()


@dataclass(frozen=True, slots=True)
class Finding:
    """A rule's answer on one scope. `verdict`, `severity` and `explained_by` can be computed again from
    `requires`, `condition`, `matters`, `base_severity` and `explains` alone (the page does, when a threshold moves):
    see `iotriage.analysis.order`. `headline`, `summary`, `advice` and `impact` are there when it is triggered;
    `would_say` has them also while it is not, so that they need not be made again, and as the rule gives them."""

    rule: str
    title: str
    verdict: Verdict
    severity: Severity
    confidence: Confidence
    scope: FindingScope
    condition: ConditionNode
    impact: Impact | None
    headline: str | None
    summary: str | None
    advice: tuple[Advice, ...]
    citations: tuple[Citation, ...]
    locators: tuple[Where, ...]
    explained_by: str | None
    requires: ConditionNode
    supports: tuple[ConditionNode, ...]
    matters: ConditionNode | None
    base_severity: Severity
    explains: tuple[str, ...]
    priority: int
    leads: bool
    clear_title: str
    settle: tuple[Settle, ...] = ()
    would_say: WouldSay | None = None
    error: str | None = None


@dataclass(frozen=True, slots=True)
class ThresholdInForce:
    """A rule's threshold as used for this case. `default` is the rule's; `value` the site's where it sets another, or
    a person's own, and then `moved_from` is the number that held before."""

    id: str
    rule: str
    title: str
    unit: Unit
    value: float
    default: float
    source: Source
    minimum: float
    maximum: float
    scale: Literal["linear", "log"]
    site_says: str | None = None
    moved_from: float | None = None


@dataclass(frozen=True, slots=True)
class Headline:
    """What is wrong (`sentence`), what to do about it (`action`, `command`), and which finding says so."""

    sentence: str
    action: str | None
    command: str | None
    severity: Severity | Literal["clear", "unknown"]
    rule: str | None


@dataclass(frozen=True, slots=True)
class JobFacts:
    job_id: str | None
    uid: int | None
    executable: str | None
    command_line: str | None
    nprocs: int | None
    nnodes: int | None
    start_time: float | None
    end_time: float | None
    runtime_s: float | None


@dataclass(frozen=True, slots=True)
class SiteUsed:
    id: str
    title: str
    chosen_by: Literal["detected", "person", "default"]
    because: str
    checked: str


@dataclass(frozen=True, slots=True)
class SourceReport:
    """One file given to us, or one of the files of an archive. `kind` is the id of the reader, None where no reader
    knew it; `status` "failed" means that nothing could be read of it, and then `failure` and `next_step` say why and
    what to do. `given` is the index of the file among those given, `member` the index of the source in it where that
    is an archive, named "archive › file": with both, its lines and records can be asked for."""

    name: str
    sha256: str
    size_bytes: int
    kind: str | None
    status: Literal["complete", "partial", "nothing", "failed"]
    title: str | None
    holds: tuple[str, ...]
    warnings: tuple[Problem, ...]
    failure: str | None = None
    next_step: str | None = None
    given: int = 0
    member: int | None = None


@dataclass(frozen=True, slots=True)
class FileRow:
    """One file of the job. Bytes and calls are those of the highest layer that saw it; None is "not recorded"."""

    path: str
    group: str
    pattern: str | None
    layers: tuple[str, ...]
    bytes_read: int | None
    bytes_written: int | None
    size_bytes: int | None
    ranks: int | None
    independent_calls: int | None
    collective_calls: int | None
    time_s: float | None
    metadata_time_s: float | None
    stripe_count: int | None
    stripe_size_bytes: int | None
    effective_ranks: float | None


@dataclass(frozen=True, slots=True)
class FileGroup:
    """Files of one directory whose names differ in digits only, and that are used alike."""

    id: str
    label: str
    files: int
    largest_file: str
    metrics: dict[str, Metric]


@dataclass(frozen=True, slots=True)
class SizeHistogram:
    """How many accesses of each size. `bins` are Darshan's ten; `low` is included, `high` (None: no limit) too.
    `exactly_1_mib` of the 100 KiB – 1 MiB bin were exactly 1,048,576 bytes, as far as the common sizes tell."""

    layer: Literal["POSIX", "MPI-IO"]
    direction: Literal["read", "write"]
    bins: tuple[SizeBin, ...]
    exactly_1_mib: int | None
    partial: bool


@dataclass(frozen=True, slots=True)
class SizeBin:
    low_bytes: int
    high_bytes: int | None
    count: int


@dataclass(frozen=True, slots=True)
class CollectiveSplit:
    """Calls of the MPI-IO layer, summed over ranks. `source` says which evidence counts them. Independent calls carried
    at least `independent_least` and at most `independent_most` of `total_bytes`; None without Darshan's records."""

    direction: Literal["read", "write"]
    independent: int
    collective: int
    nonblocking: int | None
    source: Literal["Darshan", "MPICH_MPIIO_STATS"]
    total_bytes: int | None = None
    independent_least: int | None = None
    independent_most: int | None = None


@dataclass(frozen=True, slots=True)
class AggregatorBins:
    """The four activity bins of one STATS write block; `n` aggregators. The mean share of them that is active lies
    between `utilisation_least` and `utilisation_most`, None where one aggregator makes the bins coincide."""

    file: str
    one: int
    low: int
    high: int
    all: int
    n: int
    where: Where
    utilisation_least: float | None = None
    utilisation_most: float | None = None
    total_bytes: int | None = None


@dataclass(frozen=True, slots=True)
class LayerShare:
    """Bytes and slowest-rank seconds at one layer: where the time goes between the call and the disk. The same bytes
    stand at every layer that they pass through."""

    layer: Layer
    bytes_read: int | None
    bytes_written: int | None
    calls: int | None
    ranks: float | None
    time_s: float | None
    read_time_s: float | None
    write_time_s: float | None
    metadata_time_s: float | None
    partial: bool


@dataclass(frozen=True, slots=True)
class PhaseShare:
    """One phase of MPICH_MPIIO_TIMERS: its average, least and most over the ranks as shares of the total, and the
    average in seconds where the clock could be worked out. Phases overlap and do not add up to 1."""

    label: str
    share: float | None
    least: float | None
    most: float | None
    time_s: float | None
    where: Where


@dataclass(frozen=True, slots=True)
class TimersPhases:
    """One trusted MPICH_MPIIO_TIMERS block; `ranks` is the title's word for whose times they are. Bandwidths in B/s, of
    the block's bytes over sending, over file access, and over the total: no bandwidth of the job."""

    file: str
    direction: Literal["write", "read"]
    ranks: str
    occurrence: int
    total_s: float | None
    total_reason: str | None
    active_ranks: int | None
    idle_ranks: int | None
    phases: tuple[PhaseShare, ...]
    data_send_bandwidth: float | None
    raw_bandwidth: float | None
    net_bandwidth: float | None
    where: Where


@dataclass(frozen=True, slots=True)
class Charts:
    """What the pictures are drawn from; every list may be empty, and then the page says which evidence is missing."""

    layers: tuple[LayerShare, ...]
    collective: tuple[CollectiveSplit, ...]
    aggregators: tuple[AggregatorBins, ...]
    sizes: tuple[SizeHistogram, ...]
    timers: tuple[TimersPhases, ...] = ()
    ranks: RankUse | None = None
    osts: tuple[OstUse, ...] = ()
    time: TimeUse | None = None
    aggregating: tuple[Aggregating, ...] = ()
    growth: LayerGrowth | None = None
    splits: tuple[FileSplit, ...] = ()
    common_sizes: tuple[CommonSize, ...] = ()
    order: tuple[AccessOrder, ...] = ()
    alignment: Alignment | None = None
    file_systems: tuple[FileSystemUse, ...] = ()
    activity: Activity | None = None


TextPart = (
    MpiioStats
    | MpiioTimers
    | MpiioHints
    | MpichEnvironment
    | AggregatorPlacement
    | DvsStripeWarning
    | IoError
    | InternalError
    | MpichAbort
    | CrayPatReport
    | DarshanSummary
    | StripeLayout
    | OstUsage
    | BenchmarkRun
    | JobContext
)
"""Evidence that is small enough to stand in the document as it was read; logs and traces are told of in figures."""


@dataclass(frozen=True, slots=True)
class Told:
    """One thing that a text said, and which source it was; its lines are those of that source."""

    source: int
    part: TextPart


@dataclass(frozen=True, slots=True)
class DocumentRef:
    """A cited document: title, publisher, and which systems it speaks about."""

    key: str
    title: str
    publisher: str
    systems: str
    url: str | None


@dataclass(frozen=True, slots=True)
class MadeBy:
    """The release and the version of the site's profile; and digests of the program's content, of what reads, what
    decides and what words (`iotriage.digests`), which a document that was made to be printed at once does not have."""

    iotriage: str
    site: str
    readers: str | None = None
    decides: str | None = None
    words: str | None = None


@dataclass(frozen=True, slots=True)
class CaseDocument:
    version: int
    made_by: MadeBy
    job: JobFacts
    site: SiteUsed
    headline: Headline
    sources: tuple[SourceReport, ...]
    metrics: dict[str, Metric]
    groups: tuple[FileGroup, ...]
    files: tuple[FileRow, ...]
    files_total: int
    findings: tuple[Finding, ...]
    thresholds: tuple[ThresholdInForce, ...]
    documents: tuple[DocumentRef, ...]
    charts: Charts
    agreement: tuple[Agreement, ...]
    told: tuple[Told, ...]
    told_total: int
    expectation: tuple[Expectation, ...]
    next_run: NextRun | None = None
    mpi: MpiTimes | None = None
