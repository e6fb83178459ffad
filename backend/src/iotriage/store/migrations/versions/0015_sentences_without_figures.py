"""The sentence on top of a case without its figure, for the queue, where that has a column of its own. A case that is
there has it once its document is made again."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0015"
down_revision = "0014"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("case_facts", sa.Column("sentence", sa.Text(), nullable=True))


def downgrade() -> None:
    op.drop_column("case_facts", "sentence")
