"""Share links: an address under which anybody may look at one case, until it ends or is revoked.

A link without names answers one page, the case under pseudonyms, and opens nothing: what a link opens is what
`linked_cases` says, which leaves these out.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from datetime import datetime, timedelta

from sqlalchemy import ColumnElement, select, update
from sqlalchemy.orm import Session

from iotriage.access.person import Person
from iotriage.access.secret import fingerprint, new_secret, new_share
from iotriage.store.access_tables import ShareLinkRow
from iotriage.store.rows import rows_changed
from iotriage.store.tables import new_id
from iotriage_parsers.frozen import frozen

LONGEST = timedelta(days=366)


@frozen
class SharedCase:
    """What a link shows, and until when; `pseudonym_key` is None where it shows names."""

    case_id: str
    ends_at: datetime
    pseudonym_key: str | None


def new_link(
    session: Session, case_id: str, maker: Person, now: datetime, lasts: timedelta, *, without_names: bool = False
) -> tuple[ShareLinkRow, str]:
    """The link's row, and what its address ends with, which is not stored."""
    secret = new_share()
    row = ShareLinkRow(
        id=new_id(),
        case_id=case_id,
        hash=fingerprint(secret),
        made_by=maker.id,
        made_at=now,
        ends_at=now + min(lasts, LONGEST),
        pseudonym_key=new_secret() if without_names else None,
    )
    session.add(row)
    session.flush()
    return row, secret


def linked_case(session: Session, secret: str, now: datetime) -> SharedCase | None:
    """The case that the link shows."""
    live = select(ShareLinkRow).where(ShareLinkRow.hash == fingerprint(secret), *_live(now))
    row = session.scalar(live)
    return SharedCase(row.case_id, row.ends_at, row.pseudonym_key) if row else None


def linked_cases(session: Session, secrets: Collection[str], now: datetime) -> frozenset[str]:
    """The cases that these links open: whatever is in them, with its names."""
    hashes = [fingerprint(secret) for secret in secrets]
    naming = (ShareLinkRow.hash.in_(hashes), ShareLinkRow.pseudonym_key.is_(None), *_live(now))
    return frozenset(session.scalars(select(ShareLinkRow.case_id).where(*naming)))


def links_of(session: Session, case_id: str, now: datetime) -> Sequence[ShareLinkRow]:
    """The links of a case that work, newest first."""
    live = select(ShareLinkRow).where(ShareLinkRow.case_id == case_id, *_live(now))
    return session.scalars(live.order_by(ShareLinkRow.made_at.desc())).all()


def revoke_link(session: Session, case_id: str, link_id: str, now: datetime) -> bool:
    """Whether the case had such a link."""
    chosen = update(ShareLinkRow).where(ShareLinkRow.id == link_id, ShareLinkRow.case_id == case_id, *_live(now))
    return rows_changed(session, chosen.values(revoked_at=now)) == 1


def revoke_links_of(session: Session, person: str, now: datetime, case_ids: Collection[str] | None = None) -> int:
    """Revokes what the person made, of these cases or of all; how many those were. Who is not to see a case any more
    does not see it by a link of their own either."""
    chosen = update(ShareLinkRow).where(ShareLinkRow.made_by == person, *_live(now))
    theirs = chosen if case_ids is None else chosen.where(ShareLinkRow.case_id.in_(case_ids))
    return rows_changed(session, theirs.values(revoked_at=now))


def _live(now: datetime) -> tuple[ColumnElement[bool], ...]:
    return (ShareLinkRow.ends_at > now, ShareLinkRow.revoked_at.is_(None))
