"""Cases held against one another, over HTTP and on the command line."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from pydantic import TypeAdapter
from sqlalchemy import delete

from iotriage.analysis.run_sets.comparison import Comparison
from iotriage.cli import main
from iotriage.store.ticket_tables import CaseFactsRow

from ..conftest import SAMPLE_LOGS, Api

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
    portraits = [api.client.get(f"/api/v1/cases/{case}/portrait").json() for case in ids]
    assert [[band["layer"] for band in portrait["bands"]] for portrait in portraits] == [["MPI-IO", "POSIX"]] * 2
    with api.services.database.writing() as session, session.begin():
        session.execute(delete(CaseFactsRow))
    alike = [api.client.get(f"/api/v1/cases/{case}/portrait").json() for case in ids]
    assert alike == portraits, "a sample stands in no queue"
    assert api.client.get("/api/v1/cases/nobody/portrait").status_code == 404


def test_a_benchmark_may_stand_alone_and_a_single_log_may_not(api: Api) -> None:
    ids = [api.case((p.name, p.read_bytes())) for p in (SIZES, GOOD)]
    api.settle()
    alone = api.client.get("/api/v1/compare", params={"cases": ids[0]})
    assert (alone.status_code, alone.json()["kind"], len(alone.json()["runs"])) == (200, "scaling", 3)
    refused = api.client.get("/api/v1/compare", params={"cases": ids[1]})
    assert (refused.status_code, refused.json()["type"]) == (409, "urn:iotriage:problem:too-few-runs")
    missing = api.client.get("/api/v1/compare", params={"cases": f"{ids[1]},nobody"})
    assert (missing.status_code, missing.json()["type"]) == (404, "urn:iotriage:problem:unknown-case")


def test_the_address_has_the_numbers_and_the_site_to_decide_by(api: Api) -> None:
    ids = ",".join(api.case((p.name, p.read_bytes())) for p in (BAD, GOOD))
    api.settle()

    def ask(**asked: str) -> tuple[int, dict[str, Any]]:
        answer = api.client.get("/api/v1/compare", params={"cases": ids, **asked})
        return answer.status_code, answer.json()

    (_, as_it_is), (_, own) = ask(), ask(set="collective-disabled.ranks:16,jitter.usual:40")
    assert (as_it_is["outcome"], as_it_is["moved"]) == ("better", [])
    assert own["outcome"] == "same"
    assert {t["id"]: (t["value"], t["moved_from"]) for t in own["moved"]} == {
        "collective-disabled.ranks": (16.0, 4.0),
        "jitter.usual": (40.0, 1.05),
    }
    assert "collective-disabled" in as_it_is["steps"][0]["gone"]
    assert "collective-disabled" not in own["steps"][0]["gone"]
    # ARCHER2's profile has another number for what matters: the cases' own site is not known.
    _, there = ask(site="archer2", set="collective-disabled.ranks:16")
    assert [t["id"] for t in there["moved"]] == ["collective-disabled.ranks"]
    for wrong in ({"set": "no-such:1"}, {"set": "jitter.usual"}, {"set": "jitter.usual:nan"}):
        status, problem = ask(**wrong)
        assert (status, problem["type"]) == (422, "urn:iotriage:problem:unknown-threshold")
    assert ask(site="nowhere")[1]["type"] == "urn:iotriage:problem:unknown-site"


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
    assert text.startswith("B does its I/O 23.4 times faster")
    assert "confirmed" in text
    assert max(len(line) for line in text.splitlines()) <= 100


def test_the_text_says_which_numbers_are_ones_own(capsys: pytest.CaptureFixture[str]) -> None:
    own = ("--set", "collective-disabled.ranks=16", "--set", "jitter.usual=40")
    assert status_of(str(BAD), str(GOOD), *own) == 0
    text = capsys.readouterr().out
    assert text.startswith("B is as fast in I/O as A")
    assert "(collective-disabled.ranks): 16 ranks instead of 4 ranks" in " ".join(text.split())
    assert "usual variation: factors up to 40 [your own number]" in text
    for wrong in ("jitter.usual", "no-such=1"):
        assert status_of(str(BAD), str(GOOD), "--set", wrong) == 2
        assert f"--set {wrong.split('=')[0]}" in capsys.readouterr().err


def test_the_exit_status_is_that_of_diagnose(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert status_of(str(GOOD), str(BAD), "--fail-on", "worse") == 1
    assert status_of(str(BAD), str(GOOD), "--fail-on", "worse") == 0
    assert status_of(str(GOOD)) == 2
    assert status_of(str(GOOD), str(tmp_path / "not there.darshan")) == 3
    assert "needs something to compare with" in capsys.readouterr().err
