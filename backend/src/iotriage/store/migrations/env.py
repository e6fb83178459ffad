"""Alembic's entry point. The connection comes from `iotriage.store.database`."""

from __future__ import annotations

from alembic import context
from sqlalchemy import Connection

from iotriage.store import access_tables, audit, ticket_tables  # noqa: F401 (their tables are of the same metadata)
from iotriage.store.search_text import FULL_TEXT
from iotriage.store.tables import Base


def _is_ours(name: str | None, *_: object) -> bool:
    """What finds words is made by hand in the migrations: no model can say it."""
    return name is None or not name.startswith(FULL_TEXT)


connection = context.config.attributes["connection"]
assert isinstance(connection, Connection)
# SQLite cannot alter most of a table in place: batch mode copies it.
context.configure(
    connection=connection,
    target_metadata=Base.metadata,
    render_as_batch=True,
    compare_type=True,
    include_name=_is_ours,
)
with context.begin_transaction():
    context.run_migrations()
