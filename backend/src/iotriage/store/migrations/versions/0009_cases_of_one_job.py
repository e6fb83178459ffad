"""What cases say of their job, and which were joined into which."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0009"
down_revision = "0008"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Cases of before seek nobody: what was given apart stays so."""
    for name in ("seeks_job", "keeps_alone"):
        op.add_column("case", sa.Column(name, sa.Boolean(), nullable=False, server_default=sa.false()))
    op.add_column("case", sa.Column("joined_into", sa.String(16), nullable=True))
    op.add_column("case", sa.Column("joined_at", sa.DateTime(timezone=True), nullable=True))
    op.add_column("case", sa.Column("joined_because", sa.Text(), nullable=True))
    op.create_index(op.f("ix_case_joined_into"), "case", ["joined_into"])
    op.add_column("case_source", sa.Column("came_with", sa.String(16), nullable=True))
    op.create_table(
        "case_said",
        sa.Column("case_id", sa.String(16), nullable=False),
        sa.Column("json", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(["case_id"], ["case.id"], name=op.f("fk_case_said_case_id"), ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("case_id", name=op.f("pk_case_said")),
    )
    op.create_table(
        "case_job_id",
        sa.Column("case_id", sa.String(16), nullable=False),
        sa.Column("job_id", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(["case_id"], ["case.id"], name=op.f("fk_case_job_id_case_id"), ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("case_id", "job_id", name=op.f("pk_case_job_id")),
    )
    op.create_index(op.f("ix_case_job_id_job_id"), "case_job_id", ["job_id"])


def downgrade() -> None:
    op.drop_table("case_job_id")
    op.drop_table("case_said")
    op.drop_column("case_source", "came_with")
    op.drop_index(op.f("ix_case_joined_into"), "case")
    for name in ("joined_because", "joined_at", "joined_into", "keeps_alone", "seeks_job"):
        op.drop_column("case", name)
