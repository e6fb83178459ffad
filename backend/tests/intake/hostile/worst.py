"""What a reader does that a log took over: to the server by what it sends, to the host by what it calls.

An attempt that comes back is told in the failure that the reader then answers: "done", or the name of the error.
"""

from __future__ import annotations

import ctypes
import errno
import json
import os
import pickle
import signal
import socket
import tempfile
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np

from iotriage.boundary.codec import Codec
from iotriage.boundary.results import encode_result
from iotriage.intake.excerpt import Excerpt
from iotriage_parsers.evidence import CounterTable, DarshanLog, Evidence, Failure, Job
from iotriage_parsers.temporary_files import temporary_file

PREFIX = "worst "
SOURCE, RESULT = 3, 4
"""The descriptors of a child."""

_PR_GET_SECCOMP = 21
_MIB = 2**20


@dataclass(frozen=True)
class Places:
    """What stands outside: the data folder with a source of somebody else, a secret, sockets, the server's process."""

    data: str
    theirs: str
    secret: str
    unix: str
    tcp: int
    udp: int
    server: int
    proof: str
    """A file that is made where code of a message is run."""


def order(attempt: str, places: Places) -> bytes:
    """The source that has the reader try this."""
    return f"{PREFIX}{json.dumps([attempt, asdict(places)])}".encode()


def obey(said: str) -> Failure:
    attempt, places = json.loads(said.removeprefix(PREFIX))
    act = ATTEMPTS[attempt]
    try:
        act(Places(**places))
        ended = "done"
    except OSError as error:
        ended = errno.errorcode.get(error.errno or 0, "refused")
    return Failure("damaged", f"{attempt}: {ended}, {_filter()}.", "")


def _filter() -> str:
    """Whether system calls are filtered in this process."""
    answer = ctypes.CDLL(None).prctl(_PR_GET_SECCOMP, 0, 0, 0, 0)
    return "unfiltered" if answer == 0 else "filtered"


class _Runs:
    def __init__(self, proof: str) -> None:
        self.proof = proof

    def __reduce__(self) -> tuple[object, tuple[str]]:
        return os.system, (f"touch '{self.proof}'",)


class _Offsets:
    """An object in an array whose address the message chooses."""

    def __reduce__(self) -> tuple[object, ...]:
        fields = {"a": (np.dtype("i8"), 2**40)}
        return np.dtype, ("V8",), (3, "|", None, ("a",), fields, 8, 1, 0)


class _Uninitialised:
    def __reduce__(self) -> tuple[object, ...]:
        return np.empty, ((1000, 1000),)


def _send(*parts: bytes) -> None:
    for part in (b"R", *parts):
        left = memoryview(part)
        while left:
            left = left[os.write(RESULT, left) :]
    os._exit(0)


def framed(values: bytes, arrays: bytes = b"", lengths: tuple[int, int] | None = None) -> bytes:
    stated = lengths or (len(values), len(arrays))
    filling = bytes(-len(values) % 8)
    return b"".join((*(length.to_bytes(8, "little") for length in stated), values, filling, arrays))


def _log() -> Evidence:
    ids, ranks = np.arange(4, dtype=np.uint64), np.arange(4)
    table = CounterTable("POSIX", ("A",), ("B",), ids, ranks, np.ones((4, 1), np.int64), np.ones((4, 1)))
    return Evidence("darshan_log", (DarshanLog("3.41", "little", "zlib", Job(), (), {}, (), table),))


