"""The reader that does its worst, in the real application: what comes of it for its own source, and for all else."""

from __future__ import annotations

import hashlib
import os
import signal
import socket
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest
from budget import some
from structlog.testing import capture_logs

from iotriage.confinement.landlock import landlock_version
from iotriage.settings import Settings

from ..conftest import HOSTILE, LEGACY, SHARED, Api

sys.path.append(HOSTILE)
import worst

_BY_DEFAULT = (signal.SIGCHLD, signal.SIGCONT, signal.SIGURG, signal.SIGWINCH)
_STOPPING = (signal.SIGTSTP, signal.SIGTTIN, signal.SIGTTOU)
IGNORED = {*_BY_DEFAULT, *_STOPPING}
"""Nothing happens by them; those that stop a process do not in a group of processes that no terminal has."""

SOON = {name: 2 for name in ("parse_seconds", "parse_wall_seconds") if name in Settings.model_fields}

Start = Callable[..., AbstractContextManager[Api]]


@dataclass
class Outside:
    """What a reader should reach nothing of."""

    places: worst.Places
    unix: socket.socket
    tcp: socket.socket
    udp: socket.socket

    def untouched(self) -> None:
        assert not Path(self.places.proof).exists(), "code of a message was run"
        assert Path(self.places.secret).read_text() == "of the server"
        assert not (Path(self.places.data) / "new").exists()
        assert Path(self.places.theirs).read_bytes() == LEGACY.read_bytes()
        assert not self.reached()

    def reached(self) -> bool:
        """Whether anything arrived at a socket since this was asked last."""
        return any(map(_arrived, (self.unix, self.tcp, self.udp)))


def _arrived(waiting: socket.socket) -> bool:
    try:
        if waiting.type == socket.SOCK_DGRAM:
            return bool(waiting.recv(1))
        waiting.accept()[0].close()
    except BlockingIOError:
        return False
    return True


@dataclass
class Service:
    """The application, with the case of somebody else and what the service said of it before anything happened."""

    api: Api
    outside: Outside
    theirs: str
    said: bytes

    def findings(self, case_id: str) -> bytes:
        answer = self.api.client.get(f"/api/v1/cases/{case_id}/findings")
        assert answer.status_code == 200
        return answer.content

    def begin(self, attempt: str) -> str:
        """A case whose reader tries this."""
        return self.api.case((attempt, worst.order(attempt, self.outside.places)))

    def end(self, case_id: str) -> str:
        """ "ready", or why the case failed."""
        case = self.api.client.get(f"/api/v1/cases/{case_id}").json()
        assert case["status"] in ("ready", "failed"), case
        if case["status"] == "ready":
            return "ready"
        (source,) = case["sources"]
        # What could be read, and not be diagnosed, says so of the case.
        message: str = source["message"] or case["message"]
        return message

    def tried(self, attempt: str) -> str:
        case_id = self.begin(attempt)
        self.api.settle()
        return self.end(case_id)

    def survived(self, attempts: Sequence[str]) -> set[int]:
        """The signals that none of the readers died by which tried this; all that they read failed."""
        places = self.outside.places
        case_id = self.api.case(*((attempt, worst.order(attempt, places)) for attempt in attempts))
        self.api.settle()
        case = self.api.client.get(f"/api/v1/cases/{case_id}").json()
        assert (case["status"], {s["status"] for s in case["sources"]}) == ("failed", {"failed"})
        return {int(s["name"].split()[-1]) for s in case["sources"] if ": done" in s["message"]}

    def well(self) -> None:
        """It answers, says of another's case what it said before, and reads what comes next."""
        assert self.api.client.get("/healthz").status_code == 200
        assert self.findings(self.theirs) == self.said
        case_id = self.api.case(("log", SHARED.read_bytes()))
        self.api.settle()
        case = self.api.client.get(f"/api/v1/cases/{case_id}").json()
        assert (case["status"], case["document"]["job"]["nprocs"]) == ("ready", 8)
        assert self.api.client.delete(f"/api/v1/cases/{case_id}").status_code == 204


