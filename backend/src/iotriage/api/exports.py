"""The case's document to take away: as text for a mail, as markup for a ticket, as JSON."""

from __future__ import annotations

import json
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Annotated

from fastapi import Query, Response

from iotriage.analysis.decision.moved_thresholds import UnknownThresholdError, with_thresholds
from iotriage.analysis.document import CaseDocument
from iotriage.api.cases import case_view, current_document, ready_document
from iotriage.api.embedded import case_without_store, embedded_answers, timeline_places
from iotriage.api.evidence.case_query import case_of, place_in
from iotriage.api.guard.policies import READS_CASE
from iotriage.api.problems import ProblemError
from iotriage.api.requests import CaseId, OwnThresholds, SiteQuery, own_thresholds, unknown_threshold
from iotriage.api.routers import api_router
from iotriage.api.services import Here, ReadSession, Services
from iotriage.api.views import CaseView
from iotriage.intake.case_queries import EmbeddedTraceQuery, FileTimes, Refusal
from iotriage.reports.anonymous import anonymised
from iotriage.reports.anonymous.key_of_names import key_of_names
from iotriage.reports.escaping import content_disposition
from iotriage.reports.formats import FORMATS, Form
from iotriage.reports.page import NoTemplateError, as_page
from iotriage.store.cases import SourcesGoneError

router = api_router("/cases/{case_id}/export", tag="exports", dependencies=[READS_CASE])

Anonymise = Annotated[
    bool,
    Query(description="Give people, paths, nodes and jobs other names: the same each time if the server has a key."),
]


@router.get("/html", response_class=Response, responses={200: {"content": {"text/html": {}}}})
def export_page(
    case_id: CaseId,
    services: Here,
    session: ReadSession,
    site: SiteQuery = None,
    own: OwnThresholds = None,
    anonymise: Anonymise = False,
) -> Response:
    """The case as one HTML file that works without a server: the page itself, with its data inside."""
    document = decided(current_document(services, session, case_id, site), own)
    if anonymise:
        return attachment(page_without_names(services, document), "text/html", "case.html")
    view = case_view(session, case_id, document)
    answers = embedded_answers(view, _timeline(services, case_id, document))
    return attachment(page_of_one_file(services, view, answers), "text/html", f"{case_id}.html")


@router.get("/{form}", response_class=Response, responses={200: {"content": {"text/plain": {}}}})
def export_case(
    case_id: CaseId,
    form: Form,
    services: Here,
    session: ReadSession,
    site: SiteQuery = None,
    own: OwnThresholds = None,
    anonymise: Anonymise = False,
) -> Response:
    """The report of a case as an attachment: `plain` in 72 columns, `markdown`, `jira`, or the whole document as
    `json`. It states the thresholds that differ from the documents'."""
    document = decided(ready_document(services, session, case_id, site), own)
    written = FORMATS[form]
    if anonymise:
        hidden = _anonymised(services, document)
        return attachment(written.write(hidden), written.media_type, f"case.{written.extension}")
    return attachment(written.write(document), written.media_type, f"{case_id}.{written.extension}")


def page_without_names(
    services: Services, document: CaseDocument, key: str | None = None, shared_until: datetime | None = None
) -> str:
    """The document as a page of one file, anonymised under the server's key, or else under this one. One that a link
    shows says until when."""
    hidden = _anonymised(services, document, key)
    view = case_without_store(hidden, hidden.sources[0].name, datetime.now(UTC))
    shared = {} if shared_until is None else {"shared-until": json.dumps(shared_until.isoformat())}
    return page_of_one_file(services, view, {**embedded_answers(view), **shared})


def _timeline(services: Services, case_id: str, document: CaseDocument) -> dict[str, str]:
    """What the timeline asks for, as far as the evidence can still be read."""
    case = case_of(services, case_id)
    asked = {
        place: FileTimes() if source is None else EmbeddedTraceQuery(place_in(case, source.given, source.member))
        for place, source in timeline_places(document).items()
    }
    try:
        answered = {place: services.views.ask(case, query) for place, query in asked.items()}
    except SourcesGoneError:
        return {}
    return {place: answer.decode() for place, answer in answered.items() if not isinstance(answer, Refusal)}


def page_of_one_file(services: Services, view: CaseView, answers: Mapping[str, str]) -> str:
    """The page with these answers inside; a problem where it has not been built."""
    try:
        return as_page(services.settings.web, view.title, answers)
    except NoTemplateError:
        detail = "This server has no page to put the case in. In a checkout: make install."
        raise ProblemError(503, "not-built", "The page has not been built", detail) from None


def _anonymised(services: Services, document: CaseDocument, key: str | None = None) -> CaseDocument:
    return anonymised(document, key_of_names(server_key(services), key))


def server_key(services: Services) -> str | None:
    """The key under which names get others, where the server has one."""
    key = services.settings.anonymise_key
    return None if key is None else key.get_secret_value()


def attachment(content: str, media_type: str, name: str) -> Response:
    """A file to be saved, called `iotriage-` and this name."""
    headers = {"content-disposition": content_disposition(f"iotriage-{name}")}
    return Response(content, media_type=media_type, headers=headers)


def decided(document: CaseDocument, own: str | None) -> CaseDocument:
    """The document under the thresholds of the address."""
    try:
        return with_thresholds(document, own_thresholds(own))
    except UnknownThresholdError as unknown:
        raise unknown_threshold(f"{unknown}.") from None
