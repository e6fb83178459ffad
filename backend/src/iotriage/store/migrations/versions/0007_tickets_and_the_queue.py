"""Tickets, the queue, its search, and what both copy of cases."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0007"
down_revision = "0006"
branch_labels = None
depends_on = None

_MOMENT = sa.DateTime(timezone=True)

_FTS5 = """CREATE VIRTUAL TABLE search_index USING fts5(
    words, content = 'search_text', content_rowid = 'id', detail = none, tokenize = 'unicode61 remove_diacritics 0'
)"""
"""Words each by itself, as `iotriage.store.search_text` makes them: no places of them are kept."""

_KEPT = (
    """CREATE TRIGGER search_text_added AFTER INSERT ON search_text BEGIN
    INSERT INTO search_index (rowid, words) VALUES (new.id, new.words);
END""",
    """CREATE TRIGGER search_text_removed AFTER DELETE ON search_text BEGIN
    INSERT INTO search_index (search_index, rowid, words) VALUES ('delete', old.id, old.words);
END""",
    """CREATE TRIGGER search_text_changed AFTER UPDATE OF words ON search_text BEGIN
    INSERT INTO search_index (search_index, rowid, words) VALUES ('delete', old.id, old.words);
    INSERT INTO search_index (rowid, words) VALUES (new.id, new.words);
