"""Of a time in the lists, whether it is the least or the most that it can be. A case that is there says so once its
document is made again."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0014"
down_revision = "0013"
branch_labels = None
depends_on = None

_TABLES = ("case", "queue_entry")


def upgrade() -> None:
    for table in _TABLES:
        op.add_column(table, sa.Column("io_time_bound", sa.String(16), nullable=False, server_default=""))


def downgrade() -> None:
    for name in _TABLES:
        with op.batch_alter_table(name) as table:
            table.drop_column("io_time_bound")
