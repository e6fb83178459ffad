"""Cases: made from uploaded sources, read in the background, looked at, changed and deleted."""

from __future__ import annotations

import asyncio
import contextlib
from dataclasses import replace
from typing import Annotated

from fastapi import Depends, Query, Response
from sqlalchemy import and_, select, true
from sqlalchemy.orm import Session
from starlette.concurrency import run_in_threadpool

from iotriage.access.person import Person
from iotriage.access.visibility import owned_by, seen_by, usable_by
from iotriage.analysis.document import CaseDocument, Finding, RuledOut
from iotriage.analysis.packed_metrics import unpack_metrics
from iotriage.api.guard.current_person import Client, CurrentPerson
from iotriage.api.guard.policies import ADDS_TO_CASE, CHANGES_CASE, READS_CASE, READS_OWN, SUBMITS
from iotriage.api.problems import ProblemError, not_found, present
from iotriage.api.requests import (
    CaseChange,
    CaseId,
    CaseRequest,
    CaseSourceRequest,
    Limit,
    SiteQuery,
    SourcesRequest,
    check_site,
)
from iotriage.api.routers import api_router
from iotriage.api.services import Here, ReadSession, Services
from iotriage.api.views import CASE_VIEW, CaseList, CaseMade, CaseSource, CaseState, CaseSummary, CaseView, JoinedCase
from iotriage.helpdesk.tickets import follow_case
from iotriage.metrics.core.metric import Metric
from iotriage.store.cases import (
    NamedSource,
    SourcesGoneError,
    UnknownSourceError,
    add_sources,
    case_of_log,
    cases_with_all_of,
    delete_case,
    find_case,
    is_unfinished,
    lock_case,
    new_case,
    newest_cases,
    set_site,
    shown_id,
    snapshot_of,
    sources_alike,
    sources_are_gone,
    stored_document,
    stored_json,
    waiting_cases,
)
from iotriage.store.choices import chosen_site
from iotriage.store.joining import parts_of
from iotriage.store.renewal import Staleness, staleness
from iotriage.store.search_text import cases_with
from iotriage.store.tables import CaseRow, CaseStatus

router = api_router("/cases", tag="cases")

_SOME_ARE_READ_SECONDS = 10
_GIVEN_UP = "Another version made its document, and reading the case again failed. The server's log has the cause."

Offset = Annotated[int, Query(description="Leave out this many of the newest.", ge=0, le=2**31)]
Words = Annotated[
    str,
    Query(
        description="Words that begin so, all of them, of the case, its findings, its files and nodes.", max_length=500
    ),
]
Wait = Annotated[
    float, Query(description="Answer a case that is being read after so many seconds, or when it changes.", ge=0, le=10)
]


async def _after_a_change(case_id: CaseId, services: Here, wait: Wait = 0.0) -> None:
    """Waits without holding a thread, or anything of the database."""
    shown = await run_in_threadpool(_shown, services, case_id) if wait else None
    if shown is None:
        return
    changed, loop = asyncio.Event(), asyncio.get_running_loop()

    def tell() -> None:
        # The loop may have ended with the server.
        with contextlib.suppress(RuntimeError):
            loop.call_soon_threadsafe(changed.set)

    with services.worker.watching.of(shown, tell):
        if services.worker.is_reading(shown) or await run_in_threadpool(_waits, services, shown):
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(changed.wait(), wait)


def _shown(services: Services, case_id: str) -> str | None:
    """The id of the case that is answered: of one that was joined into another, that one."""
    with services.database.reading() as session:
        return shown_id(session, case_id)


def _waits(services: Services, case_id: str) -> bool:
    """Whether the case is still to be read, though nobody has it at this moment: it is taken up again soon, and who
    asks without a pause meanwhile asks a hundred times a second."""
    with services.database.reading() as session:
        return is_unfinished(session, case_id)


