"""What became of the advice: the run after it held against the run before, and what that says of each rule's advice.

The comparison decides when both runs are read; a person may decide otherwise, and says why. What counts for a rule is
an outcome that names it: of itself the comparison names the causes that the run after no longer shows, and none where
all of them stayed, for then nobody knows whether the advice was followed.
"""

from __future__ import annotations

import statistics
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime

from sqlalchemy import ColumnElement, and_, delete, select, true
from sqlalchemy.orm import Session

from iotriage.access.person import Person
from iotriage.access.visibility import seen_by
from iotriage.analysis.document import CaseDocument
from iotriage.analysis.run_sets.comparison import Comparison, RunView, TooFewRunsError, compare
from iotriage.analysis.run_sets.comparison_words import times_faster
from iotriage.analysis.run_sets.run import TitledCase, is_one_run, seconds_between
from iotriage.analysis.run_sets.runs_of_cases import runs_of
from iotriage.analysis.run_sets.speed import Outcome as Compared
from iotriage.analysis.run_sets.step import Step
from iotriage.helpdesk.case_roles import decide_roles_by_start, has_undecided_roles
from iotriage.helpdesk.reply import RerunShown
from iotriage.helpdesk.ticket_contents import Outcome, outcome_of
from iotriage.helpdesk.tickets import add_event, check_version, lock_ticket, ticket_changed
from iotriage.rules.core.words import number, seconds, size
from iotriage.store.audit import ITSELF
from iotriage.store.cases import find_case, stored_document
from iotriage.store.column_text import column_text
from iotriage.store.database import Database
from iotriage.store.queue_entries import ticket_of_case
from iotriage.store.tables import CaseRow
from iotriage.store.ticket_tables import (
    CaseFactsRow,
    CaseRole,
    OutcomeRow,
    OutcomeRuleRow,
    OutcomeVerdict,
    QueueEntryRow,
    TicketCaseRow,
    TicketRow,
)
from iotriage_parsers.frozen import frozen

TOO_SHORT = "both runs spend under a second in I/O, too little to tell by time"
"""What is said of runs that are judged by their findings alone: how many times faster one is may say the opposite."""
UNDATED = "no source says when the run after began, so it may have run before the answer: say on which side it is"
"""What is said of a run of which nobody said that it ran after the advice."""
CALLED = ("the run before", "the run after")

_VERDICTS: dict[Compared, OutcomeVerdict] = {
    "better": "helped",
    "worse": "did not help",
    "same": "did not help",
    "mixed": "unclear",
    "unknown": "unclear",
}


@frozen
class Rerun:
    """The run before the advice that the ticket is about, and the last one after it. The latter is `presumed` to
    be that where nobody knows when it ran."""

    ticket_id: int
    before_id: str
    after_id: str
    before: TitledCase
    after: TitledCase
    presumed: bool = False


@frozen
class Assessment:
    """What a comparison says about the advice; `measured` says which times or rates the factor is of, and without a
    factor why there is none. Where times are bounds, the factor is so many times at least, and `factor_most` at
    most."""

    verdict: OutcomeVerdict
    factor: float | None
    measured: str | None
    rules: tuple[str, ...]
    factor_most: float | None = None


@frozen
class RuleRecord:
    """How a rule's advice has done: tickets by what became of it, and the median of how many times faster the I/O was
    in those where that is known, None where it is in none."""

    rule: str
    helped: int
    did_not_help: int
    unclear: int
    median_factor: float | None


@frozen
class TicketAdvised:
    """A ticket whose outcome speaks for a rule."""

    ticket: int
    reference: str | None
    application: str | None
    verdict: OutcomeVerdict
    factor: float | None
    sentence: str
    advised: str | None
    decided_at: datetime


def assess(comparison: Comparison) -> Assessment:
    """Pure: what the run after says about the advice before it; nothing where the two are one run, or nothing alike."""
    if comparison.outcome == "unknown":
        return Assessment("unclear", None, _why_unknown(comparison), ())
    step = comparison.best or comparison.steps[-1]
    verdict = _VERDICTS[step.outcome]
    gone = tuple(cause.rule for cause in step.causes if cause.rule in step.gone)
    if step.factor is not None and step.basis not in ("time", "rate"):
        return Assessment(verdict, None, TOO_SHORT, gone)
    measured = _measured(comparison.runs[step.against], comparison.runs[step.run], step)
    return Assessment(verdict, step.factor, measured, gone, step.factor_most)


