"""The messages between the process that wants logs read and the confined child that reads them."""

from __future__ import annotations

import struct
from typing import Final

from iotriage.boundary.codec import Codec
from iotriage.centre.log_rows import LogOutcome
from iotriage_parsers.frozen import frozen

LENGTH: Final = struct.Struct("=Q")
"""The length that stands before each answer."""
READY: Final = b"R"
"""Sent once, before any log is read: where a process ends without having sent it, no log is to blame."""


@frozen
class BatchOrder:
    """The file that comes with the order begins with `listing_bytes` of a `LogListing`, and behind it the logs stand
    one after the other. What the process may cost in all is in seconds and bytes; `site` and `default_site` as
    `diagnose` has them."""

    listing_bytes: int
    cpu_seconds: float
    memory_bytes: int
    site: str | None = None
    default_site: str | None = None


@frozen
class LogListing:
    """The names of the logs of a batch, and how many bytes each has. An order has no room for many long names."""

    names: tuple[str, ...]
    sizes: tuple[int, ...]


LISTINGS: Final = Codec[LogListing](LogListing)
ORDERS: Final = Codec[BatchOrder](BatchOrder)
OUTCOMES: Final = Codec[LogOutcome](LogOutcome)
