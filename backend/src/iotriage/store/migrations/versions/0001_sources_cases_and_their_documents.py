"""Sources, cases and their documents."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None

_MOMENT = sa.DateTime(timezone=True)


def upgrade() -> None:
    op.create_table(
        "source",
        sa.Column("sha256", sa.String(64), nullable=False),
        sa.Column("size_bytes", sa.BigInteger(), nullable=False),
        sa.Column("added_at", _MOMENT, nullable=False),
        sa.PrimaryKeyConstraint("sha256", name="pk_source"),
    )
    op.create_table(
        "case",
        sa.Column("id", sa.String(16), nullable=False),
        sa.Column("created_at", _MOMENT, nullable=False),
        sa.Column("status", sa.String(16), nullable=False),
        sa.Column("message", sa.Text(), nullable=True),
        sa.Column("site", sa.String(64), nullable=True),
        sa.Column("sample_key", sa.String(64), nullable=True),
        sa.Column("sample_position", sa.Integer(), nullable=True),
        sa.Column("title", sa.Text(), nullable=False),
        sa.Column("job_id", sa.Text(), nullable=True),
        sa.Column("executable", sa.Text(), nullable=True),
        sa.Column("nprocs", sa.BigInteger(), nullable=True),
        sa.Column("headline", sa.Text(), nullable=True),
        sa.Column("severity", sa.String(16), nullable=True),
        sa.Column("io_time_s", sa.Double(), nullable=True),
        sa.Column("io_time_fraction", sa.Double(), nullable=True),
        sa.PrimaryKeyConstraint("id", name="pk_case"),
        sa.UniqueConstraint("sample_key", name="uq_case_sample_key"),
    )
    op.create_index("ix_case_created_at_id", "case", ["created_at", "id"])
    op.create_index("ix_case_status", "case", ["status"])
    op.create_table(
        "case_source",
        sa.Column("case_id", sa.String(16), nullable=False),
        sa.Column("position", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("name", sa.String(255), nullable=False),
        sa.Column("sha256", sa.String(64), nullable=False),
        sa.Column("status", sa.String(16), nullable=False),
        sa.Column("reader", sa.String(64), nullable=True),
        sa.Column("message", sa.Text(), nullable=True),
        sa.Column("next_step", sa.Text(), nullable=True),
        sa.ForeignKeyConstraint(["case_id"], ["case.id"], name="fk_case_source_case_id", ondelete="CASCADE"),
        sa.ForeignKeyConstraint(["sha256"], ["source.sha256"], name="fk_case_source_sha256"),
        sa.PrimaryKeyConstraint("case_id", "position", name="pk_case_source"),
    )
    op.create_index("ix_case_source_sha256", "case_source", ["sha256"])
    op.create_table(
        "case_document",
        sa.Column("case_id", sa.String(16), nullable=False),
        sa.Column("json", sa.Text(), nullable=False),
        sa.Column("version", sa.Integer(), nullable=False),
        sa.Column("iotriage_version", sa.Text(), nullable=False),
        sa.Column("rules_version", sa.Text(), nullable=False),
        sa.Column("site_version", sa.Text(), nullable=False),
        sa.Column("made_at", _MOMENT, nullable=False),
        sa.ForeignKeyConstraint(["case_id"], ["case.id"], name="fk_case_document_case_id", ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("case_id", name="pk_case_document"),
    )


def downgrade() -> None:
    for table in ("case_document", "case_source", "case", "source"):
        op.drop_table(table)
