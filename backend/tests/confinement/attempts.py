"""What a reader that a log took over would try. `attempts.py USER LAYERS PLACES` becomes that user, gives up what
these layers take, tries everything, and writes how each attempt ended. Each layer alone, too: a host may lack any."""

from __future__ import annotations

import contextlib
import ctypes
import errno
import json
import mmap
import os
import signal
import socket
import sys
import tempfile
import threading
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path

from iotriage.confinement import Limits, confine, isolate_server
from iotriage.confinement.identity import switch_user
from iotriage.confinement.kernel import die_with_parent, library_call, set_no_new_privs
from iotriage.confinement.landlock import restrict_files
from iotriage.confinement.libraries import libraries
from iotriage.confinement.namespaces import enter_own_root
from iotriage.confinement.scratch import make_scratch
from iotriage.confinement.seccomp import restrict_calls

_LIBC = ctypes.CDLL(None, use_errno=True)
_IO_URING_SETUP, _PIDFD_OPEN = 425, 434
_KEYCTL = 250 if os.uname().machine == "x86_64" else 219
_PTRACE_SEIZE = 0x4206
_PR_SET_DUMPABLE = 4
_NEW_MOUNTS, _NEW_USERS = 0x0002_0000, 0x1000_0000
_NOBODY = 65_534
_LIMITS = Limits(memory_bytes=1 << 31, cpu_seconds=20, file_bytes=1 << 20)


@dataclass(frozen=True, slots=True)
class Places:
    """What stands outside. In `folder` lie the files "secret", "removable", "renamable"; `shared_memory` is a key."""

    folder: str
    unix: str
    tcp: int
    udp: int
    shared_memory: int


def _c(name: str, *arguments: object) -> Callable[[], object]:
    """A function of the C library, or a system call, that answers -1 where it is refused."""

    def call() -> object:
        ctypes.set_errno(0)
        answer = getattr(_LIBC, name)(*arguments)
        if answer == -1:
            raise OSError(ctypes.get_errno(), name)
        return answer

    return call


def _connect_unix(path: str) -> None:
    with socket.socket(socket.AF_UNIX) as ours:
        ours.connect(path)


def _send_udp(port: int) -> None:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as ours:
        ours.sendto(b"x", ("127.0.0.1", port))


def _fork() -> None:
    pid = os.fork()
    if pid == 0:
        os._exit(0)
    os.waitpid(pid, 0)


def _thread() -> None:
    thread = threading.Thread(target=int)
    try:
        thread.start()
    except RuntimeError as error:
        raise OSError(errno.EPERM, str(error)) from error
    thread.join()


def _run() -> None:
    try:
        pid = os.fork()
    except OSError:
        os.execv("/usr/bin/true", ["true"])
    if pid == 0:
        with contextlib.suppress(OSError):
            os.execv("/usr/bin/true", ["true"])
        os._exit(errno.EACCES)
    _, status = os.waitpid(pid, 0)
    if status != 0:
        raise OSError(os.waitstatus_to_exitcode(status), "execve")


