"""Settings that are several, as an environment variable has them: separated by commas."""

from __future__ import annotations

import ipaddress
from typing import Annotated

from pydantic import AfterValidator, BeforeValidator
from pydantic_settings import NoDecode


def _split(value: object) -> object:
    return tuple(one.strip() for one in value.split(",") if one.strip()) if isinstance(value, str) else value


def _networks(value: tuple[str, ...]) -> tuple[str, ...]:
    # Where anybody is believed, anybody can be anyone.
    return tuple(str(ipaddress.ip_network(one)) for one in value)


Names = Annotated[tuple[str, ...], NoDecode, BeforeValidator(_split)]
Networks = Annotated[tuple[str, ...], NoDecode, BeforeValidator(_split), AfterValidator(_networks)]
"""Addresses and networks."""
