"""Of what became of advice, the most that the factor can be, where the times are bounds. Outcomes that are there have
none: they were told as one figure."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0016"
down_revision = "0015"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("ticket_outcome", sa.Column("factor_most", sa.Double()))


def downgrade() -> None:
    with op.batch_alter_table("ticket_outcome") as table:
        table.drop_column("factor_most")
