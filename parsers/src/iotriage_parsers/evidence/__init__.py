"""Frozen types for what sources say. Entry point: `Evidence`."""

from iotriage_parsers.evidence.aggregator_placement import AggregatorPlacement, PlacedAggregator
from iotriage_parsers.evidence.archive import Archive, Member
from iotriage_parsers.evidence.benchmark_rates import BenchmarkRates, PhaseRate
from iotriage_parsers.evidence.craypat import (
    CrayPatReport,
    PatField,
    PatIoRow,
    PatIoTable,
    PatLustreFile,
    PatObservation,
    PatProfileRow,
    PatRankTime,
)
from iotriage_parsers.evidence.darshan import (
    NOT_AVAILABLE,
    SHARED_RANK,
    CounterTable,
    DarshanLog,
    Heatmap,
    ModuleInfo,
)
from iotriage_parsers.evidence.darshan_summary import (
    CounterTotal,
    DarshanPerf,
    DarshanSummary,
    DarshanTotals,
    FileCount,
    ModuleSummary,
)
from iotriage_parsers.evidence.dxt import SEGMENT, DxtTrace
from iotriage_parsers.evidence.evidence import Evidence, Failure, Part
from iotriage_parsers.evidence.job import Job, Mount
from iotriage_parsers.evidence.job_context import (
    ContextField,
    EnvironmentSetting,
    JobContext,
    JobStep,
    Launch,
    ModuleCommand,
    StripeCommand,
)
from iotriage_parsers.evidence.locator import Counter, Lines, Locator
from iotriage_parsers.evidence.lustre_layout import LustreComponent, LustreLayout
from iotriage_parsers.evidence.mpi_operations import APMPI_COLLECTIVES, APMPI_OPERATIONS, APMPI_WITHOUT_SIZES
from iotriage_parsers.evidence.mpich_environment import MpichEnvironment, MpichVersion, Setting, SettingsSection
from iotriage_parsers.evidence.mpiio_hints import Hint, MpiioHints
from iotriage_parsers.evidence.mpiio_stats import AggregatorsActive, MpiioStats, PflComponent, StatsField
from iotriage_parsers.evidence.mpiio_timers import MpiioTimers, NamedRank, Phase, PhaseSeconds, Spread, TimersRow
from iotriage_parsers.evidence.mpiio_warnings import (
    DvsStripeWarning,
    FailedCall,
    InternalError,
    IoError,
    MpichAbort,
    SystemErrors,
)
from iotriage_parsers.evidence.problem import JobEnd, Problem
from iotriage_parsers.evidence.run_result import (
    BenchmarkHint,
    BenchmarkIteration,
    BenchmarkLayer,
    BenchmarkResult,
    BenchmarkRun,
    BenchmarkSetting,
)
from iotriage_parsers.evidence.storage_layout import StorageLayout
from iotriage_parsers.evidence.stripe_layout import OstUsage, StripeComponent, StripeField, StripeLayout, TargetUsage
from iotriage_parsers.evidence.used_up import QuotaRoom, UsedUp

__all__ = [
    "APMPI_COLLECTIVES",
    "APMPI_OPERATIONS",
    "APMPI_WITHOUT_SIZES",
    "NOT_AVAILABLE",
    "SEGMENT",
    "SHARED_RANK",
    "AggregatorPlacement",
    "AggregatorsActive",
    "Archive",
    "BenchmarkHint",
    "BenchmarkIteration",
    "BenchmarkLayer",
    "BenchmarkRates",
    "BenchmarkResult",
    "BenchmarkRun",
    "BenchmarkSetting",
    "ContextField",
    "Counter",
    "CounterTable",
    "CounterTotal",
    "CrayPatReport",
    "DarshanLog",
    "DarshanPerf",
    "DarshanSummary",
    "DarshanTotals",
    "DvsStripeWarning",
    "DxtTrace",
    "EnvironmentSetting",
    "Evidence",
    "FailedCall",
    "Failure",
    "FileCount",
    "Heatmap",
    "Hint",
    "InternalError",
    "IoError",
    "Job",
    "JobContext",
    "JobEnd",
    "JobStep",
    "Launch",
    "Lines",
    "Locator",
    "LustreComponent",
    "LustreLayout",
    "Member",
    "ModuleCommand",
    "ModuleInfo",
    "ModuleSummary",
    "Mount",
    "MpichAbort",
    "MpichEnvironment",
    "MpichVersion",
    "MpiioHints",
    "MpiioStats",
    "MpiioTimers",
    "NamedRank",
    "OstUsage",
    "Part",
    "PatField",
    "PatIoRow",
    "PatIoTable",
    "PatLustreFile",
    "PatObservation",
    "PatProfileRow",
    "PatRankTime",
    "PflComponent",
    "Phase",
    "PhaseRate",
    "PhaseSeconds",
    "PlacedAggregator",
    "Problem",
    "QuotaRoom",
    "Setting",
    "SettingsSection",
    "Spread",
    "StatsField",
    "StorageLayout",
    "StripeCommand",
    "StripeComponent",
    "StripeField",
    "StripeLayout",
    "SystemErrors",
    "TargetUsage",
    "TimersRow",
    "UsedUp",
]
