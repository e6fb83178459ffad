"""The number of the sentence on top: what its finding takes of the run, else the figure that decided it.

Only over what the case document carries; the page does the same (`headlineFigure.ts`).
"""

from __future__ import annotations

from math import inf
from typing import Final, Literal

from iotriage.analysis.decision.allotment import shortest_ranked
from iotriage.analysis.decision.basis import DecisionBasis
from iotriage.analysis.decision.condition import Metrics, answered, deciding
from iotriage.analysis.decision.following import alike, seconds_of_alike, seconds_that_follow
from iotriage.analysis.document import CaseDocument, Finding, Findings
from iotriage.analysis.document.account import Account, Unexplained
from iotriage.metrics.core.metric import NO_TIME, Metric, Unit
from iotriage.rules.core.condition import Compare
from iotriage.rules.core.fixed_numbers import FOLLOWS, MOST_OF_IT
from iotriage.rules.core.words import bounded, number, quantity, seconds

WITHOUT_QUANTITY: frozenset[Unit] = frozenset({"1", "word"})
"""Flags, levels and tallies of the evidence: they decide, and say nothing of the I/O."""
WITH_UNIT: frozenset[Unit] = frozenset({"B", "B/s", "s", "share", "ratio"})
"""The others count what the metric's title names already."""


INTERVAL = 0.99
"""Of the larger end: above it, a reader would take two ends for one figure (as `slowest.ts` of the page)."""


def figure_of(finding: Finding, findings: Findings, basis: DecisionBasis, left: Unexplained | None) -> str | None:
    """Of a triggered finding among all `findings`, a sentence: "That takes 8 min 10 s of the run's 9 min." Where the
    rule holds for other groups of files too, of all of them, and says so: what was said before is about one. What it
    explains has seconds of its own, which its cure spares as well; where they are many they stand beside. What is
    `left`, unexplained, stands behind it where it is most of the I/O: nobody is to take a part for all. Where it has
    no seconds, or too few to rank anything, the first figure that its rule compared: "Average POSIX write: 10.0 KiB.";
    None where the rule compares none."""
    takes = finding.takes_s
    if takes is not None and takes >= max(shortest_ranked(basis), NO_TIME):
        every, groups = seconds_of_alike(finding, findings)
        least = AT_LEAST if basis.account is not None and basis.account.partial else ""
        that = "That" if groups == 1 else f"With {_other_groups_phrase(groups - 1)} of files, that"
        most = left is not None and left.experiment is not None and left.share >= MOST_OF_IT
        rest = f" Another {seconds(left.seconds)} of the I/O have no known cause." if left is not None and most else ""
        follow = seconds_that_follow(finding, findings)
        also = f", and what follows from it {seconds(follow)} more" if follow >= FOLLOWS * every else ""
        return f"{that} takes {least}{_of_run(every, basis.metrics, ' of the I/O time')}{also}.{rest}"
    rule = basis.rules.get(finding.rule)
    if rule is None:
        return None
    condition = answered(rule.condition, basis.metrics_of(finding.scope.id), basis.thresholds)
    compared = (leaf.metric for leaf in deciding(condition) if isinstance(leaf.leaf, Compare))
    figures = (_stated(metric, basis, finding.headline or "") for metric in compared if metric is not None)
    return next((figure for figure in figures if figure is not None), None)


def _other_groups_phrase(groups: int) -> str:
    return "another group" if groups == 1 else f"{number(groups)} other groups"


def saved_of_alike(finding: Finding, findings: Findings, account: Account | None) -> float | None:
    """The most that its cure could save in the groups of files of `seconds_of_alike`: no more than the time in I/O, and
    None where nothing bounds it in one of them."""
    others = (f for f in alike(finding, findings) if f.takes_s)
    known = [f.could_save_s for f in (finding, *others) if f.could_save_s is not None]
    if len(known) < seconds_of_alike(finding, findings)[1]:
        return None
    return min(sum(known), inf if account is None else account.cells.total)