def _impossible() -> Evidence:
    """Of the right types, and nothing of it can be."""
    names = ("POSIX_OPENS", "POSIX_READS", "POSIX_WRITES", "POSIX_BYTES_READ", "POSIX_BYTES_WRITTEN")
    floats = ("POSIX_F_READ_TIME", "POSIX_F_WRITE_TIME", "POSIX_F_META_TIME")
    rows = 64
    ints = np.resize(np.array([2**63 - 1, -(2**63), -2, 0]), (rows, len(names)))
    times = np.resize(np.array([np.nan, np.inf, -np.inf, 1e308]), (rows, len(floats)))
    ids, ranks = np.zeros(rows, np.uint64), np.full(rows, -(2**63))
    table = CounterTable("POSIX", names, floats, ids, ranks, ints, times)
    job = Job("x" * 10_000, -1, 4, -7, 1e308, -1e308, -1.0, "\0", "\u202e", ())
    return Evidence("darshan_log", (DarshanLog("3.41", "little", "zlib", job, (), {}, (), table),))


def _message(places: Places) -> dict[str, Callable[[], None]]:
    nested: tuple[object, ...] = ()
    for _ in range(60):
        nested = (nested, nested)
    log, failure = encode_result(_log()), encode_result(Failure("empty", "abc", ""))
    return {
        "a pickle that runs a program": lambda: _send(pickle.dumps(_Runs(places.proof))),
        "a pickle that runs a program, as values": lambda: _send(framed(pickle.dumps(_Runs(places.proof)))),
        "a pickle of an address of its choice": lambda: _send(pickle.dumps(_Offsets())),
        "a pickle of memory that was never written": lambda: _send(pickle.dumps(_Uninitialised())),
        "a pickle of the same again and again": lambda: _send(pickle.dumps(nested)),
        "a false length": lambda: _send(framed(b"\xc0", lengths=(2**64 - 1, 2**64 - 1))),
        "a length that comes round": lambda: _send(framed(b"\xc0", lengths=(2**64 - 8, 8))),
        "arrays that are cut": lambda: _send(log[:-16]),
        "arrays longer than stated": lambda: _send(log, bytes(64)),
        "an array without its bytes": lambda: _send(log.replace(b"\x92\x04\x01", b"\x92\x7f\x7f")),
        "half a message": lambda: _send(log[: len(log) // 2]),
        "nothing": _send,
        "nesting without end": lambda: _send(framed(b"\x91" * (8 * _MIB))),
        "a list of four thousand million": lambda: _send(framed(b"\xdd\xff\xff\xff\xff" + b"\xc0" * _MIB)),
        "a text that is none": lambda: _send(failure.replace(b"abc", b"\xed\xa0\x80")),
        "an answer to another question": lambda: _send(Codec[Excerpt](Excerpt).encode(Excerpt((), True))),
        "a traceback of control characters": lambda: os.write(RESULT, b"E" + b"\x1b]0;x\x07\r\n\x9b2J" * 4000),
        "a whole message, and a crash": lambda: _crash_after(log),
        "figures that cannot be": lambda: _send(encode_result(_impossible())),
    }


def pour() -> None:
    """Bytes without end."""
    os.write(RESULT, b"R")
    while True:
        os.write(RESULT, bytes(_MIB))


def _drip() -> None:
    os.write(RESULT, b"R")
    while True:
        os.write(RESULT, b"\0")
        time.sleep(0.05)


def _crash_after(message: bytes) -> None:
    os.write(RESULT, b"R" + message)
    os.kill(os.getpid(), signal.SIGKILL)


def _fork() -> None:
    pid = os.fork()
    if pid == 0:
        signal.pause()
    # Where nothing kept it from being made, it is not to outlive the test.
    os.kill(pid, signal.SIGKILL)
    os.waitpid(pid, 0)


def _stop() -> None:
    os.kill(os.getpid(), signal.SIGSTOP)


def _spin() -> None:
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    signal.signal(signal.SIGXCPU, signal.SIG_IGN)
    while True:
        pass


def _fill_memory() -> None:
    held = []
    while True:
        held.append(bytearray(64 * _MIB))


def _die_by(number: int) -> None:
    if number not in (signal.SIGKILL, signal.SIGSTOP):
        signal.signal(number, signal.SIG_DFL)
    os.kill(os.getpid(), number)


def _fill_a_file() -> None:
    """Larger than any may be, and all of it a hole."""
    with temporary_file() as file:
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        os.ftruncate(file.fileno(), 2**50)


def _leave_a_file() -> None:
    (Path(tempfile.gettempdir()) / "left by a reader").write_text("for the next")


def _find_what_was_left() -> None:
    found = [path for path in Path(tempfile.gettempdir()).rglob("left by a reader") if path.read_text()]
    if not found:
        raise FileNotFoundError(errno.ENOENT, "nothing was left")


def _connect_unix(path: str) -> None:
    with socket.socket(socket.AF_UNIX) as ours:
        ours.connect(path)


def _send_udp(port: int) -> None:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as ours:
        ours.sendto(b"x", ("127.0.0.1", port))


Act = Callable[[Places], object]


def _sends(name: str) -> Act:
    return lambda at: _message(at)[name]()


def _dies(number: int) -> Act:
    return lambda _: _die_by(number)


MESSAGES = {name: _sends(name) for name in _message(Places("", "", "", "", 0, 0, 0, ""))}

SIGNALS = {
    f"dies by signal {number}": _dies(number)
    for number in sorted({int(n) for n in signal.valid_signals()} - {signal.SIGSTOP})
}

ENDS: dict[str, Act] = {
    "stops itself": lambda _: _stop(),
    "computes without end": lambda _: _spin(),
    "sleeps": lambda _: signal.pause(),
    "sends a byte now and then": lambda _: _drip(),
    "fills memory": lambda _: _fill_memory(),
    "exits without a word": lambda _: os._exit(0),
}

REFUSED: dict[str, Act] = {
    "reads a secret": lambda at: Path(at.secret).read_bytes(),
    "writes to a secret": lambda at: os.close(os.open(at.secret, os.O_WRONLY)),
    "reads another's source": lambda at: Path(at.theirs).read_bytes(),
    "removes another's source": lambda at: Path(at.theirs).unlink(),
    "lists the data folder": lambda at: list(Path(at.data).iterdir()),
    "opens the database": lambda at: os.close(os.open(Path(at.data) / "iotriage.sqlite3", os.O_RDWR)),
    "makes a file in the data folder": lambda at: (Path(at.data) / "new").write_text("x"),
    "reads the server's environment": lambda at: Path(f"/proc/{at.server}/environ").read_bytes(),
    "reads the server's memory": lambda at: Path(f"/proc/{at.server}/mem").open("rb").close(),
    "writes to its own source": lambda _: os.ftruncate(SOURCE, 0),
    "opens its own source for writing": lambda _: os.close(os.open(f"/proc/self/fd/{SOURCE}", os.O_RDWR)),
    "leaves a file": lambda _: _leave_a_file(),
    "makes a file beyond all limits": lambda _: _fill_a_file(),
    "signals the server": lambda at: os.kill(at.server, 0),
    "kills the process that it was forked off": lambda _: os.kill(os.getppid(), signal.SIGKILL),
    "runs a program": lambda _: os.execv("/usr/bin/true", ["true"]),
    "connects by TCP": lambda at: socket.create_connection(("127.0.0.1", at.tcp), timeout=5).close(),
}
"""What Landlock and the limits keep away."""

REFUSED_BY_A_FILTER: dict[str, Act] = {
    "forks": lambda _: _fork(),
    # The kernel says that it did, also where it was allowed to reach nobody.
    "signals everybody": lambda _: os.kill(-1, 0),
    "takes the rights of the data folder away": lambda at: Path(at.data).chmod(0o755),
    "changes the times of a secret": lambda at: os.utime(at.secret),
    "connects to a Unix socket by path": lambda at: _connect_unix(at.unix),
    "sends a datagram": lambda at: _send_udp(at.udp),
    "finds what another reader left": lambda _: _find_what_was_left(),
}
"""What needs a filter of system calls."""

ATTEMPTS: dict[str, Act] = {
    **MESSAGES,
    **ENDS,
    **SIGNALS,
    **REFUSED,
    **REFUSED_BY_A_FILTER,
}
