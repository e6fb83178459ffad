"""What administrators choose while the server runs holds from then on."""

from __future__ import annotations

from datetime import datetime, timedelta

import pytest
from sqlalchemy import delete, select

from iotriage.store.access_tables import ChoiceRow
from iotriage.store.sources import utc_now
from iotriage.store.tables import CaseDocumentRow

from ..conftest import LEGACY, Api, Start


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
        for asked in ("sources/0/lines?first=1&last=2", "files", "files.csv", "ranks", "sources/0/contents"):
            refused = api.client.get(f"/api/v1/cases/{case}/{asked}")
            assert (refused.status_code, refused.json()["type"]) == (409, "urn:iotriage:problem:sources-gone"), asked
        assert api.client.get(f"/api/v1/cases/{case}/export/html").status_code in (200, 503)
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


JOB_OF_LUMI = b"""\
JobId=7204411 JobName=plume
   JobState=COMPLETED Reason=None Dependency=(null)
   RunTime=00:12:00 TimeLimit=01:00:00 TimeMin=N/A
   NumNodes=4 NumCPUs=512 NumTasks=512 CPUs/Task=1 ReqB:S:C:T=0:0:*:*
   WorkDir=/scratch/project_465000123/auser
"""


def test_another_default_site_judges_cases_again_that_neither_a_person_nor_the_evidence_gave_one(start: Start) -> None:
    def made(api: Api) -> dict[str, tuple[str, datetime]]:
        views = {case: api.client.get(f"/api/v1/cases/{case}").json() for case in cases}
        assert all(view["stale"] is None for view in views.values())
        with api.services.database.reading() as session:
            at = {row.case_id: row.made_at for row in session.scalars(select(CaseDocumentRow))}
        return {case: (view["document"]["site"]["id"], at[case]) for case, view in views.items()}

    with start() as api:
        left_open = api.case((LEGACY.name, LEGACY.read_bytes()))
        by_hand = api.case((LEGACY.name, LEGACY.read_bytes()), site="mahti", alone=True)
        named = api.case(("job.txt", JOB_OF_LUMI))
        cases = (left_open, by_hand, named)
        api.settle()
        first = made(api)
        assert [first[case][0] for case in cases] == ["generic", "mahti", "lumi"]
        assert api.client.put("/api/v1/keeping/site", json={"site": "archer2"}).status_code == 200
        api.settle()
        chosen = made(api)
        assert chosen[left_open][0] == "archer2"
        assert [chosen[case] == first[case] for case in cases] == [False, True, True]
        assert api.client.put("/api/v1/keeping/site", json={"site": None}).status_code == 200
        api.settle()
        assert made(api)[left_open][0] == "generic"
        with api.services.database.writing() as session, session.begin():
            session.execute(delete(ChoiceRow))
    with start(site="setonix") as api:
        api.settle()
        again = made(api)
        assert again[left_open][0] == "setonix", "the environment's default, too"
        assert [again[case] == first[case] for case in cases] == [False, True, True]
