"""Frozen types for what sources say. Entry point: `Evidence`."""

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
    LustreLayout,
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
from iotriage_parsers.evidence.locator import Counter, Lines, Locator
from iotriage_parsers.evidence.mpiio_stats import AggregatorsActive, MpiioStats, PflComponent, StatsField
from iotriage_parsers.evidence.problem import Problem

__all__ = [
    "NOT_AVAILABLE",
    "SEGMENT",
    "SHARED_RANK",
    "AggregatorsActive",
    "Counter",
    "CounterTable",
    "CounterTotal",
    "CrayPatReport",
    "DarshanLog",
    "DarshanPerf",
    "DarshanSummary",
    "DarshanTotals",
    "DxtTrace",
    "Evidence",
    "Failure",
    "FileCount",
    "Heatmap",
    "Job",
    "Lines",
    "Locator",
    "LustreLayout",
    "ModuleInfo",
    "ModuleSummary",
    "Mount",
    "MpiioStats",
    "Part",
    "PatField",
    "PatIoRow",
    "PatIoTable",
    "PatLustreFile",
    "PatObservation",
    "PatProfileRow",
    "PatRankTime",
    "PflComponent",
    "Problem",
    "StatsField",
]
