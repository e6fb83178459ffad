"""A rule's answer on one scope, the rules that were asked, and the thresholds in force."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar, Literal, TypeAlias

from iotriage.analysis.document.next_run import Trial
from iotriage.metrics.core.metric import Confidence, Scope, Unit
from iotriage.rules.core.advice import Advice, Citation
from iotriage.rules.core.claim import Claim
from iotriage.rules.core.commands import Option
from iotriage.rules.core.condition import Condition
from iotriage.rules.core.rule import Impact, Severity, Statement
from iotriage_parsers.frozen import frozen

Verdict = Literal["triggered", "clear", "unknown", "not_applicable", "error"]


@frozen
class FindingScope:
    """The job, or one of the document's groups of files: its id and label ("out.####, 4 files")."""

    kind: Scope
    id: str
    label: str


@frozen
class GivesWay:
    """A finding by rule and scope; `what` is withheld for `reason` while that finding is triggered and keeps its."""

    rule: str
    scope: str
    what: str
    reason: str


@frozen
class AdvisedSetting:
    """What the advice at index `advice` sets on `target`, of which there is one: a directory's striping, the hints for
    files of a name, a variable, or what several rules advise in the same words, by a number. Its command is `opening`,
    the options with `between` between them, and `ending`. Where `between` is null the other two are empty: nobody
    else's options are put into it."""

    advice: int
    target: str
    options: tuple[Option, ...]
    opening: str = ""
    between: str | None = None
    ending: str = ""
    gives_way_to: tuple[GivesWay, ...] = ()


@frozen
class Said:
    """What a rule says about a scope, and what it advises where its condition holds and it stands alone: a directory
    has one striping and a variable one value, and `settings` say what becomes of the advice where others are triggered
    too (`iotriage.analysis.decision.contradictions`). `trials` are the experiments that could prove it, each with an
    advice that changes the run: what only looks at something proves nothing."""

    headline: str
    summary: str
    advice: tuple[Advice, ...]
    impact: Impact | None
    settings: tuple[AdvisedSetting, ...] = ()
    trials: tuple[Trial, ...] = ()


@frozen
class Finding:
    """A rule's answer on one scope, which a threshold may change. `verdict`, `severity`, `explained_by`, the words and
    the order of the findings are decided from the rule, the metrics and the thresholds of the document alone
    (`iotriage.analysis.decision.moved_thresholds`; the page does the same when a threshold moves).

    `priority` orders causes, lower is nearer to the root; `weighed` says whether its severity depends on how much I/O
    there was. `says` is there wherever some threshold would have it triggered; it is said, and `advice` is what remains
    of its advice beside that of others, when it is triggered; `given_way` are the indexes of what `says` advises and
    another finding's advice has taken the place of. `takes_s` are the seconds of the account that it then has
    (`iotriage.analysis.decision.allotment`), None where its rule claims none; a cure could save from
    `could_save_at_least_s` to `could_save_s`, None where nothing bounds that.
    """

    rule: str
    title: str
    clear_title: str
    scope: FindingScope
    verdict: Verdict
    severity: Severity
    confidence: Confidence
    explained_by: str | None
    priority: int
    weighed: bool
    says: Said | None
    advice: tuple[Advice, ...]
    error: str | None
    takes_s: float | None = None
    could_save_at_least_s: float | None = None
    could_save_s: float | None = None
    given_way: tuple[int, ...] = ()

    @property
    def key(self) -> str:
        return _key(self.rule, self.scope)

    @property
    def in_force(self) -> Said | None:
        """What it says, where it is triggered."""
        return self.says if self.verdict == "triggered" else None

    @property
    def headline(self) -> str | None:
        return None if self.in_force is None else self.in_force.headline

    @property
    def summary(self) -> str | None:
        return None if self.in_force is None else self.in_force.summary

    @property
    def impact(self) -> Impact | None:
        return None if self.in_force is None else self.in_force.impact