@router.get("", dependencies=[READS_OWN])
def list_cases(
    session: ReadSession, person: CurrentPerson, limit: Limit = 50, offset: Offset = 0, words: Words = ""
) -> CaseList:
    """One page of the cases that the person may see, newest first; `total` counts all of them."""
    total, rows = newest_cases(session, limit, offset, and_(seen_by(person), cases_with(session, words)))
    alike = sources_alike(session, rows)
    return CaseList(total, tuple(_summary(row, alike[row.id]) for row in rows))


@router.post("", status_code=201, dependencies=[SUBMITS])
def create_case(request: CaseRequest, services: Here, client: Client, person: CurrentPerson) -> CaseMade:
    """Makes a case of uploaded sources; it belongs to the person. It is read in the background: request it, with
    `wait`, until `status` is not "reading". `already` names the cases to which the same sources were given before."""
    check_site(request.site)
    with services.database.writing() as session, session.begin():
        check_waiting(session, services, client)
        try:
            made = _made(session, request, person, client)
        except UnknownSourceError as unknown:
            raise _unknown_source(unknown) from None
        answer = CaseMade(made.id, made.status, tuple(cases_with_all_of(session, made, seen_by(person))))
    services.worker.submit(answer.id)
    return answer


def look_up(source: NamedSource, services: Services, client: str, person: Person) -> CaseState:
    """The case of a stored source that somebody of the staff looks at; one that is made, where there is none yet,
    stands in no queue."""
    with services.database.writing() as session, session.begin():
        known = case_of_log(session, source.sha256)
        if known is not None:
            return _state(known)
        check_waiting(session, services, client)
        state = _state(new_case(session, [source], given_by=client, owner=person.id, looked_up=True))
    services.worker.submit(state.id)
    return state


@router.get("/{case_id}", response_model=CaseView, dependencies=[READS_CASE, Depends(_after_a_change)])
def get_case(case_id: CaseId, services: Here, session: ReadSession, site: SiteQuery = None) -> Response:
    """The case with its sources and its document. With `site`, the document is what that site would say: it
    is made anew and not stored. One that this program would make otherwise is answered at once where its form can still
    be read, with `stale`, and made again before all others; else the case is "reading" meanwhile. With `wait` one
    that is being read is answered when something of it changes, so that one need not ask time and again."""
    case = _case(session, case_id)
    other = _other_site(case, site)
    if other is None:
        stale = _opened(services, session, case)
        return _json_answer(_with_stored_document(_view(session, case, None, stale), stored_json(case)))
    view = _view(session, case, None)
    return _json_answer(CASE_VIEW.dump_json(replace(view, document=_document_for(services, session, case, other))))


@router.get("/{case_id}/findings", dependencies=[READS_CASE])
def list_findings(
    case_id: CaseId, services: Here, session: ReadSession, site: SiteQuery = None
) -> list[Finding | RuledOut]:
    """The findings of the case's document, in its order."""
    return list(ready_document(services, session, case_id, site).findings)


@router.get("/{case_id}/metrics", dependencies=[READS_CASE])
def list_metrics(case_id: CaseId, services: Here, session: ReadSession, site: SiteQuery = None) -> dict[str, Metric]:
    """The metrics of the whole job, by id. Those of groups of files are in the document."""
    document = ready_document(services, session, case_id, site)
    return unpack_metrics(document.metrics, document)


@router.post("/{case_id}/sources", status_code=201, dependencies=[ADDS_TO_CASE])
def add_case_sources(case_id: CaseId, request: SourcesRequest, services: Here, person: CurrentPerson) -> CaseState:
    """Adds sources to the case, which is read again. One that it already has is not added twice."""
    with services.database.writing() as session, session.begin():
        case = _case_to_change(session, case_id)
        _check_sources_here(services, case)
        try:
            add_sources(session, case, _named(request.sources), usable_by(person))
        except UnknownSourceError as unknown:
            raise _unknown_source(unknown) from None
        state = _state(case)
    services.worker.submit(state.id)
    return state


