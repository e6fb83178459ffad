"""The real server while something it stands on fails: what it says meanwhile, and that it recovers by itself."""

from __future__ import annotations

import hashlib
import json
import os
import resource
import signal
import socket
import sqlite3
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing, suppress
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from darshan_writer import Counters, Job, Log, build, record_id

from ...postgresql_cluster import NoPostgresqlError, new_database, scratch_cluster
from ..real_server import Answer, RealServer, serving, until

MIB = 2**20


def log(number: int) -> bytes:
    """None like another."""
    path = f"/scratch/{number}.dat"
    row = {"id": record_id(path), "rank": -1, "POSIX_OPENS": 4, "POSIX_WRITES": 100, "POSIX_BYTES_WRITTEN": 10**6}
    return build(Log(job=Job(job_id=number), names={record_id(path): path}, modules=(Counters.of("POSIX", row),)))


def problem(answer: Answer, status: int, kind: str) -> str:
    """The sentence of a problem of this kind."""
    assert (answer.status, answer.headers["content-type"]) == (status, "application/problem+json"), answer
    said = json.loads(answer.body)
    assert said["type"] == f"urn:iotriage:problem:{kind}"
    return str(said["detail"])


def all_settled(server: RealServer, cases: list[str]) -> Callable[[], bool]:
    return lambda: {server.status(case) for case in cases} == {"ready"}


def is_well(server: RealServer) -> bool:
    """Also of one that takes no connection at the moment."""
    with suppress(OSError):
        return server.ask("GET", "/healthz").status == 200
    return False


def put(server: RealServer, data: bytes) -> Answer:
    return server.ask("PUT", f"/api/v1/sources/{hashlib.sha256(data).hexdigest()}", data)


@pytest.mark.faults
def test_postgresql_goes_and_comes_back(tmp_path: Path) -> None:
    try:
        with (
            scratch_cluster() as cluster,
            new_database(cluster.url) as url,
            serving(tmp_path / "data", database_url=url) as server,
        ):
            cases = [server.give(log(number)) for number in range(6)]
            cluster.stop()
            for method, path in (("GET", "/api/v1/cases"), ("GET", "/healthz"), ("PUT", f"/api/v1/sources/{'0' * 64}")):
                away = server.ask(method, path, b"x" if method == "PUT" else None)
                assert "does not answer" in problem(away, 503, "database-away")
                assert int(away.headers["retry-after"]) > 0
            cluster.start()
            until(lambda: server.ask("GET", "/healthz").status == 200)
            # Far sooner than the house is tended anyway.
            until(all_settled(server, cases))
            cases.append(server.give(log(100)))
            until(all_settled(server, cases))
            said = server.ended()
            assert "does not answer" not in said
            assert '"request failed"' not in said
    except NoPostgresqlError as reason:
        pytest.skip(str(reason))


@pytest.mark.faults
def test_somebody_else_keeps_sqlite_locked(tmp_path: Path) -> None:
    with serving(tmp_path) as server:
        first = server.give(log(1))
        until(all_settled(server, [first]))
        with closing(sqlite3.connect(tmp_path / "iotriage.sqlite3", isolation_level=None)) as other:
            other.execute("BEGIN IMMEDIATE")
            busy = put(server, log(2))
            assert problem(busy, 503, "database-away")
            assert int(busy.headers["retry-after"]) > 0
            assert server.status(first) == "ready"
            assert server.ask("GET", "/healthz").status == 200
            other.execute("ROLLBACK")
        second = server.give(log(2))
        until(all_settled(server, [second]))


@pytest.fixture(scope="module")
def limited_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("limited")


@pytest.fixture(scope="module")
def limited_server(limited_folder: Path) -> Iterator[RealServer]:
    """One that may write files of 32 MiB and have few of them open."""

    def limits() -> None:
        # The soft ones alone: the processes that read set their own.
        resource.setrlimit(resource.RLIMIT_FSIZE, (32 * MIB, resource.RLIM_INFINITY))
        resource.setrlimit(resource.RLIMIT_NOFILE, (100, resource.getrlimit(resource.RLIMIT_NOFILE)[1]))

    with serving(limited_folder, limits) as server:
        yield server
        assert "request failed" not in server.ended()


def test_the_disk_is_full(limited_server: RealServer, limited_folder: Path) -> None:
    full = put(limited_server, bytes(33 * MIB))
    assert "Nothing was kept" in problem(full, 507, "no-room")
    assert list((limited_folder / "sources" / "incoming").iterdir()) == []
    assert limited_server.ask("GET", "/healthz").status == 200
    until(all_settled(limited_server, [limited_server.give(log(1))]))