def attempts(at: Places, victim: int) -> dict[str, Callable[[], object]]:
    """`victim` is another process of this user, which does nothing."""
    folder = Path(at.folder)
    return {
        "read a file": (folder / "secret").read_bytes,
        "write a file": lambda: os.close(os.open(folder / "secret", os.O_WRONLY)),
        "make a file": lambda: (folder / "new").write_text("x"),
        "make a folder": (folder / "newer").mkdir,
        "make a link": lambda: (folder / "link").symlink_to("/"),
        "remove a file": (folder / "removable").unlink,
        "rename a file": lambda: (folder / "renamable").rename(folder / "renamed"),
        "list a folder": lambda: list(folder.iterdir()),
        "chmod a folder": lambda: folder.chmod(0o777),
        "set times of a folder": lambda: os.utime(folder, (1, 1)),
        "connect to a Unix socket by path": lambda: _connect_unix(at.unix),
        "connect by TCP": lambda: socket.create_connection(("127.0.0.1", at.tcp), timeout=5).close(),
        "send UDP": lambda: _send_udp(at.udp),
        "open System V shared memory": _c("shmget", at.shared_memory, 16, 0),
        "signal another process": lambda: os.kill(victim, 0),
        "trace another process": _c("ptrace", _PTRACE_SEIZE, victim, 0, 0),
        "read another's memory": lambda: Path(f"/proc/{victim}/mem").open("rb").close(),
        "hold another process": _c("syscall", _PIDFD_OPEN, victim, 0),
        "fork": _fork,
        "start a thread": _thread,
        "run a program": _run,
        "use io_uring": _c("syscall", _IO_URING_SETUP, 1, ctypes.create_string_buffer(120)),
        "use a keyring": _c("syscall", _KEYCTL, 0, -3, 1),
        "write memory and run it": lambda: mmap.mmap(-1, 4096, prot=mmap.PROT_READ | mmap.PROT_WRITE | mmap.PROT_EXEC),
        "make a user namespace": _c("unshare", _NEW_USERS),
    }


def needed() -> dict[str, Callable[[], object]]:
    """What must still be possible."""
    return {
        "temporary file": _write_temporary,
        "library": lambda: Path(os.__file__).read_bytes(),
        "late import": lambda: __import__("wave"),
        "time zone": lambda: __import__("zoneinfo").ZoneInfo("Europe/London"),
        "memory": lambda: bytearray(1 << 24),
        "signal to itself": lambda: os.kill(os.getpid(), 0),
    }


def _write_temporary() -> None:
    with tempfile.TemporaryFile() as file:
        file.write(b"x")


def _ended(act: Callable[[], object]) -> str:
    try:
        act()
    except OSError as error:
        return errno.errorcode.get(error.errno or 0, "refused")
    return "done"


def _become_nobody(base: Path) -> None:
    """Where Python lies in root's home, no other user reaches it: so it is put, first, into a file system in which all
    do, together with what the test has."""
    library_call("unshare", _NEW_MOUNTS)
    enter_own_root((*libraries(), Path("/dev"), Path("/proc"), Path(__file__).parent), base)
    library_call("mount", b"proc", b"/proc", b"proc", 0, None)
    switch_user(_NOBODY)
    # As a program is that this user started.
    library_call("prctl", _PR_SET_DUMPABLE, 1, 0, 0, 0)


def _victim() -> int:
    pid = os.fork()
    if pid == 0:
        die_with_parent()
        while True:
            signal.pause()
    return pid


def main(user: str, layers: str, places: str) -> None:
    at = Places(**json.loads(places))
    base = Path(at.folder).parent
    if user == "nobody" and os.geteuid() == 0:
        _become_nobody(base)
    scratch = base / "scratch"
    victim = _victim()
    wanted = layers.split("+")
    isolation = isolate_server(scratch) if "server" in wanted else None
    # As the fork server does, a child is confined. Were it this process, the victim would outlive it: the signal at a
    # parent's end counts as the parent's, and Landlock's scope holds for it.
    pid = os.fork()
    if pid != 0:
        os.waitpid(pid, 0)
        # Whoever reads what was said waits for it too. What was isolated does not see it: its parent's end is its own.
        with contextlib.suppress(PermissionError, ProcessLookupError):
            os.kill(victim, signal.SIGKILL)
        return
    tempfile.tempdir = str(scratch)
    if "child" in wanted:
        confine(_LIMITS, make_scratch())
    if "landlock" in wanted or "seccomp" in wanted:
        set_no_new_privs()
    if "landlock" in wanted:
        restrict_files(libraries(), scratch)
    if "seccomp" in wanted:
        restrict_calls(writes=False)
    ends = {name: _ended(act) for name, act in attempts(at, victim).items()}
    still = {name: _ended(act) for name, act in needed().items()}
    said = {"user": os.getuid(), "isolation": isolation and asdict(isolation), "attempts": ends, "needed": still}
    print(json.dumps(said), flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
