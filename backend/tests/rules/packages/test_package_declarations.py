"""What is declared of packages is about findings of rules, says something, and cites what was read."""

import pytest

from iotriage.analysis.fitting import OF_READS, OF_WRITES
from iotriage.rules import all_rules
from iotriage.rules.advice.packages import ABOUT, PACKAGES, changes_against, settings_of
from iotriage.rules.advice.packages.package import Change, Package
from iotriage.rules.core.documents import DOCUMENTS

CHANGES: tuple[Change, ...] = ("amount", "files", "movers", "calls", "syncs", "asks", "memory", "prints")


@pytest.mark.parametrize("found", PACKAGES, ids=lambda found: found.name)
def test_every_package_is_told_something_and_names_what_was_read(found: Package) -> None:
    of_each = [settings_of(found, frozenset((one,)), reads=reads) for one in CHANGES for reads in (True, False)]
    everything = [one.text for one in of_each if one is not None]
    assert everything
    assert all(";." not in text and ".." not in text and text.endswith(".") for text in everything)
    assert not any(text.endswith(("says how often.", "say how often.")) for text in everything)
    cited = [one.cited for one in found.settings if one.cited is not None]
    assert all(one.document in DOCUMENTS and one.section for one in cited)


@pytest.mark.parametrize("change", CHANGES)
def test_every_change_is_one_of_some_package(change: Change) -> None:
    assert any(settings_of(found, frozenset((change,))) is not None for found in PACKAGES)


def test_rules_about_one_direction_are_rules() -> None:
    assert set(all_rules()) >= OF_READS | OF_WRITES
    assert not OF_READS & OF_WRITES


def test_what_settings_are_against_are_findings_of_rules() -> None:
    assert set(ABOUT) <= set(all_rules())
    assert changes_against("crowded-ost") == changes_against(None) == {"amount"}
    assert all(changes_against(rule) == {change, "amount"} for rule, change in ABOUT.items())
