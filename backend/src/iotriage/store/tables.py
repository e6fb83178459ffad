"""The tables. Nothing here is particular to SQLite: PostgreSQL is a matter of the URL."""

from __future__ import annotations

import base64
import secrets
from datetime import UTC, datetime
from typing import Literal

from sqlalchemy import BigInteger, DateTime, ForeignKey, Index, MetaData, String, Text, UniqueConstraint
from sqlalchemy.engine import Dialect
from sqlalchemy.orm import DeclarativeBase, Mapped, mapped_column, relationship
from sqlalchemy.types import TypeDecorator

from iotriage.analysis.document import HeadlineSeverity
from iotriage.store.packed_text import PackedText

CaseStatus = Literal["reading", "ready", "failed"]
SourceStatus = Literal["waiting", "reading", "read", "failed"]

SHA256_LENGTH = 64
CASE_ID_LENGTH = 16
NAME_LENGTH = 255

IN_HAND = {"key_share": True}
"""How a case is taken hold of (FOR NO KEY UPDATE): nobody else changes or deletes it meanwhile, and rows that name it
may be written. Who holds a case may wait for its ticket, while who holds the ticket writes such rows of all its
cases. What belongs to the case is asked for after it is held, never joined to it: PostgreSQL joins it as it was before
the wait."""


def new_id() -> str:
    """80 random bits that name a row and open nothing: `CASE_ID_LENGTH` characters that survive being read aloud."""
    return base64.b32encode(secrets.token_bytes(10)).decode().lower()


class Utc(TypeDecorator[datetime]):
    """A moment. SQLite forgets the time zone it was given; everything is written and read in UTC."""

    impl = DateTime(timezone=True)
    cache_ok = True

    def process_bind_param(self, value: datetime | None, dialect: Dialect) -> datetime | None:  # noqa: ARG002
        return value.astimezone(UTC) if value else None

    def process_result_value(self, value: datetime | None, dialect: Dialect) -> datetime | None:  # noqa: ARG002
        return value.replace(tzinfo=UTC) if value and value.tzinfo is None else value


class Base(DeclarativeBase):
    """Constraints have names, so that a later migration can find them on every database."""

    metadata = MetaData(
        naming_convention={
            "ix": "ix_%(table_name)s_%(column_0_N_name)s",
            "uq": "uq_%(table_name)s_%(column_0_N_name)s",
            "fk": "fk_%(table_name)s_%(column_0_N_name)s",
            "pk": "pk_%(table_name)s",
        }
    )


class SourceRow(Base):
    """One file given to us, kept whole. The row is the promise that the bytes are in the folder, unless they were kept
    long enough: since `gone_at` the cases made of them have their documents alone. `given_by` is the client whose quota
    it counts towards; None for our own samples."""

    __tablename__ = "source"

    sha256: Mapped[str] = mapped_column(String(SHA256_LENGTH), primary_key=True)
    size_bytes: Mapped[int] = mapped_column(BigInteger)
    added_at: Mapped[datetime] = mapped_column(Utc)
    given_by: Mapped[str | None] = mapped_column(Text, index=True)
    gone_at: Mapped[datetime | None] = mapped_column(Utc)