def outcome_sentence(verdict: OutcomeVerdict, factor: float | None, measured: str | None, most: float | None) -> str:
    """ "helped, 4.85 times faster: its I/O took 45.2 s instead of 219 s, the run 144 s instead of 366 s"."""
    sentence = verdict if factor is None or factor <= 0 else f"{verdict}, {_times(factor, most)}"
    return f"{sentence}: {measured}" if measured else sentence


def outcome_in_short(row: OutcomeRow) -> str:
    """ "helped, 4.85 times faster"; where a person decided, the verdict alone: the factor may speak against it."""
    return outcome_sentence(row.verdict, row.factor if row.decided_by is None else None, None, row.factor_most)


def _times(factor: float, most: float | None) -> str:
    as_before = most is None and number(max(factor, 1 / factor)) == "1"
    return "as fast as before" if as_before else times_faster(factor, most)


def _why_unknown(comparison: Comparison) -> str | None:
    """The comparison's own words, of two runs, which it calls as tickets do."""
    return comparison.sentence.removesuffix(".") if len(comparison.runs) == len(CALLED) else None


def _measured(before: RunView, after: RunView, step: Step) -> str | None:
    """Which quantity the factor is of: of the same work the time of its I/O, else its rate. The run's time beside it
    says what that was worth."""
    if step.factor is None:
        return None
    parts = []
    if step.measured == "time" and before.io_time_s and after.io_time_s:
        parts.append(f"its I/O took {_io_time(after)} instead of {_io_time(before)}")
    elif before.rate and after.rate:
        parts.append(f"it moved {size(after.rate)}/s instead of {size(before.rate)}/s")
    if before.runtime_s and after.runtime_s:
        parts.append(
            f"the run {'' if parts else 'took '}{seconds(after.runtime_s)} instead of {seconds(before.runtime_s)}"
        )
    return ", ".join(parts) or None


def _io_time(run: RunView) -> str:
    """As the comparison of the two has it, which is linked beside."""
    most = run.io_time_s or 0.0
    return seconds_between(run.io_time_least_s or most, most)


def assess_case(database: Database, case_id: str) -> None:
    """Judges the ticket of a case that was just read, or given to it."""
    with database.reading() as session:
        ticket_id = ticket_of_case(session, case_id)
    if ticket_id is not None:
        assess_ticket(database, ticket_id)


def assess_ticket(database: Database, ticket_id: int) -> None:
    """Judges it by the runs before and after, where no person has decided; what was said about runs that are its runs
    no longer is taken back. On which side a run is, its start says first."""
    with database.reading() as session:
        to_place = has_undecided_roles(session, ticket_id)
    if to_place:
        with database.writing() as session, session.begin():
            _place(session, ticket_id)
    with database.reading() as session:
        rerun = rerun_of(session, ticket_id)
        outdated = _speaks_of_other_runs(session, ticket_id)
    found = None if rerun is None else assess_rerun(rerun)
    if rerun is not None and found is not None:
        with database.writing() as session, session.begin():
            save_outcome(session, rerun, found)
    elif outdated:
        with database.writing() as session, session.begin():
            _take_back(session, ticket_id)


def _place(session: Session, ticket_id: int) -> None:
    ticket = lock_ticket(session, ticket_id)
    placed = decide_roles_by_start(session, ticket_id)
    for run in placed:
        if run.moved:
            add_event(session, ticket, ITSELF, "case dated", before=run.role, after=run.case_id)
    if placed:
        ticket_changed(session, ticket)


def rerun_of(session: Session, ticket_id: int) -> Rerun | None:
    """None while one of the two is not there, or not read. A log of the run before that is given once more among those
    after it is passed over where there is another, and so is one of which nobody knows when it ran."""
    leading = session.scalar(select(QueueEntryRow.case_id).where(QueueEntryRow.ticket_id == ticket_id))
    read = list(_read_cases(session, ticket_id, "before"))
    before = next((case for case in read if case.id == leading), read[0] if read else None)
    was = None if before is None else stored_document(before)
    if before is None or was is None:
        return None
    passed_over = None
    for after in _read_cases(session, ticket_id, "after"):
        is_now = stored_document(after)
        if is_now is None:
            return None
        presumed = session.get_one(TicketCaseRow, after.id).presumed
        rerun = Rerun(
            ticket_id, before.id, after.id, TitledCase(before.title, was), TitledCase(after.title, is_now), presumed
        )
        if not presumed and not is_one_run(runs_of([rerun.before, rerun.after])):
            return rerun
        passed_over = passed_over or rerun
    return passed_over


def assess_rerun(rerun: Rerun) -> Assessment | None:
    """None where there is nothing to compare. A run that may be of before the advice says nothing of it."""
    if rerun.presumed:
        return Assessment("unclear", None, UNDATED, ())
    try:
        return assess(compare([rerun.before, rerun.after], labels=CALLED))
    except TooFewRunsError:
        return None


