"""The audit log as administrators read it."""

from __future__ import annotations

from .conftest import LEGACY, Start


def test_changes_are_recorded_and_looks_are_not(start: Start) -> None:
    with start() as api:
        case = api.case((LEGACY.name, LEGACY.read_bytes()))
        api.settle()
        assert api.client.get(f"/api/v1/cases/{case}").status_code == 200
        assert api.client.patch(f"/api/v1/cases/{case}", json={"site": "archer2"}).status_code == 200
        assert api.client.patch(f"/api/v1/cases/{case}", json={"site": "nowhere"}).status_code == 422
        api.settle()
        assert api.client.delete(f"/api/v1/cases/{case}").status_code == 204
        # The ends of what a date may be are moments like others; what is before them in UTC is refused.
        for since, status, found in (
            ("0001-01-01", 200, True),
            ("9999-12-31T23:59:59", 200, False),
            ("0001-01-01T00:00:00%2B09:00", 422, False),
        ):
            answer = api.client.get(f"/api/v1/audit?since={since}")
            assert (answer.status_code, status == 200 and bool(answer.json())) == (status, found)
        entries = api.client.get("/api/v1/audit").json()
        assert [(entry["action"], entry["case_id"]) for entry in entries] == [
            ("DELETE /cases/{case_id}", case),
            ("PATCH /cases/{case_id}", case),
            ("POST /cases", case),
            ("PUT /sources/{sha256}", None),
        ]
        assert {(entry["person"], entry["by"]) for entry in entries} == {("local", "loopback")}
        assert entries[-1]["about"].startswith("sha256 ")
        assert len(api.client.get("/api/v1/audit", params={"case": case, "limit": 2}).json()) == 2
        for method in ("POST", "PUT", "PATCH", "DELETE"):
            assert api.client.request(method, "/api/v1/audit").status_code in (404, 405)
