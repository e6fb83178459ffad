"""People and what they may see, tickets and their queue, and of cases what both need, since 0.1.0.

Of cases and documents that are there it is said as little as was known: no owner, no digest of what made them, which
makes each document stale; they seek no other case of their job, and split by none.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from datetime import datetime

import sqlalchemy as sa
from alembic import op
from sqlalchemy.types import TypeEngine

from iotriage.store.packed_text import packed, unpacked

revision = "0020"
down_revision = "0001"
branch_labels = None
depends_on = None

_MOMENT = sa.DateTime(timezone=True)
_DOCUMENT = "case_document"

_BY_HAND = {
    "sqlite": (
        # Words each by itself, as `iotriage.store.search_text` makes them: no places of them are kept.
        """CREATE VIRTUAL TABLE search_index USING fts5(
    words, content = 'search_text', content_rowid = 'id', detail = none, tokenize = 'unicode61 remove_diacritics 0'
)""",
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
        """CREATE TRIGGER audit_never_changed BEFORE UPDATE ON audit BEGIN
    SELECT RAISE(ABORT, 'an entry of the audit log is never changed');
END""",
        """CREATE TRIGGER audit_kept BEFORE DELETE ON audit WHEN old.at > datetime('now', '-30 days') BEGIN
    SELECT RAISE(ABORT, 'an entry of the audit log is kept for 30 days');
END""",
    ),
    "postgresql": (
        """ALTER TABLE search_text ADD COLUMN search_index tsvector
    GENERATED ALWAYS AS (array_to_tsvector(string_to_array(words, ' '))) STORED""",
        "CREATE INDEX search_index_gin ON search_text USING gin (search_index)",
        """CREATE FUNCTION audit_refuses() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
    RAISE EXCEPTION 'an entry of the audit log is never changed, and kept for 30 days';
