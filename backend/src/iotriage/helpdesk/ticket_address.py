"""The address under which the centre's own ticket system shows a ticket."""

from __future__ import annotations

from urllib.parse import quote

from sqlalchemy import select
from sqlalchemy.orm import Session

from iotriage.sites import all_sites
from iotriage.store.ticket_tables import CaseFactsRow, TicketCaseRow, TicketRow


def address_of_site(session: Session, ticket: TicketRow) -> str | None:
    """Of the site that people say the ticket is of, else of its first case that is of a site which has one."""
    cases = select(CaseFactsRow.system).join(TicketCaseRow, TicketCaseRow.case_id == CaseFactsRow.case_id)
    of_cases = cases.where(TicketCaseRow.ticket_id == ticket.id).order_by(TicketCaseRow.added_at, CaseFactsRow.case_id)
    named = [ticket.system] if ticket.system else session.scalars(of_cases)
    known = (all_sites().get(system.casefold()) for system in named if system is not None)
    return next((site.ticket_url for site in known if site is not None and site.ticket_url is not None), None)


def address_of(reference: str | None, template: str | None) -> str | None:
    """Where the centre's own ticket system shows it."""
    if reference is None or template is None:
        return None
    return template.replace("{reference}", quote(reference, safe=""))
