"""The metrics of a case as its document has them: known, or absent for one of the document's reasons."""

from __future__ import annotations

from typing import Annotated, Literal

from iotriage.by_type import ByType
from iotriage.metrics.core.metric import Confidence, MetricValue, Unit
from iotriage_parsers.frozen import frozen


@frozen
class LinesIn:
    """Lines of a source, from 1; `source` is its index in the case."""

    source: int
    first: int
    last: int
    kind: Literal["lines"] = "lines"


@frozen
class CountersIn:
    """Counters of one record of a source: see `iotriage_parsers.evidence.Counter`."""

    source: int
    module: str
    counters: tuple[str, ...]
    record: str | None
    rank: int | None
    file: str | None
    kind: Literal["counters"] = "counters"


@frozen
class SumsIn:
    """Counters of a source, summed over the records of a module."""

    source: int
    module: str
    counters: tuple[str, ...]
    kind: Literal["sums"] = "sums"


Place = Annotated[LinesIn | CountersIn | SumsIn, ByType()]


@frozen
class KnownMetric:
    """`bound` is "lower" where the evidence is partial and the true figure can only be larger. `where` are indexes of
    the document's `places`."""

    unit: Unit
    value: MetricValue
    confidence: Confidence
    bound: Literal["lower"] | None
    where: tuple[int, ...]


@frozen
class AbsentMetric:
    """`absent` is the index of the reason in the document's `absences`."""

    unit: Unit
    absent: int
    value: None = None


@frozen
class Absence:
    """Why metrics have no value, and which evidence would give them one: keys of the document's `missing_evidence`."""

    reason: str
    settled_by: tuple[str, ...]


DocumentMetric = KnownMetric | AbsentMetric
