"""What is in force on this host, found by doing it: a process gives up what the fork server and its children give up,
tries what it may no longer do, and says how that ended. `python -m iotriage.confinement.probe FOLDER`, JSON out."""

from __future__ import annotations

import json
import socket
import sys
import tempfile
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path

from iotriage.confinement.child import confine
from iotriage.confinement.isolation import Isolation, isolate_server
from iotriage.confinement.limits import Limits

_LIMITS = Limits(memory_bytes=1 << 31, cpu_seconds=10, file_bytes=1 << 20)


@dataclass(frozen=True, slots=True)
class Probed:
    """`files_blocked` and `calls_blocked` are what Landlock and seccomp are for, tried in a confined child;
    `writes_scratch` is what it needs all the same. `refused` is why it could not be confined at all."""

    isolation: Isolation
    files_blocked: bool
    calls_blocked: bool
    writes_scratch: bool
    refused: str | None


def nothing_blocked(isolation: Isolation, refused: str) -> Probed:
    """What is said of a child that could not be confined."""
    return Probed(isolation, files_blocked=False, calls_blocked=False, writes_scratch=False, refused=refused)


def main(scratch: str) -> None:
    tempfile.tempdir = scratch
    isolation = isolate_server(Path(scratch))
    probed = _in_child(isolation)
    # On standard output: there is no other way out of here.
    print(json.dumps(asdict(probed)), flush=True)


def _in_child(isolation: Isolation) -> Probed:
    with tempfile.TemporaryFile(buffering=0) as file:
        try:
            confine(_LIMITS, None)
        except OSError as error:
            return nothing_blocked(isolation, str(error))
        return Probed(
            isolation,
            # Landlock grants the libraries and not the folder that they lie in.
            files_blocked=not _succeeds(lambda: any(Path("/").iterdir())),
            calls_blocked=not _succeeds(lambda: socket.socket(socket.AF_UNIX).close()),
            writes_scratch=_succeeds(lambda: file.write(b"x")),
            refused=None,
        )


def _succeeds(act: Callable[[], object]) -> bool:
    try:
        act()
    except OSError:
        return False
    return True


if __name__ == "__main__":
    main(sys.argv[1])
