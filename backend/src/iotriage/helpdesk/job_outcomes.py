"""Which jobs a rule's advice helped, and which it did not: by the runs that their tickets began with."""

from __future__ import annotations

from sqlalchemy import select
from sqlalchemy.orm import Session

from iotriage.centre.population import JobOutcome
from iotriage.store.tables import CaseRow
from iotriage.store.ticket_tables import OutcomeRow, OutcomeRuleRow, TicketCaseRow


def job_outcomes(session: Session, rule: str) -> tuple[JobOutcome, ...]:
    """Of tickets whose outcome names the rule and is not unclear, each job of a run before the advice."""
    rows = session.execute(
        select(CaseRow.job_id, OutcomeRow.verdict)
        .join(TicketCaseRow, TicketCaseRow.case_id == CaseRow.id)
        .join(OutcomeRow, OutcomeRow.ticket_id == TicketCaseRow.ticket_id)
        .join(OutcomeRuleRow, OutcomeRuleRow.ticket_id == OutcomeRow.ticket_id)
        .where(
            OutcomeRuleRow.rule == rule,
            OutcomeRow.verdict != "unclear",
            TicketCaseRow.role == "before",
            CaseRow.job_id.is_not(None),
        )
    )
    return tuple(JobOutcome(job_id, verdict == "helped") for job_id, verdict in rows if job_id is not None)
