"""The helpdesk's tables: tickets, what is said about them, and what is copied from cases so that no document is parsed
to list or to find one.

A ticket is what somebody works on: status, owner, notes, and the cases before and after what was advised. An entry of
the queue is a ticket, or a case that nobody has taken; it is worked out of them (`iotriage.store.queue_entries`).
People are named by `Person.id`.
"""

from __future__ import annotations

from datetime import datetime
from typing import Literal

from sqlalchemy import ForeignKey, Index, Integer, String, Text, UniqueConstraint
from sqlalchemy.orm import Mapped, mapped_column

from iotriage.analysis.document import HeadlineSeverity
from iotriage.store.tables import CASE_ID_LENGTH, Base, Utc

TicketStatus = Literal["new", "in work", "waiting", "answered", "closed"]
"""`waiting` is waiting for the user."""
CaseRole = Literal["before", "after"]
OutcomeVerdict = Literal["helped", "did not help", "unclear"]
EventKind = Literal[
    "opened", "status", "owner", "reference", "described", "note", "note changed", "case added", "case dated",
    "case removed", "case deleted", "outcome", "joined",
]  # fmt: skip

LARGEST_TICKET = 2**31 - 1
"""The largest number of a ticket, a note or an event: a column of a database has no larger one."""


class TicketRow(Base):
    """`reference` is what the centre's own ticket system calls it. `user` to `application` are what a person said; None
    leaves them to the cases. `version` grows with every change, so that of two people who change it at once one is
    told."""

    __tablename__ = "ticket"
    __table_args__ = {"sqlite_autoincrement": True}  # noqa: RUF012

    id: Mapped[int] = mapped_column(Integer, primary_key=True)
    reference: Mapped[str | None] = mapped_column(Text, index=True)
    subject: Mapped[str] = mapped_column(Text, default="")
    status: Mapped[TicketStatus] = mapped_column(String(16), default="new")
    owner: Mapped[str | None] = mapped_column(Text)
    system: Mapped[str | None] = mapped_column(Text)
    user: Mapped[str | None] = mapped_column(Text)
    project: Mapped[str | None] = mapped_column(Text)
    application: Mapped[str | None] = mapped_column(Text)
    version: Mapped[int] = mapped_column(default=1)
    created_at: Mapped[datetime] = mapped_column(Utc)
    created_by: Mapped[str] = mapped_column(Text)
    changed_at: Mapped[datetime] = mapped_column(Utc)


class JoinedTicketRow(Base):
    """A ticket that was joined into another: its `number`, which no other gets, and its reference lead there. `system`
    is the one that it was of, which tells references of two ticket systems apart; None where nobody knew."""

    __tablename__ = "joined_ticket"

    number: Mapped[int] = mapped_column(Integer, primary_key=True, autoincrement=False)
    reference: Mapped[str | None] = mapped_column(Text, index=True)
    system: Mapped[str | None] = mapped_column(Text)
    ticket_id: Mapped[int] = mapped_column(ForeignKey("ticket.id", ondelete="CASCADE"), index=True)


class TicketCaseRow(Base):
    """A case of a ticket; it is of no other. `role` is whether it ran before or after what was advised, `presumed`
    where nobody said so and the start of its job has still to tell (`iotriage.helpdesk.case_roles`)."""

    __tablename__ = "ticket_case"

    case_id: Mapped[str] = mapped_column(ForeignKey("case.id", ondelete="CASCADE"), primary_key=True)
    ticket_id: Mapped[int] = mapped_column(ForeignKey("ticket.id", ondelete="CASCADE"), index=True)
    role: Mapped[CaseRole] = mapped_column(String(8))
    presumed: Mapped[bool] = mapped_column(default=False)
    added_at: Mapped[datetime] = mapped_column(Utc)


class NoteRow(Base):
    """Markdown as it was written. `version` as for tickets."""

    __tablename__ = "ticket_note"

    id: Mapped[int] = mapped_column(Integer, primary_key=True)
    ticket_id: Mapped[int] = mapped_column(ForeignKey("ticket.id", ondelete="CASCADE"), index=True)
    author: Mapped[str] = mapped_column(Text)
    written_at: Mapped[datetime] = mapped_column(Utc)
    changed_at: Mapped[datetime | None] = mapped_column(Utc)
    text: Mapped[str] = mapped_column(Text)
    version: Mapped[int] = mapped_column(default=1)


