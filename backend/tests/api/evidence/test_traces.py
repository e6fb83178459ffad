"""Windows of the heatmap and of the timeline, over HTTP, of the project's own logs."""

from __future__ import annotations

import base64
from typing import Any

import numpy as np
import pytest

from ..conftest import LEGACY, SAMPLE_LOGS, Api

TRACE = "/api/v1/cases/{case}/sources/0/trace"


@pytest.fixture
def legacy(api: Api) -> str:
    case = api.case((LEGACY.name, LEGACY.read_bytes()))
    api.settle()
    return TRACE.format(case=case)


def numbers(packed: dict[str, str]) -> np.ndarray[Any, Any]:
    kinds = {"float64": "<f8", "float32": "<f4", "uint8": "u1", "uint32": "<u4"}
    return np.frombuffer(base64.b64decode(packed["data"]), dtype=kinds[packed["type"]])


def test_the_summary_has_layers_files_and_heatmaps(api: Api, legacy: str) -> None:
    said = api.client.get(legacy).json()
    assert (said["nprocs"], said["files_total"]) == (8, 34)
    assert {(layer["layer"], layer["calls"]) for layer in said["layers"]} == {("POSIX", 14356), ("MPIIO", 12300)}
    assert {heat["layer"] for heat in said["heatmaps"]} == {"POSIX", "MPIIO", "STDIO"}
    assert said["files"][0]["path"].endswith("restart.in")


def test_a_window_of_the_heatmap_keeps_its_bytes(api: Api, legacy: str) -> None:
    whole = api.client.get(f"{legacy}/heatmap", params={"layer": "POSIX"}).json()
    few = api.client.get(f"{legacy}/heatmap", params={"layer": "POSIX", "rows": 2, "columns": 7}).json()
    assert (whole["rows"], few["rows"]) == (8, 2)
    assert few["columns"] <= 7
    assert whole["written"]["total"] == few["written"]["total"] == numbers(few["written"]["by_time"]).sum()
    assert numbers(few["written"]["sums"]).sum(dtype=np.float64) == pytest.approx(few["written"]["total"], rel=1e-6)
    assert whole["written"]["busiest"] is None
    assert numbers(few["written"]["busiest"]).max() <= numbers(few["written"]["sums"]).max()
    halves = [
        api.client.get(f"{legacy}/heatmap", params={"layer": "POSIX", **ranks}).json()["written"]["total"]
        for ranks in ({"last_rank": 3}, {"first_rank": 4})
    ]
    assert sum(halves) == whole["written"]["total"]


def test_a_window_of_the_timeline_has_the_calls_in_it(api: Api, legacy: str) -> None:
    view = api.client.get(f"{legacy}/timeline", params={"from_s": 2, "to_s": 3, "operation": "write"}).json()
    marks = view["marks"]
    starts, ends = numbers(marks["start_s"]), numbers(marks["end_s"])
    assert marks["kind"] == "calls"
    assert len(starts) == marks["calls"] > 0
    assert ((starts < 3) & (ends > 2)).all()
    assert (numbers(marks["operation"]) == 1).all()


def test_a_selection_adds_up_what_the_timeline_shows(api: Api, legacy: str) -> None:
    part = {"from_s": 2, "to_s": 3, "first_rank": 1, "last_rank": 2}
    marks = api.client.get(f"{legacy}/timeline", params=part).json()["marks"]
    selected = api.client.get(f"{legacy}/selection", params=part).json()
    took = np.sort(numbers(marks["end_s"]) - numbers(marks["start_s"]))
    assert selected["reads"] + selected["writes"] == marks["calls"]
    assert selected["bytes_read"] + selected["bytes_written"] == numbers(marks["length"]).sum()
    assert (selected["ranks"], selected["files"]) == (2, len(marks["records"]))
    assert selected["call_s"]["most"] == took[-1]
    assert np.mean(took <= selected["call_s"]["p90"]) >= 0.9 > np.mean(took < selected["call_s"]["p90"])
    longest = numbers(selected["longest"]["end_s"]) - numbers(selected["longest"]["start_s"])
    assert sorted(longest) == took[-10:].tolist()


def test_calls_are_chosen_by_their_size(api: Api, legacy: str) -> None:
    part = {"from_s": 2, "to_s": 3, "down": "size", "low": 8, "high": 16}
    view = api.client.get(f"{legacy}/timeline", params=part).json()
    sizes = numbers(view["marks"]["length"])
    assert (view["down"], view["low"], view["high"]) == ("size", 8, 16)
    assert ((sizes >= 8) & (sizes < 16)).all()
    selected = api.client.get(f"{legacy}/selection", params=part).json()
    assert selected["reads"] + selected["writes"] == len(sizes)


@pytest.mark.parametrize(
    ("asked", "status"),
    [
        ("/heatmap?layer=DAOS", 404),
        ("/heatmap?layer=NONE", 422),
        ("/timeline?from_s=5&to_s=5", 422),
        ("/timeline?first_rank=9", 422),
        ("/timeline?columns=100000", 422),
        ("/timeline?down=offset&low=0&high=10", 422),
        ("/timeline?down=size&low=10&high=10", 422),
        ("/selection?layer=STDIO", 422),
        ("/timeline?file=99999999999999999999", 422),
        ("/timeline?from_s=nan", 422),
    ],
)
def test_what_cannot_be_drawn_is_said(api: Api, legacy: str, asked: str, status: int) -> None:
    answer = api.client.get(legacy + asked)
    assert answer.status_code == status
    assert answer.json()["detail"]


def test_a_log_without_times_of_ranks_says_so(api: Api) -> None:
    log = SAMPLE_LOGS / "darshan_log/31-nonmpi-cp/31-nonmpi-cp.darshan"
    case = api.case((log.name, log.read_bytes()))
    api.settle()
    answer = api.client.get(TRACE.format(case=case))
    assert (answer.status_code, answer.json()["type"]) == (404, "urn:iotriage:problem:no-trace")