class CaseRow(Base):
    """What a person works on. The columns from `title` to `io_time_bound` ("at least", "at most" or nothing) are copied
    from the document, for the list of cases; those below say how often it was tried to make a stale document again
    (`iotriage.store.renewal`), and how often the case was begun to be read since it was last finished or changed: more
    than once where that ended what read it, or the server. `given_by` is the client that made it, `owner` the person
    (`iotriage.access`); None for our own samples, and for cases of before there were people. `seeks_job` is whether it
    is still to be seen if another case is of the same job (`iotriage.store.joining`), `keeps_alone` whether a person
    wants it by itself; one that is `joined_into` another is that one's part, and shown nowhere by itself. One that is
    `looked_up` is of a log that staff looked at in the centre's warehouse: nobody waits for an answer, until it is of a
    ticket or joined with one that somebody gave. One that `splits_by_job` came as one mail: of several jobs it
    becomes a case each once it is read."""

    __tablename__ = "case"
    __table_args__ = (Index(None, "created_at", "id"), UniqueConstraint("sample_key"))

    id: Mapped[str] = mapped_column(String(CASE_ID_LENGTH), primary_key=True)
    created_at: Mapped[datetime] = mapped_column(Utc)
    status: Mapped[CaseStatus] = mapped_column(String(16), index=True)
    message: Mapped[str | None] = mapped_column(Text)
    site: Mapped[str | None] = mapped_column(String(64))
    sample_key: Mapped[str | None] = mapped_column(String(SHA256_LENGTH))
    sample_position: Mapped[int | None]
    title: Mapped[str] = mapped_column(Text)
    job_id: Mapped[str | None] = mapped_column(Text)
    executable: Mapped[str | None] = mapped_column(Text)
    nprocs: Mapped[int | None] = mapped_column(BigInteger)
    headline: Mapped[str | None] = mapped_column(Text)
    severity: Mapped[HeadlineSeverity | None] = mapped_column(String(16))
    io_time_s: Mapped[float | None]
    io_time_fraction: Mapped[float | None]
    io_time_bound: Mapped[str] = mapped_column(String(16), default="")
    renewals: Mapped[int] = mapped_column(default=0)
    renewed_by: Mapped[str] = mapped_column(Text, default="")
    attempts: Mapped[int] = mapped_column(default=0)
    given_by: Mapped[str | None] = mapped_column(Text, index=True)
    owner: Mapped[str | None] = mapped_column(Text, index=True)
    seeks_job: Mapped[bool] = mapped_column(default=False)
    keeps_alone: Mapped[bool] = mapped_column(default=False)
    looked_up: Mapped[bool] = mapped_column(default=False)
    splits_by_job: Mapped[bool] = mapped_column(default=False)
    joined_into: Mapped[str | None] = mapped_column(String(CASE_ID_LENGTH), index=True)
    joined_at: Mapped[datetime | None] = mapped_column(Utc)
    joined_because: Mapped[str | None] = mapped_column(Text)

    sources: Mapped[list[CaseSourceRow]] = relationship(
        order_by="CaseSourceRow.position", cascade="all, delete-orphan", passive_deletes=True, lazy="selectin"
    )
    document: Mapped[CaseDocumentRow | None] = relationship(
        cascade="all, delete-orphan", passive_deletes=True, lazy="select"
    )


class CaseSourceRow(Base):
    """A source as one case knows it: the name it was given under there, and how reading it went. `of_job` is the job
    whose parts of it are the case's, None where all of it is; `came_with` the case that was joined into this one and
    brought it."""

    __tablename__ = "case_source"

    case_id: Mapped[str] = mapped_column(ForeignKey("case.id", ondelete="CASCADE"), primary_key=True)
    position: Mapped[int] = mapped_column(primary_key=True, autoincrement=False)
    name: Mapped[str] = mapped_column(String(NAME_LENGTH))
    of_job: Mapped[str | None] = mapped_column(Text)
    came_with: Mapped[str | None] = mapped_column(String(CASE_ID_LENGTH))
    sha256: Mapped[str] = mapped_column(ForeignKey("source.sha256"), index=True)
    status: Mapped[SourceStatus] = mapped_column(String(16))
    reader: Mapped[str | None] = mapped_column(String(64))
    message: Mapped[str | None] = mapped_column(Text)
    next_step: Mapped[str | None] = mapped_column(Text)

    source: Mapped[SourceRow] = relationship(lazy="joined")


class CaseIdentityRow(Base):
    """What the case's sources say about their job (`iotriage.analysis.jobs.CaseIdentity`), as JSON."""

    __tablename__ = "case_said"

    case_id: Mapped[str] = mapped_column(ForeignKey("case.id", ondelete="CASCADE"), primary_key=True)
    json: Mapped[str] = mapped_column(Text)


class CaseJobIdRow(Base):
    """A job id that the case's sources name."""

    __tablename__ = "case_job_id"

    case_id: Mapped[str] = mapped_column(ForeignKey("case.id", ondelete="CASCADE"), primary_key=True)
    job_id: Mapped[str] = mapped_column(Text, primary_key=True, index=True)


class CaseDocumentRow(Base):
    """The case's document as JSON, compressed, and what made it: a release, and digests of the program's content."""

    __tablename__ = "case_document"
    # Which documents are stale is answered from here, without the documents.
    __table_args__ = (
        Index("ix_case_document_made_by", "case_id", "version", "readers", "decides", "words", "site_version"),
    )

    case_id: Mapped[str] = mapped_column(ForeignKey("case.id", ondelete="CASCADE"), primary_key=True)
    json: Mapped[str] = mapped_column(PackedText)
    version: Mapped[int]
    iotriage_version: Mapped[str] = mapped_column(Text)
    readers: Mapped[str] = mapped_column(Text)
    decides: Mapped[str] = mapped_column(Text)
    words: Mapped[str] = mapped_column(Text)
    site_version: Mapped[str] = mapped_column(Text)
    made_at: Mapped[datetime] = mapped_column(Utc)
