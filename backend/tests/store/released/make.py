"""Writes the database of an installed release: starts its server, gives it sample logs, and dumps what it stored.

`python make.py PYTHON`: PYTHON is the interpreter that the release is installed in. Writes `<revision>.sql.xz` beside
this file. The sources that were read need not be stored: they are files of `sample-logs/`, and the dump has their
SHA-256.
"""

from __future__ import annotations

import hashlib
import json
import lzma
import os
import sqlite3
import subprocess
import sys
import tempfile
import time
import urllib.request
from pathlib import Path

HERE = Path(__file__).parent
SAMPLE_LOGS = HERE.parents[3] / "sample-logs"
TEXT = "mpich_stats/independent-write/drifters-7320155.stderr.txt"
AGGREGATOR = "mpich_stats/few-active-aggregators/radiate-7340071.stderr.txt"
LOG = "darshan_log/streams-read-once/streams-read-once.darshan"
SHOWCASE = '[[case]]\ntitle = "A sample of the release"\nsources = ["sample.txt"]\n'


def main(release: str) -> None:
    with tempfile.TemporaryDirectory() as name:
        data, samples = Path(name, "data"), Path(name, "samples")
        samples.mkdir()
        (samples / "showcase.toml").write_text(SHOWCASE)
        (samples / "sample.txt").write_bytes((SAMPLE_LOGS / AGGREGATOR).read_bytes())
        _serve(release, data, samples)
        with sqlite3.connect(data / "iotriage.sqlite3") as database:
            (revision,) = database.execute("SELECT version_num FROM alembic_version").fetchone()
            dump = "\n".join(database.iterdump())
    (HERE / f"{revision}.sql.xz").write_bytes(lzma.compress(dump.encode()))


def _serve(release: str, data: Path, samples: Path) -> None:
    command = [release, "-c", "from iotriage.cli import main; main()", "serve", "--port", "0", "--samples", samples]
    environment = {**os.environ, "IOTRIAGE_DATA_DIR": str(data)}
    with subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, text=True) as server:
        assert server.stdout is not None
        address = server.stdout.readline().removeprefix("IOtriage: ").strip()
        _give(address, None, _samples(LOG))
        _give(address, "archer2", _samples(TEXT, AGGREGATOR))
        _give(address, None, {"notes.txt": b"bought milk\n"})
        while any(case["status"] == "reading" for case in _ask(address, "GET", "cases")["cases"]):
            time.sleep(0.1)
        server.terminate()


def _samples(*names: str) -> dict[str, bytes]:
    return {Path(name).name: (SAMPLE_LOGS / name).read_bytes() for name in names}


def _give(address: str, site: str | None, contents: dict[str, bytes]) -> None:
    sources = []
    for name, content in contents.items():
        sha256 = hashlib.sha256(content).hexdigest()
        _ask(address, "PUT", f"sources/{sha256}", content)
        sources.append({"sha256": sha256, "name": name})
    _ask(address, "POST", "cases", json.dumps({"sources": sources, "site": site}).encode())


def _ask(address: str, method: str, path: str, content: bytes | None = None) -> dict[str, list[dict[str, str]]]:
    request = urllib.request.Request(f"{address}api/v1/{path}", content, method=method)
    request.add_header("content-type", "application/json")
    with urllib.request.urlopen(request) as answer:
        body: dict[str, list[dict[str, str]]] = json.load(answer)
        return body


if __name__ == "__main__":
    main(sys.argv[1])
