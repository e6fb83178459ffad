"""Writes the databases of an installed release: starts its server, gives it sample logs, and dumps what it stored, once
on SQLite and once on PostgreSQL.

`python make.py PYTHON`: PYTHON is the interpreter that the release is installed in; this runs in today's. Writes
`<revision>.sqlite.sql.xz` and `<revision>.postgresql.sql.xz` beside this file, whichever is not there. The sources that
were read need not be stored: they are files of `sample-logs/`, and the dump has their SHA-256.
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
from collections.abc import Mapping
from pathlib import Path
from urllib.parse import urlencode

from sqlalchemy import URL, create_engine, make_url, text

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE.parents[1]))

from postgresql_cluster import installed_binaries, new_database, scratch_cluster

SAMPLE_LOGS = HERE.parents[3] / "sample-logs"
TEXT = "mpich_stats/independent-write/drifters-7320155.stderr.txt"
AGGREGATOR = "mpich_stats/few-active-aggregators/radiate-7340071.stderr.txt"
LOG = "darshan_log/streams-read-once/streams-read-once.darshan"
SHOWCASE = '[[case]]\ntitle = "A sample of the release"\nsources = ["sample.txt"]\n'


def main(release: str) -> None:
    with tempfile.TemporaryDirectory() as name:
        _keep(*_of_sqlite(release, Path(name)), "sqlite.sql.xz")
    with tempfile.TemporaryDirectory() as name, scratch_cluster() as cluster, new_database(cluster.url) as url:
        _keep(*_of_postgresql(release, Path(name), make_url(url)), "postgresql.sql.xz")


def _of_sqlite(release: str, folder: Path) -> tuple[str, str]:
    """The revision of the tables, and the dump."""
    _serve(release, folder, {})
    with sqlite3.connect(folder / "data/iotriage.sqlite3") as database:
        (revision,) = database.execute("SELECT version_num FROM alembic_version").fetchone()
        return revision, "\n".join(database.iterdump())


def _of_postgresql(release: str, folder: Path, url: URL) -> tuple[str, str]:
    _serve(release, folder, {"IOTRIAGE_DATABASE_URL": url.render_as_string(hide_password=False)})
    engine = create_engine(url)
    with engine.connect() as connection:
        revision = connection.execute(text("SELECT version_num FROM alembic_version")).scalar_one()
    engine.dispose()
    server = f"postgresql:///{url.database}?{urlencode({'host': url.query['host'], 'user': url.username})}"
    command = [installed_binaries() / "pg_dump", "--inserts", "--no-owner", "--no-privileges", server]
    dump = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    # Lines for psql, which a driver does not know.
    return revision, "".join(line for line in dump.splitlines(True) if not line.startswith("\\"))


def _keep(revision: str, dump: str, ending: str) -> None:
    file = HERE / f"{revision}.{ending}"
    if not file.exists():
        file.write_bytes(lzma.compress(dump.encode()))


def _serve(release: str, folder: Path, more: Mapping[str, str]) -> None:
    data, samples = folder / "data", folder / "samples"
    samples.mkdir()
    (samples / "showcase.toml").write_text(SHOWCASE)
    (samples / "sample.txt").write_bytes((SAMPLE_LOGS / AGGREGATOR).read_bytes())
    command = [release, "-c", "from iotriage.cli import main; main()", "serve", "--port", "0", "--samples", samples]
    environment = {**os.environ, "IOTRIAGE_DATA_DIR": str(data), **more}
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
