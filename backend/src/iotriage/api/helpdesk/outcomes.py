"""What became of advice: of a ticket's, of a rule's, and in jobs like this one."""

from __future__ import annotations

from typing import Annotated

from fastapi import Path, Query

from iotriage.api.guard.current_person import CurrentPerson
from iotriage.api.guard.policies import HELPDESK_READS, HELPS, READS_CASE_AS_PERSON, READS_OWN
from iotriage.api.helpdesk.conflicts import CHANGED_MEANWHILE, conflicting
from iotriage.api.helpdesk.requests import OutcomeDecision, TicketId
from iotriage.api.helpdesk.tickets import shown
from iotriage.api.problems import ProblemError, present
from iotriage.api.requests import CaseId
from iotriage.api.routers import api_router
from iotriage.api.services import Here, ReadSession
from iotriage.helpdesk.outcomes import (
    RuleRecord,
    TicketAdvised,
    assess_rerun,
    decide_outcome,
    forget_decision,
    rerun_of,
    rule_records,
    save_outcome,
    tickets_advised,
)
from iotriage.helpdesk.similar import SimilarJob, similar_jobs
from iotriage.helpdesk.ticket_contents import Ticket
from iotriage.helpdesk.ticket_names import current_ticket
from iotriage.rules import all_rules

router = api_router(tag="helpdesk")

MOST_TICKETS = 200


@router.patch("/tickets/{ticket_id}/outcome", dependencies=[HELPS], responses=CHANGED_MEANWHILE)
def decide(ticket_id: TicketId, decision: OutcomeDecision, services: Here, person: CurrentPerson) -> Ticket:
    """Records a person's decision about whether the advice of some rules helped, with the reason. The measured result
    is kept."""
    unknown = [rule for rule in decision.rules if rule not in all_rules()]
    if unknown:
        raise ProblemError(422, "unknown-rule", "There is no such rule", f"No rule is called {', '.join(unknown)}.")
    with conflicting(), services.database.writing() as session, session.begin():
        stays = current_ticket(session, ticket_id)
        decide_outcome(session, person.id, stays, decision.version, decision.verdict, decision.rules, decision.reason)
        return shown(session, services, stays)


@router.post("/tickets/{ticket_id}/outcome/compare", dependencies=[HELPS])
def compare_again(ticket_id: TicketId, services: Here) -> Ticket:
    """Lets the comparison decide again, of the run before the advice and the last one after it, whatever a person said.
    This also happens automatically when a run after the advice is attached and read."""
    with services.database.reading() as session:
        rerun = rerun_of(session, current_ticket(session, ticket_id))
    found = None if rerun is None else assess_rerun(rerun)
    with conflicting(), services.database.writing() as session, session.begin():
        stays = current_ticket(session, ticket_id)
        forget_decision(session, stays)
        if rerun is not None and found is not None:
            save_outcome(session, rerun, found)
        return shown(session, services, stays)


@router.get("/outcomes", dependencies=[READS_OWN])
def list_outcomes(session: ReadSession, person: CurrentPerson) -> tuple[RuleRecord, ...]:
    """How often each rule's advice helped here: in how many tickets it did and did not, and how many times faster the
    I/O was in the median. Users get the results of their own runs. Rules without a result are left out."""
    return rule_records(session, person)


@router.get("/outcomes/{rule_id}/tickets", dependencies=[HELPDESK_READS])
def list_tickets_advised(
    rule_id: Annotated[str, Path(max_length=64, pattern=r"^[a-z0-9-]+$")], session: ReadSession
) -> tuple[TicketAdvised, ...]:
    """The tickets behind these numbers, the last decided first."""
    return tickets_advised(session, rule_id, MOST_TICKETS)


@router.get("/cases/{case_id}/similar", dependencies=[READS_CASE_AS_PERSON])
def list_similar_jobs(
    case_id: CaseId, session: ReadSession, person: CurrentPerson, limit: Annotated[int, Query(ge=1, le=100)] = 20
) -> tuple[SimilarJob, ...]:
    """Similar jobs, the most similar first: of the same user or program, or with the same leading finding; with what
    was advised then, and what the next run showed."""
    return present(similar_jobs(session, case_id, person, limit), "case", case_id)
