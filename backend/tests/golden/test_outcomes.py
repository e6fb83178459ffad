"""The diagnoses that a person who knows these programs expects: the cause first, and nothing on the good twin."""

from __future__ import annotations

import json

import pytest
from samples import case

from iotriage.rules import all_rules

ABOUT_THE_CASE = {rule.id for rule in all_rules().values() if not rule.weighed}
CAUSES = {
    "01": "serial-io",
    "03": "metadata-bound",
    "06": "independent-shared",
    "07": "read-modify-write",
    "10": "read-modify-write",
    "11": "small-io",
    "13": "straggler-rank",
    "15": "small-io",
    "23": "independent-shared",
    "26": "independent-shared",
    "39": "independent-shared",
}
GOOD_TWINS = {
    "01": ("02", "05"),
    "03": ("04",),
    "06": ("05", "08"),
    "07": ("08",),
    "10": ("09",),
    "11": ("09",),
    "13": ("14",),
    "15": ("16",),
    "23": ("24", "25"),
    "26": ("27", "28"),
    "39": ("40",),
}


def triggered(name: str) -> list[dict[str, str]]:
    """The findings of a sample that hold and speak about its I/O, in the order in which a person reads them."""
    said = json.loads(case(name).said("findings.json").read_text(encoding="utf-8"))
    return [finding for finding in said["triggered"] if finding["rule"] not in ABOUT_THE_CASE]


@pytest.mark.parametrize(("bad", "cause"), CAUSES.items())
def test_the_cause_is_named_first(bad: str, cause: str) -> None:
    assert [f["rule"] for f in triggered(bad) if f["explained_by"] is None][:1] == [cause]


@pytest.mark.parametrize(("bad", "good"), [(bad, good) for bad, twins in GOOD_TWINS.items() for good in twins])
def test_the_good_twin_has_nothing_of_it(bad: str, good: str) -> None:
    assert [f for f in triggered(good) if f["rule"] == CAUSES[bad] and f["severity"] != "info"] == []


def test_one_aggregator_behind_collective_calls_is_named_on_lustre_and_gone_when_striped() -> None:
    first, *_ = triggered("lustre-ssf-one-stripe")
    assert (first["rule"], first["severity"]) == ("single-aggregator", "high")
    assert [f["rule"] for f in triggered("lustre-ssf-striped") if f["severity"] != "info"] == []


def test_striped_files_of_single_ranks_are_named_and_gone_with_one_stripe() -> None:
    assert "fpp-striped" in [f["rule"] for f in triggered("lustre-fpp-striped") if f["severity"] != "info"]
    assert [f["rule"] for f in triggered("lustre-fpp-one-stripe") if f["severity"] != "info"] == []
