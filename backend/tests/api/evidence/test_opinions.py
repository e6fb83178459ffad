"""What pydarshan says beside us, asked over HTTP."""

from __future__ import annotations

import pytest

from ..conftest import LEGACY, Api


def test_a_log_has_a_second_opinion(api: Api) -> None:
    pytest.importorskip("darshan")
    case = api.case(("job.darshan", LEGACY.read_bytes()), ("README.md", b"MPIIO WRITE is not in here\n"))
    said = api.client.get(f"/api/v1/cases/{case}/sources/0/second-opinion").json()
    assert said["kind"] == "compared"
    assert said["agreed"] == sum(part["agreed"] for part in said["parts"]) > 0
    assert said["differing"] == sum(one["values"] for one in said["differences"])
    text = api.client.get(f"/api/v1/cases/{case}/sources/1/second-opinion").json()
    assert text["kind"] == "no-log"
    assert api.client.get(f"/api/v1/cases/{case}/sources/2/second-opinion").status_code == 404
    assert api.client.get("/api/v1/cases/none/sources/0/second-opinion").status_code in (404, 422)
