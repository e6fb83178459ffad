from __future__ import annotations

import json
from pathlib import Path

import pytest
from pydantic import TypeAdapter

from iotriage.analysis.run_sets.comparison import Comparison
from iotriage.cli import main

from .conftest import SAMPLE_LOGS, Api

BAD = SAMPLE_LOGS / "darshan_log/11-coll-subarray-cb-ds-disable/11-coll-subarray-cb-ds-disable.darshan"
GOOD = SAMPLE_LOGS / "darshan_log/09-coll-subarray-cb-enable/09-coll-subarray-cb-enable.darshan"
SIZES = SAMPLE_LOGS / "benchio/serial-at-three-sizes/benchio-64-128-256.txt"


def test_two_cases_are_held_against_one_another(api: Api) -> None:
    ids = [api.case((p.name, p.read_bytes())) for p in (BAD, GOOD)]
    api.settle()
    answer = api.client.get("/api/v1/compare", params={"cases": ",".join(ids)})
    assert answer.status_code == 200
    compared = TypeAdapter(Comparison).validate_python(answer.json())
    assert compared.outcome == "better"
    assert compared.steps[0].factor == pytest.approx(23.36, rel=0.01)
    assert [r.title for r in compared.runs] == ["patterns", "patterns"]


def test_a_benchmark_may_stand_alone_and_a_single_log_may_not(api: Api) -> None:
    ids = [api.case((p.name, p.read_bytes())) for p in (SIZES, GOOD)]
    api.settle()
    alone = api.client.get("/api/v1/compare", params={"cases": ids[0]})
    assert (alone.status_code, alone.json()["kind"], len(alone.json()["runs"])) == (200, "scaling", 3)
    refused = api.client.get("/api/v1/compare", params={"cases": ids[1]})
    assert (refused.status_code, refused.json()["type"]) == (409, "urn:iotriage:problem:too-few-runs")
    missing = api.client.get("/api/v1/compare", params={"cases": f"{ids[1]},nobody"})
    assert (missing.status_code, missing.json()["type"]) == (404, "urn:iotriage:problem:unknown-case")


def status_of(*arguments: str) -> int:
    with pytest.raises(SystemExit) as ended:
        main(["compare", *arguments])
    assert isinstance(ended.value.code, int)
    return ended.value.code


def test_the_command_line_takes_logs_folders_and_documents(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    job = tmp_path / "job"
    job.mkdir()
    (job / "run.darshan").write_bytes(BAD.read_bytes())
    document = tmp_path / "good.json"
    with pytest.raises(SystemExit):
        main(["diagnose", str(GOOD), "--format", "json", "-o", str(document)])
    assert status_of(str(job), str(document), "--format", "json") == 0
    mixed = json.loads(capsys.readouterr().out)
    assert status_of(str(BAD), str(GOOD), "--format", "json") == 0
    logs = json.loads(capsys.readouterr().out)
    assert [r["title"] for r in mixed["runs"]] == ["job", "good.json"]
    assert mixed["steps"] == logs["steps"]
    assert mixed["metrics"] == logs["metrics"]


def test_the_text_keeps_to_a_hundred_columns_and_begins_with_the_verdict(capsys: pytest.CaptureFixture[str]) -> None:
    assert status_of(str(BAD), str(GOOD)) == 0
    text = capsys.readouterr().out
    assert text.startswith("B does its I/O 23 times faster")
    assert "confirmed" in text
    assert max(len(line) for line in text.splitlines()) <= 100


def test_the_exit_status_is_that_of_diagnose(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert status_of(str(GOOD), str(BAD), "--fail-on", "worse") == 1
    assert status_of(str(BAD), str(GOOD), "--fail-on", "worse") == 0
    assert status_of(str(GOOD)) == 2
    assert status_of(str(GOOD), str(tmp_path / "not there.darshan")) == 3
    assert "needs something to compare with" in capsys.readouterr().err