@frozen
class RuledOut:
    """The answer of a rule that no threshold can have apply, or hold: `reason` says by which figure. `title` is that of
    the verdict. It says nothing else, and has none of the time."""

    rule: str
    title: str
    scope: FindingScope
    verdict: Literal["clear", "not_applicable"]
    weighed: bool
    priority: int
    reason: str
    severity: Literal["info"] = "info"
    explained_by: None = None
    takes_s: None = None
    could_save_at_least_s: None = None
    could_save_s: None = None

    says: ClassVar[None] = None
    advice: ClassVar[tuple[Advice, ...]] = ()
    error: ClassVar[None] = None
    headline: ClassVar[None] = None
    summary: ClassVar[None] = None

    @property
    def key(self) -> str:
        return _key(self.rule, self.scope)


def _key(rule: str, scope: FindingScope) -> str:
    """The finding's name within the document, as the page's address has it."""
    return rule if scope.kind == "job" else f"{rule}@{scope.id}"


Findings: TypeAlias = "Sequence[Finding | RuledOut]"


@frozen
class DocumentRule:
    """What a finding is decided by: see `iotriage.rules.core.rule.Rule`. `severity` is that of a finding that is
    neither explained by another nor about I/O that is too little to matter."""

    severity: Severity
    leads: bool
    explains: tuple[str, ...]
    requires: Condition
    condition: Condition
    supports: tuple[Condition, ...]
    citations: tuple[Citation, ...]
    claims: tuple[Claim, ...] = ()


@frozen
class ThresholdInForce:
    """A rule's threshold as used for this case. `default` is the rule's; `value` the site's where it sets another, or
    a person's own, and then `moved_from` is the number that held before."""

    id: str
    rule: str
    title: str
    unit: Unit
    value: float
    default: float
    stated_by: Statement
    minimum: float
    maximum: float
    scale: Literal["linear", "log"]
    site_says: str | None = None
    moved_from: float | None = None


HeadlineSeverity = Literal["high", "medium", "low", "info", "clear", "unknown"]
"""That of the finding on top; else whether nothing is wrong, or nothing is known."""


@frozen
class Headline:
    """What is wrong (`sentence`) with its number (`figure`, a sentence that is said behind it, None where there is none
    or the sentence has it), what to do about it (`action`, with `lead` to `command`), and which finding says so.

    `investigates` where the action is what would tell where unexplained time goes. `gives_way` where the sentence is no
    more than that nothing was found, or that there was too little to look at: what is missing of the evidence then
    speaks in its place."""

    sentence: str
    action: str | None
    command: str | None
    severity: HeadlineSeverity
    rule: str | None
    figure: str | None = None
    lead: str | None = None
    investigates: bool = False
    gives_way: bool = False

    @property
    def said(self) -> str:
        """The sentence and its number, for where there is one line."""
        return self.sentence if self.figure is None else f"{self.sentence} {self.figure}"

    @property
    def to_do(self) -> str | None:
        """What to do, as a person reads it above the command."""
        return " ".join(part for part in (self.action, self.lead) if part) or None


@frozen
class EndOfJob:
    """How the job was ended, said before what is said about its I/O; behind what lost its data, of which the end may be
    a consequence. `remedy` is what to do about it; it stands before other advice where it is `urgent`, else where there
    is none about the I/O."""

    sentence: str
    remedy: str | None
    urgent: bool


@frozen
class EvidenceHeadlines:
    """What is said about the evidence alone: `nothing_read` of sources that could not be, `no_io` of those that are
    whole and have none, each None where it is otherwise; `not_enough` where no rule could look. `to_add` asks for other
    evidence, and `added` are the lines that leave it behind. `ended` says how the job, or a step of it, was ended
    before it was done; None where nobody says so. `end` says why, where a reason is given."""

    nothing_read: Headline | None
    no_io: Headline | None
    not_enough: Headline
    to_add: str
    added: str
    ended: str | None = None
    end: EndOfJob | None = None
