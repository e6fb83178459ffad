"""The tables of who may see what. Of secrets only the SHA-256 is stored; they have at least 128 random bits, so that
they cannot be guessed from it."""

from __future__ import annotations

from datetime import datetime
from typing import Literal

from sqlalchemy import ForeignKey, String, Text, UniqueConstraint
from sqlalchemy.orm import Mapped, mapped_column

from iotriage.store.tables import SHA256_LENGTH, Base, Utc

TOKEN_ID_LENGTH = 16

TokenScope = Literal["read", "submit", "full"]
"""What a token may do: only read; also upload sources and make cases; or all that its owner may, except log-ins and
tokens."""


class PersonRow(Base):
    """Somebody who has logged in, with the name and role of the latest log-in."""

    __tablename__ = "person"

    id: Mapped[str] = mapped_column(Text, primary_key=True)
    name: Mapped[str] = mapped_column(Text)
    role: Mapped[str] = mapped_column(String(16))
    seen_at: Mapped[datetime] = mapped_column(Utc)


class SessionRow(Base):
    """A log-in, until it ends. `hash` is the SHA-256 of the cookie's value."""

    __tablename__ = "session"

    hash: Mapped[str] = mapped_column(String(SHA256_LENGTH), primary_key=True)
    person: Mapped[str] = mapped_column(ForeignKey("person.id", ondelete="CASCADE"), index=True)
    made_at: Mapped[datetime] = mapped_column(Utc)
    ends_at: Mapped[datetime] = mapped_column(Utc)


class SignInCodeRow(Base):
    """A one-time address that starts a session."""

    __tablename__ = "sign_in_code"

    hash: Mapped[str] = mapped_column(String(SHA256_LENGTH), primary_key=True)
    ends_at: Mapped[datetime] = mapped_column(Utc)


class ApiTokenRow(Base):
    """A token that a person's programs send instead of a session's cookie."""

    __tablename__ = "api_token"
    __table_args__ = (UniqueConstraint("hash"),)

    id: Mapped[str] = mapped_column(String(TOKEN_ID_LENGTH), primary_key=True)
    person: Mapped[str] = mapped_column(ForeignKey("person.id", ondelete="CASCADE"), index=True)
    name: Mapped[str] = mapped_column(Text)
    scope: Mapped[TokenScope] = mapped_column(String(16))
    hash: Mapped[str] = mapped_column(String(SHA256_LENGTH))
    made_at: Mapped[datetime] = mapped_column(Utc)
    ends_at: Mapped[datetime] = mapped_column(Utc)
    revoked_at: Mapped[datetime | None] = mapped_column(Utc)
    used_at: Mapped[datetime | None] = mapped_column(Utc)
    """When it was first shown."""


class ShareLinkRow(Base):
    """An address under which anybody may look at one case. One with a `pseudonym_key` shows it without names, and opens
    nothing else."""

    __tablename__ = "share_link"
    __table_args__ = (UniqueConstraint("hash"),)

    id: Mapped[str] = mapped_column(String(TOKEN_ID_LENGTH), primary_key=True)
    case_id: Mapped[str] = mapped_column(ForeignKey("case.id", ondelete="CASCADE"), index=True)
    hash: Mapped[str] = mapped_column(String(SHA256_LENGTH))
    made_by: Mapped[str] = mapped_column(Text)
    made_at: Mapped[datetime] = mapped_column(Utc)
    ends_at: Mapped[datetime] = mapped_column(Utc)
    revoked_at: Mapped[datetime | None] = mapped_column(Utc)
    pseudonym_key: Mapped[str | None] = mapped_column(Text)


class CasePersonRow(Base):
    """A person to whom the helpdesk gave access to a case that another person made."""

    __tablename__ = "case_person"

    case_id: Mapped[str] = mapped_column(ForeignKey("case.id", ondelete="CASCADE"), primary_key=True)
    person: Mapped[str] = mapped_column(Text, primary_key=True, index=True)


class SourceGiverRow(Base):
    """A person who uploaded the bytes of a source."""

    __tablename__ = "source_giver"

    sha256: Mapped[str] = mapped_column(ForeignKey("source.sha256", ondelete="CASCADE"), primary_key=True)
    person: Mapped[str] = mapped_column(Text, primary_key=True, index=True)


class ChoiceRow(Base):
    """A setting that an administrator chose on the page; it overrides the environment's (`iotriage.store.choices`)."""

    __tablename__ = "choice"

    name: Mapped[str] = mapped_column(String(32), primary_key=True)
    value: Mapped[str] = mapped_column(Text)
    chosen_by: Mapped[str] = mapped_column(Text)
    chosen_at: Mapped[datetime] = mapped_column(Utc)
