"""Digests of the program that made a document, and how often it was tried to make one again.

The digests of earlier documents are empty: those documents are stale.
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"
branch_labels = None
depends_on = None

_DIGESTS = ("readers", "decides", "words")


def upgrade() -> None:
    for name in _DIGESTS:
        op.add_column("case_document", sa.Column(name, sa.Text(), nullable=False, server_default=""))
    op.drop_column("case_document", "rules_version")
    op.add_column("case", sa.Column("renewals", sa.Integer(), nullable=False, server_default="0"))
    op.add_column("case", sa.Column("renewed_by", sa.Text(), nullable=False, server_default=""))


def downgrade() -> None:
    op.drop_column("case", "renewed_by")
    op.drop_column("case", "renewals")
    op.add_column("case_document", sa.Column("rules_version", sa.Text(), nullable=False, server_default=""))
    for name in reversed(_DIGESTS):
        op.drop_column("case_document", name)
