"""Which client gave a source and made a case, so that what each may store and have read can be bounded."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision = "0003"
branch_labels = None
depends_on = None

_TABLES = ("source", "case")


def upgrade() -> None:
    for table in _TABLES:
        op.add_column(table, sa.Column("given_by", sa.Text(), nullable=True))
        op.create_index(f"ix_{table}_given_by", table, ["given_by"])


def downgrade() -> None:
    for table in _TABLES:
        op.drop_index(f"ix_{table}_given_by", table)
        op.drop_column(table, "given_by")
