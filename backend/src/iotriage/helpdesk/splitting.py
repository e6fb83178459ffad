"""Splits logs of several jobs that arrived in one mail into a case for each job, all in the mail's ticket."""

from __future__ import annotations

from typing import Final

from iotriage.analysis.document import CaseDocument
from iotriage.helpdesk.tickets import follow_case
from iotriage.store.audit import ITSELF
from iotriage.store.cases import NamedSource, lock_case, new_case, stored_document
from iotriage.store.database import Database
from iotriage.store.joining import narrow_case
from iotriage.store.tables import CaseRow

MOST_JOBS: Final = 20
"""Number of jobs up to which a mail is split automatically; for more, somebody can split it on the ticket's page. Our
own number."""


def split_by_job(database: Database, case_id: str) -> tuple[str, ...]:
    """The cases that are to be read then, the case itself first, or the one that it was joined into: it keeps its
    address, one of the jobs, and what could not be read or is of none."""
    with database.writing() as session, session.begin():
        case = lock_case(session, case_id)
        if case is None or not case.splits_by_job or case.status != "ready":
            return ()
        case.splits_by_job = False
        jobs = _sources_by_job(case, stored_document(case))
        if not 2 <= len(jobs) <= MOST_JOBS:
            return ()
        first, *others = jobs
        made = [new_case(session, of_job, case.site, given_by=case.given_by, owner=case.owner).id for of_job in others]
        of_others = {source.sha256 for of_job in others for source in of_job}
        kept = {source.sha256: source.of_job for source in first}
        narrow_case(
            session,
            case,
            {
                source.position: kept.get(source.sha256)
                for source in case.sources
                if source.sha256 in kept or source.sha256 not in of_others
            },
        )
        for id in made:
            follow_case(session, ITSELF, id, case.id)
        return case.id, *made


def _sources_by_job(case: CaseRow, document: CaseDocument | None) -> list[list[NamedSource]]:
    return [
        [
            NamedSource(source.sha256, source.name, job.id if job.among_others else None)
            for source in case.sources
            if source.position in job.given and source.status != "failed"
        ]
        for job in (() if document is None else document.jobs)
    ]