class EventRow(Base):
    """Who did what, when: `before` and `after` are the values, or the case that was added or removed. A case is "dated"
    where the start of its job told its side. `joined_from` is the number of the ticket that it happened to, where that
    was joined into this one later."""

    __tablename__ = "ticket_event"

    id: Mapped[int] = mapped_column(Integer, primary_key=True)
    ticket_id: Mapped[int] = mapped_column(ForeignKey("ticket.id", ondelete="CASCADE"), index=True)
    at: Mapped[datetime] = mapped_column(Utc)
    by: Mapped[str] = mapped_column(Text)
    kind: Mapped[EventKind] = mapped_column(String(16))
    before: Mapped[str | None] = mapped_column(Text)
    after: Mapped[str | None] = mapped_column(Text)
    joined_from: Mapped[int | None]


class OutcomeRow(Base):
    """What became of the advice. `factor` is how many times faster the I/O is (below 1: slower), None where that is not
    known; where times are bounds, so many times at least, and `factor_most` at most. `measured` says of which times or
    rates. All three are the comparison's. `decided_by` is None where the comparison decided it, else the person who
    did, for `reason`."""

    __tablename__ = "ticket_outcome"

    ticket_id: Mapped[int] = mapped_column(ForeignKey("ticket.id", ondelete="CASCADE"), primary_key=True)
    verdict: Mapped[OutcomeVerdict] = mapped_column(String(16))
    factor: Mapped[float | None]
    factor_most: Mapped[float | None]
    sentence: Mapped[str] = mapped_column(Text)
    measured: Mapped[str | None] = mapped_column(Text)
    advised: Mapped[str | None] = mapped_column(Text)
    before_case: Mapped[str | None] = mapped_column(String(CASE_ID_LENGTH))
    after_case: Mapped[str | None] = mapped_column(String(CASE_ID_LENGTH))
    decided_at: Mapped[datetime] = mapped_column(Utc)
    decided_by: Mapped[str | None] = mapped_column(Text)
    reason: Mapped[str | None] = mapped_column(Text)


class OutcomeRuleRow(Base):
    """A rule whose advice the outcome speaks for."""

    __tablename__ = "ticket_outcome_rule"

    ticket_id: Mapped[int] = mapped_column(ForeignKey("ticket_outcome.ticket_id", ondelete="CASCADE"), primary_key=True)
    rule: Mapped[str] = mapped_column(String(64), primary_key=True, index=True)


class SavedViewRow(Base):
    """A filter of the queue with a name; one that is `shared` is everybody's to use. `filter` is JSON."""

    __tablename__ = "saved_view"
    __table_args__ = (UniqueConstraint("owner", "name"),)

    id: Mapped[int] = mapped_column(Integer, primary_key=True)
    owner: Mapped[str] = mapped_column(Text)
    name: Mapped[str] = mapped_column(Text)
    shared: Mapped[bool] = mapped_column(default=False)
    filter: Mapped[str] = mapped_column(Text)


class CaseFactsRow(Base):
    """What the queue shows of a case, copied from its document. `lost_s` are the seconds that the run loses by the
    finding on top in all groups of files, with what follows from it, `node_hours` the same on all nodes, `could_save_s`
    the most that its cure could win there; None is "not known". `sentence` is the one on top without its figure.
    `portrait` is JSON (`iotriage.analysis.portrait`)."""

    __tablename__ = "case_facts"
    __table_args__ = (Index(None, "application", "user"),)

    case_id: Mapped[str] = mapped_column(ForeignKey("case.id", ondelete="CASCADE"), primary_key=True)
    rule: Mapped[str | None] = mapped_column(String(64))
    sentence: Mapped[str | None] = mapped_column(Text)
    system: Mapped[str | None] = mapped_column(Text)
    user: Mapped[str | None] = mapped_column(Text)
    project: Mapped[str | None] = mapped_column(Text)
    application: Mapped[str | None] = mapped_column(Text)
    nodes: Mapped[int | None]
    started_s: Mapped[float | None]
    lost_s: Mapped[float | None]
    node_hours: Mapped[float | None]
    could_save_s: Mapped[float | None]
    advised: Mapped[str | None] = mapped_column(Text)
    portrait: Mapped[str | None] = mapped_column(Text)


