"""Cases: made, listed, changed, and given their document. Every function is given the session that it works in."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime

from sqlalchemy import ColumnElement, bindparam, func, or_, select, true, update
from sqlalchemy.orm import Session, joinedload, lazyload

from iotriage.analysis.decision.headline_figure import bound_in_document
from iotriage.analysis.document import DOCUMENT_VERSION, CaseDocument, DocumentMetric
from iotriage.analysis.document.adapter import DOCUMENT
from iotriage.analysis.document.document_json import document_as_json
from iotriage.analysis.jobs import CaseIdentity
from iotriage.analysis.naming import PASTED, name_of_text
from iotriage.store.column_text import column_text
from iotriage.store.joining import parts_of, save_identity, set_to_be_read
from iotriage.store.profile_version import profile_version
from iotriage.store.queue_entries import enter_case, enter_new_case, withdraw_case
from iotriage.store.rows import Row, carried_out, remove_rows_of_case, table_of, write_rows
from iotriage.store.sources import SourceFolder, drop_unused_sources, source_here
from iotriage.store.tables import (
    IN_HAND,
    NAME_LENGTH,
    CaseDocumentRow,
    CaseIdentityRow,
    CaseJobIdRow,
    CaseRow,
    CaseSourceRow,
    SourceRow,
    SourceStatus,
    new_id,
)
from iotriage.store.ticket_tables import CaseFactsRow, CaseFindingRow, TicketCaseRow
from iotriage_parsers.frozen import frozen

_LARGEST_BIGINT = 2**63 - 1

_SOUGHT: ColumnElement[bool] = (CaseRow.status == "ready") & CaseRow.seeks_job
_IS_SOUGHT = select(CaseRow.id).where(CaseRow.id == bindparam("of_case"), _SOUGHT)
_SHOWN = select(func.coalesce(CaseRow.joined_into, CaseRow.id)).where(CaseRow.id == bindparam("of_case"))
_WAITING = (
    select(func.count())
    .select_from(CaseRow)
    .where(CaseRow.status == "reading", CaseRow.given_by == bindparam("client"))
)
_CASE_SOURCES = table_of(CaseSourceRow)
_SOURCE_MARKED = update(_CASE_SOURCES).where(
    _CASE_SOURCES.c.case_id == bindparam("of_case"), _CASE_SOURCES.c.position == bindparam("at")
)
_WRITTEN_WITH_A_DOCUMENT = (CaseDocumentRow, CaseIdentityRow, CaseJobIdRow, CaseFactsRow, CaseFindingRow)

_ALIKE_DIGITS = 16
_MOST_NAMED = 20
"""Of cases of the same sources: a test's log is given time and again."""

MOST_ATTEMPTS = 2
"""A case that has ended its process, or the server, this often is not read again."""

_GIVEN_UP = (
    f"Reading or diagnosing the case ended its process {MOST_ATTEMPTS} times, so that it is not tried again. No other "
    "case is affected. Give its sources one by one to see which it is; if that is sound, please report it."
)


@frozen
class NamedSource:
    """A stored source and the name that a person gave it. The name is shown, and used to assign sources to jobs. With
    `of_job`, what the source says about other jobs does not belong to the case."""

    sha256: str
    name: str
    of_job: str | None = None


@frozen
class Sample:
    """What makes a case a sample: a key of its title and content, and its place in the list."""

    key: str
    position: int
    title: str


@frozen
class SourceInCase:
    position: int
    name: str
    sha256: str
    size_bytes: int
    of_job: str | None = None


@frozen
class Snapshot:
    """What a document is made from. Where a case no longer equals its snapshot, it was changed while it was read."""

    case_id: str
    site: str | None
    sources: tuple[SourceInCase, ...]


@frozen
class ReadingResult:
    """Whether one source could be read, and what went wrong."""

    status: SourceStatus
    reader: str | None = None
    message: str | None = None
    next_step: str | None = None


class SourcesGoneError(Exception):
    """The bytes of a source were removed: the case keeps its document, and cannot be read again."""


class UnknownSourceError(Exception):
    """A case names a source that was never uploaded, or is gone."""

    def __init__(self, sha256: str) -> None:
        super().__init__(sha256)
        self.sha256 = sha256


def new_case(
    session: Session,
    sources: Sequence[NamedSource],
    site: str | None = None,
    *,
    sample: Sample | None = None,
    given_by: str | None = None,
    owner: str | None = None,
    usable: ColumnElement[bool] | None = None,
    alone: bool = False,
    looked_up: bool = False,
    splits_by_job: bool = False,
) -> CaseRow:
    """A case that waits to be read, and then to be joined with others of its job unless it is to stay `alone`; one that
    is `looked_up` waits in no queue, one that `splits_by_job` becomes a case for each. Raises `UnknownSourceError`."""
    row = CaseRow(
        id=new_id(),
        created_at=datetime.now(UTC),
        status="reading",
        site=site,
        sample_key=sample.key if sample else None,
        sample_position=sample.position if sample else None,
        title=sample.title if sample else _shown_name(sources[0].name),
        given_by=given_by,
        owner=owner,
        keeps_alone=alone,
        looked_up=looked_up,
        splits_by_job=splits_by_job,
    )
    add_sources(session, row, sources, usable)
    session.add(row)
    enter_new_case(session, row)
    return row


