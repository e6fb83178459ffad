"""What a rule is: one diagnosis as data. Conditions are trees of comparisons over metrics and declared thresholds."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Literal

from iotriage.metrics.core.metric import Confidence, Metric, Scope, Unit
from iotriage.sites.site import FileSystemKind, Site

Severity = Literal["high", "medium", "low", "info"]
Operator = Literal["<", "<=", ">", ">=", "==", "!="]


@dataclass(frozen=True, slots=True)
class Source:
    """Who states a threshold: a document's key in `iotriage.rules.core.documents`, the section, and in our words what
    it says there. `document` is "project" where no document gives a number: the reader is told that it is ours."""

    document: str
    section: str
    says: str


@dataclass(frozen=True, slots=True)
class Threshold:
    """A number a person may move. `minimum` and `maximum` bound the slider; `scale` is how it is drawn."""

    id: str
    title: str
    default: float
    unit: Unit
    source: Source
    minimum: float
    maximum: float
    scale: Literal["linear", "log"] = "linear"


@dataclass(frozen=True, slots=True)
class Compare:
    """`metric operator threshold`, the threshold given by id. Unknown where the metric is absent; a lower bound
    below a threshold is unknown too, for the true value may lie above it."""

    metric: str
    operator: Operator
    threshold: str


@dataclass(frozen=True, slots=True)
class IsOneOf:
    """The metric's value is one of these words ("io.pattern" is "serial"). Unknown where the metric is absent."""

    metric: str
    words: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Present:
    """The metric has a value. Never unknown."""

    metric: str


@dataclass(frozen=True, slots=True)
class AllOf:
    of: tuple[Condition, ...]


@dataclass(frozen=True, slots=True)
class AnyOf:
    of: tuple[Condition, ...]


Condition = Compare | IsOneOf | Present | AllOf | AnyOf


@dataclass(frozen=True, slots=True)
class Citation:
    """A document (by key) and the section that speaks about this diagnosis."""

    document: str
    section: str


@dataclass(frozen=True, slots=True)
class Advice:
    """One thing to do. `command` is ready to paste, with the job's own names filled in; `kind` says where it goes.
    Code is C, and `fortran` the same lines in Fortran, where there are any."""

    text: str
    command: str | None = None
    kind: Literal["shell", "job-script", "code", "none"] = "none"
    source: Citation | None = None
    fortran: str | None = None


WITHHELD = "Withheld: "


def withheld(what: str, reason: str, source: Citation | None = None) -> Advice:
    """Advice that a reader may expect here and that would not hold, with the reason. It stands after all that does."""
    return Advice(f"{WITHHELD}{what}, for {reason}.", source=source)


def withheld_last(advice: Iterable[Advice]) -> tuple[Advice, ...]:
    return tuple(sorted(advice, key=lambda a: a.text.startswith(WITHHELD)))


@dataclass(frozen=True, slots=True)
class Impact:
    """`seconds` of the run that a fix could save at most, None where no expectation or bound supports a figure."""

    seconds: float | None
    reasoning: str


@dataclass(frozen=True, slots=True)
class Context:
    """What a rule's words are made from: the metrics of the scope (job metrics included), the thresholds in force,
    the site, and for a group of files its label, its largest file and the kind of file system it is on
    (`iotriage.sites.file_system_kind`)."""

    metrics: Mapping[str, Metric]
    thresholds: Mapping[str, float]
    site: Site
    label: str
    file: str | None = None
    files: int | None = None
    api: Literal["HDF5", "PnetCDF", "MPI-IO", "POSIX", "STDIO"] | None = None
    file_system: FileSystemKind = "unknown"

    def number(self, metric: str) -> float | None:
        """The metric's number, or None where it is absent or a word."""
        found = self.metrics.get(metric)
        return float(found.value) if found is not None and isinstance(found.value, int | float) else None

    def word(self, metric: str) -> str | None:
        found = self.metrics.get(metric)
        return found.value if found is not None and isinstance(found.value, str) else None


@dataclass(frozen=True, slots=True)
class Words:
    """What a finding says: `headline` names the cause in one sentence without numbers that need context; `summary`
    gives the figures in two or three."""

    headline: str
    summary: str


@dataclass(frozen=True, slots=True)
class Rule:
    """`requires` says whether the rule applies, `condition` whether it holds, `supports` is evidence that is shown
    and decides nothing. `explains` lists the rules whose findings this one, when triggered, accounts for.

    `says` is called with a context whose condition's metrics are all present, and returns the words for the case
    that the condition holds. `impact` may answer None: then no seconds are claimed. `priority` orders causes
    (lower is nearer to the root). `weighed` is false for the two rules about the case itself, whose severity does
    not depend on how much I/O there was.
    """

    id: str
    title: str
    clear_title: str
    scope: Scope
    severity: Severity
    priority: int
    requires: Condition
    condition: Condition
    thresholds: tuple[Threshold, ...]
    citations: tuple[Citation, ...]
    says: Callable[[Context], Words]
    advise: Callable[[Context], tuple[Advice, ...]]
    impact: Callable[[Context], Impact | None]
    supports: tuple[Condition, ...] = ()
    explains: tuple[str, ...] = ()
    confidence: Confidence = "measured"
    leads: bool = False
    weighed: bool = True
