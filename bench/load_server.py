"""The real server as `make load` starts and observes it: its processes, memory, descriptors and files."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
START_S, END_S = 120.0, 60.0
_SERVE = "from iotriage.cli import main; main()"
_MIB = 2**20


@dataclass(frozen=True, slots=True)
class State:
    """Of the server and all processes that it started. `memory_mib` is the proportional share of what is resident."""

    processes: int
    memory_mib: float
    descriptors: int
    scratch_files: int


class Server:
    def __init__(self, process: subprocess.Popen[bytes], port: int, folder: Path) -> None:
        self.process = process
        self.port = port
        self.folder = folder

    @property
    def sources(self) -> Path:
        return self.folder / "data" / "sources"

    def state(self) -> State:
        processes = list(_tree(self.process.pid))
        scratch = sum(len(files) for _, _, files in os.walk(self.folder / "tmp"))
        descriptors = _count(Path(f"/proc/{self.process.pid}/fd"))
        return State(len(processes), sum(map(_memory_mib, processes)), descriptors, scratch)

    def stored_files(self) -> int:
        return sum(len(files) for _, _, files in os.walk(self.sources))


@contextmanager
def server(packages: Path, folder: Path, database: str | None) -> Iterator[Server]:
    """The server of the checkout `packages`, on a free port, with a folder for what it keeps and one for scratch."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port: int = free.getsockname()[1]
    (folder / "tmp").mkdir()
    environment = {**os.environ, **paths(packages), "IOTRIAGE_DATA_DIR": f"{folder}/data", "TMPDIR": f"{folder}/tmp"}
    environment["IOTRIAGE_OPEN_LOOPBACK"] = "1"
    if database is not None:
        environment["IOTRIAGE_DATABASE_URL"] = database
    with (folder / "log").open("wb") as log:
        process = subprocess.Popen(
            [sys.executable, "-c", _SERVE, "serve", "--port", str(port)],
            env=environment,
            stdout=subprocess.DEVNULL,
            stderr=log,
            cwd=folder,
        )
    try:
        _wait_for(port, process)
        yield Server(process, port, folder)
    finally:
        process.terminate()
        try:
            process.wait(END_S)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


def paths(packages: Path) -> dict[str, str]:
    return {"PYTHONPATH": os.pathsep.join(str(packages / name / "src") for name in ("backend", "parsers"))}


def _wait_for(port: int, process: subprocess.Popen[bytes]) -> None:
    deadline = time.monotonic() + START_S
    while time.monotonic() < deadline and process.poll() is None:
        try:
            with urllib.request.urlopen(f"http://127.0.0.1:{port}/api/v1/samples", timeout=5) as answer:
                samples = json.load(answer)
                if samples and all(sample["status"] != "reading" for sample in samples):
                    return
        except OSError:
            pass
        time.sleep(0.2)
    raise SystemExit(f"the server did not answer within {START_S:.0f} s")


def _tree(pid: int) -> Iterator[int]:
    yield pid
    try:
        tasks = list(Path(f"/proc/{pid}/task").iterdir())
        children = [int(child) for task in tasks for child in (task / "children").read_text().split()]
    except OSError:
        return
    for child in children:
        yield from _tree(child)


def _memory_mib(pid: int) -> float:
    try:
        lines = Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()
    except OSError:
        return 0.0
    return next((int(line.split()[1]) * 1024 / _MIB for line in lines if line.startswith("Pss:")), 0.0)


def _count(folder: Path) -> int:
    try:
        return sum(1 for _ in folder.iterdir())
    except OSError:
        return 0
