"""The warehouse of a centre, over HTTP."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager
from pathlib import Path

from centre_logs import Run, put, taken

from .conftest import Api

Start = Callable[..., AbstractContextManager[Api]]


def test_a_server_without_a_warehouse_says_so(start: Start) -> None:
    with start() as api:
        assert api.client.get("/api/v1/centre").json() == {"has_warehouse": False, "days": []}
        answer = api.client.get("/api/v1/centre/reports/2026-11-21")
    assert (answer.status_code, answer.json()["type"]) == (404, "urn:iotriage:problem:no-warehouse")
    assert "IOTRIAGE_WAREHOUSE" in answer.json()["detail"]


def test_a_warehouse_has_days_and_each_its_report(start: Start, tmp_path: Path) -> None:
    logs, warehouse = tmp_path / "logs", tmp_path / "warehouse"
    put(logs, f"{Run(1).name}_100.darshan", Run(1).log())
    taken(logs, warehouse)
    with start(warehouse=warehouse) as api:
        assert api.client.get("/api/v1/centre").json() == {"has_warehouse": True, "days": ["2026-11-20"]}
        report = api.client.get("/api/v1/centre/reports/2026-11-20").json()
        assert api.client.get("/api/v1/centre/reports/yesterday").status_code == 422
    assert report["sections"][0]["title"] == "Completeness"
    assert ["read", 1] in report["sections"][0]["rows"]
