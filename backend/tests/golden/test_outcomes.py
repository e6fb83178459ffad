"""The diagnoses that a person who knows these programs expects: the cause first, and nothing on the good twin."""

from __future__ import annotations

import csv
import json

import pytest
from sample_documents import document_of
from samples import SAMPLE_LOGS, case

ABOUT_THE_CASE = {"io-not-the-bottleneck", "partial-evidence", "statistics-not-printed"}
"""Rules that speak about the evidence, or say that the rest does not matter."""
CAUSES = {
    "01": "serial-io",
    "03": "many-small-files",
    "06": "independent-shared",
    "07": "read-modify-write",
    "10": "collective-disabled",
    "11": "collective-disabled",
    "13": "straggler-rank",
    "15": "random-access",
    "17": "sync-heavy",
    "19": "redundant-reads",
    "21": "sync-heavy",
    "23": "independent-shared",
    "26": "independent-shared",
    "30": "tar-block-size",
    "33": "redundant-reads",
    "39": "independent-shared",
    "42": "redundant-reads",
    "streams-reread": "stdio-reread",
    "dvs-small-records": "small-io-on-dvs",
    "iobuf-shared-file": "iobuf-shared-file",
    "lustre-ssf-one-stripe": "single-aggregator",
    "lustre-ssf-few-aggregators": "few-aggregators",
    "lustre-ssf-idle-aggregators": "aggregator-skew",
    "lustre-ssf-slow-aggregator": "straggler-rank",
    "lustre-ssf-slow-exchange": "collective-overhead",
    "lustre-shared-one-stripe": "ssf-understriped",
    "lustre-fpp-striped": "fpp-striped",
    "lustre-ssf-shared-lock": "shared-lock-mode-unsafe",
    "lustre-theta-1m-stripes": "ssf-stripe-size",
    "lustre-fpp-slow-ost": "slow-ost",
    "lustre-fpp-crowded-ost": "crowded-ost",
    "lustre-traced-slow-ost": "slow-ost",
    "lustre-fpp-fixed-ost": "fixed-ost-offset",
    "lustre-fpp-many-files": "fpp-many-files",
    "lustre-one-directory": "too-many-files-per-directory",
    "lustre-home-output": "wrong-filesystem",
    "lustre-shared-interleaved": "lock-contention",
    "lustre-shared-misaligned": "misaligned-io",
    "lustre-shared-sparse": "sparse-layout",
    "lustre-shared-log": "shared-log",
    "lustre-imports": "import-storm",
    "lustre-reopened": "reopened-files",
    "lustre-slow-moment": "slow-moment",
    "lustre-slower-and-slower": "slower-and-slower",
    "lustre-fpp-in-turn": "ranks-in-turn",
    "lustre-fpp-few-writers": "few-writers",
    "lustre-scratch-read-back": "node-local-ssd",
    "mpich_stats/bad-collective-write-one-aggregator": "single-aggregator",
    "mpich_stats/rmw-and-gaps": "read-modify-write",
    "craypat/lite-small-records": "small-io",
    "mpich_timers/late-ranks": "wait-for-coll",
    "mpich_timers/exchange-bound": "data-send-bound",
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
    "17": ("18",),
    "19": ("20",),
    "21": ("22",),
    "23": ("24", "25"),
    "26": ("27", "28"),
    "30": ("tar-blocks-of-1-mib",),
    "33": ("34",),
    "39": ("40",),
    "42": ("34",),
    "streams-reread": ("streams-read-once",),
    "dvs-small-records": ("dvs-large-blocks",),
    "iobuf-shared-file": ("iobuf-own-streams",),
    "lustre-ssf-one-stripe": ("lustre-ssf-striped",),
    "lustre-ssf-few-aggregators": ("lustre-ssf-striped",),
    "lustre-ssf-idle-aggregators": ("lustre-ssf-striped",),
    "lustre-ssf-slow-aggregator": ("lustre-ssf-striped", "lustre-ssf-few-aggregators"),
    "lustre-ssf-slow-exchange": ("lustre-ssf-striped", "lustre-ssf-few-aggregators"),
    "lustre-shared-one-stripe": ("lustre-shared-segments",),
    "lustre-fpp-striped": ("lustre-fpp-one-stripe",),
    "lustre-ssf-shared-lock": ("lustre-ssf-archer2-settings",),
    "lustre-theta-1m-stripes": ("lustre-theta-8m-stripes",),
    "lustre-fpp-slow-ost": ("lustre-fpp-one-stripe",),
    "lustre-fpp-crowded-ost": ("lustre-fpp-one-stripe", "lustre-fpp-slow-ost"),
    "lustre-traced-slow-ost": ("lustre-ssf-striped",),
    "lustre-fpp-fixed-ost": ("lustre-fpp-one-stripe",),
    "lustre-fpp-many-files": ("lustre-fpp-one-stripe",),
    "lustre-one-directory": ("lustre-fpp-one-stripe",),
    "lustre-home-output": ("lustre-fpp-one-stripe",),
    "lustre-shared-interleaved": ("lustre-shared-segments", "lustre-ssf-striped"),
    "lustre-shared-misaligned": ("lustre-shared-segments",),
    "lustre-shared-log": ("lustre-shared-interleaved", "lustre-shared-sparse"),
    "lustre-imports": ("lustre-fpp-one-stripe",),
    "lustre-reopened": ("lustre-fpp-one-stripe",),
    "lustre-slow-moment": ("40-heat2d-tuned",),
    "lustre-slower-and-slower": ("40-heat2d-tuned", "lustre-slow-moment"),
    "lustre-fpp-in-turn": ("lustre-fpp-one-stripe",),
    "lustre-shared-sparse": ("lustre-shared-segments", "lustre-shared-interleaved"),
    "lustre-scratch-read-back": ("lustre-fpp-one-stripe",),
    "mpich_stats/bad-collective-write-one-aggregator": ("mpich_stats/good-collective-write",),
    "mpich_stats/rmw-and-gaps": ("mpich_stats/good-collective-write",),
    "mpich_timers/late-ranks": ("mpich_timers/healthy-collective", "mpich_timers/times-alone"),
    "mpich_timers/exchange-bound": ("mpich_timers/healthy-collective", "mpich_timers/times-alone"),
    "craypat/lite-small-records": ("craypat/lite-file-per-process",),
}
BEYOND_REPROACH = (
    "02", "04", "05", "08", "14", "16", "25", "27", "28", "40",
    "lustre-ssf-striped", "lustre-ssf-archer2-settings", "lustre-theta-8m-stripes", "lustre-fpp-one-stripe",
    "mpich_stats/good-collective-write", "mpich_timers/healthy-collective", "mpich_timers/times-alone",
    "dvs-large-blocks", "iobuf-own-streams", "streams-read-once", "tar-blocks-of-1-mib",
)  # fmt: skip


