"""Cases that staff made to look at a log of the centre's warehouse stand in no queue. Those that are there stay where
they are: which they are, nobody noted."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0017"
down_revision = "0016"
branch_labels = None
depends_on = None

_TABLES = ("case", "queue_entry")
_BEFORE, _NOW = "ix_queue_entry_severity_status_owner", "ix_queue_entry_severity_status_owner_looked_up"


def upgrade() -> None:
    for table in _TABLES:
        op.add_column(table, sa.Column("looked_up", sa.Boolean(), nullable=False, server_default=sa.false()))
    op.drop_index(_BEFORE, "queue_entry")
    op.create_index(_NOW, "queue_entry", ["severity", "status", "owner", "looked_up"])


def downgrade() -> None:
    op.drop_index(_NOW, "queue_entry")
    op.create_index(_BEFORE, "queue_entry", ["severity", "status", "owner"])
    for name in _TABLES:
        with op.batch_alter_table(name) as table:
            table.drop_column("looked_up")