def save_outcome(session: Session, rerun: Rerun, found: Assessment) -> None:
    """Writes what the comparison says, unless a person has decided, or one of the cases has gone or changed sides
    meanwhile: when a log's run began is known once it is read, which may be while the two were compared."""
    ticket = lock_ticket(session, rerun.ticket_id)
    row = session.get(OutcomeRow, ticket.id)
    sides = ((rerun.before_id, "before"), (rerun.after_id, "after"))
    if (row is not None and row.decided_by is not None) or not all(_is_on(session, ticket.id, *one) for one in sides):
        return
    advised = session.scalar(select(CaseFactsRow.advised).where(CaseFactsRow.case_id == rerun.before_id))
    row = row or OutcomeRow(ticket_id=ticket.id)
    row.advised, row.before_case, row.after_case = advised, rerun.before_id, rerun.after_id
    row.factor, row.factor_most, row.measured = found.factor, found.factor_most, found.measured
    row.decided_by, row.reason = None, None
    _write(session, ticket, row, found.verdict, found.rules, ITSELF)


def _speaks_of_other_runs(session: Session, ticket_id: int) -> bool:
    """Whether the comparison decided by a run that was taken out of the ticket since, or has changed sides. One that
    was deleted counts as it did: what it showed is not undone."""
    row = session.get(OutcomeRow, ticket_id)
    if row is None or row.decided_by is not None:
        return False
    sides = ((row.before_case, "before"), (row.after_case, "after"))
    return any(_is_elsewhere(session, ticket_id, case_id, side) for case_id, side in sides if case_id is not None)


def _is_elsewhere(session: Session, ticket_id: int, case_id: str, side: str) -> bool:
    """Whether there is such a case that is not on this side of the ticket."""
    if _is_on(session, ticket_id, case_id, side):
        return False
    return session.scalar(select(CaseRow.id).where(CaseRow.id == case_id)) is not None


def _is_on(session: Session, ticket_id: int, case_id: str, side: str) -> bool:
    row = session.get(TicketCaseRow, case_id)
    return row is not None and (row.ticket_id, row.role) == (ticket_id, side)


def _take_back(session: Session, ticket_id: int) -> None:
    ticket = lock_ticket(session, ticket_id)
    if not _speaks_of_other_runs(session, ticket_id):
        return
    before = _verdict_sentence(outcome_of(session, ticket_id))
    session.execute(delete(OutcomeRow).where(OutcomeRow.ticket_id == ticket_id))
    add_event(session, ticket, ITSELF, "outcome", before)
    ticket_changed(session, ticket)


def decide_outcome(
    session: Session,
    by: str,
    ticket_id: int,
    version: int,
    verdict: OutcomeVerdict,
    rules: Sequence[str],
    reason: str,
) -> None:
    """A person's word: what was measured stays. Raises `UnknownTicketError` and `ConflictError`."""
    ticket = lock_ticket(session, ticket_id)
    check_version(ticket, version)
    row = session.get(OutcomeRow, ticket_id) or OutcomeRow(ticket_id=ticket_id)
    row.decided_by, row.reason = by, column_text(reason)
    _write(session, ticket, row, verdict, rules, by)


def forget_decision(session: Session, ticket_id: int) -> None:
    """The comparison decides again, where there is one. Raises `UnknownTicketError`."""
    lock_ticket(session, ticket_id)
    session.execute(delete(OutcomeRow).where(OutcomeRow.ticket_id == ticket_id))


def visible_to(person: Person) -> ColumnElement[bool]:
    """Holds for the outcomes (`OutcomeRow`) that the person may be told of: to the helpdesk every one, to a user
    those both of whose runs they may look at."""
    if person.sees_every_case:
        return true()
    seen = select(CaseRow.id).where(seen_by(person)).correlate(None)
    return and_(OutcomeRow.before_case.in_(seen), OutcomeRow.after_case.in_(seen))


def rerun_shown(session: Session, person: Person, case_id: str, shown: CaseDocument) -> RerunShown | None:
    """What a rerun of the case, of which this is shown, says of the advice, as far as the person may be told of it;
    None where there is none, or it says nothing. Of one that was deleted since, the findings are gone that the outcome
    is of."""
    decided = OutcomeRow.before_case == case_id, OutcomeRow.verdict != "unclear", visible_to(person)
    row = session.scalars(select(OutcomeRow).where(*decided).order_by(OutcomeRow.decided_at.desc()).limit(1)).first()
    if row is None:
        return None
    rules = session.scalars(select(OutcomeRuleRow.rule).where(OutcomeRuleRow.ticket_id == row.ticket_id)).all()
    after = None if row.after_case is None else find_case(session, row.after_case, with_document=True)
    document = None if after is None else stored_document(after)
    gone = frozenset(rules) if document is None else _triggered(shown) - _triggered(document)
    return RerunShown(row.verdict == "helped", row.measured if row.decided_by is None else None, gone, document)


