"""What made a document is found without reading past the document."""

from __future__ import annotations

from alembic import op

revision = "0012"
down_revision = "0011"
branch_labels = None
depends_on = None

_NAME = "ix_case_document_made_by"
_COLUMNS = ["case_id", "version", "readers", "decides", "words", "site_version"]


def upgrade() -> None:
    op.create_index(_NAME, "case_document", _COLUMNS)


def downgrade() -> None:
    op.drop_index(_NAME, "case_document")
