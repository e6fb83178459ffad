"""Documents are compressed."""

from __future__ import annotations

from collections.abc import Callable

import sqlalchemy as sa
from alembic import op
from sqlalchemy.types import TypeEngine

from iotriage.store.packed_text import packed, unpacked

revision = "0013"
down_revision = "0012"
branch_labels = None
depends_on = None

_TABLE = "case_document"


def upgrade() -> None:
    _turn_into(sa.LargeBinary(), packed)


def downgrade() -> None:
    _turn_into(sa.Text(), unpacked)


def _turn_into(
    kind: TypeEngine[str] | TypeEngine[bytes], turned: Callable[[str], bytes] | Callable[[bytes], str]
) -> None:
    with op.batch_alter_table(_TABLE) as table:
        table.add_column(sa.Column("turned", kind))
    connection = op.get_bind()
    rows = sa.table(_TABLE, sa.column("case_id"), sa.column("json"), sa.column("turned", kind))
    # One at a time: all documents of a helpdesk may be more than there is memory.
    for case_id in connection.scalars(sa.select(rows.c.case_id)).all():
        document = connection.execute(sa.select(rows.c.json).where(rows.c.case_id == case_id)).scalar_one()
        connection.execute(sa.update(rows).where(rows.c.case_id == case_id).values(turned=turned(document)))
    with op.batch_alter_table(_TABLE) as table:
        table.drop_column("json")
    with op.batch_alter_table(_TABLE) as table:
        table.alter_column("turned", new_column_name="json", existing_type=kind, nullable=False)
