"""Who did what to which case: entries that the database keeps as they are, and for thirty days at least."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0008"
down_revision = "0007"
branch_labels = None
depends_on = None

_SQLITE = (
    """CREATE TRIGGER audit_never_changed BEFORE UPDATE ON audit BEGIN
    SELECT RAISE(ABORT, 'an entry of the audit log is never changed');
END""",
    """CREATE TRIGGER audit_kept BEFORE DELETE ON audit WHEN old.at > datetime('now', '-30 days') BEGIN
    SELECT RAISE(ABORT, 'an entry of the audit log is kept for 30 days');
END""",
)

_POSTGRESQL = (
    """CREATE FUNCTION audit_refuses() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
    RAISE EXCEPTION 'an entry of the audit log is never changed, and kept for 30 days';
END $$""",
    "CREATE TRIGGER audit_never_changed BEFORE UPDATE ON audit FOR EACH ROW EXECUTE FUNCTION audit_refuses()",
    """CREATE TRIGGER audit_kept BEFORE DELETE ON audit FOR EACH ROW
    WHEN (OLD.at > now() - interval '30 days') EXECUTE FUNCTION audit_refuses()""",
    "CREATE TRIGGER audit_never_emptied BEFORE TRUNCATE ON audit FOR EACH STATEMENT EXECUTE FUNCTION audit_refuses()",
)


def upgrade() -> None:
    op.create_table(
        "audit",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("person", sa.Text(), nullable=False),
        sa.Column("by", sa.String(16), nullable=False),
        sa.Column("action", sa.Text(), nullable=False),
        sa.Column("case_id", sa.String(16), nullable=True),
        sa.Column("about", sa.Text(), nullable=True),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_audit")),
    )
    op.create_index(op.f("ix_audit_case_id_id"), "audit", ["case_id", "id"])
    op.create_index(op.f("ix_audit_person_id"), "audit", ["person", "id"])
    op.create_index(op.f("ix_audit_at"), "audit", ["at"])
    for trigger in _POSTGRESQL if op.get_bind().dialect.name == "postgresql" else _SQLITE:
        op.execute(trigger)


def downgrade() -> None:
    op.drop_table("audit")
    if op.get_bind().dialect.name == "postgresql":
        op.execute("DROP FUNCTION audit_refuses()")
