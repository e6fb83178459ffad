"""Share links that show a case without names. Those of before show it as it is."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0011"
down_revision = "0010"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("share_link", sa.Column("pseudonym_key", sa.Text(), nullable=True))


def downgrade() -> None:
    op.drop_column("share_link", "pseudonym_key")
