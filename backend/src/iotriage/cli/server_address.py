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


def port_to_listen_on(text: str) -> int:
    return _port(text, 0, "0, for any free one,")


def port_of_server(text: str) -> int:
    return _port(text, 1, "1")


def _port(text: str, first: int, named: str) -> int:
    port = int(text) if text.isascii() and text.isdecimal() else -1
    if not first <= port <= _LAST_PORT:
        raise argparse.ArgumentTypeError(f"{text!r} is not a port: a number from {named} to {_LAST_PORT}")
    return port


def one_time_address(database: Database, address: str) -> str:
    """The server's address with a secret that opens it once."""
    with database.writing() as session, session.begin():
        return f"{address.rstrip('/')}/open/{new_code(session, utc_now())}"