def test_more_connections_than_files_may_be_open(limited_server: RealServer) -> None:
    """Of clients that begin an upload and send no more."""
    with ExitStack() as open_for_long:
        head = "PUT /api/v1/sources/{:064x} HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 9\r\n\r\n"
        for number in range(70):
            slow = open_for_long.enter_context(socket.create_connection(("127.0.0.1", limited_server.port)))
            slow.sendall(head.format(number).encode())
        limited_server.wait_for_log("too many files and connections are open")
    until(lambda: is_well(limited_server))
    until(all_settled(limited_server, [limited_server.give(log(2))]))
    limited_server.wait_for_log('"status": 503')


@pytest.mark.faults
def test_the_folder_goes_and_comes_back(tmp_path: Path) -> None:
    with serving(tmp_path) as server:
        # It has started when it answers.
        assert server.ask("GET", "/healthz").status == 200
        incoming = tmp_path / "sources" / "incoming"
        incoming.rename(tmp_path / "elsewhere")
        assert "cannot write" in problem(put(server, log(1)), 503, "not-writable")
        assert "data folder" in problem(server.ask("GET", "/healthz"), 503, "not-writable")
        (tmp_path / "elsewhere").rename(incoming)
        assert server.ask("GET", "/healthz").status == 200
        until(all_settled(server, [server.give(log(1))]))
        assert "Traceback" not in server.ended()


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write anywhere")
def test_a_read_only_folder_is_said_at_the_start(tmp_path: Path) -> None:
    tmp_path.chmod(0o500)
    said = refused(tmp_path / "data")
    tmp_path.chmod(0o700)
    assert "Permission denied" in said


@pytest.mark.faults
@pytest.mark.parametrize("by", [signal.SIGTERM, signal.SIGKILL])
def test_a_server_that_ends_while_it_reads_goes_on_at_the_next_start(by: signal.Signals, tmp_path: Path) -> None:
    with serving(tmp_path) as server:
        cases = [server.give(log(number)) for number in range(8)]
        server.ended(by)
    (tmp_path / "sources" / "incoming" / "tmp1").write_bytes(b"half of an upload")
    with serving(tmp_path) as server:
        until(all_settled(server, cases))
        assert list((tmp_path / "sources" / "incoming").iterdir()) == []
        listed = json.loads(server.ask("GET", "/api/v1/cases").body)
        assert sorted(c["id"] for c in listed["cases"]) == sorted(cases)


@pytest.mark.faults
def test_the_processes_that_read_are_killed(tmp_path: Path) -> None:
    with serving(tmp_path) as server:
        until(all_settled(server, [server.give(log(1))]))
        tasks = list(Path(f"/proc/{server.process.pid}/task").iterdir())
        children = [int(child) for task in tasks for child in (task / "children").read_text().split()]
        assert children
        for child in children:
            os.kill(child, signal.SIGKILL)
        until(all_settled(server, [server.give(log(2))]))
        assert server.ask("GET", "/healthz").status == 200


@pytest.mark.faults
def test_two_servers_on_one_folder(tmp_path: Path) -> None:
    with serving(tmp_path) as server:
        said = refused(tmp_path)
        assert f"another server (process {server.process.pid}) uses the data folder" in said
        until(all_settled(server, [server.give(log(1))]))
    with serving(tmp_path) as server:
        assert server.ask("GET", "/healthz").status == 200


@pytest.mark.faults
def test_a_file_that_is_no_database(tmp_path: Path) -> None:
    (tmp_path / "iotriage.sqlite3").write_bytes(b"no database at all" * 1000)
    assert "not a database" in refused(tmp_path)


def refused(data: Path) -> str:
    """What a server says that cannot start: a sentence, and that it was used badly."""
    program = "from iotriage.cli import main; main()"
    command = [sys.executable, "-c", program, "serve", "--port", "0"]
    environment = {**os.environ, "IOTRIAGE_DATA_DIR": str(data)}
    done = subprocess.run(command, env=environment, capture_output=True, text=True)
    assert done.returncode == 2
    assert "Traceback" not in done.stderr
    assert len(done.stderr.splitlines()) < 4
    return done.stderr


@pytest.mark.faults
def test_the_time_of_day_is_set_back(start: Callable[..., object]) -> None:
    ahead = datetime.now(UTC) + timedelta(days=400)
    with start(clock=lambda: ahead) as api:
        unused = api.upload(log(1))
        case = api.case(("a.darshan", log(2)))
        api.settle()
    with start() as api:
        api.services.worker.maintain()
        api.settle()
        assert api.client.get(f"/api/v1/sources/{unused}").status_code == 200
        assert api.client.get(f"/api/v1/cases/{case}").json()["status"] == "ready"
        again = api.case(("a.darshan", log(1)), ("b.darshan", log(3)))
        api.settle()
        assert api.client.get(f"/api/v1/cases/{again}").json()["status"] == "ready"
