"""Nothing above info is held against the well-tuned programs of the ground truth's table."""

from __future__ import annotations

import csv
import json

import pytest
from samples import SAMPLE_LOGS, case

with (SAMPLE_LOGS / "darshan_log" / "EXPECTED.tsv").open(encoding="utf-8") as table:
    GOOD = [
        row["file"].removesuffix(".darshan")
        for row in csv.DictReader(table, delimiter="\t", quoting=csv.QUOTE_NONE)
        if row["role"] == "good"
    ]
GOOD_ON_LUSTRE = (
    "lustre-ssf-striped",
    "lustre-ssf-archer2-settings",
    "lustre-theta-8m-stripes",
    "lustre-fpp-one-stripe",
    "lustre-shared-segments",
)


def test_the_table_names_its_good_twins() -> None:
    assert len(GOOD) >= 15


@pytest.mark.parametrize("name", [*GOOD, *GOOD_ON_LUSTRE])
def test_nothing_above_info(name: str) -> None:
    said = json.loads(case(name).golden_file("findings.json").read_text(encoding="utf-8"))
    assert [(f["rule"], f["severity"]) for f in said["triggered"] if f["severity"] != "info"] == []
