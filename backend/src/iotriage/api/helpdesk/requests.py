"""What requests about tickets carry."""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated

from fastapi import Path
from pydantic import Field

from iotriage.api.requests import RequestBody
from iotriage.helpdesk.queue import QueueFilter, Sort
from iotriage.helpdesk.ticket_contents import TicketFields
from iotriage.store.ticket_tables import CaseRole, OutcomeVerdict, TicketStatus

MOST_ENTRIES = 500
LONGEST_LINE = 500
LONGEST_NOTE = 256 * 1024

TicketId = Annotated[int, Path(description="The ticket's number.", ge=1, le=2**31 - 1)]
Line = Annotated[str, Field(max_length=LONGEST_LINE)]
CaseName = Annotated[str, Field(min_length=1, max_length=64)]


class TicketText(RequestBody):
    """What people say about a ticket: all of it, as it is to be. Null leaves `system` to `application` to the
    evidence."""

    subject: Line = ""
    status: TicketStatus = "new"
    owner: Line | None = None
    reference: Line | None = None
    system: Line | None = None
    user: Line | None = None
    project: Line | None = None
    application: Line | None = None

    def fields(self) -> TicketFields:
        return TicketFields(**self.model_dump(include=set(TicketText.model_fields)))


class TicketForm(TicketText):
    """A ticket, with the cases that it is about and a note in Markdown, such as the text of a mail. Where one has the
    `reference`, or with `ticket`, the number or reference of one, what comes is added to that, and it stays as it is
    else."""

    cases: tuple[CaseName, ...] = Field(default=(), max_length=MOST_ENTRIES)
    note: str | None = Field(default=None, min_length=1, max_length=LONGEST_NOTE)
    ticket: str | None = Field(default=None, min_length=1, max_length=LONGEST_LINE)


class TicketOfCase(RequestBody):
    """The ticket, by its number or reference. Without `role` the case ran after what was advised where the ticket has
    one from before and the job began after its first answer, and before it otherwise; where no source says when it
    began, that stays `presumed`."""

    ticket: str = Field(min_length=1, max_length=LONGEST_LINE, pattern=r"^[^\x00]*$")
    role: CaseRole | None = None


class TicketChange(TicketText):
    """What of a ticket is to be otherwise: a field that is not there stays as it is. `version` is the one that was
    seen: where it is no longer the ticket's, 409 answers both texts."""

    version: int

    def onto(self, fields: TicketFields) -> TicketFields:
        return replace(fields, **self.model_dump(include=set(TicketText.model_fields), exclude_unset=True))


class TicketToJoin(RequestBody):
    """The other ticket, by its number or reference. `version` is the one that was seen of the ticket that stays."""

    ticket: str = Field(min_length=1, max_length=LONGEST_LINE, pattern=r"^[^\x00]*$")
    version: int


class NoteRequest(RequestBody):
    """Markdown, kept as it is."""

    text: str = Field(min_length=1, max_length=LONGEST_NOTE)


class NoteChange(NoteRequest):
    """`version` is the note's that was seen."""

    version: int


class CaseAttachment(RequestBody):
    """A case for a ticket: whether it ran before or after what was advised. Null: as of what arrives by itself, by
    whether its job began after the ticket's first answer."""

    case: CaseName
    role: CaseRole | None = "before"


class OutcomeDecision(RequestBody):
    """What became of the advice of `rules`, by a person, for a reason. `version` is the ticket's that was seen."""

    version: int
    verdict: OutcomeVerdict
    rules: tuple[Annotated[str, Field(max_length=64, pattern=r"^[a-z0-9-]+$")], ...] = Field(default=(), max_length=50)
    reason: str = Field(min_length=1, max_length=2000)


class EntryNamed(RequestBody):
    """An entry of the queue: a ticket, in the version that was seen where that matters, or a case nobody has taken."""

    ticket: int | None = Field(default=None, ge=1, le=2**31 - 1)
    case: CaseName | None = None
    version: int | None = None


class QueueAction(RequestBody):
    """What is done to all `entries`: null leaves it as it is. "" as `owner` is nobody. A case that nobody has taken
    gets a ticket."""

    entries: tuple[EntryNamed, ...] = Field(min_length=1, max_length=MOST_ENTRIES)
    status: TicketStatus | None = None
    owner: Line | None = None


class SavedViewRequest(RequestBody):
    """A filter of the queue to be kept under a name; it takes the place of one's own of that name."""

    name: str = Field(min_length=1, max_length=100)
    shared: bool = False
    filter: QueueFilter = QueueFilter()
    sort: Sort = "urgency"
