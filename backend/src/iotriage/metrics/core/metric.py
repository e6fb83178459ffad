"""What a metric is: a named quantity with a unit, measured or absent with a reason, that says where it is from."""

from __future__ import annotations

from dataclasses import field
from typing import Annotated, Literal

from iotriage.by_type import ByType
from iotriage_parsers.evidence import Counter, Locator
from iotriage_parsers.evidence.darshan import NONE_MISSING, MissingCounter
from iotriage_parsers.frozen import frozen

Unit = Literal[
    "1", "share", "ratio", "B", "B/s", "s", "calls", "calls/s", "ranks", "nodes", "files", "stripes", "OSTs", "word"
]
"""A share lies between 0 and 1 and is read in per cent; a ratio is how many times; "1" is a plain number."""

Confidence = Literal["measured", "inferred"]

Scope = Literal["job", "group", "run-set"]

Number = int | float

MetricValue = int | float | str

NO_TIME = 1e-9
"""Seconds. A timer below a nanosecond counts as 0, and nothing is divided by it."""


@frozen
class Where:
    """A place in one of the case's sources; `source` is its index in the case, from 0."""

    source: int
    at: Annotated[Locator, ByType()]

    def __hash__(self) -> int:
        # Places are told apart by the hundred in each diagnosis: what is left out seldom differs where this does not.
        at = self.at
        return hash((self.source, at.counter, at.record, at.rank) if isinstance(at, Counter) else (self.source, at))


@frozen
class Value:
    """`bound` is "lower" where the evidence is partial and the true figure can only be larger. `missing` are counters
    that the formula read although some records lack them."""

    value: MetricValue
    confidence: Confidence = "measured"
    where: tuple[Where, ...] = ()
    bound: Literal["lower"] | None = None
    missing: frozenset[MissingCounter] = field(default=NONE_MISSING, compare=False, repr=False)


@frozen
class Absent:
    """Why there is no value, in one sentence. `settled_by` names the evidence that would give one, by the keys of
    `iotriage.metrics.core.missing_evidence.EVIDENCE` ("MPICH_MPIIO_STATS", "Darshan", …). `none` is true where the
    evidence shows that there was nothing to count: a sum then ignores this term. A sum that lacks any other term is a
    lower bound."""

    reason: str
    settled_by: tuple[str, ...] = ()
    none: bool = False
    missing: frozenset[MissingCounter] = field(default=NONE_MISSING, compare=False, repr=False)


Outcome = Value | Absent


@frozen
class Metric:
    """A computed metric as the document carries it: `value` is None where it is absent, and then `reason` says why."""

    id: str
    title: str
    unit: Unit
    value: MetricValue | None
    confidence: Confidence | None = None
    reason: str | None = None
    settled_by: tuple[str, ...] = ()
    bound: Literal["lower"] | None = None
    where: tuple[Where, ...] = ()


@frozen
class UncountedMetric(Metric):
    """A metric that is absent because records lack counters: what it measures happened, or may have happened. The
    document stores it like any other absent metric and reads it back as a plain `Metric`."""

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Metric):
            return NotImplemented
        return (self.id, self.reason, self.settled_by) == (other.id, other.reason, other.settled_by)

    __hash__ = Metric.__hash__
