"""A run of which nobody said the side is placed by the start of its job; those that are there stay where they are."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0019"
down_revision = "0018"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("ticket_case", sa.Column("presumed", sa.Boolean(), nullable=False, server_default=sa.false()))


def downgrade() -> None:
    with op.batch_alter_table("ticket_case") as table:
        table.drop_column("presumed")
