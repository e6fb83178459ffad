"""What goes wrong with a change to a ticket, as problems; of two texts that were written at once, both."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from pydantic import TypeAdapter
from starlette.requests import Request
from starlette.responses import Response

from iotriage.api.problems import MEDIA_TYPE, ProblemDetails, ProblemError, not_found, problem_type
from iotriage.helpdesk.joined_tickets import SameTicketError
from iotriage.helpdesk.ticket_contents import TicketFields
from iotriage.helpdesk.tickets import CaseHasTicketError, ConflictError, UnknownTicketError
from iotriage_parsers.frozen import frozen


@frozen
class TwoTexts(ProblemDetails):
    """409: `theirs` is what it is now, in `version`; `yours` is what the request said. A note's are text."""

    version: int = 0
    theirs: TicketFields | str = ""
    yours: TicketFields | str = ""


TWO_TEXTS = TypeAdapter(TwoTexts)

CHANGED_MEANWHILE: dict[int | str, dict[str, object]] = {
    409: {"description": "Somebody else changed it meanwhile: both texts.", "model": TwoTexts}
}


class TwoTextsError(Exception):
    """Ends a request with both texts."""

    def __init__(self, both: TwoTexts) -> None:
        super().__init__(both.title)
        self.both = both


async def two_texts(_: Request, error: Exception) -> Response:
    assert isinstance(error, TwoTextsError)
    return Response(TWO_TEXTS.dump_json(error.both), 409, media_type=MEDIA_TYPE)


@contextmanager
def conflicting(yours: TicketFields | str = "") -> Iterator[None]:
    """Says what the helpdesk's errors are over HTTP; `yours` is what the request wants to write."""
    try:
        yield
    except ConflictError as conflict:
        kind = problem_type("changed-meanwhile")
        detail = (
            "Somebody else changed it since you saw it. Nothing of yours was written: look at both, and write again."
        )
        raise TwoTextsError(
            TwoTexts(
                type=kind,
                title="It was changed meanwhile",
                status=409,
                detail=detail,
                errors=(),
                version=conflict.version,
                theirs=conflict.theirs,
                yours=yours,
            )
        ) from None
    except CaseHasTicketError as taken:
        detail = f"It is of ticket {taken.named}: take it out there first."
        raise ProblemError(409, "taken-case", "The case is of another ticket", detail) from None
    except SameTicketError:
        raise ProblemError(409, "same-ticket", "It is this ticket", "Name another one to join into it.") from None
    except UnknownTicketError as unknown:
        raise not_found(unknown.what, unknown.named) from None
