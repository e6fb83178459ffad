"""A site's profile changes between two starts: the cases that it judges are read again, and no others."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from iotriage.sites import OWN_SITES

from ..conftest import LEGACY, SHARED, Api

PROFILE = """id = "{id}"
title = "Our centre"
status = "current"
checked = "2026-11-01"
version = "1"
{more}"""
SMALL_IO = """
[[thresholds]]
threshold = "small-io.fraction"
value = {value}
why = "Measured here."
source = {{ document = "project", section = "measured", says = "Our own figure." }}
"""


def _profiles(folder: Path, more: str) -> str:
    """A folder of its own each time: profiles are read once a process."""
    folder.mkdir()
    (folder / "ours.toml").write_text(PROFILE.format(id="ours", more=more))
    return str(folder)


def _documents(api: Api) -> dict[str, str]:
    """By case, when its document was made."""
    with api.services.database.reading() as session:
        rows = session.connection().exec_driver_sql("SELECT case_id, made_at FROM case_document")
        return {case_id: str(made_at) for case_id, made_at in rows}


def _threshold(api: Api, case_id: str) -> float:
    document = api.client.get(f"/api/v1/cases/{case_id}").json()["document"]
    value: float = document["thresholds"]["small-io.fraction"]["value"]
    return value


@pytest.fixture
def settled(start: Callable[..., object]) -> Callable[[], dict[str, str]]:
    def restarted() -> dict[str, str]:
        with start() as api:
            api.settle()
            return _documents(api)

    return restarted


def test_the_cases_of_a_profile_that_says_something_else_are_read_again(
    start: Callable[..., object], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(OWN_SITES, _profiles(tmp_path / "one", SMALL_IO.format(value=0.3)))
    with start() as api:
        ours = api.case(("log", LEGACY.read_bytes()), site="ours")
        other, detected = api.case(("log", SHARED.read_bytes()), site="archer2"), api.case(("it", SHARED.read_bytes()))
        api.settle()
        assert _threshold(api, ours) == 0.3
        before = _documents(api)
    # The same version is stated: what counts is what the profile says.
    monkeypatch.setenv(OWN_SITES, _profiles(tmp_path / "two", SMALL_IO.format(value=0.4)))
    with start() as api:
        api.settle()
        assert _threshold(api, ours) == 0.4
        after = _documents(api)
    assert [c for c in (ours, other, detected) if after[c] != before[c]] == [ours]


@pytest.mark.faults
def test_an_equal_profile_and_a_start_as_before_read_nothing_again(
    start: Callable[..., object], settled: Callable[[], dict[str, str]], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(OWN_SITES, _profiles(tmp_path / "one", SMALL_IO.format(value=0.3)))
    with start() as api:
        api.case(("log", LEGACY.read_bytes()), site="ours")
        api.case(("log", LEGACY.read_bytes()))
        api.settle()
        before = _documents(api)
    assert settled() == before
    monkeypatch.setenv(OWN_SITES, _profiles(tmp_path / "two", SMALL_IO.format(value=0.3)))
    assert settled() == before


@pytest.mark.faults
def test_a_new_profile_is_detected_in_the_cases_that_nobody_chose_a_site_for(
    start: Callable[..., object], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv(OWN_SITES, raising=False)
    with start() as api:
        detected, chosen = (api.case(("log", LEGACY.read_bytes()), site=site) for site in (None, "archer2"))
        api.settle()
        document = api.client.get(f"/api/v1/cases/{detected}").json()["document"]
        before = _documents(api)
    folder = document["files"][0]["path"].rsplit("/", 1)[0]
    monkeypatch.setenv(OWN_SITES, _profiles(tmp_path / "new", f"detect_paths = ['^{folder}/']"))
    with start() as api:
        api.settle()
        sites = [api.client.get(f"/api/v1/cases/{c}").json()["document"]["site"]["id"] for c in (detected, chosen)]
        assert sites == ["ours", "archer2"]
        assert _documents(api)[chosen] == before[chosen]


def test_other_rules_read_every_case_again(start: Callable[..., object], settled: Callable[[], dict[str, str]]) -> None:
    with start() as api:
        case_id = api.case(("log", LEGACY.read_bytes()))
        api.settle()
        before = _documents(api)
        with api.services.database.writing() as session, session.begin():
            session.connection().exec_driver_sql("UPDATE case_document SET decides = 'otherwise'")
    assert settled()[case_id] != before[case_id]


def test_a_case_whose_chosen_profile_is_gone_keeps_its_document(
    start: Callable[..., object], settled: Callable[[], dict[str, str]], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(OWN_SITES, _profiles(tmp_path / "one", ""))
    with start() as api:
        api.case(("log", LEGACY.read_bytes()), site="ours")
        api.settle()
        before = _documents(api)
    monkeypatch.delenv(OWN_SITES)
    assert settled() == before
