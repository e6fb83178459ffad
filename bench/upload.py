"""From the first byte of an upload to a diagnosis that can be read, over HTTP, on a server of its own."""

from __future__ import annotations

import hashlib
import json
import os
import socket
import subprocess
import tempfile
import time
import urllib.error
import urllib.request
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

POLL_S = 0.005
START_S = 60.0


def measure(cli: Path, logs: Sequence[Path]) -> list[float]:
    """Wall-clock seconds for each log, uploaded one after the other."""
    with tempfile.TemporaryDirectory(prefix="iotriage-bench-") as folder, server(cli, Path(folder)) as address:
        return [_until_diagnosed(address, log) for log in logs]


@contextmanager
def server(cli: Path, folder: Path) -> Iterator[str]:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    process = subprocess.Popen(
        [cli, "serve", "--port", str(port)],
        env={**os.environ, "IOTRIAGE_DATA_DIR": str(folder), "IOTRIAGE_OPEN_LOOPBACK": "1"},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    address = f"http://127.0.0.1:{port}"
    try:
        _wait_for(address, process)
        yield address
    finally:
        process.terminate()
        process.wait()


def _wait_for(address: str, process: subprocess.Popen[bytes]) -> None:
    """Until it answers and has read its samples: what is measured afterwards shares the machine with nothing."""
    deadline = time.monotonic() + START_S
    while time.monotonic() < deadline and process.poll() is None:
        try:
            with urllib.request.urlopen(f"{address}/api/v1/samples", timeout=1) as answer:
                if all(sample["status"] != "reading" for sample in json.load(answer)):
                    return
        except OSError:
            pass
        time.sleep(0.05)
    raise RuntimeError(f"the server did not answer within {START_S:.0f} s")


def _until_diagnosed(address: str, log: Path) -> float:
    start = time.perf_counter()
    diagnosed(address, log)
    return time.perf_counter() - start


def diagnosed(address: str, log: Path) -> str:
    """The id of a new case of the log, once it has been read."""
    data = log.read_bytes()
    sha256 = hashlib.sha256(data).hexdigest()
    _ask("PUT", f"{address}/api/v1/sources/{sha256}", data, "application/octet-stream")
    given = json.dumps({"sources": [{"sha256": sha256, "name": log.name}]}).encode()
    case = _ask("POST", f"{address}/api/v1/cases", given, "application/json")
    while _ask("GET", f"{address}/api/v1/cases/{case['id']}")["status"] == "reading":
        time.sleep(POLL_S)
    return case["id"]


def _ask(method: str, url: str, body: bytes | None = None, kind: str | None = None) -> dict[str, str]:
    request = urllib.request.Request(url, data=body, method=method, headers={"Content-Type": kind} if kind else {})
    with urllib.request.urlopen(request) as answer:
        answered = json.load(answer)
    if not isinstance(answered, dict):
        raise TypeError(f"{url} answered something else than an object")
    return answered
