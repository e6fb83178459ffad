"""What a rule is: one diagnosis as data. Conditions are trees of comparisons over metrics and declared thresholds."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import InitVar, dataclass
from typing import Literal, get_args

from iotriage.metrics.core.metric import Confidence, Metric, Scope, Unit
from iotriage.metrics.tables.gaps import NO_GAPS, Gaps
from iotriage.rules.core.advice import Advice, Citation
from iotriage.rules.core.claim import Claim
from iotriage.rules.core.condition import ALWAYS, AllOf, Condition, all_of
from iotriage.rules.core.documents import PROJECT
from iotriage.rules.core.fixed_numbers import OWN, RUNS_DIFFER
from iotriage.rules.core.slider import SHARE, Slider
from iotriage.sites.site import MAYBE_LUSTRE, FileSystemKind, Site
from iotriage_parsers.evidence.job_context import Scheduler
from iotriage_parsers.frozen import frozen

Severity = Literal["high", "medium", "low", "info"]
SEVERITIES: tuple[Severity, ...] = get_args(Severity)
"""From the gravest to the least grave."""


@frozen
class Statement:
    """Who states a threshold: a document's key in `iotriage.rules.core.documents`, the section, and in our words what
    it says there. `document` is "project" where no document gives a number: the reader is told that it is ours."""

    document: str
    section: str
    says: str


def ours(section: str, says: str) -> Statement:
    """The statement of a threshold for which no document gives a number: it is the project's own."""
    return Statement(PROJECT, section, says)


@dataclass(frozen=True, slots=True, kw_only=True)
class Threshold:
    """A number that a person may change, within the range of its slider."""

    id: str
    title: str
    default: float
    unit: Unit
    stated_by: Statement
    slider: Slider = SHARE

    @property
    def minimum(self) -> float:
        return self.slider.minimum

    @property
    def maximum(self) -> float:
        return self.slider.maximum

    @property
    def scale(self) -> Literal["linear", "log"]:
        return self.slider.scale

    def may_be_set_to(self, value: float) -> bool:
        """Whether a centre may set the threshold to `value`. A centre may set 0, "however little", although a
        logarithmic slider cannot reach it. For a reader, 0 means the slider's lower end instead: a document has to
        carry whatever a reader may set, and would be a quarter longer with 0 among it."""
        return (value == 0 and self.scale == "log") or self.minimum <= value <= self.maximum

    @property
    def may_be_set_to_words(self) -> str:
        """The numbers to which a centre may set it, in words: "0.1 to 10, or 0"."""
        zero = ", or 0" if self.minimum > 0 and self.may_be_set_to(0) else ""
        return f"{self.minimum:.15g} to {self.maximum:.15g}{zero}"


@frozen
class Impact:
    """What a cure could save: at least `least_share` of the finding's seconds less `stays_s`, the seconds that remain
    after the cure; at most `most_share` of the seconds that the cure reaches (`iotriage.rules.core.saving`). `because`
    is a clause, "if …", that names the cure and who states the bounds."""

    because: str
    most_share: float
    least_share: float
    stays_s: float

    def of(self, takes_s: float, reaches_s: float, io_s: float, runtime_s: float | None) -> tuple[float, float] | None:
        """The seconds that the cure saves, at least and at most.

        Beyond the seconds that it reaches, a cure can only spare waiting. Waiting passes in those seconds of the run
        that are not I/O; `runtime_s` is None where the run time is not known. No cure saves more than all the I/O,
        `io_s`. In an equal run the finding may take a tenth less, while what remains does not shrink. None where no
        saving is certain, or where hardly any of the seconds reached are the finding's own: those are saved by the cure
        of other findings.
        """
        if takes_s < OWN * reaches_s:
            return None
        share = min(1.0, self.most_share)
        reached = reaches_s * share
        most = min(reached / RUNS_DIFFER, io_s)
        if runtime_s is not None:
            most = min(most, reached + max(0.0, runtime_s - io_s))
        surely = RUNS_DIFFER * takes_s
        least = min(surely * share, surely * self.least_share - self.stays_s)
        return (least, most) if least > 0 else None


