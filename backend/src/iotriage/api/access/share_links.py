"""Share links of a case, and the people to whom the helpdesk gave it."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Annotated

from fastapi import Path, Request
from pydantic import Field
from sqlalchemy import select

from iotriage.access.share_links import LONGEST, links_of, new_link, revoke_link, revoke_links_of
from iotriage.api.access.tokens import PersonId
from iotriage.api.guard.current_person import CurrentPerson
from iotriage.api.guard.policies import CHANGES_CASE, HELPDESK_READS, HELPS
from iotriage.api.problems import not_found, present
from iotriage.api.requests import CaseId, RequestBody
from iotriage.api.routers import api_router
from iotriage.api.services import Here, ReadSession
from iotriage.store.access_tables import CasePersonRow, ShareLinkRow
from iotriage.store.audit import add_audit_detail
from iotriage.store.cases import lock_case
from iotriage.store.joining import parts_of
from iotriage_parsers.frozen import frozen

router = api_router("/cases/{case_id}", tag="access")

LinkId = Annotated[str, Path(description="The link's id, which opens nothing.", pattern="^[a-z2-7]{16}$")]


class LinkRequest(RequestBody):
    days: int = Field(default=30, ge=1, le=LONGEST.days)
    without_names: bool = Field(
        default=False, description="Show one page alone, whose people, paths and nodes are hidden."
    )


@frozen
class LinkView:
    id: str
    made_by: str
    made_at: datetime
    ends_at: datetime
    without_names: bool


@frozen
class NewLink:
    """`url` is shown this once: the server does not keep it."""

    url: str
    view: LinkView


@router.get("/links", dependencies=[CHANGES_CASE])
def list_links(case_id: CaseId, services: Here, session: ReadSession) -> list[LinkView]:
    """The share links of the case that still work."""
    return [_view(row) for row in links_of(session, case_id, services.gate.clock())]


@router.post("/links", status_code=201, dependencies=[CHANGES_CASE])
def create_link(
    case_id: CaseId, wanted: LinkRequest, request: Request, person: CurrentPerson, services: Here
) -> NewLink:
    """Makes a share link: anybody who has it may see the case and nothing else, and change nothing. With
    `without_names` it shows the anonymised page of the case, and no source, line or list."""
    with services.database.writing() as session, session.begin():
        case = present(lock_case(session, case_id), "case", case_id)
        now, lasts = services.gate.clock(), timedelta(days=wanted.days)
        row, share = new_link(session, case.id, person, now, lasts, without_names=wanted.without_names)
        add_audit_detail(
            session, f"link {row.id}, {wanted.days} days{', without names' if wanted.without_names else ''}"
        )
        return NewLink(f"{_address(request, services.settings.public_url)}/shared/{share}", _view(row))


@router.delete("/links/{link_id}", status_code=204, dependencies=[CHANGES_CASE])
def remove_link(case_id: CaseId, link_id: LinkId, services: Here) -> None:
    """Revokes a share link, also for those who have opened it."""
    with services.database.writing() as session, session.begin():
        if not revoke_link(session, case_id, link_id, services.gate.clock()):
            raise not_found("link", link_id, "link of this case")


@router.get("/people", dependencies=[HELPDESK_READS])
def list_case_people(case_id: CaseId, session: ReadSession) -> list[str]:
    """Ids of the people to whom the helpdesk gave the case."""
    people = select(CasePersonRow.person).where(CasePersonRow.case_id == case_id).order_by(CasePersonRow.person)
    return list(session.scalars(people))


@router.put("/people/{person_id}", status_code=204, dependencies=[HELPS])
def give_case(case_id: CaseId, person_id: PersonId, services: Here) -> None:
    """Gives the case to a person, who may then see and change it as its owner may."""
    with services.database.writing() as session, session.begin():
        case = present(lock_case(session, case_id), "case", case_id)
        session.merge(CasePersonRow(case_id=case.id, person=person_id))


@router.delete("/people/{person_id}", status_code=204, dependencies=[HELPS])
def take_case(case_id: CaseId, person_id: PersonId, services: Here) -> None:
    """Takes the case, with all that was joined into it, back from the person, and revokes the links that they made of
    it."""
    with services.database.writing() as session, session.begin():
        case = lock_case(session, case_id)
        all_of_it = () if case is None else (case, *parts_of(session, case.id))
        rows = [row for one in all_of_it if (row := session.get(CasePersonRow, (one.id, person_id))) is not None]
        if not rows:
            raise not_found("person", person_id, "person of this case")
        for row in rows:
            session.delete(row)
        not_theirs = [one.id for one in all_of_it if one.owner != person_id]
        revoke_links_of(session, person_id, services.gate.clock(), not_theirs)


def _address(request: Request, public_url: str | None) -> str:
    return public_url or str(request.base_url).rstrip("/")


def _view(row: ShareLinkRow) -> LinkView:
    return LinkView(row.id, row.made_by, row.made_at, row.ends_at, row.pseudonym_key is not None)
