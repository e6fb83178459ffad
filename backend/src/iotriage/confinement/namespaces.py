"""Namespaces: a network without interfaces, no other processes, no System V memory of others, and a file system that
holds the libraries and nothing else.

Root has them; other users where the kernel lets them have a namespace of users (https://man7.org/linux/man-pages/man7/
user_namespaces.7.html), which some distributions and most container engines do not.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path

from iotriage.confinement.calls import calls_here
from iotriage.confinement.kernel import checked, library_call, system_call

_NEW_MOUNTS, _NEW_IPC, _NEW_USERS, _NEW_PROCESSES, _NEW_NETWORK = (
    0x0002_0000,
    0x0800_0000,
    0x1000_0000,
    0x2000_0000,
    0x4000_0000,
)
_SEPARATE = _NEW_MOUNTS | _NEW_IPC | _NEW_PROCESSES | _NEW_NETWORK

_READ_ONLY, _NO_SET_USER, _NO_DEVICES, _REMOUNT, _BIND, _RECURSIVE, _PRIVATE = 1, 2, 4, 32, 4096, 16384, 1 << 18
_FLAGS_TO_KEEP = 0b1111
"""Of statvfs: read-only, no set-user, no devices, no programs. A user namespace may not take them off a mount."""
_DETACH = 2


def unshare_namespaces() -> None:
    """Leaves the namespaces of everybody; the next process that is forked is the first of its own. OSError where the
    kernel or the container engine does not let us: then nothing has changed, but perhaps the namespace of users."""
    try:
        library_call("unshare", _SEPARATE)
    except PermissionError:
        user, group = os.geteuid(), os.getegid()
        library_call("unshare", _NEW_USERS)
        Path("/proc/self/setgroups").write_text("deny")
        Path("/proc/self/uid_map").write_text(f"{user} {user} 1")
        Path("/proc/self/gid_map").write_text(f"{group} {group} 1")
        library_call("unshare", _SEPARATE)


def enter_own_root(readable: Iterable[Path], scratch: Path) -> None:
    """A file system of `readable`, which cannot be written, /dev/null, and `scratch`, each where it was before. Of all
    else there is not even the name. It takes a mount namespace of one's own; OSError where the kernel refuses."""
    library_call("mount", None, b"/", None, _RECURSIVE | _PRIVATE, None)
    root = scratch / "root"
    root.mkdir()
    target = os.fsencode(root)
    empty = _NO_SET_USER | _NO_DEVICES
    library_call("mount", b"tmpfs", target, b"tmpfs", empty, b"mode=755,size=1m")
    for path in readable:
        if path.exists():
            _read_only(_bound(path, root))
    _bound(Path(os.devnull), root)
    _bound(scratch, root)
    library_call("mount", None, target, None, _BIND | _REMOUNT | _READ_ONLY | empty, None)
    os.chdir(root)
    _pivot_root()
    os.chdir("/")


def become_init() -> None:
    """Goes on in a new process, the first of its namespace, with which all others in it end. The one that called waits
    for its end, and ends likewise."""
    pid = os.fork()
    if pid == 0:
        return
    # What is open belongs to the other: its ends of sockets and pipes close with it.
    os.closerange(3, os.sysconf("SC_OPEN_MAX"))
    _, status = os.waitpid(pid, 0)
    code = os.waitstatus_to_exitcode(status)
    os._exit(code if code >= 0 else 128 - code)


def _bound(path: Path, root: Path) -> Path:
    """Mounts the folder or file at the same path below `root`."""
    place = root / path.relative_to("/")
    if path.is_dir():
        place.mkdir(parents=True, exist_ok=True)
    else:
        place.parent.mkdir(parents=True, exist_ok=True)
        place.touch()
    library_call("mount", os.fsencode(path), os.fsencode(place), None, _BIND | _RECURSIVE, None)
    return place


def _read_only(place: Path) -> None:
    kept = os.statvfs(place).f_flag & _FLAGS_TO_KEEP
    flags = _BIND | _REMOUNT | _READ_ONLY | _NO_SET_USER | kept
    library_call("mount", None, os.fsencode(place), None, flags, None)


def _pivot_root() -> None:
    """Both at the same place, so that the old root lies over the new and is taken off: man 2 pivot_root."""
    calls = calls_here()
    if calls is None:
        raise OSError(0, "pivot_root: its number is not known on this architecture")
    checked(system_call(calls.pivot_root, b".", b"."), "pivot_root")
    library_call("umount2", b".", _DETACH)