def add_sources(
    session: Session, case: CaseRow, sources: Sequence[NamedSource], usable: ColumnElement[bool] | None = None
) -> None:
    """Adds sources at the end and sets the case to be read again. Raises `UnknownSourceError` and `SourcesGoneError`.

    A source that the case already has is not added again: its numbers would count twice. One for which `usable` does
    not hold is unknown to whoever asks.
    """
    if sources_are_gone(case):
        raise SourcesGoneError
    present = {s.sha256 for s in case.sources}
    new = {source.sha256: source for source in reversed(sources) if source.sha256 not in present}
    # FOR UPDATE, so that nobody deletes a source between this look and the commit; in the order of the hashes, so that
    # two cases of the same sources do not wait for one another.
    for sha256 in sorted(new):
        if session.scalar(source_here(sha256, usable).with_for_update(of=SourceRow)) is None:
            raise UnknownSourceError(sha256)
    for source in sources:
        if new.get(source.sha256) is not source:
            continue
        case.sources.append(
            CaseSourceRow(
                position=len(case.sources),
                name=_shown_name(source.name),
                of_job=source.of_job,
                sha256=source.sha256,
                status="waiting",
            )
        )
    set_to_be_read(case, seeks=case.sample_key is None and not case.keeps_alone)
    session.flush()


def set_site(case: CaseRow, site: str | None) -> None:
    """Chooses another site (None: by the evidence) and sets the case to be read again. Raises `SourcesGoneError`."""
    if sources_are_gone(case):
        raise SourcesGoneError
    case.site = site
    set_to_be_read(case, seeks=case.seeks_job)


def sources_are_gone(case: CaseRow) -> bool:
    """Whether the case cannot be read again."""
    return any(source.source.gone_at is not None for source in case.sources)


def find_case(session: Session, case_id: str, *, with_document: bool = False) -> CaseRow | None:
    """The case, or the case that it was joined into; with its document in the same query where that is wanted."""
    options = (joinedload(CaseRow.sources), joinedload(CaseRow.document)) if with_document else ()
    found = session.get(CaseRow, case_id, options=options) if _may_be_id(case_id) else None
    if found is None or found.joined_into is None:
        return found
    return session.get(CaseRow, found.joined_into, options=options)


def shown_id(session: Session, case_id: str) -> str | None:
    """The id of the case that `find_case` would return."""
    return session.scalar(_SHOWN, {"of_case": case_id}) if _may_be_id(case_id) else None


def lock_case(session: Session, case_id: str) -> CaseRow | None:
    """The case, or the case that it was joined into, locked: nobody else changes or deletes it before this transaction
    ends."""
    found = session.get(CaseRow, case_id, with_for_update=IN_HAND) if _may_be_id(case_id) else None
    if found is None or found.joined_into is None:
        return found
    return session.get(CaseRow, found.joined_into, with_for_update=IN_HAND)


def delete_case(session: Session, folder: SourceFolder, case: CaseRow, by: str) -> None:
    """Removes the case, got by `lock_case`, with what was joined into it, its document, and those of its sources
    that no other case uses."""
    parts = parts_of(session, case.id)
    used = {s.sha256 for one in (case, *parts) for s in one.sources}
    withdraw_case(session, case, by, "case deleted")
    for one in (case, *parts):
        session.delete(one)
    drop_unused_sources(session, folder, used)


def case_of_log(session: Session, sha256: str) -> CaseRow | None:
    """The case of this log: of a ticket rather than one that nobody has taken, and among those the newest. None that
    failed, which another look may mend, nor one of several jobs, or still to be split by them: that is not of this
    log."""
    has_it = select(CaseSourceRow.case_id).where(CaseSourceRow.sha256 == sha256)
    jobs = select(func.count()).where(CaseJobIdRow.case_id == CaseRow.id).scalar_subquery()
    taken = select(TicketCaseRow.case_id).where(TicketCaseRow.case_id == CaseRow.id).exists()
    wanted = select(CaseRow).where(
        CaseRow.sample_key.is_(None),
        CaseRow.status != "failed",
        CaseRow.joined_into.is_(None),
        CaseRow.splits_by_job.is_(False),
        CaseRow.id.in_(has_it),
        jobs <= 1,
    )
    return session.scalars(wanted.order_by(taken.desc(), CaseRow.created_at.desc(), CaseRow.id).limit(1)).first()


