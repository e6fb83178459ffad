"""Cases of one job: which others there are, joined by a person's word, and taken apart."""

from __future__ import annotations

from sqlalchemy import select
from sqlalchemy.orm import Session

from iotriage.access.person import Person
from iotriage.access.visibility import owned_by, seen_by
from iotriage.api.guard.current_person import CurrentPerson
from iotriage.api.guard.policies import CHANGES_CASE, READS_CASE_AS_PERSON
from iotriage.api.problems import ProblemError, not_found, present
from iotriage.api.requests import CaseId, JoinRequest
from iotriage.api.routers import api_router
from iotriage.api.services import Here, ReadSession
from iotriage.api.views import CaseState
from iotriage.store.cases import find_case
from iotriage.store.joining import NotJoinedError, OtherCase, join_by_hand, others_of_job, separate
from iotriage.store.tables import CaseRow

router = api_router("/cases/{case_id}", tag="cases")


@router.get("/same-job", dependencies=[READS_CASE_AS_PERSON])
def list_cases_of_job(case_id: CaseId, session: ReadSession, person: CurrentPerson) -> list[OtherCase]:
    """Other cases of the same job that the person may look at, and why each is a case of its own."""
    case = present(find_case(session, case_id), "case", case_id)
    return list(others_of_job(session, case.id, seen_by(person)))


@router.post("/join", dependencies=[CHANGES_CASE])
def join_cases(case_id: CaseId, joined: JoinRequest, services: Here, person: CurrentPerson) -> CaseState:
    """Joins two cases: the earlier one gets the sources of the later, is returned, and is read again. 409 where not the
    same people may see both."""
    with services.database.writing() as session, session.begin():
        one, other = find_case(session, case_id), find_case(session, joined.case)
        if one is None or other is None or not _may_change(session, person, other):
            raise not_found("case", joined.case if one else case_id)
        try:
            into = join_by_hand(session, one.id, other.id, person.id)
        except NotJoinedError as refused:
            raise ProblemError(409, "not-joined", "The cases stay two", str(refused)) from None
    services.worker.forget(one.id if into == other.id else other.id)
    services.worker.submit(into)
    return CaseState(into, "reading")


@router.post("/apart", dependencies=[CHANGES_CASE])
def separate_case(case_id: CaseId, services: Here) -> CaseState:
    """Separates a case that was joined into another; both are read. It stays separate: cases of its job that come later
    are not joined with it automatically. For a case that was not joined, only this is recorded."""
    with services.database.writing() as session, session.begin():
        whole = separate(session, case_id)
        case = present(session.get(CaseRow, case_id), "case", case_id)
        state = CaseState(case.id, case.status)
    if whole is not None:
        services.worker.submit(whole)
        services.worker.submit(case_id)
    return state


def _may_change(session: Session, person: Person, case: CaseRow) -> bool:
    if person.sees_every_case:
        return True
    return session.scalar(select(CaseRow.id).where(CaseRow.id == case.id, owned_by(person))) is not None
