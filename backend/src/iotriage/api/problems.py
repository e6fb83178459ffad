"""Errors as problem+json (RFC 9457): every answer that is not a success says what happened in a sentence."""

from __future__ import annotations

import errno
import os
from http import HTTPStatus
from typing import TypeVar

import structlog
from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from pydantic import ConfigDict, TypeAdapter
from sqlalchemy.exc import DBAPIError, InterfaceError, OperationalError, SQLAlchemyError, TimeoutError
from starlette.exceptions import HTTPException
from starlette.responses import Response

from iotriage.intake.case_process import CaseEndedError
from iotriage.intake.queue import BusyError
from iotriage.store.cases import SourcesGoneError
from iotriage_parsers.frozen import frozen

MEDIA_TYPE = "application/problem+json"

T = TypeVar("T")

log: structlog.stdlib.BoundLogger = structlog.get_logger()


@frozen
class FieldError:
    """One thing that is wrong with a request, and where in it: "body.sources.0.sha256"."""

    where: str
    message: str


@frozen
class ProblemDetails:
    """`type` names the kind of problem and does not change; `detail` is a sentence for a person."""

    # FastAPI asks for a validator of it for each answer of each route, three hundred of them, and uses none.
    __pydantic_config__ = ConfigDict(defer_build=True)

    type: str
    title: str
    status: int
    detail: str
    errors: tuple[FieldError, ...] = ()


PROBLEM_DETAILS = TypeAdapter(ProblemDetails)
_BUSY = "It works on other cases at the moment. Ask again in a few seconds."
_GONE = (
    "The bytes of a source of it are not here any more: they were kept long enough and removed, or lost. Its document "
    "stays as it is; give the file once more to have it read."
)
RETRY_SECONDS = 5
"""After which asking again makes sense, of what passes by itself."""


class ProblemError(Exception):
    """Ends a request with a problem. `kind` is its short name, such as "unknown-case"; `retry_after` are the seconds
    after which asking again makes sense."""

    def __init__(
        self,
        status: int,
        kind: str,
        title: str,
        detail: str,
        retry_after: int | None = None,
        errors: tuple[FieldError, ...] = (),
    ) -> None:
        super().__init__(title)
        self.headers = {"retry-after": str(retry_after)} if retry_after is not None else None
        self.details = ProblemDetails(problem_type(kind), title, status, detail, errors)


def problem_type(kind: str) -> str:
    """The `type` of problems of this kind, by its short name."""
    return f"urn:iotriage:problem:{kind}"


def not_found(kind: str, name: str, said: str | None = None) -> ProblemError:
    """That there is no `kind` of that name; `said` is what a person calls it, where that is more than its kind."""
    what = said or kind
    return ProblemError(
        404, f"unknown-{kind}", f"There is no such {what}", f"{what.capitalize()} {name!r} is not here."
    )


def present(found: T | None, kind: str, name: str, said: str | None = None) -> T:
    """What was found; where nothing was, the problem that `not_found` makes."""
    if found is None:
        raise not_found(kind, name, said)
    return found


def invalid_request(errors: tuple[FieldError, ...]) -> ProblemError:
    """What is wrong with a request, field by field."""
    detail = "; ".join(f"{e.where}: {e.message}" for e in errors)
    return ProblemError(422, "invalid-request", "The request is not valid", detail, errors=errors)


def problem_response(details: ProblemDetails, headers: dict[str, str] | None = None) -> Response:
    return Response(PROBLEM_DETAILS.dump_json(details), details.status, headers, MEDIA_TYPE)


def install_problem_handlers(app: FastAPI) -> None:
    """Turns every exception that leaves an endpoint into problem+json."""

    @app.exception_handler(ProblemError)
    def _problem(_: Request, error: ProblemError) -> Response:
        return problem_response(error.details, error.headers)

    @app.exception_handler(OperationalError)
    @app.exception_handler(InterfaceError)
    @app.exception_handler(TimeoutError)
    def _database(request: Request, error: SQLAlchemyError) -> Response:
        known = database_problem(error)
        log.warning("the database did not answer", answered=known.details.status, why=_driver_message(error))
        return _problem(request, known)

    @app.exception_handler(SourcesGoneError)
    def _gone(request: Request, _: SourcesGoneError) -> Response:
        return _problem(request, ProblemError(409, "sources-gone", "The case cannot be read again", _GONE))

    @app.exception_handler(BusyError)
    def _busy(request: Request, _: BusyError) -> Response:
        return _problem(request, ProblemError(503, "busy", "The server is busy", _BUSY, RETRY_SECONDS))

    @app.exception_handler(OSError)
    def _no_descriptors(request: Request, error: OSError) -> Response:
        if error.errno not in (errno.EMFILE, errno.ENFILE):
            raise error
        log.warning("too many files and connections are open", why=os.strerror(error.errno))
        return _busy(request, BusyError())

    @app.exception_handler(CaseEndedError)
    def _ended(request: Request, error: CaseEndedError) -> Response:
        title, detail = "The case could not be looked into", f"{error.message} {error.next_step}"
        if error.lasting:
            return _problem(request, ProblemError(422, "too-costly", title, detail))
        return _problem(request, ProblemError(503, "case-ended", title, detail, RETRY_SECONDS))

    @app.exception_handler(HTTPException)
    def _http(_: Request, error: HTTPException) -> Response:
        title = HTTPStatus(error.status_code).phrase
        details = ProblemDetails("about:blank", title, error.status_code, str(error.detail))
        return problem_response(details, dict(error.headers) if error.headers else None)

    @app.exception_handler(RequestValidationError)
    def _invalid(_: Request, error: RequestValidationError) -> Response:
        errors = tuple(FieldError(".".join(map(str, e["loc"])), str(e["msg"])) for e in error.errors())
        return problem_response(invalid_request(errors).details)


def database_problem(error: SQLAlchemyError) -> ProblemError:
    """What to say where the database is away, busy, full or read-only."""
    message = _driver_message(error)
    if "is full" in message or "No space left" in message:
        detail = "The server has no room for its database: whoever runs it has to make some. Nothing was changed."
        return ProblemError(507, "no-room", "There is no space left", detail)
    if "readonly database" in message:
        detail = "The server cannot write to its database: whoever runs it has to look. Nothing was changed."
        return ProblemError(503, "not-writable", "Nothing can be stored now", detail, RETRY_SECONDS)
    detail = "The server's database does not answer at the moment. Nothing was changed: ask again."
    return ProblemError(503, "database-away", "The database is away", detail, RETRY_SECONDS)


def _driver_message(error: SQLAlchemyError) -> str:
    """Without the statement and its values, which may name people and paths."""
    return str(error.orig if isinstance(error, DBAPIError) else error).strip()
