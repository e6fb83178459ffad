"""Who asks."""

from __future__ import annotations

from typing import Annotated

from fastapi import Depends

from iotriage.access.person import LOCAL, Person


async def _asking() -> Person:
    return LOCAL


Asking = Annotated[Person, Depends(_asking)]
"""The person who asks; the route's answer is for them alone."""
