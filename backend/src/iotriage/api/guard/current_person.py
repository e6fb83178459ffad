"""FastAPI dependencies: the person, and the client, that a request comes from."""

from __future__ import annotations

from typing import Annotated

from fastapi import Depends, Request

from iotriage.access.person import Person
from iotriage.api.guard.clients import client_of
from iotriage.api.guard.visitor import Visiting, not_signed_in
from iotriage.api.services import Here


async def _current_person(visitor: Visiting, services: Here) -> Person:
    if visitor.person is None:
        raise not_signed_in(services)
    return visitor.person


CurrentPerson = Annotated[Person, Depends(_current_person)]
"""The person who asks; nobody else gets an answer."""


async def _client(request: Request, visitor: Visiting, services: Here) -> str:
    if visitor.person is None or services.settings.access == "local":
        return client_of(request.scope)
    return f"person {visitor.person.id}"


Client = Annotated[str, Depends(_client)]
"""Whose limits hold: a person's, on somebody's own loopback an address's."""
