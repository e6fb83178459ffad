"""Alembic's entry point. The connection comes from `iotriage.store.database`."""

from __future__ import annotations

from alembic import context
from sqlalchemy import Connection

from iotriage.store import access_tables  # noqa: F401 (its tables are of the same metadata)
from iotriage.store.tables import Base

connection = context.config.attributes["connection"]
assert isinstance(connection, Connection)
# SQLite cannot alter most of a table in place: batch mode copies it.
context.configure(connection=connection, target_metadata=Base.metadata, render_as_batch=True, compare_type=True)
with context.begin_transaction():
    context.run_migrations()
