"""Whose a case is, who sent a source; people, sessions, tokens and share links."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0006"
down_revision = "0005"
branch_labels = None
depends_on = None

_MOMENT = sa.DateTime(timezone=True)


def upgrade() -> None:
    op.add_column("case", sa.Column("owner", sa.Text(), nullable=True))
    op.create_index("ix_case_owner", "case", ["owner"])
    op.create_table(
        "person",
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("role", sa.String(16), nullable=False),
        sa.Column("seen_at", _MOMENT, nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_person"),
    )
    op.create_table(
        "session",
        sa.Column("hash", sa.String(64), nullable=False),
        sa.Column("person", sa.Text(), nullable=False),
        sa.Column("made_at", _MOMENT, nullable=False),
        sa.Column("ends_at", _MOMENT, nullable=False),
        sa.ForeignKeyConstraint(["person"], ["person.id"], name="fk_session_person", ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("hash", name="pk_session"),
    )
    op.create_index("ix_session_person", "session", ["person"])
    op.create_table(
        "sign_in_code",
        sa.Column("hash", sa.String(64), nullable=False),
        sa.Column("ends_at", _MOMENT, nullable=False),
        sa.PrimaryKeyConstraint("hash", name="pk_sign_in_code"),
    )
    op.create_table(
        "api_token",
        sa.Column("id", sa.String(16), nullable=False),
        sa.Column("person", sa.Text(), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("scope", sa.String(16), nullable=False),
        sa.Column("hash", sa.String(64), nullable=False),
        sa.Column("made_at", _MOMENT, nullable=False),
        sa.Column("ends_at", _MOMENT, nullable=False),
        sa.Column("revoked_at", _MOMENT, nullable=True),
        sa.ForeignKeyConstraint(["person"], ["person.id"], name="fk_api_token_person", ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("id", name="pk_api_token"),
        sa.UniqueConstraint("hash", name="uq_api_token_hash"),
    )
    op.create_index("ix_api_token_person", "api_token", ["person"])
    op.create_table(
        "share_link",
        sa.Column("id", sa.String(16), nullable=False),
        sa.Column("case_id", sa.String(16), nullable=False),
        sa.Column("hash", sa.String(64), nullable=False),
        sa.Column("made_by", sa.Text(), nullable=False),
        sa.Column("made_at", _MOMENT, nullable=False),
        sa.Column("ends_at", _MOMENT, nullable=False),
        sa.Column("revoked_at", _MOMENT, nullable=True),
        sa.ForeignKeyConstraint(["case_id"], ["case.id"], name="fk_share_link_case_id", ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("id", name="pk_share_link"),
        sa.UniqueConstraint("hash", name="uq_share_link_hash"),
    )
    op.create_index("ix_share_link_case_id", "share_link", ["case_id"])
    op.create_table(
        "case_person",
        sa.Column("case_id", sa.String(16), nullable=False),
        sa.Column("person", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(["case_id"], ["case.id"], name="fk_case_person_case_id", ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("case_id", "person", name="pk_case_person"),
    )
    op.create_index("ix_case_person_person", "case_person", ["person"])
    op.create_table(
        "source_giver",
        sa.Column("sha256", sa.String(64), nullable=False),
        sa.Column("person", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(["sha256"], ["source.sha256"], name="fk_source_giver_sha256", ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("sha256", "person", name="pk_source_giver"),
    )
    op.create_index("ix_source_giver_person", "source_giver", ["person"])


def downgrade() -> None:
    for table in ("source_giver", "case_person", "share_link", "api_token", "sign_in_code", "session", "person"):
        op.drop_table(table)
    op.drop_index("ix_case_owner", "case")
    op.drop_column("case", "owner")
