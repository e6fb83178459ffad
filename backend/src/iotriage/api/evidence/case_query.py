"""Queries about a case's evidence: its process answers them, and the API passes the answer on unchanged."""

from __future__ import annotations

from fastapi import Response

from iotriage.api.problems import ProblemError, present
from iotriage.api.services import Services
from iotriage.intake.case_queries import Place, Query, Refusal
from iotriage.store.cases import Snapshot, SourceInCase, find_case, snapshot_of


def answer_response(services: Services, case_id: str, query: Query) -> Response:
    """The answer as JSON."""
    return Response(query_case(services, case_of(services, case_id), query), media_type="application/json")


def query_case(services: Services, case: Snapshot, query: Query) -> bytes:
    """The answer; a problem where there is none."""
    found = services.views.ask(case, query)
    if isinstance(found, Refusal):
        raise ProblemError(found.status, found.kind, found.title, found.detail)
    return found


def case_of(services: Services, case_id: str) -> Snapshot:
    """What the case is made of; a problem where there is none. Nothing of the database is held afterwards."""
    with services.database.reading() as session:
        return snapshot_of(present(find_case(session, case_id), "case", case_id))


def source_in(case: Snapshot, index: int) -> SourceInCase:
    """The source with this index in the case; a problem where there is none."""
    source = next((s for s in case.sources if s.position == index), None)
    return present(source, "source", str(index), "source of this case")


def place_in(case: Snapshot, index: int, member: int | None) -> Place:
    """The source with this index, or the file `member` of an archive, as a query names it; a problem where there is
    none."""
    return Place(case.sources.index(source_in(case, index)), member)
