"""The account of the time as sentences: where the seconds go, what a finding takes, what none does."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from iotriage.analysis.decision.headline_figure import bound_in_document
from iotriage.analysis.document import CaseDocument, Finding, KnownMetric
from iotriage.analysis.document.account import Account, Unexplained
from iotriage.analysis.rates import bounded_rate_text, rates_text
from iotriage.metrics.core.metric import NO_TIME
from iotriage.metrics.tables.account.cells import CELLS
from iotriage.rules.core.cell_names import CELL_NAMES
from iotriage.rules.core.fixed_numbers import RUNS_DIFFER
from iotriage.rules.core.words import between, job_hours, paragraph, seconds, sentence, share

TOO_LITTLE = 0.01
"""Cells with a smaller share of the time are not named."""


def time_lines(document: CaseDocument) -> tuple[str, ...]:
    """Where the time of the job's I/O goes; nothing where no source has it."""
    account = document.account
    if account is None or account.cells.total < NO_TIME:
        return ()
    return (_goes(account, document.job.nprocs), *_unexplained(document.unexplained, document))


def cost_of(finding: Finding, document: CaseDocument) -> str | None:
    """What a finding takes of the time, and what its cure could save; None where neither is known."""
    job, takes = document.job, finding.takes_s
    saves = saving_of(finding)
    taken = taken_of(finding, document)
    lost = takes if saves is None else finding.could_save_s
    whole = None if lost is None else job_hours(lost, job.nprocs, job.nnodes)
    return (
        paragraph(
            sentence("Takes {} of the I/O time.", taken),
            sentence(f"That is {least_of(document)}{{}} a run.", whole) if saves is None else saves,
            None if saves is None else sentence("That is up to {} a run.", whole),
        )
        or None
    )


def taken_of(finding: Finding, document: CaseDocument) -> str | None:
    """What it takes of the time; None where that is not known, or nothing."""
    takes = finding.takes_s
    return None if takes is None or takes < NO_TIME else f"{least_of(document)}{seconds(takes)}"


def explained_symptoms(explained: Sequence[Finding], document: CaseDocument) -> Iterator[tuple[str, str, str | None]]:
    """The title and the rule of each that a finding explains, and what it takes beside that in all groups of files:
    None where that is nothing to speak of."""
    for rule, title in {f.rule: f.title for f in explained}.items():
        took = sum(f.takes_s or 0.0 for f in explained if f.rule == rule)
        yield title, rule, f"{least_of(document)}{seconds(took)}" if took >= LEAST_NAMED else None


LEAST_NAMED = 1.0
"""Seconds from which it is said what an explained finding takes: start-up and caches come to as much."""


def least_of(document: CaseDocument) -> str:
    """What is said before seconds that findings take: of a log that lacks records they can only be more."""
    return "at least " if document.account is not None and document.account.partial else ""


def saving_of(finding: Finding) -> str | None:
    """ "Could save 2 min to 6 min 10 s if …"; None where nothing bounds it."""
    least, most, impact = finding.could_save_at_least_s, finding.could_save_s, finding.impact
    if least is None or most is None or impact is None:
        return None
    return f"Could save {between(least, most)} {impact.because}.{_beyond_what_it_takes(finding)}"


MORE_THAN_IT_TAKES = (
    " That is more than it takes: the cure spares seconds too that other findings were given, or that ranks wait."
)


def _beyond_what_it_takes(finding: Finding) -> str:
    """Said where the most is beyond what it takes by more than equal runs differ."""
    takes, most = finding.takes_s, finding.could_save_s
    beyond = takes is not None and most is not None and RUNS_DIFFER * most > takes * SAME
    return MORE_THAN_IT_TAKES if beyond else ""


SAME = 1.005
"""Of two figures that are rounded to three digits, the most that they differ where they are said alike."""


def _goes(account: Account, nprocs: int | None) -> str:
    cells, least = account.cells, "at least " if account.partial else ""
    named = sorted((c for c in CELLS if c != "imbalance"), key=cells.of, reverse=True)
    parts = [f"{CELL_NAMES[c]} {seconds(cells.of(c))}" for c in named if cells.of(c) >= TOO_LITTLE * cells.total]
    beyond = ""
    if cells.imbalance >= TOO_LITTLE * cells.total:
        beyond = f"; the slowest rank takes {seconds(cells.imbalance)} longer"
    of = f" ({', '.join(parts)})" if parts else ""
    who = "The one rank" if nprocs == 1 else "The mean rank"
    return f"{who} spends {least}{seconds(cells.mean_rank)} in I/O{of}{beyond}."


def _unexplained(left: Unexplained | None, document: CaseDocument) -> tuple[str, ...]:
    """The sentence on top has the experiment already where no cause was found at all."""
    if left is None or left.experiment is None or left.share < TOO_LITTLE:
        return ()
    if document.headline.investigates:
        return (f"Unexplained: {seconds(left.seconds)}, {share(left.share)} of it.",)
    rates = ", ".join(rates_text(left.rates, document.job.nprocs, document.job.nnodes))
    of_metrics = (document.metrics.get(name) for name in ("io.bandwidth", "io.bytes"))
    rate, bytes_ = (found if isinstance(found, KnownMetric) else None for found in of_metrics)
    moved = f" The job moves {bounded_rate_text(rates, rate, bytes_, bound_in_document(document))}." if rates else ""
    return (f"Unexplained: {seconds(left.seconds)}, {share(left.share)} of it.{moved} {left.experiment}",)
