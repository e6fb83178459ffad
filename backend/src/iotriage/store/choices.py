"""Settings that administrators chose on the page, which override the environment's: the server's default site, and how
long data is kept."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Literal, get_args

from sqlalchemy import select
from sqlalchemy.orm import Session

from iotriage.sites import all_sites
from iotriage.store.access_tables import ChoiceRow
from iotriage.store.audit import LEAST_KEPT
from iotriage.store.retention import Retention

Kept = Literal["cases", "sources", "shares", "audit"]
KINDS: tuple[Kept, ...] = get_args(Kept)

_SITE = "site"
_CHOSEN_SITE = select(ChoiceRow.value).where(ChoiceRow.name == _SITE)
_NONE = ""
"""Stored where the choice is to have no default site, or to keep data for ever."""


def chosen_site(session: Session, otherwise: str | None) -> str | None:
    """The site whose thresholds hold where neither the evidence nor a person says which: the one that was chosen, else
    `otherwise`. One whose profile is gone counts for nothing."""
    chosen = session.scalar(_CHOSEN_SITE)
    if chosen is None:
        return otherwise
    return chosen if chosen in all_sites() else None


def choose_site(session: Session, by: str, site: str | None, now: datetime) -> None:
    _choose(session, _SITE, site or _NONE, by, now)


def chosen_retention(session: Session, otherwise: Retention) -> Retention:
    """How long each kind is kept: as was chosen, else as `otherwise` says."""
    chosen = {row.name: row.value for row in session.scalars(select(ChoiceRow).where(ChoiceRow.name.in_(_names())))}

    def kept(kind: Kept, of_environment: timedelta | None) -> timedelta | None:
        value = chosen.get(_name(kind))
        if value is None:
            return of_environment
        return timedelta(days=float(value)) if value else None

    audit = kept("audit", otherwise.audit)
    return Retention(
        cases=kept("cases", otherwise.cases),
        sources=kept("sources", otherwise.sources),
        shares=kept("shares", otherwise.shares),
        audit=None if audit is None else max(audit, LEAST_KEPT),
    )


def choose_retention(session: Session, by: str, kind: Kept, days: float | None, now: datetime) -> None:
    """`days` None keeps it for ever."""
    _choose(session, _name(kind), _NONE if days is None else repr(float(days)), by, now)


def forget_retention(session: Session, kind: Kept) -> None:
    """Removes the choice: the environment's setting holds again."""
    row = session.get(ChoiceRow, _name(kind))
    if row is not None:
        session.delete(row)


def _choose(session: Session, name: str, value: str, by: str, now: datetime) -> None:
    session.merge(ChoiceRow(name=name, value=value, chosen_by=by, chosen_at=now))


def _name(kind: Kept) -> str:
    return f"keep {kind}"


def _names() -> list[str]:
    return [_name(kind) for kind in KINDS]
