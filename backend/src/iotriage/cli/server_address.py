"""Where this machine's server listens unless told otherwise, and the address that opens it once."""

from __future__ import annotations

from typing import Final

from iotriage.access.sessions import new_code
from iotriage.store.database import Database
from iotriage.store.sources import utc_now

DEFAULT_HOST: Final = "127.0.0.1"
DEFAULT_PORT: Final = 8200


def one_time_address(database: Database, address: str) -> str:
    """The server's address with a secret that opens it once."""
    with database.writing() as session, session.begin():
        return f"{address.rstrip('/')}/open/{new_code(session, utc_now())}"
