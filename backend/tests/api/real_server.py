"""`iotriage serve` as a process of its own, for what only a real one can show."""

from __future__ import annotations

import hashlib
import json
import os
import signal
import subprocess
import sys
import threading
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

LONGEST_S = 120.0
_SERVE = "from iotriage.cli import main; main()"


@dataclass(frozen=True, slots=True)
class Answer:
    status: int
    headers: Mapping[str, str]
    body: bytes


class RealServer:
    def __init__(self, process: subprocess.Popen[str], port: int, data: Path) -> None:
        self.process = process
        self.port = port
        self.data = data
        self._lines: list[str] = []
        self._said = threading.Condition()
        self._thread = threading.Thread(target=self._listen, daemon=True)
        self._thread.start()

    def ask(self, method: str, path: str, body: bytes | None = None) -> Answer:
        headers = {"content-type": "application/json"} if method == "POST" else {}
        request = urllib.request.Request(
            f"http://127.0.0.1:{self.port}{path}", data=body, method=method, headers=headers
        )
        try:
            with urllib.request.urlopen(request, timeout=LONGEST_S) as answer:
                return Answer(answer.status, dict(answer.headers), answer.read())
        except urllib.error.HTTPError as refused:
            with refused:
                return Answer(refused.code, dict(refused.headers), refused.read())

    def give(self, data: bytes, name: str = "job.darshan") -> str:
        """The id of a new case."""
        sha256 = hashlib.sha256(data).hexdigest()
        assert self.ask("PUT", f"/api/v1/sources/{sha256}", data).status in (200, 201)
        given = json.dumps({"sources": [{"sha256": sha256, "name": name}]}).encode()
        made = self.ask("POST", "/api/v1/cases", given)
        assert made.status == 201, made.body
        case_id: str = json.loads(made.body)["id"]
        return case_id

    def status(self, case_id: str) -> str:
        answer = self.ask("GET", f"/api/v1/cases/{case_id}")
        return str(json.loads(answer.body)["status"]) if answer.status == 200 else f"answered {answer.status}"

    def wait_for_log(self, words: str) -> None:
        with self._said:
            assert self._said.wait_for(lambda: any(words in line for line in self._lines), LONGEST_S), self._lines

    def ended(self, by: signal.Signals = signal.SIGTERM) -> str:
        """Ends it; what it logged."""
        self.process.send_signal(by)
        self.process.wait(LONGEST_S)
        self._thread.join()
        return "".join(self._lines)

    def _listen(self) -> None:
        assert self.process.stderr is not None
        for line in self.process.stderr:
            with self._said:
                self._lines.append(line)
                self._said.notify_all()


@contextmanager
def serving(data: Path, preexec: Callable[[], None] | None = None, **settings: object) -> Iterator[RealServer]:
    """One on a free port. `settings` are those of the program; without samples unless they name some."""
    named = {"samples_dir": data / "no samples", "open_loopback": True, **settings, "data_dir": data}
    environment = {**os.environ, **{f"IOTRIAGE_{name.upper()}": str(value) for name, value in named.items()}}
    process = subprocess.Popen(
        [sys.executable, "-c", _SERVE, "serve", "--port", "0"],
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        preexec_fn=preexec,
    )
    try:
        assert process.stdout is not None
        address = process.stdout.readline().strip()
        assert address.startswith("IOtriage: "), process.stderr.read() if process.stderr else ""
        yield RealServer(process, int(address.rstrip("/").rpartition(":")[2]), data)
    finally:
        if process.poll() is None:
            process.kill()
            process.wait()


def until(happened: Callable[[], bool]) -> None:
    """Returns when it has; asks, and waits in between, since another process does it."""
    deadline = time.monotonic() + LONGEST_S
    while not happened():
        assert time.monotonic() < deadline
        time.sleep(0.05)
