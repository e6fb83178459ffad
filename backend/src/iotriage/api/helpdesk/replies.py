"""The answer to a ticket about a case, what to ask its user for, and the order in which it is triaged."""

from __future__ import annotations

from typing import Annotated

from fastapi import Query

from iotriage.api.cases import ready_document
from iotriage.api.exports import decided
from iotriage.api.guard.current_person import CurrentPerson
from iotriage.api.guard.policies import HELPDESK_READS, READS_CASE_AS_PERSON, READS_OWN
from iotriage.api.helpdesk.requests import TicketId
from iotriage.api.helpdesk.tickets import shown
from iotriage.api.problems import ProblemError
from iotriage.api.requests import CaseId, OwnThresholds, SiteQuery
from iotriage.api.routers import api_router
from iotriage.api.services import Here, ReadSession, Services
from iotriage.helpdesk.first_evidence import first_evidence_blocks
from iotriage.helpdesk.other_runs import other_runs, other_runs_blocks
from iotriage.helpdesk.outcomes import rerun_shown
from iotriage.helpdesk.reply import (
    WRITERS,
    ReplyForm,
    UnknownFindingError,
    asking_blocks,
    findings_of,
    render_reply,
    reply_blocks,
    reply_of,
    rerun_blocks,
    run_of_reply,
)
from iotriage.helpdesk.templates import BadTemplateError, Template, chosen_template, templates_in
from iotriage.helpdesk.ticket_names import current_ticket
from iotriage.helpdesk.triage import TriageStep, triage_of
from iotriage.helpdesk.unread import unread_blocks, unread_case
from iotriage.sites import all_sites
from iotriage.store.cases import find_case
from iotriage.store.choices import chosen_site
from iotriage_parsers.frozen import frozen

router = api_router(tag="helpdesk")

Form = Annotated[ReplyForm, Query(description="`plain` in 72 columns, `markdown`, `jira`, or `html` with the picture.")]
TemplateQuery = Annotated[
    str | None, Query(description="A template's id; without, that of the case's site.", max_length=64)
]
Findings = Annotated[
    str | None,
    Query(description="Keys of findings, with commas between; without, that of the sentence on top.", max_length=4096),
]


@frozen
class ReplyView:
    """`template` is the id of the one used, `findings` are the keys of those told of. `text` is empty where there is
    nothing to ask for."""

    form: ReplyForm
    template: str
    findings: tuple[str, ...]
    text: str


@frozen
class TemplateName:
    id: str
    title: str
    site: str | None


@router.get("/reply-templates", dependencies=[READS_OWN])
def list_reply_templates(services: Here) -> tuple[TemplateName, ...]:
    """The templates for replies: the installation's own, and the program's."""
    return tuple(TemplateName(key, t.title, t.site) for key, t in _templates(services).items())


@router.get("/cases/{case_id}/reply", dependencies=[READS_CASE_AS_PERSON])
def write_reply(
    case_id: CaseId,
    services: Here,
    session: ReadSession,
    person: CurrentPerson,
    form: Form = "plain",
    findings: Findings = None,
    template: TemplateQuery = None,
    site: SiteQuery = None,
    own: OwnThresholds = None,
) -> ReplyView:
    """Three numbers, one cause, one command and one link, of the findings chosen; each number with its counter, its
    threshold and who states that. Where a rerun shows that what was advised helped, that, and the other findings; where
    it did not help, that, and what the rerun has of them; else a line about each other run of the case's ticket. Of a
    case that could not be read: which file, why, and what to send instead."""
    case = find_case(session, case_id)
    if case is not None and case.status == "failed":
        name, chosen = _template(services, template, case.site)
        return ReplyView(form, name, (), WRITERS[form](unread_blocks(unread_case(case), chosen)))
    document = decided(ready_document(services, session, case_id, site), own)
    name, chosen = _template(services, template, document.site.id)
    try:
        chosen_findings = findings_of(document, findings.split(",") if findings else ())
    except UnknownFindingError as unknown:
        raise ProblemError(422, "unknown-finding", "There is no such finding", f"{unknown}") from None
    rerun = rerun_shown(session, person, case_id, document)
    blocks = (
        (
            *reply_blocks(reply_of(document, chosen_findings), chosen, document),
            *other_runs_blocks(other_runs(session, person, case_id), chosen),
        )
        if rerun is None
        else rerun_blocks(rerun, chosen_findings, chosen, document)
    )
    text = render_reply(blocks, form, run_of_reply(rerun, document))
    return ReplyView(form, name, tuple(f.key for f in chosen_findings), text)


@router.get("/cases/{case_id}/asking", dependencies=[READS_CASE_AS_PERSON])
def write_asking(
    case_id: CaseId,
    services: Here,
    session: ReadSession,
    form: Form = "plain",
    template: TemplateQuery = None,
    site: SiteQuery = None,
    own: OwnThresholds = None,
) -> ReplyView:
    """What to ask the user for to settle the undecided findings, with the lines for the job script."""
    document = decided(ready_document(services, session, case_id, site), own)
    name, chosen = _template(services, template, document.site.id)
    undecided = tuple(f.key for f in document.findings if f.verdict == "unknown")
    return ReplyView(form, name, undecided, render_reply(asking_blocks(document, chosen), form, document))


@router.get("/tickets/{ticket_id}/asking", dependencies=[HELPDESK_READS])
def write_first_asking(
    ticket_id: TicketId, services: Here, session: ReadSession, form: Form = "plain", template: TemplateQuery = None
) -> ReplyView:
    """What to ask a user for who has sent no log: the lines for a job script of the ticket's system, or of the
    installation's where the ticket names none. For a system without a profile the names of modules are not known."""
    fields = shown(session, services, current_ticket(session, ticket_id)).fields
    system = fields.system or chosen_site(session, services.settings.site)
    site = None if system is None else all_sites().get(system.casefold())
    name, chosen = _template(services, template, None if site is None else site.id)
    return ReplyView(form, name, (), WRITERS[form](first_evidence_blocks(chosen, site)))


@router.get("/cases/{case_id}/triage", dependencies=[READS_CASE_AS_PERSON])
def triage_case(
    case_id: CaseId, services: Here, session: ReadSession, site: SiteQuery = None, own: OwnThresholds = None
) -> tuple[TriageStep, ...]:
    """The questions in the order in which a helpdesk asks them, each with this case's answer."""
    return triage_of(decided(ready_document(services, session, case_id, site), own))


def _templates(services: Services) -> dict[str, Template]:
    try:
        return dict(templates_in(services.settings.replies))
    except BadTemplateError as bad:
        raise ProblemError(500, "bad-template", "A template for replies cannot be used", f"{bad}") from None


def _template(services: Services, wanted: str | None, site: str | None) -> tuple[str, Template]:
    templates = _templates(services)
    try:
        return chosen_template(templates, wanted, site)
    except KeyError:
        detail = f"Template {wanted!r} is not one of: {', '.join(templates)}."
        raise ProblemError(422, "unknown-template", "There is no such template", detail) from None
