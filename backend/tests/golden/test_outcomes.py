"""The diagnoses that a person who knows these programs expects: the cause first, and nothing on the good twin."""

from __future__ import annotations

import json

import pytest
from samples import case
from saying import document_of

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
    "lustre-ssf-one-stripe": "single-aggregator",
    "lustre-ssf-few-aggregators": "few-aggregators",
    "lustre-ssf-idle-aggregators": "aggregator-skew",
    "lustre-fpp-striped": "fpp-striped",
    "mpich_stats/bad-collective-write-one-aggregator": "single-aggregator",
    "mpich_stats/rmw-and-gaps": "read-modify-write",
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
    "lustre-ssf-one-stripe": ("lustre-ssf-striped",),
    "lustre-ssf-few-aggregators": ("lustre-ssf-striped",),
    "lustre-ssf-idle-aggregators": ("lustre-ssf-striped",),
    "lustre-fpp-striped": ("lustre-fpp-one-stripe",),
    "mpich_stats/bad-collective-write-one-aggregator": ("mpich_stats/good-collective-write",),
    "mpich_stats/rmw-and-gaps": ("mpich_stats/good-collective-write",),
}
BEYOND_REPROACH = (
    "02", "04", "05", "08", "14", "16", "25", "27", "28", "40",
    "lustre-ssf-striped", "lustre-fpp-one-stripe", "mpich_stats/good-collective-write",
)  # fmt: skip


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


@pytest.mark.parametrize("good", BEYOND_REPROACH)
def test_nothing_is_held_against_a_well_tuned_job(good: str) -> None:
    assert [f["rule"] for f in triggered(good) if f["severity"] in ("high", "medium")] == []


def test_a_log_and_the_stderr_of_its_job_make_one_case() -> None:
    """The names differ, absolute in one and relative in the other; the file is the same."""
    sources = (*case("lustre-ssf-one-stripe").sources, *case("mpich_stats/bad-collective-write-one-aggregator").sources)
    document = document_of(sources)
    assert [group.files for group in document.groups] == [1]
    first = document.findings[0]
    assert (first.rule, first.verdict, first.severity) == ("single-aggregator", "triggered", "high")
    assert document.metrics["mpiio.aggregators"].value == 1
    assert document.metrics["io.bytes_written"].value == 64 * 2**30
