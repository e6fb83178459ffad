"""Where this machine's server listens unless told otherwise, and the address that opens it once."""

from __future__ import annotations

import argparse
from typing import Final

from iotriage.access.sessions import new_code
from iotriage.store.database import Database
from iotriage.store.sources import utc_now

DEFAULT_HOST: Final = "127.0.0.1"
DEFAULT_PORT: Final = 8200
_LAST_PORT: Final = 65535


def typed_port(text: str) -> int:
    port = int(text) if text.isascii() and text.isdecimal() else -1
    if not 0 <= port <= _LAST_PORT:
        raise argparse.ArgumentTypeError(f"{text!r} is not a port: a number from 0, for any free one, to {_LAST_PORT}")
    return port


def one_time_address(database: Database, address: str) -> str:
    """The server's address with a secret that opens it once."""
    with database.writing() as session, session.begin():
        return f"{address.rstrip('/')}/open/{new_code(session, utc_now())}"
