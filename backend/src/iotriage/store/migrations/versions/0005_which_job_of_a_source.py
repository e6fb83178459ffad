"""Which job's parts of a source a case has, where the source is the output of several."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0005"
down_revision = "0004"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("case_source", sa.Column("of_job", sa.Text(), nullable=True))


def downgrade() -> None:
    op.drop_column("case_source", "of_job")
