"""The lock by which a server has its database to itself, once the connection that held it is gone."""

from __future__ import annotations

import threading

import pytest
from sqlalchemy import text

from iotriage.store.database_lock import DatabaseLock

from .conftest import LARGEST_WAIT_SECONDS, Api

_ENDED = """
SELECT count(pg_terminate_backend(pid)) FROM pg_locks
WHERE locktype = 'advisory' AND database = (SELECT oid FROM pg_database WHERE datname = current_database())
"""


@pytest.mark.every_database
def test_a_server_that_nobody_asks_takes_its_lost_lock_again(api: Api, monkeypatch: pytest.MonkeyPatch) -> None:
    engine = api.services.database.engine
    if engine.dialect.name != "postgresql":
        pytest.skip("the lock of SQLite is one of a file")
    api.settle()
    locked, taken = DatabaseLock._locked, threading.Event()

    def notice(lock: DatabaseLock) -> bool:
        found = locked(lock)
        if found:
            taken.set()
        return found

    monkeypatch.setattr(DatabaseLock, "_locked", notice)
    with engine.connect() as connection:
        assert connection.scalar(text(_ENDED)) == 1
    assert taken.wait(LARGEST_WAIT_SECONDS)
