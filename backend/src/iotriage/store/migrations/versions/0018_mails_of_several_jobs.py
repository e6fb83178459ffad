"""What comes as one mail is split by its jobs once it is read; what is there already waits for a person, as before."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0018"
down_revision = "0017"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("case", sa.Column("splits_by_job", sa.Boolean(), nullable=False, server_default=sa.false()))


def downgrade() -> None:
    with op.batch_alter_table("case") as table:
        table.drop_column("splits_by_job")