def triggered(name: str) -> list[dict[str, str]]:
    """The findings of a sample that hold and speak about its I/O, in the order in which a person reads them."""
    said = json.loads(case(name).golden_file("findings.json").read_text(encoding="utf-8"))
    return [finding for finding in said["triggered"] if finding["rule"] not in ABOUT_THE_CASE]


def test_every_bad_program_of_the_ground_truth_has_a_cause_and_a_good_twin() -> None:
    """EXPECTED.tsv says which of the programs are bad, and what each is to be compared with."""
    with (SAMPLE_LOGS / "darshan_log" / "EXPECTED.tsv").open(encoding="utf-8") as table:
        rows = list(csv.DictReader(table, delimiter="\t", quoting=csv.QUOTE_NONE))
    bad = {row["file"][:2] for row in rows if row["role"] == "bad"}
    assert len(bad) >= 16
    assert bad <= CAUSES.keys()
    assert bad <= GOOD_TWINS.keys()


@pytest.mark.parametrize(("bad", "cause"), CAUSES.items())
def test_the_cause_is_named_first(bad: str, cause: str) -> None:
    assert [f["rule"] for f in triggered(bad) if f["explained_by"] is None][:1] == [cause]


@pytest.mark.parametrize(
    ("bad", "symptom", "cause"),
    [
        ("07", "independent-shared", "read-modify-write"),
        ("10", "read-modify-write", "collective-disabled"),
        ("11", "small-io", "collective-disabled"),
        ("06", "small-io", "independent-shared"),
        ("10", "redundant-reads", "collective-disabled"),
        ("15", "small-io", "random-access"),
        ("streams-reread", "stdio-heavy", "stdio-reread"),
        ("dvs-small-records", "small-io", "small-io-on-dvs"),
        ("lustre-ssf-one-stripe", "ssf-understriped", "single-aggregator"),
        ("lustre-shared-interleaved", "small-io", "lock-contention"),
        ("lustre-shared-sparse", "small-io", "sparse-layout"),
        ("lustre-shared-interleaved", "ssf-understriped", "lock-contention"),
        ("lustre-fpp-slow-ost", "straggler-rank", "slow-ost"),
        ("lustre-fpp-many-files", "subfile", "fpp-many-files"),
    ],
)
def test_a_symptom_stays_in_the_list_and_names_its_cause(bad: str, symptom: str, cause: str) -> None:
    (finding,) = (f for f in triggered(bad) if f["rule"] == symptom)
    assert (finding["explained_by"], finding["severity"]) == (cause, "info")


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
