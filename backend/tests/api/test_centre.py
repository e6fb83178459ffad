"""The warehouse of a centre, over HTTP."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from centre_logs import Run, put, rows, taken

from iotriage.store.tables import CaseRow

from .conftest import Api

Start = Callable[..., AbstractContextManager[Api]]


@dataclass(frozen=True)
class OneLog:
    """A warehouse of one log, and where staff ask for a case of the log."""

    warehouse: Path
    case: str


@pytest.fixture(scope="module")
def one_log(tmp_path_factory: pytest.TempPathFactory) -> OneLog:
    folder = tmp_path_factory.mktemp("centre")
    put(folder / "logs", f"{Run(1).name}_100.darshan", Run(1).log())
    taken(folder / "logs", folder / "warehouse")
    ((day, log),) = rows(folder / "warehouse", 'SELECT day, "row" FROM logs')
    return OneLog(folder / "warehouse", f"/api/v1/centre/logs/{day}/{log}/case")


def test_a_server_without_a_warehouse_says_so(start: Start) -> None:
    with start() as api:
        assert api.client.get("/api/v1/centre").json() == {"has_warehouse": False, "days": []}
        answer = api.client.get("/api/v1/centre/reports/2026-11-21")
    assert (answer.status_code, answer.json()["type"]) == (404, "urn:iotriage:problem:no-warehouse")
    assert "IOTRIAGE_WAREHOUSE" in answer.json()["detail"]


def test_a_warehouse_has_days_and_each_its_report(start: Start, tmp_path: Path) -> None:
    logs, warehouse = tmp_path / "logs", tmp_path / "warehouse"
    path = put(logs, f"{Run(1).name}_100.darshan", Run(1).log())
    taken(logs, warehouse)
    with start(warehouse=warehouse) as api:
        assert api.client.get("/api/v1/centre").json() == {"has_warehouse": True, "days": ["2026-11-20"]}
        report = api.client.get("/api/v1/centre/reports/2026-11-20").json()
        month = api.client.get("/api/v1/centre/reports/2026-11-20?period=month&user=20417").json()
        other = api.client.get("/api/v1/centre/reports/2026-11-20?application=x').json").json()
        ends = ("reports/0001-01-01", "reports/9999-12-31?period=week", "trend?last=0001-01-01")
        for none in ("reports/yesterday", *ends):
            assert api.client.get(f"/api/v1/centre/{none}").status_code == 422
        page = api.client.get("/api/v1/centre/reports/2026-11-20/html")
        trend = api.client.get("/api/v1/centre/trend?last=2026-11-21&days=3").json()
        (row,) = _section(report, "users")["logs"]
        log = f"/api/v1/centre/logs/{row['day']}/{row['log']}"
        known = api.client.get(log).json()
        made = api.client.post(f"{log}/case")
        api.settle()
        case = api.client.get(f"/api/v1/cases/{made.json()['id']}").json()
        path.unlink()
        gone = api.client.get(log).json()
        refused = api.client.post(f"{log}/case")
        assert api.client.get(f"{log[:-1]}x").status_code == 422
        assert api.client.get(f"{log}f").status_code == 404
    assert ["read", 1] in _section(report, "completeness")["rows"]
    assert [row[0] for row in _section(month, "users")["rows"]] == ["20417"]
    assert _section(other, "users")["rows"] == []
    assert page.headers["content-disposition"] == 'attachment; filename="iotriage-day-2026-11-20.html"'
    assert page.text.startswith("<!doctype html>")
    assert trend["days"] == ["2026-11-19", "2026-11-20", "2026-11-21"]
    assert trend["series"][0]["values"] == [None, 1, None]
    assert (known["row"]["job_id"], known["gone"]) == ("7001", None)
    assert (case["status"], case["document"]["job"]["job_id"]) == ("ready", "7001")
    assert gone["gone"] == "The log is not there any more."
    assert (refused.status_code, refused.json()["type"]) == (404, "urn:iotriage:problem:log-gone")


def test_a_log_that_staff_look_at_waits_for_no_answer_until_a_ticket_has_it(start: Start, one_log: OneLog) -> None:

    def queued(api: Api) -> list[str]:
        page = api.client.get("/api/v1/queue").json()
        assert page["counts"]["total"] == len(page["entries"])
        return [entry["case"] for entry in page["entries"]]

    with start(warehouse=one_log.warehouse) as api:
        case = api.client.post(one_log.case).json()["id"]
        assert queued(api) == []
        api.settle()
        assert (queued(api), api.client.get("/api/v1/queue?words=auser").json()["entries"]) == ([], [])
        assert [c["id"] for c in api.client.get("/api/v1/cases?words=auser").json()["cases"]] == [case]
        assert api.client.post(one_log.case).json()["id"] == case

        # Of which ticket it is by now is what who looks at the log again wants to know.
        (acted,) = api.client.post("/api/v1/queue/actions", json={"entries": [{"case": case}]}).json()
        assert queued(api) == [case]
        assert api.client.post(one_log.case).json()["id"] == case
        assert len(api.client.get("/api/v1/queue?words=auser").json()["entries"]) == 1
        assert api.client.delete(f"/api/v1/tickets/{acted['ticket']}").status_code == 204
        assert queued(api) == [case]
        assert api.client.post(one_log.case).json()["id"] == case


def test_a_log_that_somebody_gave_is_looked_at_in_their_case_and_not_in_one_of_several_jobs(
    start: Start, one_log: OneLog
) -> None:
    other = Run(2, job_id=8002).log()
    with start(warehouse=one_log.warehouse) as api:
        both = api.case(("a.darshan", Run(1).log()), ("b.darshan", other), alone=True)
        api.settle()
        looked_at = api.client.post(one_log.case).json()["id"]
        assert looked_at != both
        api.client.delete(f"/api/v1/cases/{looked_at}")
        given = api.case(("mine.darshan", Run(1).log()))
        api.settle()
        assert api.client.post(one_log.case).json()["id"] == given
        ticket = api.case(("again.darshan", Run(1).log()))
        api.settle()
        api.client.post("/api/v1/tickets", json={"cases": [given]})
        assert api.client.post(one_log.case).json()["id"] == given != ticket


def test_a_look_that_failed_is_taken_anew(start: Start, one_log: OneLog) -> None:
    with start(warehouse=one_log.warehouse) as api:
        failed = api.client.post(one_log.case).json()["id"]
        api.settle()
        with api.services.database.writing() as session, session.begin():
            session.get_one(CaseRow, failed).status = "failed"
        case = api.client.post(one_log.case).json()["id"]
        assert case != failed
        api.settle()
        assert api.client.get(f"/api/v1/cases/{case}").json()["status"] == "ready"
        assert api.client.post(one_log.case).json()["id"] == case


def test_a_log_that_staff_look_at_is_in_the_queue_once_a_ticket_had_it_as_a_part(start: Start, one_log: OneLog) -> None:
    with start(warehouse=one_log.warehouse) as api:
        whole = api.case(("run.sh", b"#!/bin/bash\n#SBATCH --nodes=4\nsrun ./sim\n"))
        ticket = api.client.post("/api/v1/tickets", json={"cases": [whole]}).json()["id"]
        part = api.client.post(one_log.case).json()["id"]
        api.settle()
        assert api.client.post(f"/api/v1/cases/{whole}/join", json={"case": part}).json()["id"] == whole
        assert api.client.post(f"/api/v1/cases/{part}/apart").status_code == 200
        api.settle()
        assert api.client.delete(f"/api/v1/tickets/{ticket}").status_code == 204
        assert {entry["case"] for entry in api.client.get("/api/v1/queue").json()["entries"]} == {whole, part}


def test_a_log_that_staff_look_at_is_in_the_queue_once_more_of_its_job_is_given(start: Start, one_log: OneLog) -> None:
    with start(warehouse=one_log.warehouse) as api:
        case = api.client.post(one_log.case).json()["id"]
        api.settle()
        script = b"#!/bin/bash\n#SBATCH --nodes=4\nsrun ./sim\n"
        given = {"sources": [{"sha256": api.upload(script), "name": "slurm-7001.sh"}]}
        other = api.client.post("/api/v1/cases", json=given).json()["id"]
        api.settle()
        api.client.post(f"/api/v1/cases/{case}/join", json={"case": other})
        api.settle()
        (entry,) = api.client.get("/api/v1/queue").json()["entries"]
    assert entry["case"] == case


def _section(report: dict[str, Any], id: str) -> dict[str, Any]:
    (found,) = (section for section in report["sections"] if section["id"] == id)
    return dict(found)


def test_a_threshold_is_put_to_the_days(start: Start, tmp_path: Path) -> None:
    logs, warehouse = tmp_path / "logs", tmp_path / "warehouse"
    for number in range(3):
        run = Run(number, job_id=7001 + number, writes=4_000 * 10**number)
        put(logs, f"{run.name}_100.darshan", run.log())
    taken(logs, warehouse)
    days = "first=2026-11-20&last=2026-11-20"
    with start(warehouse=warehouse) as api:
        base = "/api/v1/centre/population/shared-log"
        listed = api.client.get("/api/v1/rules/shared-log").json()["thresholds"]
        answers = {t["id"]: api.client.get(f"{base}/{t['id']}?{days}") for t in listed}
        found = {id: answer.json() for id, answer in answers.items() if answer.status_code == 200}
        drawn = next(p for p in found.values() if p["deciding"])
        outside = api.client.get(f"{base}/{drawn['threshold']}/moved?{days}&value=-1e300")
        held = [b for b in drawn["bins"] if b["logs"]]
        edges = [held[0]["low"], held[-1]["low"], held[-1]["high"]]
        moved = [api.client.get(f"{base}/{drawn['threshold']}/moved?{days}&value={edge}").json() for edge in edges]
        settled = api.client.get(f"{base}/{drawn['threshold']}/settled?{days}&value={edges[0]}").json()
        assert api.client.get(f"{base}/no-such?{days}").status_code == 404
    assert (drawn["logs"], drawn["lacking"]) == (3, [])
    assert (settled["rules"][0]["rule"], settled["unjudged"]) == ("shared-log", [])
    assert outside.status_code == 422
    assert 0 < max(m["moved"]["jobs"] for m in moved) <= 3
