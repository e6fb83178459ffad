"""Joins cases of one job: the earlier one takes the sources of the later one, which stays as its part.

Joining never shows anybody what they could not see before: only cases that the same people may see are joined. A case
that a person keeps alone stays alone. Everything happens in one transaction. A case that was read and not yet compared
with the others (`seeks_job`) is unfinished: if that was cut off, it is taken up again like a case that waits.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta
from functools import cache

from pydantic import TypeAdapter
from sqlalchemy import ColumnElement, Select, bindparam, select, update
from sqlalchemy.orm import Session

from iotriage.analysis.jobs import CaseIdentity, Joinable, NotJoinable, are_incompatible, match_cases
from iotriage.store.access_tables import CasePersonRow, PersonRow, ShareLinkRow
from iotriage.store.audit import ITSELF, AuditContext, record
from iotriage.store.column_text import column_text
from iotriage.store.queue_entries import enter_case, refresh_ticket, reopen_ticket, ticket_of_case, withdraw_case
from iotriage.store.rows import carried_out, remove_rows_of_case, table_of, write_rows
from iotriage.store.tables import IN_HAND, CaseIdentityRow, CaseJobIdRow, CaseRow, CaseSourceRow
from iotriage.store.ticket_tables import CaseFactsRow, CaseFindingRow, EventRow, TicketCaseRow, TicketRow
from iotriage_parsers.frozen import frozen

MOST_LOOKED_AT = 20
"""Number of cases that are compared, the newest: in a folder of test logs all may name the same job."""

UPLOADED_TOGETHER = timedelta(days=1)
"""Time within which sources that name no job are taken to be of the same run: later, a file of the same name may be a
new one with another striping. Our own number."""

_CASES = table_of(CaseRow)
_SEEKS_NO_MORE = update(_CASES).where(_CASES.c.id == bindparam("of_case"), _CASES.c.status == "ready")
_SAID_BY = (
    select(CaseRow.owner, CaseRow.created_at, CaseIdentityRow.json)
    .join(CaseIdentityRow, CaseIdentityRow.case_id == CaseRow.id)
    .where(CaseRow.id == bindparam("of_case"), CaseRow.joined_into.is_(None))
)
_PARTS = select(CaseRow).where(CaseRow.joined_into == bindparam("of_case")).order_by(CaseRow.joined_at, CaseRow.id)

_STAFF = ("helpdesk", "admin")
_IDENTITY = TypeAdapter(CaseIdentity)


class NotJoinedError(Exception):
    """The cases cannot be one; the message is a sentence for a person."""


@frozen
class OtherCase:
    """Another case of the same job, with the names of its sources, since cases of one program have the same title; and
    the reason why it is not a part of this one."""

    id: str
    title: str
    sources: tuple[str, ...]
    because: str


def save_identity(session: Session, case: CaseRow, identity: CaseIdentity) -> None:
    """Stores what the case says about its job, once. A case that says nothing about one is not joined by itself."""
    if not identity.says_anything or case.sample_key is not None:
        case.seeks_job = False
        return
    write_rows(session, CaseIdentityRow, [{"case_id": case.id, "json": _IDENTITY.dump_json(identity).decode()}])
    write_rows(session, CaseJobIdRow, [{"case_id": case.id, "job_id": job_id} for job_id in _stored_ids(identity)])


def _stored_ids(identity: CaseIdentity) -> list[str]:
    """The ids of jobs that it names, as the database has them."""
    return sorted({kept for job_id in identity.ids if (kept := column_text(job_id))})


def join_by_itself(session: Session, case_id: str) -> str | None:
    """Compares the case with others that may be of its job, and joins it with one that fits. Returns the id of the
    joined case, which is to be read; None where nothing was joined: none fits, or several fit that differ from one
    another, and nobody knows which is right."""
    others = _matching_cases(session, case_id, uploaded_together=True)
    found = [(id, match, identity) for id, match, identity in others if isinstance(match, Joinable)]
    if found and not _any_differ([identity for *_, identity in found]):
        other_id, match, _ = found[0]
        one, other = _locked(session, case_id, other_id)
        if one is not None and other is not None and one.seeks_job and _may_join(session, one, other):
            return _join(session, one, other, match.because, ITSELF)
    # One that took another's sources meanwhile is to be read, and held against the others again after that.
    carried_out(session, _SEEKS_NO_MORE, {"of_case": case_id, "seeks_job": False})
    return None


def join_by_hand(session: Session, case_id: str, other_id: str, by: str) -> str:
    """Joins two cases because a person says so, and returns the id of the case that is to be read. Raises
    `NotJoinedError`."""
    one, other = _locked(session, case_id, other_id)
    if one is None or other is None or one is other:
        raise NotJoinedError("One of them is not there, or they are one case already.")
    if one.sample_key is not None or other.sample_key is not None:
        raise NotJoinedError("A sample stays as it is.")
    if _seen_otherwise(session, one, other) is not None:
        raise NotJoinedError("Not the same people may see them.")
    if _of_two_tickets(session, one, other) is not None:
        raise NotJoinedError("They are of two tickets: take one of them out of its ticket first.")
    return _join(session, one, other, f"{by} said that both are of one job", by)


def separate(session: Session, case_id: str) -> str | None:
    """Makes a part a case of its own again, which stays alone; of a case that is no part only that is noted. The id of
    the case that loses it and is to be read, as the part itself is; None where it was none."""
    into = session.scalar(select(CaseRow.joined_into).where(CaseRow.id == case_id))
    if into is None:
        session.execute(update(CaseRow).where(CaseRow.id == case_id).values(keeps_alone=True, seeks_job=False))
        return None
    part, whole = _locked(session, case_id, into)
    if part is None or whole is None or part.joined_into != whole.id:
        return None
    _take_out(session, whole, part.id)
    # What was joined into the part is the whole's by now.
    part.sources = [source for source in part.sources if source.came_with is None]
    _number(session, part)
    part.joined_into = part.joined_at = part.joined_because = None
    part.keeps_alone = True
    for case in (part, whole):
        set_to_be_read(case, seeks=False)
    ticket = session.get(TicketCaseRow, whole.id)
    if ticket is not None:
        part.looked_up = False
        session.add(
            TicketCaseRow(
                case_id=part.id,
                ticket_id=ticket.ticket_id,
                role=ticket.role,
                presumed=ticket.presumed,
                added_at=datetime.now(UTC),
            )
        )
    enter_case(session, part)
    return whole.id


def others_of_job(session: Session, case_id: str, visible: ColumnElement[bool]) -> tuple[OtherCase, ...]:
    """The other cases of the same job, or that may be of it, for which `visible` holds, the oldest first."""
    found = {id: match for id, match, _ in _matching_cases(session, case_id, visible)}
    titles = session.execute(select(CaseRow.id, CaseRow.title).where(CaseRow.id.in_(found)))
    title_of = {row.id: row.title for row in titles}
    asked = select(CaseSourceRow.case_id, CaseSourceRow.name).where(CaseSourceRow.case_id.in_(found))
    names: dict[str, list[str]] = {id: [] for id in found}
    for id, name in session.execute(asked.order_by(CaseSourceRow.position)):
        names[id].append(name)
    return tuple(OtherCase(id, title_of[id], tuple(names[id]), match.because) for id, match in found.items())


def parts_of(session: Session, case_id: str) -> Sequence[CaseRow]:
    """The cases that were joined into it, in the order in which that was done."""
    return session.scalars(_PARTS, {"of_case": case_id}).all()


@frozen
class _ThisCase:
    """The case with which the others are compared."""

    id: str
    owner: str | None
    created_at: datetime


def _candidates(
    session: Session,
    case: _ThisCase,
    identity: CaseIdentity,
    visible: ColumnElement[bool] | None,
    *,
    uploaded_together: bool,
) -> list[tuple[str, CaseIdentity]]:
    """Cases that name one of its jobs; and where it or they name none, those that the same person gave, about when it
    was given itself with `uploaded_together`: the ids, with what each says. Parts of others are left out. The oldest
    first, of each kind the newest."""
    ids = _stored_ids(identity)
    around = {"since": case.created_at - UPLOADED_TOGETHER, "until": case.created_at + UPLOADED_TOGETHER}
    asked = {"of_case": case.id, "owner": case.owner, "ids": ids, **around}
    kinds = _newest_of(names_jobs=bool(ids), owned=case.owner is not None, uploaded_together=uploaded_together)
    found = {
        (created_at, id): json
        for newest in kinds
        for created_at, id, json in session.execute(newest if visible is None else newest.where(visible), asked)
    }
    return [(id, _IDENTITY.validate_json(json)) for (_, id), json in sorted(found.items())]


@cache
def _newest_of(*, names_jobs: bool, owned: bool, uploaded_together: bool) -> tuple[Select[datetime, str, str], ...]:
    of_owner = CaseRow.owner == bindparam("owner") if owned else CaseRow.owner.is_(None)
    if uploaded_together:
        # Else all that the person ever gave is looked through for each new case.
        of_owner &= CaseRow.created_at.between(bindparam("since"), bindparam("until"))
    kinds: tuple[ColumnElement[bool], ...] = (of_owner,)
    if names_jobs:
        naming = select(CaseJobIdRow.case_id).where(CaseJobIdRow.job_id.in_(bindparam("ids", expanding=True)))
        names_none = ~select(CaseJobIdRow.job_id).where(CaseJobIdRow.case_id == CaseRow.id).exists()
        kinds = (CaseRow.id.in_(naming), of_owner & names_none)
    free = (CaseRow.id != bindparam("of_case")) & CaseRow.joined_into.is_(None)
    with_identity = select(CaseRow.created_at, CaseRow.id, CaseIdentityRow.json).join(
        CaseIdentityRow, CaseIdentityRow.case_id == CaseRow.id
    )
    newest = with_identity.where(free).order_by(CaseRow.created_at.desc(), CaseRow.id).limit(MOST_LOOKED_AT)
    return tuple(newest.where(kind) for kind in kinds)


def _matching_cases(
    session: Session, case_id: str, visible: ColumnElement[bool] | None = None, *, uploaded_together: bool = False
) -> list[tuple[str, Joinable | NotJoinable, CaseIdentity]]:
    """The others, the oldest first, whether each may be joined and what it says; those alone for which `visible` holds,
    and with `uploaded_together` none that cannot be of its job for when it was given."""
    row = session.execute(_SAID_BY, {"of_case": case_id}).one_or_none()
    if row is None:
        return []
    identity = _IDENTITY.validate_json(row.json)
    found: list[tuple[str, Joinable | NotJoinable, CaseIdentity]] = []
    asking = _ThisCase(case_id, row.owner, row.created_at)
    for other_id, other_identity in _candidates(
        session, asking, identity, visible, uploaded_together=uploaded_together
    ):
        match = match_cases(identity, other_identity)
        if match is None:
            continue
        case, other = session.get(CaseRow, case_id), session.get(CaseRow, other_id)
        # Either may have been deleted since it was found.
        if case is None or other is None or _has_a_file_of(case, other):
            continue
        refused = _why_separate(session, case, other) if isinstance(match, Joinable) else None
        if refused is None and isinstance(match, Joinable) and not identity.ids & other_identity.ids:
            refused = _uploaded_apart(case, other)
        found.append((other_id, match if refused is None else NotJoinable(refused), other_identity))
    return found


def _uploaded_apart(one: CaseRow, other: CaseRow) -> str | None:
    """Why two cases that have no job id in common are not joined without being asked."""
    if abs(one.created_at - other.created_at) > UPLOADED_TOGETHER:
        return "they tell of one file, and were given more than a day apart"
    return None


def _why_separate(session: Session, one: CaseRow, other: CaseRow) -> str | None:
    """Why two cases of one job are not joined without being asked."""
    if one.keeps_alone or other.keeps_alone:
        return "one of them is to stay alone, as somebody said"
    return _seen_otherwise(session, one, other) or _of_two_tickets(session, one, other)


def _has_a_file_of(one: CaseRow, other: CaseRow) -> bool:
    """Whether they have a file in common. Such a case was uploaded again on purpose, and is not joined."""
    return not {s.sha256 for s in one.sources}.isdisjoint(s.sha256 for s in other.sources)


def _may_join(session: Session, one: CaseRow, other: CaseRow) -> bool:
    """Checks again, under the lock, that the two cases may be joined."""
    both_free = one.joined_into is None and other.joined_into is None
    return both_free and not _has_a_file_of(one, other) and _why_separate(session, one, other) is None


def _seen_otherwise(session: Session, one: CaseRow, other: CaseRow) -> str | None:
    if one.owner is None or other.owner is None or _audience(session, one) != _audience(session, other):
        return "not the same people may see them"
    return None


def _audience(session: Session, case: CaseRow) -> frozenset[str]:
    """Everybody who can see the case beside the helpdesk, which sees all cases: people, and share links that still
    work."""
    given_to = select(CasePersonRow.person).where(CasePersonRow.case_id == case.id)
    people = {case.owner, *session.scalars(given_to)}
    staff = set(session.scalars(select(PersonRow.id).where(PersonRow.id.in_(people), PersonRow.role.in_(_STAFF))))
    works = ShareLinkRow.revoked_at.is_(None) & (ShareLinkRow.ends_at > datetime.now(UTC))
    links = session.scalars(select(ShareLinkRow.id).where(ShareLinkRow.case_id == case.id, works))
    return frozenset((*(f"person {person}" for person in people - staff), *(f"link {link}" for link in links)))


def _of_two_tickets(session: Session, one: CaseRow, other: CaseRow) -> str | None:
    tickets = select(TicketCaseRow.ticket_id).where(TicketCaseRow.case_id.in_((one.id, other.id))).distinct()
    return "they are of two tickets" if len(session.scalars(tickets).all()) > 1 else None


def _any_differ(identities: Sequence[CaseIdentity]) -> bool:
    """Whether two of them cannot be of one case. If none differ they join one after another, and each is compared again
    with the larger case."""
    return any(are_incompatible(a, b) for i, a in enumerate(identities) for b in identities[i + 1 :])


def _locked(session: Session, one: str, other: str) -> tuple[CaseRow | None, CaseRow | None]:
    """Both cases, locked in the order of their ids, so that two transactions that want the same two do not deadlock."""
    held = {
        id: session.get(CaseRow, id, with_for_update=IN_HAND, populate_existing=True) for id in sorted({one, other})
    }
    return held[one], held[other]


def _join(session: Session, one: CaseRow, other: CaseRow, because: str, by: str) -> str:
    """Gives the sources of the later case to the earlier one; returns the earlier one's id."""
    whole, part = sorted((one, other), key=lambda case: (case.created_at, case.id))
    present = {source.sha256 for source in whole.sources}
    for source in part.sources:
        if source.sha256 not in present:
            whole.sources.append(
                CaseSourceRow(
                    position=len(whole.sources),
                    name=source.name,
                    of_job=source.of_job,
                    came_with=source.came_with or part.id,
                    sha256=source.sha256,
                    status="waiting",
                )
            )
    now = datetime.now(UTC)
    whole.site = whole.site or part.site
    whole.keeps_alone = part.keeps_alone = False
    whole.looked_up = whole.looked_up and part.looked_up
    set_to_be_read(whole, seeks=True)
    session.execute(update(CaseRow).where(CaseRow.joined_into == part.id).values(joined_into=whole.id))
    part.joined_into, part.joined_at, part.joined_because = whole.id, now, column_text(because)
    part.status, part.message, part.seeks_job, part.document = "ready", None, False, None
    _hand_ticket_over(session, part, whole, by)
    _tell_ticket(session, whole, by)
    withdraw_case(session, part, by, "case removed")
    for table in (CaseFactsRow, CaseFindingRow):
        remove_rows_of_case(session, table, part.id)
    enter_case(session, whole)
    record(session, AuditContext(by, "nothing", "case joined", part.id, f"into {whole.id}"), now)
    return whole.id


