"""A ticket that was joined into another leads there by its number and its reference."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0021"
down_revision = "0020"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "joined_ticket",
        sa.Column("number", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("reference", sa.Text(), nullable=True),
        sa.Column("ticket_id", sa.Integer(), nullable=False),
        sa.ForeignKeyConstraint(
            ["ticket_id"], ["ticket.id"], name=op.f("fk_joined_ticket_ticket_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("number", name=op.f("pk_joined_ticket")),
    )
    op.create_index(op.f("ix_joined_ticket_reference"), "joined_ticket", ["reference"])
    op.create_index(op.f("ix_joined_ticket_ticket_id"), "joined_ticket", ["ticket_id"])


def downgrade() -> None:
    op.drop_table("joined_ticket")