class CaseFindingRow(Base):
    """A rule that is triggered in a case, at its first place in the document's order."""

    __tablename__ = "case_finding"

    case_id: Mapped[str] = mapped_column(ForeignKey("case.id", ondelete="CASCADE"), primary_key=True)
    rule: Mapped[str] = mapped_column(String(64), primary_key=True, index=True)
    position: Mapped[int]
    severity: Mapped[str] = mapped_column(String(16))
    takes_s: Mapped[float | None]
    could_save_s: Mapped[float | None]
    advised: Mapped[str | None] = mapped_column(Text)


class QueueEntryRow(Base):
    """A ticket with its leading case, or a case that nobody has taken: `ticket_id` is None then. `severity_order` is 0
    for the gravest; `answered` where nobody of the helpdesk has to do something now; `saves_order` is minus what a cure
    could save in seconds, or the finding on top takes, and 1 where neither is known: an index has one direction. One
    that is `looked_up`, as its case is, is found among cases and stands in no list of the queue."""

    __tablename__ = "queue_entry"
    __table_args__ = (
        UniqueConstraint("ticket_id"),
        UniqueConstraint("case_id"),
        Index(None, "severity_order", "answered", "saves_order", "id"),
        # `looked_up` last: SQLite would take an index that begins with it, and sort nearly all entries for each page.
        Index(None, "severity", "status", "owner", "looked_up"),
        Index(None, "owner", "status"),
        Index(None, "created_at", "id"),
    )

    id: Mapped[int] = mapped_column(Integer, primary_key=True)
    ticket_id: Mapped[int | None] = mapped_column(ForeignKey("ticket.id", ondelete="CASCADE"))
    case_id: Mapped[str | None] = mapped_column(ForeignKey("case.id", ondelete="SET NULL"))
    reference: Mapped[str | None] = mapped_column(Text)
    title: Mapped[str] = mapped_column(Text)
    status: Mapped[TicketStatus] = mapped_column(String(16))
    owner: Mapped[str | None] = mapped_column(Text)
    answered: Mapped[bool]
    severity: Mapped[HeadlineSeverity | None] = mapped_column(String(16))
    severity_order: Mapped[int]
    rule: Mapped[str | None] = mapped_column(String(64), index=True)
    headline: Mapped[str | None] = mapped_column(Text)
    job_id: Mapped[str | None] = mapped_column(Text, index=True)
    system: Mapped[str | None] = mapped_column(Text)
    user: Mapped[str | None] = mapped_column(Text, index=True)
    project: Mapped[str | None] = mapped_column(Text)
    application: Mapped[str | None] = mapped_column(Text)
    io_time_s: Mapped[float | None]
    io_time_fraction: Mapped[float | None]
    io_time_bound: Mapped[str] = mapped_column(String(16), default="")
    lost_s: Mapped[float | None]
    node_hours: Mapped[float | None]
    could_save_s: Mapped[float | None]
    saves_order: Mapped[float]
    cases: Mapped[int]
    looked_up: Mapped[bool] = mapped_column(default=False)
    version: Mapped[int]
    created_at: Mapped[datetime] = mapped_column(Utc)
    changed_at: Mapped[datetime] = mapped_column(Utc)


class SearchTextRow(Base):
    """The words by which an entry of the queue is found, each once, in lower case, with blanks between them: those of
    a case, or those of a ticket itself."""

    __tablename__ = "search_text"
    __table_args__ = (UniqueConstraint("case_id"), UniqueConstraint("ticket_id"), Index(None, "id", "entry_id"))

    id: Mapped[int] = mapped_column(Integer, primary_key=True)
    case_id: Mapped[str | None] = mapped_column(ForeignKey("case.id", ondelete="CASCADE"))
    ticket_id: Mapped[int | None] = mapped_column(ForeignKey("ticket.id", ondelete="CASCADE"))
    entry_id: Mapped[int] = mapped_column(ForeignKey("queue_entry.id", ondelete="CASCADE"), index=True)
    words: Mapped[str] = mapped_column(Text)
