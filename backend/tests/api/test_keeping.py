"""What administrators choose while the server runs holds from then on."""

from __future__ import annotations

from datetime import timedelta

import pytest

from iotriage.store.sources import utc_now

from .conftest import LEGACY, Start


def _days(keeping: dict[str, list[dict[str, object]]]) -> dict[object, object]:
    return {kept["kind"]: kept["days"] for kept in keeping["kept"]}


@pytest.mark.every_database
def test_how_long_each_kind_is_kept_is_chosen_and_forgotten(start: Start) -> None:
    with start(keep_shares_days=10) as api:
        assert _days(api.client.get("/api/v1/keeping").json()) == {
            "cases": None,
            "sources": None,
            "shares": 10,
            "audit": 365,
        }
        assert _days(api.client.put("/api/v1/keeping/sources/days", json={"days": 7}).json())["sources"] == 7
        assert _days(api.client.put("/api/v1/keeping/shares/days", json={"days": None}).json())["shares"] is None
        assert _days(api.client.delete("/api/v1/keeping/shares/days").json())["shares"] == 10
        for days in (None, 29):
            assert api.client.put("/api/v1/keeping/audit/days", json={"days": days}).status_code == 422
        assert api.client.put("/api/v1/keeping/samples/days", json={"days": 3}).status_code == 422
        case = api.case((LEGACY.name, LEGACY.read_bytes()))
        api.settle()
    with start(clock=lambda: utc_now() + timedelta(days=8)) as api:
        api.settle()
        view = api.client.get(f"/api/v1/cases/{case}").json()
        assert view["sources"][0]["gone_at"] is not None
        assert view["document"]["headline"]["sentence"]
        refused = api.client.patch(f"/api/v1/cases/{case}", json={"site": "archer2"})
        assert (refused.status_code, refused.json()["type"]) == (409, "urn:iotriage:problem:sources-gone")
        assert api.client.get(f"/api/v1/cases/{case}", params={"site": "archer2"}).status_code == 409
        lines = api.client.get(f"/api/v1/cases/{case}/sources/0/lines", params={"first": 1, "last": 2})
        assert lines.status_code in (404, 409, 410, 422), lines.text
        api.upload(LEGACY.read_bytes())
        assert api.client.patch(f"/api/v1/cases/{case}", json={"site": "archer2"}).status_code == 200


def test_the_default_site_is_chosen(start: Start) -> None:
    with start(site="lumi") as api:
        assert api.client.get("/api/v1/info").json()["default_site"] == "lumi"
        assert api.client.put("/api/v1/keeping/site", json={"site": "archer2"}).json()["site"] == "archer2"
        assert api.client.put("/api/v1/keeping/site", json={"site": "nowhere"}).status_code == 422
        case = api.case((LEGACY.name, LEGACY.read_bytes()))
        api.settle()
        site = api.client.get(f"/api/v1/cases/{case}").json()["document"]["site"]
        assert (site["id"], site["chosen_by"]) == ("archer2", "default")
        assert api.client.put("/api/v1/keeping/site", json={"site": None}).json()["site"] is None
        assert api.client.get("/api/v1/audit").json()[0]["about"] == "site none"
