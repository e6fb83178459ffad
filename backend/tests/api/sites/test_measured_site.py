"""A site's profile made of the benchmarks of a case, over HTTP."""

from __future__ import annotations

import tomllib
from pathlib import Path

from iotriage.sites import load

from ..conftest import LEGACY, Api

SAMPLES = Path(__file__).parents[4] / "sample-logs" / "ior" / "shared-at-four-sizes"


def measured_case(api: Api) -> str:
    return api.case(*((file.name, file.read_bytes()) for file in sorted(SAMPLES.glob("*.txt"))))


def test_results_given_together_become_a_profile(api: Api, tmp_path: Path) -> None:
    case = measured_case(api)
    answer = api.client.get(f"/api/v1/cases/{case}/measured-site", params={"name": "ours", "title": "Our Cluster"})
    assert answer.status_code == 200
    made = answer.json()
    assert [row["processes"] for row in made["tables"][0]["rows"]] == [32, 64, 128, 256]
    assert made["left_out"] == []
    file = tmp_path / "ours.toml"
    file.write_text(made["toml"])
    assert load(file).title == "Our Cluster"
    assert tomllib.loads(made["toml"])["file_systems"][0]["mounts"] == ["^/scratch(/|$)"]


def test_what_is_no_measurement_is_said(api: Api) -> None:
    case = api.case(("job.darshan", LEGACY.read_bytes()))
    made = api.client.get(f"/api/v1/cases/{case}/measured-site", params={"name": "ours"}).json()
    assert made["tables"] == []
    assert [(one["result"], one["line"]) for one in made["left_out"]] == [("job.darshan", None)]


def test_a_name_that_is_taken_or_cannot_be_is_refused(api: Api) -> None:
    case = measured_case(api)
    for name, status in (("Our Cluster", 422), ("x" * 65, 422)):
        answer = api.client.get(f"/api/v1/cases/{case}/measured-site", params={"name": name})
        assert answer.status_code == status
        assert answer.json()["detail"]
