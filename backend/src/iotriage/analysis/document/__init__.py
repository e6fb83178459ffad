"""The case document: types only. Entry point: `case.CaseDocument`."""

from iotriage.analysis.document.case import (
    DOCUMENT_VERSION,
    CaseDocument,
    DocumentRef,
    JobFacts,
    MadeBy,
    MissingEvidence,
    SiteUsed,
)
from iotriage.analysis.document.charts import (
    AggregatorBins,
    Charts,
    CollectiveSplit,
    Layer,
    LayerShare,
    PhaseShare,
    SizeBin,
    SizeHistogram,
    TimersPhases,
)
from iotriage.analysis.document.files import FileGroup, FileRow
from iotriage.analysis.document.finding import (
    Finding,
    FindingScope,
    GivesWay,
    Headline,
    RuleAsked,
    Striping,
    ThresholdInForce,
    Verdict,
    WouldSay,
)
from iotriage.analysis.document.sources import SourceReport, TextEvidence, TextPart

__all__ = [
    "DOCUMENT_VERSION",
    "AggregatorBins",
    "CaseDocument",
    "Charts",
    "CollectiveSplit",
    "DocumentRef",
    "FileGroup",
    "FileRow",
    "Finding",
    "FindingScope",
    "GivesWay",
    "Headline",
    "JobFacts",
    "Layer",
    "LayerShare",
    "MadeBy",
    "MissingEvidence",
    "PhaseShare",
    "RuleAsked",
    "SiteUsed",
    "SizeBin",
    "SizeHistogram",
    "SourceReport",
    "Striping",
    "TextEvidence",
    "TextPart",
    "ThresholdInForce",
    "TimersPhases",
    "Verdict",
    "WouldSay",
]
