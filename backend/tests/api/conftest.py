"""The real application on a data folder of its own, asked as a client asks it."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor, wait
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import update

from iotriage.api.app import create_app
from iotriage.api.services import Services
from iotriage.intake.case_process import ANSWERING, own_sites
from iotriage.intake.case_views import WaitLimits
from iotriage.intake.children import Children
from iotriage.intake.disposable import NOT_HANDED_OVER, DisposableReading
from iotriage.intake.reading import ReadingLimits, Spent, Take, ignore_usage
from iotriage.settings import Settings
from iotriage.store.sources import Clock, utc_now
from iotriage.store.ticket_tables import EventRow
from iotriage_parsers.evidence import Failure

from ..whole_answers import WholeAnswers
from .known_conversations import KnownConversations

SAMPLE_LOGS = Path(__file__).parents[3] / "sample-logs"
LEGACY = SAMPLE_LOGS / "darshan_log/39-heat2d-legacy/39-heat2d-legacy.darshan"
SHARED = SAMPLE_LOGS / "darshan_log/06-shared-indep-1000b-unaligned/06-shared-indep-1000b-unaligned.darshan"
GRAVE = SHARED.read_bytes()
BALANCED = (SAMPLE_LOGS / "darshan_log/14-balanced/14-balanced.darshan").read_bytes()
(STATS,) = (SAMPLE_LOGS / "mpich_stats" / "good-collective-write").glob("*.txt")
HOSTILE = str(Path(__file__).parents[1] / "intake" / "hostile")
LARGEST_WAIT_SECONDS = 120


class Api:
    """A client with the few steps that every journey begins with."""

    def __init__(self, client: WholeAnswers, services: Services) -> None:
        self.client = client
        self.services = services

    def upload(self, data: bytes) -> str:
        sha256 = hashlib.sha256(data).hexdigest()
        answer = self.client.put(f"/api/v1/sources/{sha256}", content=data)
        assert answer.status_code in (200, 201), answer.text
        return sha256

    def case(self, *sources: tuple[str, bytes], site: str | None = None, alone: bool = False) -> str:
        given = [{"sha256": self.upload(data), "name": name} for name, data in sources]
        answer = self.client.post("/api/v1/cases", json={"sources": given, "site": site, "alone": alone})
        assert answer.status_code == 201, answer.text
        case_id: str = answer.json()["id"]
        return case_id

    def asked_until_submitted(self, case_id: str, submitted: str) -> Any:
        """What who asks with `wait` for a case is answered, once another, or it, is given to be read; not before."""
        with ThreadPoolExecutor(1) as asking:
            answer = asking.submit(self.client.get, f"/api/v1/cases/{case_id}?wait=10")
            assert not wait([answer], timeout=0.2).done
            self.services.worker.submit(submitted)
            return answer.result().json()

    def settle(self) -> None:
        """Waits until the background has nothing left to do."""
        assert self.services.worker.wait_until_idle(LARGEST_WAIT_SECONDS)

    def date_back(self, ticket: int, to: datetime = datetime(2000, 1, 1, tzinfo=UTC)) -> None:
        """What was done with the ticket so far was done then: by default, before any job here began."""
        with self.services.database.writing() as session, session.begin():
            session.execute(update(EventRow).where(EventRow.ticket_id == ticket).values(at=to))


PROXY = {"access": "proxy", "identity_proxies": "127.0.0.1", "helpdesk_groups": "support"}


def as_person(api: Api, name: str, groups: str = "") -> Api:
    """Somebody whom a proxy at 127.0.0.1 names; nobody where it names none. They have cookies of their own."""
    headers = {"x-remote-user": name, "x-remote-groups": groups} if name else {}
    client = WholeAnswers(
        api.client.app, base_url="http://127.0.0.1:8200", headers=headers, client=("127.0.0.1", 50000)
    )
    client.portal = api.client.portal
    return Api(client, api.services)


Start = Callable[..., "contextmanager[Api]"]


class LastingReading(DisposableReading):
    """Stays when an application that uses it ends: its processes are the same for all tests. What was read once is not
    read again."""

    def __init__(self) -> None:
        super().__init__()
        self._known: dict[tuple[bytes, ReadingLimits], tuple[list[bytes], Failure | None]] = {}

    def read(self, source: Path, limits: ReadingLimits, take: Take, spent: Spent = ignore_usage) -> Failure | None:
        if not source.is_file():
            return super().read(source, limits, take, spent)
        key = (hashlib.sha256(source.read_bytes()).digest(), limits)
        if key not in self._known:
            pieces: list[bytes] = []
            failure = super().read(source, limits, lambda piece: pieces.append(bytes(piece)), spent)
            if failure == NOT_HANDED_OVER:
                return failure
            self._known[key] = (pieces, failure)
        pieces, failure = self._known[key]
        for piece in pieces:
            take(piece)
        return failure

    def close(self) -> None:
        pass

    def end(self) -> None:
        super().close()


@pytest.fixture(scope="session")
def lasting_reading() -> Iterator[LastingReading]:
    reading = LastingReading()
    yield reading
    reading.end()


class LastingChildren(Children):
    """The same for the processes of cases."""

    def close(self) -> None:
        pass

    def restart(self) -> None:
        """Ends all of them; the next is forked off another."""
        with self._lock:
            self._drop_server()

    def end(self) -> None:
        super().close()


class LastingConversations(KnownConversations):
    def close(self) -> None:
        pass

    def end(self) -> None:
        super().close()


@pytest.fixture(scope="session")
def lasting_children() -> Iterator[LastingConversations]:
    children = LastingConversations(ANSWERING, own_sites)
    yield children
    children.end()


@pytest.fixture(scope="session")
def hostile_children() -> Iterator[LastingChildren]:
    """Processes of cases that do what the names of sources say (`hostile_case`)."""
    children = LastingChildren("hostile_case:answering", search_path=(HOSTILE,), more=own_sites)
    yield children
    children.end()


@pytest.fixture
def start(
    tmp_path: Path, database_url: str, lasting_reading: LastingReading, lasting_children: LastingConversations
) -> Callable[..., object]:
    """Starts the application; the same folder and database each time, so that it can be stopped and started again."""

    @contextmanager
    def running(
        hostile: bool = False,
        clock: Clock = utc_now,
        children: Children = lasting_children,
        patience: WaitLimits | None = None,
        **settings: object,
    ) -> Iterator[Api]:
        here = {"data_dir": tmp_path / "data", "database_url": database_url, "samples_dir": tmp_path / "no samples"}
        opened = {**here, "open_loopback": True, **settings}
        reading = DisposableReading("hostile_reader:read", (HOSTILE,)) if hostile else lasting_reading
        app = create_app(Settings.model_validate(opened), reading, clock, children, patience)
        with WholeAnswers(app, base_url="http://127.0.0.1:8200", raise_server_exceptions=False) as client:
            yield Api(client, app.state.services)

    return running


@pytest.fixture
def api(start: Callable[..., contextmanager[Api]]) -> Iterator[Api]:
    with start() as api:
        yield api


def queue(api: Api, **asked: object) -> dict[str, Any]:
    answer = api.client.get("/api/v1/queue", params=asked)
    assert answer.status_code == 200, answer.text
    found: dict[str, Any] = answer.json()
    return found


def cases_in(page: dict[str, Any]) -> list[str]:
    return [entry["case"] for entry in page["entries"]]


def ticket(api: Api, **said: object) -> dict[str, Any]:
    answer = api.client.post("/api/v1/tickets", json=said)
    assert answer.status_code == 201, answer.text
    made: dict[str, Any] = answer.json()
    return made


@dataclass(frozen=True)
class Three:
    grave: str
    balanced: str
    stats: str


@pytest.fixture
def three(api: Api) -> Three:
    """Three cases that nobody has taken."""
    found = Three(
        api.case(("a.darshan", GRAVE), site="lumi"),
        api.case(("out.balanced", BALANCED)),
        api.case(("slurm.err", STATS.read_bytes())),
    )
    api.settle()
    return found
