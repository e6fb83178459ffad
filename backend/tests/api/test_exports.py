"""A case as an attachment, decided for the site and the thresholds of the address."""

from __future__ import annotations

import tomllib

import pytest

from .conftest import SHARED, Start
from .page_of_one_file import content


@pytest.mark.parametrize(
    ("form", "media_type"),
    [("plain", "text/plain"), ("markdown", "text/markdown"), ("jira", "text/plain"), ("json", "application/json")],
)
def test_is_an_attachment_of_its_type(start: Start, form: str, media_type: str) -> None:
    with start() as api:
        case = api.case((SHARED.name, SHARED.read_bytes()))
        api.settle()
        answer = api.client.get(f"/api/v1/cases/{case}/export/{form}")
        sentence = api.client.get(f"/api/v1/cases/{case}").json()["document"]["headline"]["sentence"]
    assert answer.status_code == 200
    assert answer.headers["content-type"].split(";")[0] == media_type
    assert answer.headers["content-disposition"].startswith(f'attachment; filename="iotriage-{case}.')
    assert sentence in " ".join(answer.text.split())


def test_uses_the_thresholds_of_the_address_and_says_so(start: Start) -> None:
    with start() as api:
        case = api.case((SHARED.name, SHARED.read_bytes()))
        api.settle()
        answer = api.client.get(f"/api/v1/cases/{case}/export/plain", params={"set": "small-io.fraction:0.123"})
        wrong = [
            api.client.get(f"/api/v1/cases/{case}/export/plain", params={"set": own})
            for own in ("no-such.threshold:1", "small-io.fraction", "small-io.fraction:many")
        ]
    assert "12.3 %" in answer.text
    assert "moved by the reader" in " ".join(answer.text.split())
    assert [w.status_code for w in wrong] == [422] * 3
    assert all(w.json()["type"] == "urn:iotriage:problem:unknown-threshold" for w in wrong)


def test_a_case_that_is_still_read_has_nothing_to_export(start: Start) -> None:
    with start() as api:
        answer = api.client.get("/api/v1/cases/none/export/plain")
    assert answer.status_code == 404


def test_a_site_profile_carries_ones_own_thresholds(start: Start) -> None:
    with start() as api:
        answer = api.client.get("/api/v1/sites/archer2/profile", params={"set": "small-io.fraction:0.25"})
        wrong = [
            api.client.get("/api/v1/sites/archer2/profile", params={"set": "no-such.threshold:1"}),
            api.client.get("/api/v1/sites/nowhere/profile"),
        ]
    assert answer.headers["content-disposition"] == 'attachment; filename="archer2.toml"'
    profile = tomllib.loads(answer.text)
    assert {"small-io.fraction": 0.25}.items() <= {t["threshold"]: t["value"] for t in profile["thresholds"]}.items()
    assert [w.status_code for w in wrong] == [422, 404]


def test_an_anonymised_export_says_no_name(start: Start) -> None:
    names = ("zquser", "proj01", "4127088")
    with start() as api:
        case = api.case(("zquser-job.darshan", SHARED.read_bytes()))
        api.settle()
        for form in ("json", "plain", "markdown", "jira", "html"):
            address = f"/api/v1/cases/{case}/export/{form}"
            plain, hidden = api.client.get(address), api.client.get(address, params={"anonymise": 1})
            assert (plain.status_code, hidden.status_code) == (200, 200)
            assert hidden.headers["content-disposition"] == plain.headers["content-disposition"].replace(case, "case")
            before, after = (content(answer.text) if form == "html" else answer.text for answer in (plain, hidden))
            assert any(name in before for name in names)
            assert not [name for name in (*names, case) if name in after]
            assert "in small interleaved pieces" in " ".join(after.split())
