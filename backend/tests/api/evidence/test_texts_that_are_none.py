"""What is no text, or no number, in a source: the case ends all the same, and answers."""

from __future__ import annotations

import pytest

from ..conftest import SAMPLE_LOGS, Api

IOR = (SAMPLE_LOGS / "ior/json/ior-own-files.json").read_bytes()


@pytest.mark.parametrize("odd", [b"\\ud800", b"\\udc00\\ud800", b"\xed\xa0\x80", b"\xff", b"\\u0000"])
def test_half_a_character_in_a_command_line_ends_in_a_document(api: Api, odd: bytes) -> None:
    source = IOR.replace(b'"Command line": "', b'"Command line": "' + odd, 1)
    assert source != IOR
    case_id = api.case(("ior.json", source))
    api.settle()
    case = api.client.get(f"/api/v1/cases/{case_id}").json()
    assert case["status"] == "ready"
    assert api.client.get(f"/api/v1/cases/{case_id}/findings").status_code == 200


@pytest.mark.parametrize("odd", [b"1e999", b"9" * 400, b"NaN", b"Infinity", b"-1e999"])
def test_a_number_without_end_ends_in_a_document(api: Api, odd: bytes) -> None:
    source = IOR.replace(b'"bwMiB": ', b'"bwMiB": ' + odd + b', "was": ').replace(
        b'"tasks": ', b'"tasks": ' + odd + b', "was": '
    )
    assert source != IOR
    case_id = api.case(("ior.json", source))
    api.settle()
    assert api.client.get(f"/api/v1/cases/{case_id}").json()["status"] in ("ready", "failed")