def io_time_sentence(metrics: Metrics, account: Account | None) -> str | None:
    """How long the I/O took in which nothing wrong was found; None where no source tells."""
    time = metrics.get("job.io_time")
    if time is None or not isinstance(time.value, int | float):
        return None
    took = f"All its I/O took {bound_of_io_time(metrics, account)}{_of_run(time.value, metrics, '')}."
    posted = posted_seconds(metrics)
    return took if posted is None else f"{took} {BELOW_POSTED.format(seconds(posted))}"


BELOW_POSTED = "Below its nonblocking calls {} more passed: no source says whether the run waited for them."
TIME_THE_WAITS = "Time MPI_Wait by itself: where it is long, the calls are not hidden behind the computation."
NOT_MISSED = 1.0
"""Seconds below nonblocking calls that nobody misses where they are not said."""


def posted_seconds(metrics: Metrics) -> float | None:
    """Those below nonblocking calls, where they are more than the I/O that is known; else None."""
    posted, time = (metrics.get(id) for id in ("mpiio.posted_time", "job.io_time"))
    known = time.value if time is not None and isinstance(time.value, int | float) else 0.0
    if posted is None or not isinstance(posted.value, int | float):
        return None
    return posted.value if posted.value >= max(NOT_MISSED, known) else None


AT_MOST: Final = "at most "
AT_LEAST: Final = "at least "
Bound = Literal["at least ", "at most ", ""]
OF_THE_SLOWEST: Final = frozenset({"job.io_time", "job.io_time_fraction"})
"""What is no more than that where it is not known whose seconds add up."""


def bound_of_io_time(metrics: Metrics, account: Account | None) -> Bound:
    """What stands before the seconds of I/O: files with one record for all ranks do not say whose seconds add up."""
    time = metrics.get("job.io_time")
    if time is None or not isinstance(time.value, int | float):
        return ""
    return _bound_of_seconds(time.value, time.bound, account)


def bound_in_document(document: CaseDocument) -> Bound:
    """`bound_of_io_time` of a document, whose metrics are packed."""
    time = document.metrics.get("job.io_time")
    if time is None or not isinstance(time.value, int | float):
        return ""
    return _bound_of_seconds(time.value, time.bound, document.account)


def _bound_of_seconds(io_s: float, bound: Literal["lower"] | None, account: Account | None) -> Bound:
    if bound == "lower":
        return AT_LEAST
    slowest = None if account is None else account.slowest
    unsure = slowest is not None and slowest.least_s < INTERVAL * slowest.most_s and io_s >= slowest.most_s
    return AT_MOST if unsure else ""


def _of_run(part: float, metrics: Metrics, otherwise: str) -> str:
    """Never more than the run, which another clock measured than the one of the timers; `otherwise` is said behind it
    where the run is not known."""
    run = metrics.get("job.runtime")
    if run is None or not isinstance(run.value, int | float) or run.value < NO_TIME:
        return seconds(part) + otherwise
    whole = seconds(run.value)
    if part >= run.value or seconds(part) == whole:
        return f"the whole run of {whole}"
    return f"{seconds(part)} of the run's {whole}"


def _stated(metric: Metric, basis: DecisionBasis, sentence: str) -> str | None:
    """None too where the sentence has the number already: it is not said twice."""
    # A share of the run is said as its seconds are: nobody asks which share too little is.
    if (
        metric.id == "job.io_time_fraction"
        and (all_of_it := io_time_sentence(basis.metrics, basis.account)) is not None
    ):
        return all_of_it
    if metric.unit in WITHOUT_QUANTITY or not isinstance(metric.value, int | float):
        return None
    value = quantity(metric.value, metric.unit) if metric.unit in WITH_UNIT else number(metric.value)
    return None if _has(sentence, value) else f"{metric.title}: {bounded(at_least(metric), value)}."


def _has(sentence: str, value: str) -> bool:
    """As a word of its own, or at its beginning in letters."""
    return f" {value} " in f" {sentence} " or (value == "1" and sentence.startswith("One "))


def bound_of(metric: Metric, io_time: Bound) -> str:
    """What stands before a figure, where that is what stands before the seconds of I/O."""
    return AT_MOST if io_time == AT_MOST and metric.id in OF_THE_SLOWEST else at_least(metric)


def at_least(metric: Metric) -> str:
    """What stands before a figure that may be larger."""
    return AT_LEAST if metric.bound == "lower" else ""
