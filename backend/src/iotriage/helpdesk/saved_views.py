"""Filters of the queue that somebody saved under a name."""

from __future__ import annotations

from pydantic import TypeAdapter
from sqlalchemy import or_, select
from sqlalchemy.orm import Session

from iotriage.helpdesk.queue import QueueFilter, Sort
from iotriage.store.column_text import column_text
from iotriage.store.ticket_tables import SavedViewRow
from iotriage_parsers.frozen import frozen

_LARGEST_ID = 2**31 - 1


@frozen
class ViewOf:
    """What a view shows."""

    filter: QueueFilter
    sort: Sort


@frozen
class SavedView:
    """`shared` where everybody of the helpdesk may use it; only its owner changes it."""

    id: int
    name: str
    owner: str
    shared: bool
    filter: QueueFilter
    sort: Sort


_VIEW = TypeAdapter(ViewOf)


def saved_views(session: Session, by: str) -> tuple[SavedView, ...]:
    """The person's own views and the shared ones, by name."""
    visible = select(SavedViewRow).where(or_(SavedViewRow.owner == by, SavedViewRow.shared))
    return tuple(_view(row) for row in session.scalars(visible.order_by(SavedViewRow.name, SavedViewRow.id)))


def save_view(session: Session, by: str, name: str, shown: ViewOf, *, shared: bool) -> SavedView:
    """Saves the view, replacing the person's own view of that name."""
    known = select(SavedViewRow).where(SavedViewRow.owner == by, SavedViewRow.name == column_text(name))
    row = session.scalar(known) or SavedViewRow(owner=by, name=column_text(name))
    row.shared, row.filter = shared, _VIEW.dump_json(shown).decode()
    session.add(row)
    session.flush()
    return _view(row)


def delete_view(session: Session, by: str, view_id: int) -> bool:
    """Deletes the person's own view; whether there was one."""
    row = session.get(SavedViewRow, view_id) if 0 < view_id <= _LARGEST_ID else None
    if row is None or row.owner != by:
        return False
    session.delete(row)
    return True


def _view(row: SavedViewRow) -> SavedView:
    shown = _VIEW.validate_json(row.filter)
    return SavedView(row.id, row.name, row.owner, row.shared, shown.filter, shown.sort)
