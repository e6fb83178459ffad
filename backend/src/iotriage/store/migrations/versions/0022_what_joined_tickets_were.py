"""Of a ticket that was joined into another: of which system it was, and which events are of its own history."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0022"
down_revision = "0021"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("joined_ticket", sa.Column("system", sa.Text()))
    op.add_column("ticket_event", sa.Column("joined_from", sa.Integer()))


def downgrade() -> None:
    op.drop_column("ticket_event", "joined_from")
    op.drop_column("joined_ticket", "system")