@router.patch("/{case_id}", dependencies=[CHANGES_CASE])
def change_case(case_id: CaseId, change: CaseChange, services: Here) -> CaseState:
    """Chooses the site whose thresholds hold for the case, which is read again."""
    check_site(change.site)
    with services.database.writing() as session, session.begin():
        case = _case_to_change(session, case_id)
        _check_sources_here(services, case)
        set_site(case, change.site)
        state = _state(case)
    services.worker.submit(state.id)
    return state


@router.delete("/{case_id}", status_code=204, dependencies=[CHANGES_CASE])
def remove_case(case_id: CaseId, services: Here, person: CurrentPerson) -> None:
    """Deletes the case, its document, and those of its sources that no other case uses."""
    with services.database.writing() as session, session.begin():
        delete_case(session, services.folder, _case_to_change(session, case_id), person.id)
    services.worker.forget(case_id)


def _made(session: Session, request: CaseRequest, person: Person, client: str) -> CaseRow:
    sources, usable = _named(request.sources), usable_by(person)
    if request.from_case is not None:
        _check_changeable(session, request.from_case, person)
    made = new_case(
        session, sources, request.site, given_by=client, owner=person.id, usable=usable, alone=request.alone
    )
    if request.from_case is not None:
        follow_case(session, person.id, made.id, request.from_case)
    return made


def _check_changeable(session: Session, case_id: str, person: Person) -> None:
    """Another's case is answered as one that is not there."""
    own = true() if person.sees_every_case else owned_by(person)
    if session.scalar(select(CaseRow.id).where(CaseRow.id == case_id, own)) is None:
        raise not_found("case", case_id)


def _case(session: Session, case_id: str) -> CaseRow:
    return present(find_case(session, case_id, with_document=True), "case", case_id)


def _case_to_change(session: Session, case_id: str) -> CaseRow:
    return present(lock_case(session, case_id), "case", case_id)


def _opened(services: Services, session: Session, case: CaseRow) -> Staleness | None:
    """Whether the case's document is stale; then it is made again, since somebody looks at it."""
    stale = _staleness(services, session, case) if case.status == "ready" else None
    if stale == "pending":
        services.worker.renew(case.id)
    return stale


def _staleness(services: Services, session: Session, case: CaseRow) -> Staleness | None:
    return staleness(session, case, chosen_site(session, services.settings.site))


def _other_site(case: CaseRow, site: str | None) -> str | None:
    """The site whose document has to be made, or None where the stored one is the answer."""
    if site is None or site == case.site or case.status != "ready":
        return None
    check_site(site)
    return site


def _with_stored_document(view: CaseView, document: str | None) -> bytes:
    """The view as JSON with the document as it is stored. A document has megabytes: to read it into objects, only to
    write it again, would take most of the time of the answer that every page begins with."""
    if document is None:
        return CASE_VIEW.dump_json(view)
    others = CASE_VIEW.dump_json(view, exclude={"document"})
    return b"".join((others.removesuffix(b"}"), b',"document":', document.encode(), b"}"))


def _json_answer(content: bytes) -> Response:
    return Response(content, media_type="application/json")


def _document_for(services: Services, session: Session, case: CaseRow, site: str | None) -> CaseDocument | None:
    _check_sources_here(services, case)
    seen, default = snapshot_of(case), chosen_site(session, services.settings.site)
    # Nothing of the database is held while the case is diagnosed.
    session.close()
    return services.views.document(seen, site, default if site == case.site else None)


def _check_sources_here(services: Services, case: CaseRow) -> None:
    """A case that has a document would get another one, of what is left."""
    if sources_are_gone(case) or services.folder.lacks_any(source.sha256 for source in case.sources):
        raise SourcesGoneError


def case_view(session: Session, case_id: str, document: CaseDocument | None) -> CaseView:
    """The case as the API answers it, with this document; a problem where there is no such case."""
    return _view(session, _case(session, case_id), document)