def _triggered(document: CaseDocument) -> frozenset[str]:
    return frozenset(f.rule for f in document.findings if f.verdict == "triggered")


def rule_records(session: Session, person: Person) -> tuple[RuleRecord, ...]:
    """Of every rule that an outcome names that the person may be told of, by its id."""
    rows = session.execute(
        select(OutcomeRuleRow.rule, OutcomeRow.verdict, OutcomeRow.factor)
        .join(OutcomeRow, OutcomeRow.ticket_id == OutcomeRuleRow.ticket_id)
        .where(visible_to(person))
        .order_by(OutcomeRuleRow.rule)
    )
    by_rule: dict[str, list[tuple[OutcomeVerdict, float | None]]] = {}
    for rule, verdict, factor in rows:
        by_rule.setdefault(rule, []).append((verdict, factor))
    return tuple(_record(rule, found) for rule, found in by_rule.items())


def tickets_advised(session: Session, rule: str, limit: int) -> tuple[TicketAdvised, ...]:
    """The tickets whose outcome names the rule, the last decided first."""
    rows = session.execute(
        select(OutcomeRow, TicketRow)
        .join(OutcomeRuleRow, OutcomeRuleRow.ticket_id == OutcomeRow.ticket_id)
        .join(TicketRow, TicketRow.id == OutcomeRow.ticket_id)
        .where(OutcomeRuleRow.rule == rule)
        .order_by(OutcomeRow.decided_at.desc(), TicketRow.id.desc())
        .limit(limit)
    )
    return tuple(
        TicketAdvised(
            ticket=ticket.id,
            reference=ticket.reference,
            application=ticket.application,
            verdict=row.verdict,
            factor=row.factor,
            sentence=row.sentence,
            advised=row.advised,
            decided_at=row.decided_at,
        )
        for row, ticket in rows
    )


def _record(rule: str, found: Sequence[tuple[OutcomeVerdict, float | None]]) -> RuleRecord:
    verdicts = [verdict for verdict, _ in found]
    factors = [factor for verdict, factor in found if factor is not None and verdict != "unclear"]
    return RuleRecord(
        rule=rule,
        helped=verdicts.count("helped"),
        did_not_help=verdicts.count("did not help"),
        unclear=verdicts.count("unclear"),
        median_factor=statistics.median(factors) if factors else None,
    )


def _write(
    session: Session, ticket: TicketRow, row: OutcomeRow, verdict: OutcomeVerdict, rules: Sequence[str], by: str
) -> None:
    before = outcome_of(session, ticket.id)
    row.verdict, row.decided_at = verdict, datetime.now(UTC)
    # Why the comparison could not tell is no part of what a person says.
    measured = row.measured if row.factor is not None or row.decided_by is None else None
    row.sentence = outcome_sentence(verdict, row.factor, measured, row.factor_most)
    session.add(row)
    session.flush()
    session.execute(delete(OutcomeRuleRow).where(OutcomeRuleRow.ticket_id == ticket.id))
    session.add_all(OutcomeRuleRow(ticket_id=ticket.id, rule=rule) for rule in dict.fromkeys(rules))
    # The comparison is asked whenever a run comes; what it says again is no news.
    if by != ITSELF or _verdict_sentence(before) != row.sentence:
        add_event(session, ticket, by, "outcome", _verdict_sentence(before), row.sentence)
    ticket_changed(session, ticket)


def _verdict_sentence(outcome: Outcome | None) -> str | None:
    return None if outcome is None else outcome.sentence


def _read_cases(session: Session, ticket_id: int, role: CaseRole) -> Iterator[CaseRow]:
    """Those of the ticket that are read, the one that was added last first."""
    wanted = (
        select(CaseRow.id)
        .join(TicketCaseRow, TicketCaseRow.case_id == CaseRow.id)
        .where(TicketCaseRow.ticket_id == ticket_id, TicketCaseRow.role == role, CaseRow.status == "ready")
        .order_by(TicketCaseRow.added_at.desc(), CaseRow.id)
    )
    for case_id in session.scalars(wanted).all():
        case = find_case(session, case_id, with_document=True)
        if case is not None:
            yield case