END $$""",
        "CREATE TRIGGER audit_never_changed BEFORE UPDATE ON audit FOR EACH ROW EXECUTE FUNCTION audit_refuses()",
        """CREATE TRIGGER audit_kept BEFORE DELETE ON audit FOR EACH ROW
    WHEN (OLD.at > now() - interval '30 days') EXECUTE FUNCTION audit_refuses()""",
        """CREATE TRIGGER audit_never_emptied BEFORE TRUNCATE ON audit
    FOR EACH STATEMENT EXECUTE FUNCTION audit_refuses()""",
    ),
}
"""What finds words, and keeps the audit log as it is: no model can say either."""


def upgrade() -> None:
    _add_to_sources_and_cases()
    _add_to_documents()
    _make_people()
    _make_tickets()
    _make_queue()
    _make_audit()
    for statement in _BY_HAND[op.get_bind().dialect.name]:
        op.execute(statement)


def _is_sqlite() -> bool:
    return op.get_bind().dialect.name == "sqlite"


def _added() -> Mapping[str, Sequence[sa.Column[str] | sa.Column[int] | sa.Column[bool] | sa.Column[datetime]]]:
    """Columns that tables of 0.1.0 are given."""
    return {
        "source": (sa.Column("given_by", sa.Text()), sa.Column("gone_at", _MOMENT)),
        "case": (
            sa.Column("renewals", sa.Integer(), nullable=False, server_default="0"),
            sa.Column("renewed_by", sa.Text(), nullable=False, server_default=""),
            sa.Column("attempts", sa.Integer(), nullable=False, server_default="0"),
            sa.Column("given_by", sa.Text()),
            sa.Column("owner", sa.Text()),
            sa.Column("seeks_job", sa.Boolean(), nullable=False, server_default=sa.false()),
            sa.Column("keeps_alone", sa.Boolean(), nullable=False, server_default=sa.false()),
            sa.Column("joined_into", sa.String(16)),
            sa.Column("joined_at", _MOMENT),
            sa.Column("joined_because", sa.Text()),
            sa.Column("io_time_bound", sa.String(16), nullable=False, server_default=""),
            sa.Column("looked_up", sa.Boolean(), nullable=False, server_default=sa.false()),
            sa.Column("splits_by_job", sa.Boolean(), nullable=False, server_default=sa.false()),
        ),
        "case_source": (sa.Column("of_job", sa.Text()), sa.Column("came_with", sa.String(16))),
        _DOCUMENT: tuple(
            sa.Column(name, sa.Text(), nullable=False, server_default="") for name in ("readers", "decides", "words")
        ),
    }


def _add_to_sources_and_cases() -> None:
    for table, columns in _added().items():
        for column in columns:
            op.add_column(table, column)
    op.create_index("ix_source_given_by", "source", ["given_by"])
    for name in ("given_by", "owner", "joined_into"):
        op.create_index(f"ix_case_{name}", "case", [name])
    op.create_table("case_said", _case(primary_key=True), sa.Column("json", sa.Text(), nullable=False))
    op.create_table(
        "case_job_id", _case(primary_key=True), sa.Column("job_id", sa.Text(), primary_key=True, index=True)
    )
    op.create_table(
        "case_facts",
        _case(primary_key=True),
        sa.Column("rule", sa.String(64)),
        sa.Column("system", sa.Text()),
        sa.Column("user", sa.Text()),
        sa.Column("project", sa.Text()),
        sa.Column("application", sa.Text()),
        sa.Column("nodes", sa.Integer()),
        sa.Column("started_s", sa.Double()),
        sa.Column("lost_s", sa.Double()),
        sa.Column("node_hours", sa.Double()),
        sa.Column("could_save_s", sa.Double()),
        sa.Column("advised", sa.Text()),
        sa.Column("portrait", sa.Text()),
        sa.Column("sentence", sa.Text()),
    )
    op.create_index("ix_case_facts_application_user", "case_facts", ["application", "user"])
    op.create_table(
        "case_finding",
        _case(primary_key=True),
        sa.Column("rule", sa.String(64), primary_key=True, index=True),
        sa.Column("position", sa.Integer(), nullable=False),
        sa.Column("severity", sa.String(16), nullable=False),
        sa.Column("takes_s", sa.Double()),
        sa.Column("could_save_s", sa.Double()),
        sa.Column("advised", sa.Text()),
    )


def _add_to_documents() -> None:
    op.drop_column(_DOCUMENT, "rules_version")
    made_by = ["case_id", "version", "readers", "decides", "words", "site_version"]
    op.create_index("ix_case_document_made_by", _DOCUMENT, made_by)
    _turn_documents(sa.LargeBinary(), packed)


def _turn_documents(
    kind: TypeEngine[str] | TypeEngine[bytes], turned: Callable[[str], bytes] | Callable[[bytes], str]
) -> None:
    with op.batch_alter_table(_DOCUMENT) as table:
        table.add_column(sa.Column("turned", kind))
    connection = op.get_bind()
    rows = sa.table(_DOCUMENT, sa.column("case_id"), sa.column("json"), sa.column("turned", kind))
    # One at a time: all documents of a helpdesk may be more than there is memory.
    for case_id in connection.scalars(sa.select(rows.c.case_id)).all():
        document = connection.execute(sa.select(rows.c.json).where(rows.c.case_id == case_id)).scalar_one()
        connection.execute(sa.update(rows).where(rows.c.case_id == case_id).values(turned=turned(document)))
    with op.batch_alter_table(_DOCUMENT) as table:
        table.drop_column("json")
    with op.batch_alter_table(_DOCUMENT) as table:
        table.alter_column("turned", new_column_name="json", existing_type=kind, nullable=False)


def _make_people() -> None:
    op.create_table(
        "person",
        sa.Column("id", sa.Text(), primary_key=True),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("role", sa.String(16), nullable=False),
        sa.Column("seen_at", _MOMENT, nullable=False),
    )
    op.create_table(
        "session",
        sa.Column("hash", sa.String(64), primary_key=True),
        _person(),
        sa.Column("made_at", _MOMENT, nullable=False),
        sa.Column("ends_at", _MOMENT, nullable=False),
    )
    op.create_table(
        "sign_in_code",
        sa.Column("hash", sa.String(64), primary_key=True),
        sa.Column("ends_at", _MOMENT, nullable=False),
    )
    op.create_table(
        "api_token",
        sa.Column("id", sa.String(16), primary_key=True),
        _person(),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("scope", sa.String(16), nullable=False),
        sa.Column("hash", sa.String(64), nullable=False),
        sa.Column("made_at", _MOMENT, nullable=False),
        sa.Column("ends_at", _MOMENT, nullable=False),
        sa.Column("revoked_at", _MOMENT),
        sa.Column("used_at", _MOMENT),
        sa.UniqueConstraint("hash"),
    )
    op.create_table(
        "share_link",
        sa.Column("id", sa.String(16), primary_key=True),
        _case(index=True),
        sa.Column("hash", sa.String(64), nullable=False),
        sa.Column("made_by", sa.Text(), nullable=False),
        sa.Column("made_at", _MOMENT, nullable=False),
        sa.Column("ends_at", _MOMENT, nullable=False),
        sa.Column("revoked_at", _MOMENT),
        sa.Column("pseudonym_key", sa.Text()),
        sa.UniqueConstraint("hash"),
    )
    op.create_table(
        "case_person", _case(primary_key=True), sa.Column("person", sa.Text(), primary_key=True, index=True)
    )
    op.create_table(
        "source_giver",
        sa.Column("sha256", sa.String(64), sa.ForeignKey("source.sha256", ondelete="CASCADE"), primary_key=True),
        sa.Column("person", sa.Text(), primary_key=True, index=True),
    )
    op.create_table(
        "choice",
        sa.Column("name", sa.String(32), primary_key=True),
        sa.Column("value", sa.Text(), nullable=False),
        sa.Column("chosen_by", sa.Text(), nullable=False),
        sa.Column("chosen_at", _MOMENT, nullable=False),
    )


def _make_tickets() -> None:
    op.create_table(
        "ticket",
        sa.Column("id", sa.Integer(), primary_key=True),
        sa.Column("reference", sa.Text(), index=True),
        sa.Column("subject", sa.Text(), nullable=False),
        sa.Column("status", sa.String(16), nullable=False),
        sa.Column("owner", sa.Text()),
        sa.Column("system", sa.Text()),
        sa.Column("user", sa.Text()),
        sa.Column("project", sa.Text()),
        sa.Column("application", sa.Text()),
        sa.Column("version", sa.Integer(), nullable=False),
        sa.Column("created_at", _MOMENT, nullable=False),
        sa.Column("created_by", sa.Text(), nullable=False),
        sa.Column("changed_at", _MOMENT, nullable=False),
        sqlite_autoincrement=True,
    )
    op.create_table(
        "ticket_case",
        _case(primary_key=True),
        _ticket(index=True),
        sa.Column("role", sa.String(8), nullable=False),
        sa.Column("added_at", _MOMENT, nullable=False),
        sa.Column("presumed", sa.Boolean(), nullable=False, server_default=sa.false()),
    )
    op.create_table(
        "ticket_event",
        sa.Column("id", sa.Integer(), primary_key=True),
        _ticket(index=True),
        sa.Column("at", _MOMENT, nullable=False),
        sa.Column("by", sa.Text(), nullable=False),
        sa.Column("kind", sa.String(16), nullable=False),
        sa.Column("before", sa.Text()),
        sa.Column("after", sa.Text()),
    )
    op.create_table(
        "ticket_note",
        sa.Column("id", sa.Integer(), primary_key=True),
        _ticket(index=True),
        sa.Column("author", sa.Text(), nullable=False),
        sa.Column("written_at", _MOMENT, nullable=False),
        sa.Column("changed_at", _MOMENT),
        sa.Column("text", sa.Text(), nullable=False),
        sa.Column("version", sa.Integer(), nullable=False),
    )
    op.create_table(
        "ticket_outcome",
        _ticket(primary_key=True),
        sa.Column("verdict", sa.String(16), nullable=False),
        sa.Column("factor", sa.Double()),
        sa.Column("sentence", sa.Text(), nullable=False),
        sa.Column("advised", sa.Text()),
        sa.Column("before_case", sa.String(16)),
        sa.Column("after_case", sa.String(16)),
        sa.Column("decided_at", _MOMENT, nullable=False),
        sa.Column("decided_by", sa.Text()),
        sa.Column("reason", sa.Text()),
        sa.Column("measured", sa.Text()),
        sa.Column("factor_most", sa.Double()),
    )
    of_outcome = sa.ForeignKey("ticket_outcome.ticket_id", ondelete="CASCADE")
    op.create_table(
        "ticket_outcome_rule",
        sa.Column("ticket_id", sa.Integer(), of_outcome, primary_key=True),
        sa.Column("rule", sa.String(64), primary_key=True, index=True),
    )


def _make_queue() -> None:
    op.create_table(
        "saved_view",
        sa.Column("id", sa.Integer(), primary_key=True),
        sa.Column("owner", sa.Text(), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("shared", sa.Boolean(), nullable=False),
        sa.Column("filter", sa.Text(), nullable=False),
        sa.UniqueConstraint("owner", "name"),
    )
    op.create_table(
        "queue_entry",
        sa.Column("id", sa.Integer(), primary_key=True),
        _ticket(nullable=True),
        sa.Column("case_id", sa.String(16), sa.ForeignKey("case.id", ondelete="SET NULL")),
        sa.Column("reference", sa.Text()),
        sa.Column("title", sa.Text(), nullable=False),
        sa.Column("status", sa.String(16), nullable=False),
        sa.Column("owner", sa.Text()),
        sa.Column("answered", sa.Boolean(), nullable=False),
        sa.Column("severity", sa.String(16)),
        sa.Column("severity_order", sa.Integer(), nullable=False),
        sa.Column("rule", sa.String(64), index=True),
        sa.Column("headline", sa.Text()),
        sa.Column("job_id", sa.Text(), index=True),
        sa.Column("system", sa.Text()),
        sa.Column("user", sa.Text(), index=True),
        sa.Column("project", sa.Text()),
        sa.Column("application", sa.Text()),
        sa.Column("io_time_s", sa.Double()),
        sa.Column("io_time_fraction", sa.Double()),
        sa.Column("lost_s", sa.Double()),
        sa.Column("node_hours", sa.Double()),
        sa.Column("could_save_s", sa.Double()),
        sa.Column("saves_order", sa.Double(), nullable=False),
        sa.Column("cases", sa.Integer(), nullable=False),
        sa.Column("version", sa.Integer(), nullable=False),
        sa.Column("created_at", _MOMENT, nullable=False),
        sa.Column("changed_at", _MOMENT, nullable=False),
        sa.Column("io_time_bound", sa.String(16), nullable=False, server_default=""),
        sa.Column("looked_up", sa.Boolean(), nullable=False, server_default=sa.false()),
        sa.UniqueConstraint("case_id"),
        sa.UniqueConstraint("ticket_id"),
    )
    for columns in (
        ["created_at", "id"],
        ["owner", "status"],
        ["severity_order", "answered", "saves_order", "id"],
        ["severity", "status", "owner", "looked_up"],
    ):
        op.create_index(f"ix_queue_entry_{'_'.join(columns)}", "queue_entry", columns)
    of_entry = sa.ForeignKey("queue_entry.id", ondelete="CASCADE")
    op.create_table(
        "search_text",
        sa.Column("id", sa.Integer(), primary_key=True),
        sa.Column("case_id", sa.String(16), sa.ForeignKey("case.id", ondelete="CASCADE")),
        _ticket(nullable=True),
        sa.Column("entry_id", sa.Integer(), of_entry, nullable=False, index=True),
        sa.Column("words", sa.Text(), nullable=False),
        sa.UniqueConstraint("case_id"),
        sa.UniqueConstraint("ticket_id"),
    )
    op.create_index("ix_search_text_id_entry_id", "search_text", ["id", "entry_id"])


def _make_audit() -> None:
    op.create_table(
        "audit",
        sa.Column("id", sa.Integer(), primary_key=True),
        sa.Column("at", _MOMENT, nullable=False, index=True),
        sa.Column("person", sa.Text(), nullable=False),
        sa.Column("by", sa.String(16), nullable=False),
        sa.Column("action", sa.Text(), nullable=False),
        sa.Column("case_id", sa.String(16)),
        sa.Column("about", sa.Text()),
    )
    for name in ("case_id", "person"):
        op.create_index(f"ix_audit_{name}_id", "audit", [name, "id"])


def _case(*, primary_key: bool = False, index: bool = False) -> sa.Column[str]:
    of = sa.ForeignKey("case.id", ondelete="CASCADE")
    return sa.Column("case_id", sa.String(16), of, primary_key=primary_key, index=index, nullable=False)


def _person() -> sa.Column[str]:
    of = sa.ForeignKey("person.id", ondelete="CASCADE")
    return sa.Column("person", sa.Text(), of, index=True, nullable=False)


def _ticket(*, primary_key: bool = False, index: bool = False, nullable: bool = False) -> sa.Column[int]:
    of = sa.ForeignKey("ticket.id", ondelete="CASCADE")
    return sa.Column("ticket_id", sa.Integer(), of, primary_key=primary_key, index=index, nullable=nullable)


def downgrade() -> None:
    if _is_sqlite():
        op.execute("DROP TABLE search_index")
    op.drop_table("audit")
    if not _is_sqlite():
        op.execute("DROP FUNCTION audit_refuses()")
    for table in (
        *("search_text", "queue_entry", "saved_view"),
        *("ticket_outcome_rule", "ticket_outcome", "ticket_note", "ticket_event", "ticket_case", "ticket"),
        *("choice", "source_giver", "case_person", "share_link", "api_token", "sign_in_code", "session", "person"),
        *("case_finding", "case_facts", "case_job_id", "case_said"),
    ):
        op.drop_table(table)
    _turn_documents(sa.Text(), unpacked)
    op.drop_index("ix_case_document_made_by", _DOCUMENT)
    op.add_column(_DOCUMENT, sa.Column("rules_version", sa.Text(), nullable=False, server_default=""))
    for name in ("given_by", "owner", "joined_into"):
        op.drop_index(f"ix_case_{name}", "case")
    op.drop_index("ix_source_given_by", "source")
    for table, columns in _added().items():
        for column in columns:
            op.drop_column(table, column.name)