def ready_document(services: Services, session: Session, case_id: str, site: str | None) -> CaseDocument:
    """The case's document, for `site` where one is given; a problem where it has none."""
    case = _case(session, case_id)
    other = _other_site(case, site)
    if other is None:
        _opened(services, session, case)
    document = stored_document(case) if other is None else _document_for(services, session, case, other)
    if document is None:
        raise ProblemError(409, "no-document", "The case has no document", "Its status and its sources say why.")
    return document


def current_document(services: Services, session: Session, case_id: str, site: str | None) -> CaseDocument:
    """The case's document, a stale one made anew: beside today's rules stands what they say. A problem where it has
    none."""
    case = _case(session, case_id)
    if _other_site(case, site) is None and case.status == "ready" and _staleness(services, session, case) == "pending":
        made = _document_for(services, session, case, case.site)
        if made is not None:
            return made
    return ready_document(services, session, case_id, site)


def check_waiting(session: Session, services: Services, client: str) -> None:
    """A problem where as many of the client's cases wait as may."""
    most = services.settings.client_waiting_cases
    if waiting_cases(session, client) >= most:
        detail = f"{most} of your cases still wait to be read, and no more are taken from one client."
        raise ProblemError(429, "too-many-cases", "Too many cases wait", detail, retry_after=_SOME_ARE_READ_SECONDS)


def _unknown_source(unknown: UnknownSourceError) -> ProblemError:
    return ProblemError(
        422,
        "unknown-source",
        "A source is not here",
        f"Source {unknown.sha256} was not uploaded: PUT /api/v1/sources/{unknown.sha256} first.",
    )


def _named(sources: tuple[CaseSourceRequest, ...]) -> tuple[NamedSource, ...]:
    return tuple(NamedSource(s.sha256, s.name, s.of_job) for s in sources)


def _state(case: CaseRow) -> CaseState:
    return CaseState(case.id, case.status)


def _summary(case: CaseRow, alike: str) -> CaseSummary:
    return CaseSummary(
        id=case.id,
        sources_alike=alike,
        created_at=case.created_at,
        status=_status(case),
        title=case.title,
        job_id=case.job_id,
        executable=case.executable,
        headline=case.headline,
        severity=case.severity,
        nprocs=case.nprocs,
        io_time_s=case.io_time_s,
        io_time_fraction=case.io_time_fraction,
        io_time_bound=case.io_time_bound,
        sample=case.sample_key is not None,
    )


def _view(session: Session, case: CaseRow, document: CaseDocument | None, stale: Staleness | None = None) -> CaseView:
    status, message = _status(case), case.message
    if stale is not None and stored_json(case) is None:
        status, message = ("reading", None) if stale == "pending" else ("failed", _GIVEN_UP)
    sources = tuple(
        CaseSource(
            index=s.position,
            name=s.name,
            sha256=s.sha256,
            size_bytes=s.source.size_bytes,
            status=s.status,
            reader=s.reader,
            message=s.message,
            next_step=s.next_step,
            gone_at=s.source.gone_at,
        )
        for s in case.sources
    )
    return CaseView(
        id=case.id,
        created_at=case.created_at,
        status=status,
        title=case.title,
        site=case.site,
        sample=case.sample_key is not None,
        message=message,
        sources=sources,
        stale=stale if status == "ready" else None,
        joined=tuple(_joined(part) for part in parts_of(session, case.id)),
        document=document,
    )


def _status(case: CaseRow) -> CaseStatus:
    """One of which it is still to be seen whether it is part of another is not ready for who waits for it."""
    return "reading" if case.status == "ready" and case.seeks_job else case.status


def _joined(part: CaseRow) -> JoinedCase:
    assert part.joined_at is not None
    names = tuple(source.name for source in part.sources)
    return JoinedCase(part.id, names, part.joined_at, part.joined_because or "")