def cases_with_all_of(session: Session, case: CaseRow, visible: ColumnElement[bool]) -> Sequence[str]:
    """The ids of other cases that have all of its sources, perhaps more, and for which `visible` holds: those of a
    ticket first, of these and of the others the newest first. Parts of others and samples are none."""
    given = {source.sha256 for source in case.sources}
    shared = select(CaseSourceRow.case_id).where(CaseSourceRow.sha256.in_(given)).group_by(CaseSourceRow.case_id)
    has_all = shared.having(func.count(CaseSourceRow.sha256.distinct()) == len(given))
    taken = select(TicketCaseRow.case_id).where(TicketCaseRow.case_id == CaseRow.id).exists()
    wanted = select(CaseRow.id).where(
        CaseRow.id != case.id, CaseRow.sample_key.is_(None), CaseRow.joined_into.is_(None), CaseRow.id.in_(has_all)
    )
    return session.scalars(
        wanted.where(visible).order_by(taken.desc(), CaseRow.created_at.desc(), CaseRow.id).limit(_MOST_NAMED)
    ).all()


def newest_cases(
    session: Session, limit: int, offset: int, among: ColumnElement[bool] | None = None
) -> tuple[int, Sequence[CaseRow]]:
    """How many cases there are `among` those for which that holds, and one page of them, newest first, without their
    sources."""
    wanted = CaseRow.joined_into.is_(None) & (true() if among is None else among)
    total = session.scalar(select(func.count()).select_from(CaseRow).where(wanted)) or 0
    order = (
        select(CaseRow).where(wanted).options(lazyload(CaseRow.sources)).order_by(CaseRow.created_at.desc(), CaseRow.id)
    )
    return total, session.scalars(order.limit(limit).offset(offset)).all()


def sources_alike(session: Session, cases: Sequence[CaseRow]) -> Mapping[str, str]:
    """By the id of each case a digest of its sources, by which two cases are told to be of the same ones; of one
    without sources its id. Names do not count, nor in what order they were given."""
    asked = select(CaseSourceRow.case_id, CaseSourceRow.sha256, CaseSourceRow.of_job)
    of_case: dict[str, list[str]] = {case.id: [] for case in cases}
    for id, sha256, of_job in session.execute(asked.where(CaseSourceRow.case_id.in_(of_case))):
        of_case[id].append(f"{sha256} {of_job or ''}")
    return {
        id: hashlib.sha256("\n".join(sorted(sources)).encode()).hexdigest()[:_ALIKE_DIGITS] if sources else id
        for id, sources in of_case.items()
    }


def sample_cases(session: Session) -> Sequence[CaseRow]:
    """The samples, in the order of the showcase."""
    samples = select(CaseRow).where(CaseRow.sample_key.is_not(None))
    return session.scalars(samples.order_by(CaseRow.sample_position, CaseRow.id)).all()


def unfinished_cases(session: Session) -> Sequence[str]:
    """The ids of the cases that are still to be read, or still to be compared with other cases of their job; oldest
    first."""
    waiting = select(CaseRow.id).where(_unfinished())
    return session.scalars(waiting.order_by(CaseRow.created_at, CaseRow.id)).all()


def is_unfinished(session: Session, case_id: str) -> bool:
    """Whether this case is unfinished."""
    return session.scalar(select(CaseRow.id).where(CaseRow.id == case_id, _unfinished())) is not None


def _unfinished() -> ColumnElement[bool]:
    return or_(CaseRow.status == "reading", _SOUGHT)


def awaits_joining(session: Session, case_id: str) -> bool:
    """Whether the case has been read, and whether another case is of the same job has still to be checked."""
    return session.scalar(_IS_SOUGHT, {"of_case": case_id}) is not None


def waiting_cases(session: Session, given_by: str) -> int:
    """How many of the client's cases wait or are being read."""
    return session.scalar(_WAITING, {"client": given_by}) or 0


def begin_reading(session: Session, case_id: str, *, excused: bool) -> Snapshot | None:
    """Counts one more attempt, before it is made, and says that the first source is being read; what is to be read, or
    None where the case is gone or not to be read. One that was tried often enough has failed by that. With
    `excused` the last attempt does not count."""
    case = session.get(CaseRow, case_id, with_for_update=IN_HAND)
    if case is None or case.status != "reading" or case.joined_into is not None:
        return None
    if excused and case.attempts > 0:
        case.attempts -= 1
    if case.attempts >= MOST_ATTEMPTS:
        case.status, case.message = "failed", _GIVEN_UP
        return None
    case.attempts += 1
    case.sources[0].status = "reading"
    return snapshot_of(case)


