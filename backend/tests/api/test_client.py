"""The client for programs, against the service as a person starts it; and what it reads against the contract."""

from __future__ import annotations

import hashlib
import io
import json
import os
import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from email.message import Message
from pathlib import Path
from typing import NoReturn
from urllib.error import HTTPError
from urllib.request import OpenerDirector, Request, urlopen

import jsonschema_rs
import pytest
from budget import some

from iotriage.analysis.engine import diagnose
from iotriage.analysis.inputs import ReadSource
from iotriage.cli import main
from iotriage.client import Client, ClientError, Diagnosis, NoDiagnosisError, Source, diagnosis_in
from iotriage.reports.plain_json import as_json
from iotriage_parsers.detect import read

from .conftest import LEGACY, SAMPLE_LOGS, SHARED

ROOT = SAMPLE_LOGS.parent
SCHEMA = json.loads((ROOT / "docs" / "contract.schema.json").read_text(encoding="utf-8"))
CONTRACT = jsonschema_rs.validator_for(SCHEMA)
SAMPLES = sorted(origin.parent for origin in SAMPLE_LOGS.glob("*/*/origin.md"))
SAID = {"origin.md", "evidence.json", "metrics.json", "findings.json"}


@pytest.fixture(scope="module")
def client(served: str) -> Client:
    return Client(served)


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of a server."""
    data = tmp_path_factory.mktemp("served")
    environment = {**os.environ, "IOTRIAGE_DATA_DIR": str(data), "IOTRIAGE_OPEN_LOOPBACK": "1"}
    program = "from iotriage.cli import main; main()"
    command = [sys.executable, "-c", program, "serve", "--port", "0", "--root-path", "io", "--samples", str(data)]
    with subprocess.Popen(
        command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    ) as process:
        assert process.stdout is not None
        yield process.stdout.readline().removeprefix("IOtriage: ").strip()
        process.send_signal(signal.SIGTERM)


def test_logs_are_uploaded_and_what_was_found_is_read(client: Client) -> None:
    case = client.upload([SHARED], site="generic")
    found = client.diagnosis(case.id)
    assert client.case(case.id).status == "ready"
    assert found.sources == (Source(SHARED.name, "darshan_log", "complete"),)
    assert found.metrics["io.bytes_written"].value == 8_000_000
    assert found.metrics["io.bytes_written"].unit == "B"
    assert found.job.nprocs == 8
    assert found.headline.rule in {f.rule for f in found.findings if f.verdict == "triggered"}


def test_what_cannot_be_read_is_named_with_why(client: Client, tmp_path: Path) -> None:
    (tmp_path / "thesis.pdf").write_bytes(b"%PDF-1.5")
    (tmp_path / "job.err").touch()
    case = client.upload([tmp_path / "thesis.pdf", tmp_path / "job.err"])
    with pytest.raises(NoDiagnosisError, match=r"thesis\.pdf: a PDF document, .*; job\.err: the file is empty$"):
        client.diagnosis(case.id)


def test_who_gives_a_log_again_is_told_which_case_has_it(
    client: Client, served: str, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    """A log that no other test gives the server."""
    log = SAMPLE_LOGS / "darshan_log/14-balanced/14-balanced.darshan"
    (tmp_path / "job.err").write_text("of another job")
    first = client.upload([log])
    assert client.upload([tmp_path / "job.err", log]).already == ()
    whole = client.upload([log, tmp_path / "job.err"])
    assert len(whole.already) == 1
    with pytest.raises(SystemExit):
        main(["submit", str(log), "--server", served, "--alone", "--token-file", str(tmp_path / "token")])
    address, said = capsys.readouterr().out.splitlines()
    server = served.rstrip("/")
    assert said == f"the same was given before: {server}/cases/{whole.id} has it already"
    assert address.removeprefix(f"{server}/cases/") not in (first.id, whole.id)


def test_logs_are_submitted_from_where_they_are(
    served: str, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    def submit(*arguments: str) -> tuple[int, str, str]:
        with pytest.raises(SystemExit) as ended:
            main(["submit", *arguments, "--token-file", str(tmp_path / "token")])
        said = capsys.readouterr()
        assert isinstance(ended.value.code, int)
        return ended.value.code, said.out, said.err

    asked = Request(f"{served}api/v1/tickets", b'{"reference": "RT-1"}', {"Content-Type": "application/json"})
    with urlopen(asked) as answer:
        ticket = json.load(answer)["id"]
    for role, *said in (["before"], ["before"], ["after", "--after"], ["before", "--before"]):
        status, out, _ = submit(str(SHARED), "--server", served, "--ticket", "RT-1", *said)
        address, of_ticket = (line for line in out.splitlines() if "given before" not in line)
        assert (status, of_ticket) == (0, f"for ticket {ticket}, {role} what was advised")
        assert address.startswith(f"{served.rstrip('/')}/cases/")
    status, out, _ = submit(str(SHARED), "--server", served, "--ticket", "RT-2")
    assert (status, out.splitlines()[-1]) == (0, f"for ticket {ticket + 1} (opened), before what was advised")
    assert submit(str(SHARED), "--server", "http://127.0.0.1:1")[0] == 69
    assert submit(str(tmp_path), "--server", served)[0] == submit(str(SHARED))[0] == 2
    for wrong, named in (
        (["--before"], "--before says what a run is of a ticket"),
        (["--after"], "--after says what a run is of a ticket"),
        (["--ticket", " "], "--ticket: name"),
    ):
        status, out, said = submit(str(SHARED), "--server", served, *wrong)
        assert (status, out, named in said) == (2, "", True)
    (tmp_path / "token").write_text("iotriage_x\n")
    (tmp_path / "token").chmod(0o640)
    status, _, said = submit(str(SHARED), "--server", served)
    assert (status, "chmod 600" in said) == (2, True)
    (tmp_path / "token").chmod(0o600)
    status, _, said = submit(str(SHARED), "--server", "http://iotriage.example.org")
    assert (status, "over https only" in said) == (2, True)


def test_what_a_ticket_would_refuse_is_not_sent(
    served: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    asked: list[str] = []

    def refuse(_: Client, method: str, path: str, _body: object = None) -> None:
        asked.append(f"{method} {path}")
        raise ClientError("No ticket 'RT 1' has a case of yours.", 404)

    monkeypatch.setattr(Client, "_ask", refuse)
    with pytest.raises(SystemExit) as ended:
        main(["submit", str(SHARED), "--server", served, "--ticket", "RT 1"])
    assert ended.value.code == 3
    assert asked == ["GET /ticket-to-give-to?name=RT%201"]
    said = capsys.readouterr().err
    assert "has a case of yours. Nothing was sent: without --ticket it becomes a case" in said


@pytest.mark.parametrize(("answered", "status"), [(503, 69), (502, 69), (504, 69), (413, 3), (None, 70)])
def test_a_service_that_is_not_to_be_had_for_now_is_told_from_one_that_refuses(
    answered: int | None, status: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    def answer(*_: object, **__: object) -> NoReturn:
        if answered is None:
            raise ClientError("the answer is no JSON")
        raise HTTPError("http://127.0.0.1:9", answered, "", Message(), io.BytesIO(b"{}"))

    monkeypatch.setattr(OpenerDirector, "open", answer)
    with pytest.raises(SystemExit) as ended:
        main(["submit", str(SHARED), "--server", "http://127.0.0.1:9"])
    assert ended.value.code == status


def test_what_goes_to_this_machine_goes_to_no_proxy(served: str, monkeypatch: pytest.MonkeyPatch) -> None:
    # The token would lie open there.
    for name in ("no_proxy", "NO_PROXY"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("http_proxy", "http://127.0.0.1:9")
    with pytest.raises(ClientError) as refused:
        Client(served).case("none")
    assert refused.value.status == 404


@pytest.mark.parametrize("token", [b"two\nlines", "jürgen".encode(), b"\xff\xfe"])
def test_a_token_that_is_none_is_not_shown(token: bytes, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "token").write_bytes(token)
    (tmp_path / "token").chmod(0o600)
    with pytest.raises(SystemExit) as ended:
        main(["submit", str(SHARED), "--server", "http://127.0.0.1:9", "--token-file", str(tmp_path / "token")])
    said = capsys.readouterr().err
    assert ended.value.code == 2
    assert " token" in said
    assert "Traceback" not in said
    assert "lines" not in said


def test_a_file_whose_name_is_no_utf8_is_given(client: Client, tmp_path: Path) -> None:
    log = tmp_path / os.fsdecode(b"caf\xe9.darshan")
    log.write_bytes(SHARED.read_bytes())
    found = client.diagnosis(client.upload([log], alone=True).id)
    assert [source.name for source in found.sources] == ["caf\N{REPLACEMENT CHARACTER}.darshan"]


def test_a_large_source_is_given_again(client: Client, tmp_path: Path) -> None:
    # More than the buffers of a connection hold: nobody reads what is sent of it a second time.
    large = tmp_path / "large.err"
    large.write_bytes(b"step 1 of 2\n" * 2**20)
    cases = [client.upload([large]) for _ in range(3)]
    assert len({case.id for case in cases}) == 3


def test_a_service_that_is_not_there_is_said() -> None:
    with pytest.raises(ClientError, match=r"no answer from \S+: Connection refused$"):
        Client("http://127.0.0.1:9").case("c")


def test_it_reads_what_the_command_line_prints_and_the_service_answers_alike(client: Client) -> None:
    case = client.upload([str(LEGACY), SHARED])
    given = [_given(LEGACY), _given(SHARED)]
    assert client.diagnosis(case.id) == diagnosis_in(json.loads(as_json(diagnose(given))))


def test_what_cannot_be_had_is_an_error_that_says_why(client: Client, tmp_path: Path) -> None:
    with pytest.raises(ClientError) as refused:
        client.case("no/such case")
    assert refused.value.status == 404
    with pytest.raises(ClientError) as unknown:
        client.upload([SHARED], site="atlantis")
    assert unknown.value.status == 422
    assert "atlantis" in str(unknown.value)
    empty = tmp_path / "empty.log"
    empty.write_bytes(b"")
    failed = client.upload([empty])
    with pytest.raises(NoDiagnosisError):
        client.diagnosis(failed.id)
    with pytest.raises(ClientError):
        diagnosis_in({"headline": None})
    with pytest.raises(ValueError, match="no address"):
        Client("file:///etc")


@pytest.mark.fuzz
@pytest.mark.parametrize("sample", some(SAMPLES), ids=lambda s: f"{s.parent.name}/{s.name}")
def test_the_document_of_every_sample_keeps_the_contract(sample: Path) -> None:
    sources = [_given(path) for path in sorted(sample.iterdir()) if path.name not in SAID]
    document = json.loads(as_json(diagnose(sources)))
    CONTRACT.validate(document)
    found = diagnosis_in(document)
    assert isinstance(found, Diagnosis)
    assert [f.rule for f in found.findings] == [f["rule"] for f in document["findings"]]
    assert {id: metric.value for id, metric in found.metrics.items()} == {
        id: metric["value"] for id, metric in document["metrics"].items()
    }


@pytest.mark.parametrize(
    ("broken", "at"),
    [
        ({"severity": "grave"}, "headline"),
        ({"rule": 7}, "headline"),
        ({"nprocs": 1.5}, "job"),
        ({"runtime_s": "long"}, "job"),
    ],
)
def test_the_contract_refuses_another_shape(broken: dict[str, object], at: str) -> None:
    document = json.loads(as_json(diagnose([_given(SHARED)])))
    document[at] |= broken
    with pytest.raises(jsonschema_rs.ValidationError):
        CONTRACT.validate(document)


def test_the_contract_says_its_version_wherever_it_stands() -> None:
    changelog = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    versions = [
        v
        for section in re.findall(r"### Contract for programs\n(.*?)\n#", changelog, re.DOTALL)
        for v in re.findall(r"\b\d+\.\d+\b", section)
    ]
    assert versions[0] == SCHEMA["version"]
    assert f"version {SCHEMA['version']}" in (ROOT / "docs" / "contract.md").read_text(encoding="utf-8")


def _given(path: Path) -> ReadSource:
    with path.open("rb") as stream:
        digest = hashlib.file_digest(stream, "sha256").hexdigest()
        return ReadSource(path.name, digest, path.stat().st_size, read(stream))
