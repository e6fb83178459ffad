"""A ticket that comes with its logs, as a mail or ticket system, or `curl -F`, gives it: one form, fields and files."""

from __future__ import annotations

from collections.abc import AsyncIterator

from fastapi import Request
from pydantic import ValidationError
from starlette.datastructures import FormData, UploadFile

from iotriage.api.helpdesk.requests import LONGEST_LINE, LONGEST_NOTE, TicketForm
from iotriage.api.problems import FieldError, ProblemError, invalid_request
from iotriage.api.requests import LARGEST_CASE_SOURCES
from iotriage.api.services import Services
from iotriage.api.sources import Uploader, store_upload
from iotriage.store.cases import NamedSource
from iotriage_parsers.frozen import frozen

FILES = "attachment"
"""The name of the form's fields that are files."""
FORMS = ("multipart/form-data", "application/x-www-form-urlencoded")

_MOST_FIELDS = 32
_LARGEST_FIELD = 8 * 2**20
"""Bytes of a field that is no file, such as a mail with a log pasted into it, of which the beginning is kept."""
_CHUNK_BYTES = 2**18
_LONGEST = {"subject": LONGEST_LINE, "note": LONGEST_NOTE}


@frozen
class TicketSubmission:
    """What the form has, and the logs that came with it, which are stored."""

    fields: TicketForm
    sources: tuple[NamedSource, ...]


async def read_submission(request: Request, services: Services, giver: Uploader) -> TicketSubmission:
    """Of a form with files, or of JSON without; a problem where it is neither, or not right."""
    kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if kind == "application/json":
        return TicketSubmission(_checked(await request.body()), ())
    if kind not in FORMS:
        detail = f"Send JSON (application/json), or a form: {' or '.join(FORMS)}, with files the first."
        raise ProblemError(415, "content-type", "Unsupported Media Type", detail)
    limits = {"max_files": LARGEST_CASE_SOURCES, "max_fields": _MOST_FIELDS, "max_part_size": _LARGEST_FIELD}
    async with request.form(**limits) as form:
        files = _files(form)
        fields = _checked(_fields_of({name: value for name, value in form.items() if isinstance(value, str)}))
        return TicketSubmission(fields, tuple([await _stored(file, services, giver) for file in files]))


def _files(form: FormData) -> list[UploadFile]:
    given = [value for value in form.getlist(FILES) if not _is_empty(value)]
    files = [value for value in given if isinstance(value, UploadFile)]
    if len(files) < len(given):
        said = f"It is no file. A file is sent as {FORMS[0]}, as curl -F '{FILES}=@job.darshan' does."
        raise invalid_request((FieldError(f"body.{FILES}", said),))
    others = {name for name, value in form.multi_items() if isinstance(value, UploadFile) and name != FILES}
    if others:
        raise invalid_request((FieldError(f"body.{min(others)}", f"Files are fields named {FILES!r}."),))
    return files


def _is_empty(field: UploadFile | str) -> bool:
    """So is the field of a mail without files; a page sends a file without a name where none was chosen."""
    return not (field.strip() if isinstance(field, str) else field.filename or field.size)


async def _stored(file: UploadFile, services: Services, giver: Uploader) -> NamedSource:
    stored = await store_upload(services, giver, _chunks(file), file.size or 0)
    return NamedSource(stored.sha256, file.filename or "attachment")


async def _chunks(file: UploadFile) -> AsyncIterator[bytes]:
    while chunk := await file.read(_CHUNK_BYTES):
        yield chunk


def _fields_of(form: dict[str, str]) -> dict[str, str]:
    """What a mail has not, such as a text or a subject, is an empty field of its form; its subject and its text may be
    longer than those that are typed, and no mail is to be lost by it."""
    said = {name: value if name == "note" else value.strip() for name, value in form.items() if value.strip()}
    return {name: _cut(value, _LONGEST[name]) if name in _LONGEST else value for name, value in said.items()}


def _cut(text: str, most: int) -> str:
    return text if len(text) <= most else f"{text[: most - 1]}…"


def _checked(fields: bytes | dict[str, str]) -> TicketForm:
    try:
        return (
            TicketForm.model_validate_json(fields) if isinstance(fields, bytes) else TicketForm.model_validate(fields)
        )
    except ValidationError as wrong:
        where = (FieldError(".".join(("body", *map(str, e["loc"]))), e["msg"]) for e in wrong.errors())
        raise invalid_request(tuple(where)) from None