def undo_reading(session: Session, case_id: str) -> None:
    """Takes back an attempt that was cut off for reasons outside the case."""
    case = session.get(CaseRow, case_id, with_for_update=IN_HAND)
    if case is not None and case.attempts > 0:
        case.attempts -= 1


def interrupted_cases(session: Session) -> frozenset[str]:
    """Of the cases that are still to be read, those that were begun before and not finished."""
    begun = select(CaseRow.id).where(CaseRow.status == "reading", CaseRow.attempts > 0)
    return frozenset(session.scalars(begun).all())


def snapshot_of(case: CaseRow) -> Snapshot:
    """What the case is made of at this moment."""
    sources = (SourceInCase(s.position, s.name, s.sha256, s.source.size_bytes, s.of_job) for s in case.sources)
    return Snapshot(case.id, case.site, tuple(sources))


def mark_sources(session: Session, case_id: str, results: Mapping[int, ReadingResult]) -> None:
    """Records how reading each source went, by the sources' positions."""
    for position, result in results.items():
        values = {
            "status": result.status,
            "reader": result.reader,
            "message": column_text(result.message),
            "next_step": column_text(result.next_step),
        }
        carried_out(session, _SOURCE_MARKED, {"of_case": case_id, "at": position, **values})


def finish(
    session: Session,
    seen: Snapshot,
    document: CaseDocument | None,
    message: str | None = None,
    results: Mapping[int, ReadingResult] | None = None,
    identity: CaseIdentity | None = None,
    default_site: str | None = None,
) -> bool:
    """Gives the case its document, which was made under this default site, or says with `message` why there is none,
    and its sources how reading them went (`results`); keeps what they say of their job (`identity`).
    False, and nothing done, where the case has changed since it was `seen`: then it is to be read again. True also
    where the case is gone."""
    case = session.get(CaseRow, seen.case_id, with_for_update=IN_HAND)
    if case is None or case.joined_into is not None:
        return True
    if snapshot_of(case) != seen:
        return False
    if case.severity is not None:
        # It had a document before. What was copied of that one stays where there is none now.
        for table in _WRITTEN_WITH_A_DOCUMENT if document else (CaseDocumentRow,):
            remove_rows_of_case(session, table, case.id)
    case.status = "ready" if document else "failed"
    case.message = message
    case.attempts = 0
    if document:
        write_rows(session, CaseDocumentRow, [_document_row(case.id, document, default_site)])
        _copy_for_the_list(case, document)
        save_identity(session, case, identity or CaseIdentity())
    enter_case(session, case, document)
    mark_sources(session, seen.case_id, results or {})
    return True


def stored_json(case: CaseRow) -> str | None:
    """The case's document as JSON, or None while there is none that this program can read."""
    row = case.document
    return row.json if row is not None and row.version == DOCUMENT_VERSION else None


def stored_document(case: CaseRow) -> CaseDocument | None:
    """The case's document, or None while there is none that this program can read."""
    json = stored_json(case)
    return None if json is None else DOCUMENT.validate_json(json)


def _document_row(case_id: str, document: CaseDocument, default_site: str | None) -> Row:
    made_by = document.made_by
    return {
        "case_id": case_id,
        "json": document_as_json(document).decode(),
        "version": document.version,
        "iotriage_version": made_by.iotriage,
        "readers": made_by.readers or "",
        "decides": made_by.decides or "",
        "words": made_by.words or "",
        "site_version": profile_version(document.site, default_site),
        "made_at": datetime.now(UTC),
    }


def _copy_for_the_list(case: CaseRow, document: CaseDocument) -> None:
    job = document.job
    case.job_id = column_text(job.job_id)
    case.executable = column_text(job.executable)
    case.nprocs = job.nprocs if job.nprocs is not None and job.nprocs <= _LARGEST_BIGINT else None
    case.headline = column_text(document.headline.said)
    case.severity = document.headline.severity
    case.io_time_s = _number(document.metrics.get("job.io_time"))
    case.io_time_fraction = _number(document.metrics.get("job.io_time_fraction"))
    case.io_time_bound = bound_in_document(document).strip()
    if case.sample_key is None:
        case.title = _named_by(document, case) or case.title


def _named_by(document: CaseDocument, case: CaseRow) -> str | None:
    """What was pasted has no name of its own; all else is known by its program."""
    if case.sources[0].name == PASTED:
        return column_text(name_of_text(document))
    return case.executable.rsplit("/", 1)[-1] if case.executable else None


def _number(metric: DocumentMetric | None) -> float | None:
    return float(metric.value) if metric and isinstance(metric.value, int | float) else None


def _may_be_id(text: str) -> bool:
    """Whether it may be a case's id. PostgreSQL refuses to look for a text with NUL in it."""
    return text.isalnum() and text.isascii()


def _shown_name(name: str) -> str:
    return column_text(name)[:NAME_LENGTH] or "unnamed"
