"""Profiles of the installation's own, written by administrators while the server runs."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest

from iotriage.sites import OWN_SITES, load, reload_profiles

from ..conftest import LEGACY, Api, Start

THRESHOLD = "/api/v1/sites/archer2/thresholds/small-io.fraction"
OF_ANOTHER = 'id = "theirs"\ntitle = "T"\nstatus = "current"\nchecked = "2026-11-01"\nversion = "1"'
REASON = {"value": 0.35, "why": "Our median job has 30 %.", "says": "12,000 jobs of October."}


@pytest.fixture
def kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    folder = tmp_path / "profiles"
    folder.mkdir()
    monkeypatch.setenv(OWN_SITES, str(folder))
    reload_profiles()
    yield folder
    reload_profiles()


def _threshold(api: Api, case_id: str) -> float:
    document = api.client.get(f"/api/v1/cases/{case_id}").json()["document"]
    value: float = document["thresholds"]["small-io.fraction"]["value"]
    return value


def test_a_threshold_with_its_reason_is_written_and_cases_are_judged_by_it(kept: Path, start: Start) -> None:
    with start() as api:
        case = api.case(("log", LEGACY.read_bytes()), site="archer2")
        api.settle()
        before = _threshold(api, case)
        written = api.client.put(THRESHOLD, json=REASON)
        assert written.status_code == 200, written.text
        assert [t["why"] for t in written.json()["thresholds"] if t["value"] == 0.35] == [REASON["why"]]
        api.settle()
        assert _threshold(api, case) == 0.35 != before
        assert api.client.get("/api/v1/audit").json()[0]["about"].endswith("0.35: Our median job has 30 %.")
        assert api.client.delete(THRESHOLD).status_code == 200
        api.settle()
        assert _threshold(api, case) == before
        assert api.client.get("/api/v1/own-profiles").json()["not_kept"] is None
        assert api.client.delete("/api/v1/sites/archer2/profile").status_code == 204
        assert api.client.delete("/api/v1/sites/archer2/profile").status_code == 404
    assert list(kept.iterdir()) == []


@pytest.mark.parametrize(
    ("address", "body", "status"),
    [
        ("archer2/thresholds/no-rule.fraction", REASON, 422),
        ("archer2/thresholds/small-io.fraction", {**REASON, "value": 17}, 422),
        ("archer2/thresholds/small-io.fraction", {**REASON, "why": " "}, 422),
        ("nowhere/thresholds/small-io.fraction", REASON, 404),
        ("archer2/profile", {"toml": "id = 3"}, 422),
        (
            "ours/profile",
            {"toml": 'id = "theirs"\ntitle="T"\nstatus="current"\nchecked="2026-11-01"\nversion="1"'},
            422,
        ),
        ("Ours/profile", {"toml": "id = 3"}, 422),
        ("ours/profile", {"toml": "x" * 5 * 2**20}, 413),
    ],
)
def test_what_is_no_profile_is_refused_and_leaves_nothing(
    kept: Path, api: Api, address: str, body: dict[str, object], status: int
) -> None:
    answer = api.client.put(f"/api/v1/sites/{address}", json=body)
    assert answer.status_code == status, answer.text
    assert str(kept) not in answer.text
    assert list(kept.iterdir()) == []


def test_a_profile_is_kept_whole(kept: Path, api: Api) -> None:
    text = api.client.get("/api/v1/sites/archer2/profile").text.replace('id = "archer2"', 'id = "ours"', 1)
    assert api.client.put("/api/v1/sites/ours/profile", json={"toml": text}).status_code == 200
    assert (kept / "ours.toml").read_text() == text
    assert api.client.get("/api/v1/sites/ours").status_code == 200
    assert {p["id"] for p in api.client.get("/api/v1/own-profiles").json()["profiles"] if p["own"]} == {"ours"}


def test_thresholds_that_stand_in_one_list_stay(kept: Path, api: Api) -> None:
    text = 'id = "ours"\ntitle="T"\nstatus="current"\nchecked="2026-11-01"\nversion="1"\nthresholds = [{threshold = '
    text += '"ssf-understriped.stripes", value = 24, why = "All.", source = {document = "project", section = "s", '
    text += 'says = "s"}}]\n'
    assert api.client.put("/api/v1/sites/ours/profile", json={"toml": text}).status_code == 200
    assert api.client.put(THRESHOLD.replace("archer2", "ours"), json=REASON).status_code == 200
    assert {t.threshold: t.value for t in load(kept / "ours.toml").thresholds} == {
        "ssf-understriped.stripes": 24,
        "small-io.fraction": 0.35,
    }
    assert len(tomllib.loads((kept / "ours.toml").read_text())["thresholds"]) == 2


def test_without_a_folder_it_is_said_what_to_set(api: Api, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(OWN_SITES, raising=False)
    answer = api.client.put(THRESHOLD, json=REASON)
    assert answer.status_code == 409
    assert OWN_SITES in answer.json()["detail"]