def _hand_ticket_over(session: Session, part: CaseRow, whole: CaseRow, by: str) -> None:
    """The part's ticket gets the joined case in its place, in the same role."""
    row = session.get(TicketCaseRow, part.id)
    if row is None or session.get(TicketCaseRow, whole.id) is not None:
        return
    ticket_id, now = row.ticket_id, datetime.now(UTC)
    taken = {"role": row.role, "presumed": row.presumed, "added_at": row.added_at}
    session.add(TicketCaseRow(case_id=whole.id, ticket_id=ticket_id, **taken))
    session.add(EventRow(ticket_id=ticket_id, at=now, by=by, kind="case added", before=row.role, after=whole.id))
    session.delete(row)
    session.add(EventRow(ticket_id=ticket_id, at=now, by=by, kind="case removed", before=part.id))
    refresh_ticket(session, ticket_id)


def _tell_ticket(session: Session, whole: CaseRow, by: str) -> None:
    """Reopens the ticket of the case, if it has one: what it waited for may have come."""
    ticket_id = ticket_of_case(session, whole.id)
    if ticket_id is not None:
        reopen_ticket(session, session.get_one(TicketRow, ticket_id, with_for_update=True), by)


def _take_out(session: Session, whole: CaseRow, part_id: str) -> None:
    whole.sources = [source for source in whole.sources if source.came_with != part_id]
    _number(session, whole)


def narrow_case(session: Session, case: CaseRow, kept: Mapping[int, str | None]) -> None:
    """The case keeps the sources at these places alone, with what each says of this job, or with all of it, and is read
    again."""
    case.sources = [source for source in case.sources if source.position in kept]
    for source in case.sources:
        source.of_job = kept[source.position]
    _number(session, case)
    set_to_be_read(case, seeks=not case.keeps_alone)


def _number(session: Session, case: CaseRow) -> None:
    """Renumbers positions without gaps, since sources are asked for by position. Positions are part of the key, so rows
    move one at a time, downwards, into a free place."""
    session.flush()
    for place, source in enumerate(sorted(case.sources, key=lambda source: source.position)):
        if source.position != place:
            source.position = place
            session.flush()


def set_to_be_read(case: CaseRow, *, seeks: bool) -> None:
    """The case waits as a new one does; whether it is held against others of its job (`seeks`) once it was read."""
    case.status, case.message, case.attempts, case.seeks_job = "reading", None, 0, seeks
