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
    AdvisedSetting,
    Finding,
    FindingScope,
    GivesWay,
    Headline,
    Option,
    RuleAsked,
    Said,
    ThresholdInForce,
    Verdict,
)
from iotriage.analysis.document.metrics import AbsentMetric, DocumentMetric, KnownMetric
from iotriage.analysis.document.sources import SourceReport, TextEvidence, TextPart

__all__ = [
    "DOCUMENT_VERSION",
    "AbsentMetric",
    "AdvisedSetting",
    "AggregatorBins",
    "CaseDocument",
    "Charts",
    "CollectiveSplit",
    "DocumentMetric",
    "DocumentRef",
    "FileGroup",
    "FileRow",
    "Finding",
    "FindingScope",
    "GivesWay",
    "Headline",
    "JobFacts",
    "KnownMetric",
    "Layer",
    "LayerShare",
    "MadeBy",
    "MissingEvidence",
    "Option",
    "PhaseShare",
    "RuleAsked",
    "Said",
    "SiteUsed",
    "SizeBin",
    "SizeHistogram",
    "SourceReport",
    "TextEvidence",
    "TextPart",
    "ThresholdInForce",
    "TimersPhases",
    "Verdict",
]