@frozen
class Context:
    """What a rule's words are made from: the metrics of the scope (job metrics included), the site, and for a group of
    files its label, its largest file, what their names end in where they differ in more than digits (else None), and
    the kind of file system it is on (`iotriage.analysis.file_system_of`); what the job's evidence lacks (`gaps`); what
    ran the job (`scheduler`), None where neither its script nor its site says; the mount point that its largest file is
    on (`mount`), where a log has one; the `program` that moves the data of the scope (`job.program` is that of the
    job); for a run set `usual_factor`, by which equal runs differ. `answers` decides a condition by the thresholds of
    the site, or else of the documents.

    Words differ by the evidence: a moved threshold changes conditions and nothing else. Where they tell which way of a
    condition it is, they ask the condition itself (`holds`), by the numbers that they are written with, and tell only
    what the figures have: a reader's thresholds may trigger the finding where none of its ways holds by these."""

    metrics: Mapping[str, Metric]
    site: Site
    label: str
    answers: Callable[[Condition, Mapping[str, Metric]], bool | None]
    file: str | None = None
    files: int | None = None
    ending: str | None = None
    api: Literal["HDF5", "PnetCDF", "MPI-IO", "POSIX", "STDIO"] | None = None
    file_system: FileSystemKind = "unknown"
    gaps: Gaps = NO_GAPS
    scheduler: Scheduler | None = None
    mount: str | None = None
    program: str | None = None
    usual_factor: float | None = None

    @property
    def maybe_on_lustre(self) -> bool:
        return self.file_system in MAYBE_LUSTRE

    def number(self, metric: str) -> float | None:
        """The metric's number, or None where it is absent or a word."""
        found = self.metrics.get(metric)
        return float(found.value) if found is not None and isinstance(found.value, int | float) else None

    def word(self, metric: str) -> str | None:
        found = self.metrics.get(metric)
        return found.value if found is not None and isinstance(found.value, str) else None

    def holds(self, condition: Condition) -> bool:
        """Whether the condition is known to hold under the thresholds that the words are written with."""
        return self.answers(condition, self.metrics) is True


@frozen
class Words:
    """What a finding says. `headline` names the cause in one sentence, with a number that differs between jobs with the
    same cause; `summary` gives the figures in two or three sentences."""

    headline: str
    summary: str


@frozen
class Weight:
    """How much of the job's I/O files must carry for a rule about them to apply."""

    thresholds: tuple[Threshold, ...]
    condition: Condition


def _advise_nothing(_: Context) -> tuple[Advice, ...]:
    return ()


def _state_no_saving(_: Context) -> Impact | None:
    return None


@dataclass(frozen=True, slots=True, kw_only=True)
class Rule:
    """`requires` says whether the rule applies, and `condition` whether it holds; `supports` is evidence that is shown
    and decides nothing. `explains` lists the rules whose findings this one, when triggered, accounts for.

    `carries` is a function of `iotriage.rules.core.weight`. It is called with the rule's id, and adds its condition to
    the end of `requires` and its thresholds to the end of `thresholds`. `worth` is that condition alone; a rule's
    declaration does not set it.

    `says` is called with a context in which all metrics of the condition are present, and returns the words for the
    case that the condition holds. `claims` are the seconds that the finding takes. `impact` may return None: then no
    saving is stated. None of these functions decides anything by a threshold: what a threshold changes is a condition.

    `priority` orders causes (lower is nearer to the root). `weighed` is false where the severity does not depend on how
    much I/O there was: for rules about the case itself, about several runs, and about what endangers more than speed.
    `leads` puts the finding before those that take more seconds, though behind what endangers the data: for I/O that
    the run does not wait for, and for ranks that wait for their turn.
    """

    id: str
    title: str
    clear_title: str
    scope: Scope
    severity: Severity
    priority: int
    requires: Condition = ALWAYS
    carries: InitVar[Callable[[str], Weight] | None] = None
    condition: Condition
    thresholds: tuple[Threshold, ...] = ()
    citations: tuple[Citation, ...]
    says: Callable[[Context], Words]
    advise: Callable[[Context], tuple[Advice, ...]] = _advise_nothing
    impact: Callable[[Context], Impact | None] = _state_no_saving
    supports: tuple[Condition, ...] = ()
    explains: tuple[str, ...] = ()
    claims: tuple[Claim, ...] = ()
    confidence: Confidence = "measured"
    leads: bool = False
    weighed: bool = True
    worth: Condition = ALWAYS

    def __post_init__(self, carries: Callable[[str], Weight] | None) -> None:
        if carries is None:
            return
        weight = carries(self.id)
        own = self.requires.of if isinstance(self.requires, AllOf) else (self.requires,)
        object.__setattr__(self, "worth", weight.condition)
        object.__setattr__(self, "requires", all_of(*own, weight.condition))
        object.__setattr__(self, "thresholds", (*self.thresholds, *weight.thresholds))

    @property
    def conditions(self) -> tuple[Condition, ...]:
        """All conditions of the rule: what it requires, its condition, what it shows, and when its claims count."""
        return (self.requires, self.condition, *self.supports, *(claim.when for claim in self.claims))

    @property
    def sections(self) -> tuple[Citation, ...]:
        """Every section that the rule rests on: those that it cites, then those that state its thresholds, also where
        that is ours (`PROJECT`)."""
        stated = (threshold.stated_by for threshold in self.thresholds)
        return (*self.citations, *(Citation(one.document, one.section) for one in stated))
