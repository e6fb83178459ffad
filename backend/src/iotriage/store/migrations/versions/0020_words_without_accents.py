"""Words are looked for without their accents: those that are kept lose theirs."""

from __future__ import annotations

from unicodedata import category, normalize

import sqlalchemy as sa
from alembic import op

revision = "0020"
down_revision = "0019"
branch_labels = None
depends_on = None

_TEXTS = sa.table("search_text", sa.column("id", sa.Integer), sa.column("words", sa.Text))
_ACCENTED = {
    "sqlite": _TEXTS.c.words.op("GLOB")("*[^\x01-\x7f]*"),
    "postgresql": _TEXTS.c.words.op("~")("[^\x01-\x7f]"),
}
_AT_ONCE = 500


def upgrade() -> None:
    connection = op.get_bind()
    accented = sa.select(_TEXTS.c.id).where(_ACCENTED[connection.dialect.name])
    ids = list(connection.scalars(accented.order_by(_TEXTS.c.id)))
    for first in range(0, len(ids), _AT_ONCE):
        rows = connection.execute(sa.select(_TEXTS).where(_TEXTS.c.id.in_(ids[first : first + _AT_ONCE]))).all()
        for row in rows:
            words = " ".join(dict.fromkeys(_plain(row.words).split()))
            connection.execute(sa.update(_TEXTS).where(_TEXTS.c.id == row.id).values(words=words))


def downgrade() -> None:
    """What has no accent is found by words without any all the same."""


def _plain(words: str) -> str:
    letters = (one for one in normalize("NFKD", words) if category(one) != "Mn")
    return normalize("NFC", "".join(letters))
