"""A profile with one's own thresholds is read back as the same profile with them."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from iotriage.sites import all_sites, file_of, load
from iotriage.store.profile_file import OwnThreshold, profile_with


@pytest.mark.parametrize("site", all_sites())
def test_nothing_else_changes(site: str, tmp_path: Path) -> None:
    before = all_sites()[site]
    moved = {o.threshold: o.value + 1 for o in before.thresholds} | {"small-io.fraction": 0.2}
    file = tmp_path / f"{site}.toml"
    file.write_text(profile_with(site, [OwnThreshold(*one) for one in moved.items()]), "utf-8")
    after = load(file)
    assert {o.threshold: o.value for o in after.thresholds} == moved
    assert replace(after, thresholds=()) == replace(before, thresholds=())


def test_without_numbers_it_is_the_profile_itself() -> None:
    assert profile_with("archer2", []) == file_of("archer2").read_text("utf-8")


def test_an_unknown_site_is_refused() -> None:
    with pytest.raises(KeyError):
        profile_with("nowhere", [])
