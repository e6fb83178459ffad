"""What administrators choose; when a token was first used; which sources went; what an outcome was measured on."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0010"
down_revision = "0009"
branch_labels = None
depends_on = None

_MOMENT = sa.DateTime(timezone=True)


def upgrade() -> None:
    op.create_table(
        "choice",
        sa.Column("name", sa.String(32), nullable=False),
        sa.Column("value", sa.Text(), nullable=False),
        sa.Column("chosen_by", sa.Text(), nullable=False),
        sa.Column("chosen_at", _MOMENT, nullable=False),
        sa.PrimaryKeyConstraint("name", name=op.f("pk_choice")),
    )
    op.add_column("api_token", sa.Column("used_at", _MOMENT, nullable=True))
    op.add_column("source", sa.Column("gone_at", _MOMENT, nullable=True))
    op.add_column("ticket_outcome", sa.Column("measured", sa.Text(), nullable=True))


def downgrade() -> None:
    op.drop_column("ticket_outcome", "measured")
    op.drop_column("source", "gone_at")
    op.drop_column("api_token", "used_at")
    op.drop_table("choice")
