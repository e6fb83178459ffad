"""Who asks: a person with a role."""

from __future__ import annotations

from typing import Literal

from iotriage_parsers.frozen import frozen

Role = Literal["user", "helpdesk", "admin"]
"""`user` sees their own cases, `helpdesk` all cases; `admin` also sets up the service."""


@frozen
class Person:
    """`id` is what the log-in calls them and what is stored with what they own; `name` is for showing."""

    id: str
    name: str
    role: Role

    @property
    def sees_every_case(self) -> bool:
        return self.role != "user"


LOCAL = Person("local", "You", "admin")
"""The one person of a server on somebody's own loopback."""
