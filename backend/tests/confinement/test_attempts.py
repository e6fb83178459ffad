"""What a reader that a log took over would try, and what stops it: every layer together, and each of them alone."""

from __future__ import annotations

import ctypes
import json
import os
import secrets
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

import pytest

from iotriage.confinement.kernel import ON_LINUX
from iotriage.confinement.landlock import landlock_version
from iotriage.confinement.report import available
from iotriage.confinement.seccomp import seccomp_here

ATTEMPTS = Path(__file__).parent / "attempts.py"
NOBODY = 65_534
USERS = ("root", "nobody") if os.geteuid() == 0 else ("ourselves",)
_IPC_CREATE, _IPC_REMOVE = 0o1000, 0

pytestmark = pytest.mark.skipif(not ON_LINUX, reason="what confines is Linux's")

FILES = {
    "read a file",
    "write a file",
    "make a file",
    "make a folder",
    "make a link",
    "remove a file",
    "rename a file",
    "list a folder",
}
RIGHTS = {"chmod a folder", "set times of a folder"}
SOCKETS = {"connect to a Unix socket by path", "send UDP"}
TCP = {"connect by TCP"}
SHARED_MEMORY = {"open System V shared memory"}
SIGNALS = {"signal another process"}
OTHERS = {"trace another process", "read another's memory"}
HOLD = {"hold another process"}
PROCESSES = {"fork", "start a thread"}
RUN = {"run a program"}
KERNEL = {"use io_uring", "use a keyring", "write memory and run it"}
USER_NAMESPACE = {"make a user namespace"}
ALL = (
    FILES | RIGHTS | SOCKETS | TCP | SHARED_MEMORY | SIGNALS | OTHERS | HOLD | PROCESSES | RUN | KERNEL | USER_NAMESPACE
)


@dataclass(frozen=True, slots=True)
class Ended:
    """How the attempts ended, and whether anything came of them outside."""

    user: int
    attempts: dict[str, str]
    needed: dict[str, str]
    received: bool

    @property
    def succeeded(self) -> set[str]:
        return {name for name, end in self.attempts.items() if end == "done"}

    @property
    def refused(self) -> set[str]:
        return set(self.attempts) - self.succeeded


@pytest.fixture
def shared_memory() -> Iterator[int]:
    libc = ctypes.CDLL(None)
    key = secrets.randbelow(1 << 30) + 1
    segment = libc.shmget(key, 16, _IPC_CREATE | 0o666)
    assert segment >= 0
    yield key
    libc.shmctl(segment, _IPC_REMOVE, None)


@pytest.fixture
def outside(tmp_path: Path) -> Path:
    """A data folder that everybody may use, so that nothing but a layer keeps it."""
    for name in ("data", "scratch"):
        (tmp_path / name).mkdir()
    for name in ("secret", "removable", "renamable"):
        (tmp_path / "data" / name).write_text("of somebody else")
    return tmp_path


def tried(outside: Path, shared_memory: int, user: str, layers: str) -> Ended:
    data = outside / "data"
    with ExitStack() as stack:
        unix = stack.enter_context(socket.socket(socket.AF_UNIX))
        # A socket's path is short: bound by one from within the folder.
        (folder := os.open(outside, os.O_PATH)) and stack.callback(os.close, folder)
        unix.bind(f"/proc/self/fd/{folder}/s")
        unix.listen()
        tcp = stack.enter_context(socket.create_server(("127.0.0.1", 0)))
        udp = stack.enter_context(socket.socket(socket.AF_INET, socket.SOCK_DGRAM))
        udp.bind(("127.0.0.1", 0))
        udp.setblocking(False)
        places = {
            "folder": str(data),
            "unix": str(outside / "s"),
            "tcp": tcp.getsockname()[1],
            "udp": udp.getsockname()[1],
            "shared_memory": shared_memory,
        }
        if user == "nobody":
            for path in (outside, *outside.rglob("*")):
                os.chown(path, NOBODY, NOBODY)
        command = [sys.executable, "-I", "-B", str(ATTEMPTS), user, layers, json.dumps(places)]
        done = subprocess.run(command, capture_output=True, text=True, cwd="/", timeout=100)
        assert done.returncode == 0, done.stderr
        said = json.loads(done.stdout)
        return Ended(said["user"], said["attempts"], said["needed"], received=_received(udp))


def _received(udp: socket.socket) -> bool:
    try:
        return bool(udp.recv(1))
    except BlockingIOError:
        return False


def _needs(layer: str) -> None:
    if layer == "landlock" and landlock_version() < 6:
        pytest.skip(f"the kernel's Landlock has ABI {landlock_version()}: it takes less away")
    if layer == "seccomp" and not seccomp_here():
        pytest.skip("the kernel has no seccomp filter")
    if layer == "server":
        for found in available().layers:
            if found.name in ("namespaces", "own-root") and not found.in_force:
                pytest.skip(found.says)


@pytest.mark.parametrize("user", USERS)
def test_unconfined_the_attempts_succeed(outside: Path, shared_memory: int, user: str) -> None:
    ended = tried(outside, shared_memory, user, "none")
    # Some hosts forbid these to everybody.
    assert ended.refused <= OTHERS | KERNEL | USER_NAMESPACE
    assert ended.received


@pytest.mark.parametrize("user", USERS)
@pytest.mark.parametrize("layers", ["child", "server+child"])
def test_confined_none_succeeds_and_what_reading_needs_does(
    outside: Path, shared_memory: int, user: str, layers: str
) -> None:
    _needs("landlock")
    _needs("seccomp")
    before = outside.joinpath("data").stat()
    ended = tried(outside, shared_memory, user, layers)
    assert set(ended.attempts) == ALL
    assert ended.succeeded == set()
    assert not ended.received
    assert set(ended.needed.values()) == {"done"}
    after = outside.joinpath("data").stat()
    assert (after.st_mode, after.st_mtime_ns) == (before.st_mode, before.st_mtime_ns)
    assert sorted(path.name for path in outside.joinpath("data").iterdir()) == ["removable", "renamable", "secret"]


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can become another user")
def test_started_as_root_it_runs_as_a_user_that_nobody_is(outside: Path, shared_memory: int) -> None:
    _needs("server")
    ended = tried(outside, shared_memory, "root", "server+child")
    assert ended.user in range(61_184, 65_520)


@pytest.mark.parametrize("user", USERS)
def test_seccomp_alone(outside: Path, shared_memory: int, user: str) -> None:
    _needs("seccomp")
    ended = tried(outside, shared_memory, user, "seccomp")
    # What a file says it cannot keep away, but nothing outside is changed, reached, or signalled.
    assert ended.succeeded <= {"read a file", "list a folder", "read another's memory"}


@pytest.mark.parametrize("user", USERS)
def test_landlock_alone(outside: Path, shared_memory: int, user: str) -> None:
    _needs("landlock")
    ended = tried(outside, shared_memory, user, "landlock")
    assert ended.refused >= FILES | TCP | SIGNALS | OTHERS | RUN
    # Why it is not enough.
    assert ended.succeeded >= RIGHTS | SOCKETS | SHARED_MEMORY | PROCESSES


@pytest.mark.parametrize("user", USERS)
def test_what_the_fork_server_gives_up_alone(outside: Path, shared_memory: int, user: str) -> None:
    _needs("server")
    ended = tried(outside, shared_memory, user, "server")
    assert ended.refused >= FILES | RIGHTS | SOCKETS | TCP | SHARED_MEMORY | SIGNALS | OTHERS
    assert not ended.received
    assert set(ended.needed.values()) == {"done"}