@pytest.fixture
def outside(tmp_path: Path) -> Iterator[Outside]:
    secret = tmp_path / "secret"
    secret.write_text("of the server")
    with ExitStack() as stack:
        # Near the root: the path of a Unix socket is short.
        near = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="iotriage-")))
        unix = stack.enter_context(socket.socket(socket.AF_UNIX))
        unix.bind(str(near / "s"))
        unix.listen()
        tcp = stack.enter_context(socket.create_server(("127.0.0.1", 0)))
        udp = stack.enter_context(socket.socket(socket.AF_INET, socket.SOCK_DGRAM))
        udp.bind(("127.0.0.1", 0))
        for waiting in (unix, tcp, udp):
            waiting.setblocking(False)
        sha256 = hashlib.sha256(LEGACY.read_bytes()).hexdigest()
        data = tmp_path / "data"
        places = worst.Places(
            data=str(data),
            theirs=str(data / "sources" / sha256[:2] / sha256[2:]),
            secret=str(secret),
            unix=str(near / "s"),
            tcp=tcp.getsockname()[1],
            udp=udp.getsockname()[1],
            server=os.getpid(),
            proof=str(near / "proof"),
        )
        yield Outside(places, unix, tcp, udp)


@contextmanager
def serving(start: Start, outside: Outside, **settings: object) -> Iterator[Service]:
    # The pretty tracebacks of tests would take longer than all else.
    with capture_logs(), start(hostile=True, **settings) as api:
        # With a limit on time the first may be lost to the start of the process that readers are forked off.
        api.case(("first", b"be nice"))
        api.settle()
        theirs = api.case(("theirs", LEGACY.read_bytes()))
        api.settle()
        service = Service(api, outside, theirs, b"")
        service.said = service.findings(theirs)
        yield service
    outside.untouched()


@pytest.fixture
def service(start: Start, outside: Outside) -> Iterator[Service]:
    with serving(start, outside) as service:
        yield service


@pytest.mark.fuzz
def test_whatever_it_sends_is_refused_and_whatever_it_dies_by_said(service: Service, subtests: pytest.Subtests) -> None:
    for attempt in worst.MESSAGES:
        with subtests.test(attempt):
            end = service.tried(attempt)
            if attempt == "figures that cannot be":
                # A lie about its own source, and no more than that.
                assert end == "ready" or "failed" in end or "crashed" in end
            else:
                assert any(word in end for word in ("crashed", "memory", "stopped after")), end
            service.outside.untouched()
            service.well()
    signals = some(worst.SIGNALS)
    for attempts in (signals[at : at + 20] for at in range(0, len(signals), 20)):
        with subtests.test(", ".join(attempts)):
            assert service.survived(attempts) <= IGNORED
    service.well()


def test_however_it_ends_the_case_does(start: Start, outside: Outside, subtests: pytest.Subtests) -> None:
    with serving(start, outside, parse_memory_bytes=2**30, **SOON) as service:
        begun = {attempt: service.begin(attempt) for attempt in worst.ENDS}
        service.api.settle()
        for attempt, case_id in begun.items():
            with subtests.test(attempt):
                end = service.end(case_id)
                assert any(word in end for word in ("crashed", "memory", "stopped after")), end
        service.well()


def test_it_reaches_nothing(service: Service, subtests: pytest.Subtests) -> None:
    for attempt in worst.REFUSED:
        with subtests.test(attempt):
            end = service.tried(attempt)
            if landlock_version() < 6:
                pytest.skip(f"an older kernel's Landlock takes less away: {end}")
            assert ": done" not in end
            service.outside.untouched()
    service.tried("leaves a file")
    for attempt in worst.REFUSED_BY_A_FILTER:
        with subtests.test(attempt):
            end = service.tried(attempt)
            reached = service.outside.reached()
            if "unfiltered" in end:
                pytest.skip(f"no filter of system calls in readers: {end}")
            assert ": done" not in end
            assert not reached
    service.well()
