"""Nothing is lost when the server is killed, at any moment, time and again."""

from __future__ import annotations

import hashlib
import http.client
import json
import threading
from collections import Counter
from itertools import count
from pathlib import Path
from random import Random

import pytest
from budget import dice
from sqlalchemy import select

from iotriage.store.database import Database
from iotriage.store.tables import SourceRow

from ..real_server import RealServer, serving, until
from .test_faults import log, put

MIB = 2**20
LONGEST_WAIT_S, MOST_BEFORE = 0.4, 4
GONE = (OSError, http.client.HTTPException)


class Given:
    """What a server has said that it has."""

    def __init__(self, random: Random) -> None:
        self.sources: set[str] = set()
        self.cases: set[str] = set()
        self._random = random
        self._numbers = count()

    def another(self) -> int:
        return next(self._numbers)

    def give_until_it_is_killed(self, server: RealServer) -> None:
        """Cases and large sources in turn; the kill comes at a random moment behind some of them."""
        killed = threading.Timer(self._random.uniform(0, LONGEST_WAIT_S), server.process.kill)
        before = self._random.randrange(MOST_BEFORE)
        try:
            for turn in count():
                if turn == before:
                    killed.start()
                self.cases.add(server.give(log(self.another())))
                large = self._random.randbytes(4 * MIB)
                assert put(server, large).status == 201
                self.sources.add(hashlib.sha256(large).hexdigest())
        except GONE:
            killed.join()
            server.process.wait()


@pytest.mark.fuzz
def test_what_was_accepted_is_there_after_a_kill(tmp_path: Path, database_url: str) -> None:
    killed_and_whole(1, tmp_path, database_url)


@pytest.mark.faults
@pytest.mark.timeout(1800)
@pytest.mark.every_database
def test_what_was_accepted_is_there_after_twenty_kills(tmp_path: Path, database_url: str) -> None:
    killed_and_whole(20, tmp_path, database_url)


def killed_and_whole(times: int, data: Path, database_url: str) -> None:
    given = Given(dice("killed"))
    for _ in range(times):
        with serving(data, database_url=database_url) as server:
            given.give_until_it_is_killed(server)
    with serving(data, database_url=database_url) as server:
        listed = [case["id"] for case in json.loads(server.ask("GET", "/api/v1/cases?limit=500").body)["cases"]]
        assert given.cases <= set(listed)
        # A case whose answer did not arrive any more.
        assert len(listed) - len(given.cases) <= times
        listed.append(server.give(log(given.another())))
        until(lambda: "reading" not in {server.status(case) for case in listed})
        cases = [json.loads(server.ask("GET", f"/api/v1/cases/{case}").body) for case in listed]
        of_cases = Counter(source["sha256"] for case in cases for source in case["sources"])
        assert set(of_cases.values()) == {1}, "a case was made twice"
        # One that was being read at two kills is suspected of them, and says so.
        assert all(case["document"] or "ended its process" in case["message"] for case in cases)
        assert cases[-1]["status"] == "ready"
        for sha256 in given.sources:
            assert server.ask("HEAD", f"/api/v1/sources/{sha256}").status == 200
        server.ended()
    files = [file for file in (data / "sources").rglob("*") if file.is_file()]
    assert not [file for file in files if file.parent.name == "incoming"], "something is half-written"
    kept = {f"{file.parent.name}{file.name}"[-64:]: hashlib.sha256(file.read_bytes()).hexdigest() for file in files}
    assert all(name == digest for name, digest in kept.items())
    database = Database(database_url)
    with database.reading() as session:
        assert set(session.scalars(select(SourceRow.sha256))) <= set(kept)
    database.close()