END""",
)

_TSVECTOR = (
    """ALTER TABLE search_text ADD COLUMN search_index tsvector
    GENERATED ALWAYS AS (array_to_tsvector(string_to_array(words, ' '))) STORED""",
    "CREATE INDEX search_index_gin ON search_text USING gin (search_index)",
)


def upgrade() -> None:
    op.create_table(
        "saved_view",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("owner", sa.Text(), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("shared", sa.Boolean(), nullable=False),
        sa.Column("filter", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_saved_view"),
        sa.UniqueConstraint("owner", "name", name="uq_saved_view_owner_name"),
    )
    op.create_table(
        "ticket",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("reference", sa.Text(), nullable=True),
        sa.Column("subject", sa.Text(), nullable=False),
        sa.Column("status", sa.String(16), nullable=False),
        sa.Column("owner", sa.Text(), nullable=True),
        sa.Column("system", sa.Text(), nullable=True),
        sa.Column("user", sa.Text(), nullable=True),
        sa.Column("project", sa.Text(), nullable=True),
        sa.Column("application", sa.Text(), nullable=True),
        sa.Column("version", sa.Integer(), nullable=False),
        sa.Column("created_at", _MOMENT, nullable=False),
        sa.Column("created_by", sa.Text(), nullable=False),
        sa.Column("changed_at", _MOMENT, nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_ticket"),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_ticket_reference", "ticket", ["reference"])
    op.create_table(
        "case_facts",
        sa.Column("case_id", sa.String(16), nullable=False),
        sa.Column("rule", sa.String(64), nullable=True),
        sa.Column("system", sa.Text(), nullable=True),
        sa.Column("user", sa.Text(), nullable=True),
        sa.Column("project", sa.Text(), nullable=True),
        sa.Column("application", sa.Text(), nullable=True),
        sa.Column("nodes", sa.Integer(), nullable=True),
        sa.Column("started_s", sa.Double(), nullable=True),
        sa.Column("lost_s", sa.Double(), nullable=True),
        sa.Column("node_hours", sa.Double(), nullable=True),
        sa.Column("could_save_s", sa.Double(), nullable=True),
        sa.Column("advised", sa.Text(), nullable=True),
        sa.Column("portrait", sa.Text(), nullable=True),
        sa.ForeignKeyConstraint(["case_id"], ["case.id"], name="fk_case_facts_case_id", ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("case_id", name="pk_case_facts"),
    )
    op.create_index("ix_case_facts_application_user", "case_facts", ["application", "user"])
    op.create_table(
        "case_finding",
        sa.Column("case_id", sa.String(16), nullable=False),
        sa.Column("rule", sa.String(64), nullable=False),
        sa.Column("position", sa.Integer(), nullable=False),
        sa.Column("severity", sa.String(16), nullable=False),
        sa.Column("takes_s", sa.Double(), nullable=True),
        sa.Column("could_save_s", sa.Double(), nullable=True),
        sa.Column("advised", sa.Text(), nullable=True),
        sa.ForeignKeyConstraint(["case_id"], ["case.id"], name="fk_case_finding_case_id", ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("case_id", "rule", name="pk_case_finding"),
    )
    op.create_index("ix_case_finding_rule", "case_finding", ["rule"])
    op.create_table(
        "queue_entry",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("ticket_id", sa.Integer(), nullable=True),
        sa.Column("case_id", sa.String(16), nullable=True),
        sa.Column("reference", sa.Text(), nullable=True),
        sa.Column("title", sa.Text(), nullable=False),
        sa.Column("status", sa.String(16), nullable=False),
        sa.Column("owner", sa.Text(), nullable=True),
        sa.Column("answered", sa.Boolean(), nullable=False),
        sa.Column("severity", sa.String(16), nullable=True),
        sa.Column("severity_order", sa.Integer(), nullable=False),
        sa.Column("rule", sa.String(64), nullable=True),
        sa.Column("headline", sa.Text(), nullable=True),
        sa.Column("job_id", sa.Text(), nullable=True),
        sa.Column("system", sa.Text(), nullable=True),
        sa.Column("user", sa.Text(), nullable=True),
        sa.Column("project", sa.Text(), nullable=True),
        sa.Column("application", sa.Text(), nullable=True),
        sa.Column("io_time_s", sa.Double(), nullable=True),
        sa.Column("io_time_fraction", sa.Double(), nullable=True),
        sa.Column("lost_s", sa.Double(), nullable=True),
        sa.Column("node_hours", sa.Double(), nullable=True),
        sa.Column("could_save_s", sa.Double(), nullable=True),
        sa.Column("saves_order", sa.Double(), nullable=False),
        sa.Column("cases", sa.Integer(), nullable=False),
        sa.Column("version", sa.Integer(), nullable=False),
        sa.Column("created_at", _MOMENT, nullable=False),
        sa.Column("changed_at", _MOMENT, nullable=False),
        sa.ForeignKeyConstraint(["case_id"], ["case.id"], name="fk_queue_entry_case_id", ondelete="SET NULL"),
        sa.ForeignKeyConstraint(["ticket_id"], ["ticket.id"], name="fk_queue_entry_ticket_id", ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("id", name="pk_queue_entry"),
        sa.UniqueConstraint("case_id", name="uq_queue_entry_case_id"),
        sa.UniqueConstraint("ticket_id", name="uq_queue_entry_ticket_id"),
    )
    op.create_index("ix_queue_entry_created_at_id", "queue_entry", ["created_at", "id"])
    op.create_index("ix_queue_entry_job_id", "queue_entry", ["job_id"])
    op.create_index("ix_queue_entry_owner_status", "queue_entry", ["owner", "status"])
    op.create_index("ix_queue_entry_rule", "queue_entry", ["rule"])
    op.create_index(
        "ix_queue_entry_severity_order_answered_saves_order_id",
        "queue_entry",
        ["severity_order", "answered", "saves_order", "id"],
    )
    op.create_index("ix_queue_entry_severity_status_owner", "queue_entry", ["severity", "status", "owner"])
    op.create_index("ix_queue_entry_user", "queue_entry", ["user"])
    op.create_table(
        "ticket_case",
        sa.Column("case_id", sa.String(16), nullable=False),
        sa.Column("ticket_id", sa.Integer(), nullable=False),
        sa.Column("role", sa.String(8), nullable=False),
        sa.Column("added_at", _MOMENT, nullable=False),
        sa.ForeignKeyConstraint(["case_id"], ["case.id"], name="fk_ticket_case_case_id", ondelete="CASCADE"),
        sa.ForeignKeyConstraint(["ticket_id"], ["ticket.id"], name="fk_ticket_case_ticket_id", ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("case_id", name="pk_ticket_case"),
    )
    op.create_index("ix_ticket_case_ticket_id", "ticket_case", ["ticket_id"])
    op.create_table(
        "ticket_event",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("ticket_id", sa.Integer(), nullable=False),
        sa.Column("at", _MOMENT, nullable=False),
        sa.Column("by", sa.Text(), nullable=False),
        sa.Column("kind", sa.String(16), nullable=False),
        sa.Column("before", sa.Text(), nullable=True),
        sa.Column("after", sa.Text(), nullable=True),
        sa.ForeignKeyConstraint(["ticket_id"], ["ticket.id"], name="fk_ticket_event_ticket_id", ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("id", name="pk_ticket_event"),
    )
    op.create_index("ix_ticket_event_ticket_id", "ticket_event", ["ticket_id"])
    op.create_table(
        "ticket_note",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("ticket_id", sa.Integer(), nullable=False),
        sa.Column("author", sa.Text(), nullable=False),
        sa.Column("written_at", _MOMENT, nullable=False),
        sa.Column("changed_at", _MOMENT, nullable=True),
        sa.Column("text", sa.Text(), nullable=False),
        sa.Column("version", sa.Integer(), nullable=False),
        sa.ForeignKeyConstraint(["ticket_id"], ["ticket.id"], name="fk_ticket_note_ticket_id", ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("id", name="pk_ticket_note"),
    )
    op.create_index("ix_ticket_note_ticket_id", "ticket_note", ["ticket_id"])
    op.create_table(
        "ticket_outcome",
        sa.Column("ticket_id", sa.Integer(), nullable=False),
        sa.Column("verdict", sa.String(16), nullable=False),
        sa.Column("factor", sa.Double(), nullable=True),
        sa.Column("sentence", sa.Text(), nullable=False),
        sa.Column("advised", sa.Text(), nullable=True),
        sa.Column("before_case", sa.String(16), nullable=True),
        sa.Column("after_case", sa.String(16), nullable=True),
        sa.Column("decided_at", _MOMENT, nullable=False),
        sa.Column("decided_by", sa.Text(), nullable=True),
        sa.Column("reason", sa.Text(), nullable=True),
        sa.ForeignKeyConstraint(["ticket_id"], ["ticket.id"], name="fk_ticket_outcome_ticket_id", ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("ticket_id", name="pk_ticket_outcome"),
    )
    op.create_table(
        "search_text",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("case_id", sa.String(16), nullable=True),
        sa.Column("ticket_id", sa.Integer(), nullable=True),
        sa.Column("entry_id", sa.Integer(), nullable=False),
        sa.Column("words", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(["case_id"], ["case.id"], name="fk_search_text_case_id", ondelete="CASCADE"),
        sa.ForeignKeyConstraint(["entry_id"], ["queue_entry.id"], name="fk_search_text_entry_id", ondelete="CASCADE"),
        sa.ForeignKeyConstraint(["ticket_id"], ["ticket.id"], name="fk_search_text_ticket_id", ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("id", name="pk_search_text"),
        sa.UniqueConstraint("case_id", name="uq_search_text_case_id"),
        sa.UniqueConstraint("ticket_id", name="uq_search_text_ticket_id"),
    )
    op.create_index("ix_search_text_entry_id", "search_text", ["entry_id"])
    op.create_index("ix_search_text_id_entry_id", "search_text", ["id", "entry_id"])
    op.create_table(
        "ticket_outcome_rule",
        sa.Column("ticket_id", sa.Integer(), nullable=False),
        sa.Column("rule", sa.String(64), nullable=False),
        sa.ForeignKeyConstraint(
            ["ticket_id"], ["ticket_outcome.ticket_id"], name="fk_ticket_outcome_rule_ticket_id", ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("ticket_id", "rule", name="pk_ticket_outcome_rule"),
    )
    op.create_index("ix_ticket_outcome_rule_rule", "ticket_outcome_rule", ["rule"])
    for statement in (_FTS5, *_KEPT) if _is_sqlite() else _TSVECTOR:
        op.execute(statement)


def downgrade() -> None:
    if _is_sqlite():
        op.execute("DROP TABLE search_index")
    for table in (
        "ticket_outcome_rule",
        "search_text",
        "ticket_outcome",
        "ticket_note",
        "ticket_event",
        "ticket_case",
        "queue_entry",
        "case_finding",
        "case_facts",
        "ticket",
        "saved_view",
    ):
        op.drop_table(table)


def _is_sqlite() -> bool:
    return op.get_bind().dialect.name == "sqlite"
