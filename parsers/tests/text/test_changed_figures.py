"""Figures of benchmarks that a mail or a locale wrote otherwise are no other figures, and are missed aloud."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from stats_text import REPOSITORY, read

from iotriage_parsers.evidence import BenchmarkRates, BenchmarkRun, CrayPatReport, JobContext, Part

SAMPLES = (
    "mdtest/shared-directory/mdtest-fjord.txt",
    "elbencho/write-and-read/elbencho-fjord.txt",
    "fio/text-and-json/fio-seq.txt",
    "io500/summary-and-result/result.txt",
    "io500/summary-and-result/result_summary.txt",
    "dlio/training/dlio-fjord.log",
    "ior/read-back/ior-read-back.txt",
    "ior/json/ior-own-files.json",
    "ipm/two-versions/terrace.out",
    "benchio/striped/benchio-2-nodes.txt",
    "benchio/serial-at-three-sizes/benchio-64-128-256.txt",
    "hacc_io/write-and-read/hacc-fjord.out",
    "craypat/lite-small-records/RUNTIME.rpt",
    "craypat/pat-report-one-writer/wave3d.pe.rpt",
)
_PARTED = re.compile(r"(?<![\w./:(-])([1-9]\d{3,})(\.\d+)?(?![\w/:.])")
CHANGES: dict[str, Callable[[str], str]] = {
    "decimal commas": lambda text: re.sub(r"(?<![\w./-])(\d+)\.(\d+)(?![\w.]*\d*[./])", r"\1,\2", text),
    "thousands": lambda text: re.sub(r"(?<![\w./:-])(\d{2,})(\d{3}(?:\.\d+)?)(?![\w/:])", r"\1,\2", text),
    "thousands parted by a blank": lambda text: _PARTED.sub(
        lambda found: f"{int(found[1]):,}".replace(",", " ") + (found[2] or ""), text
    ),
}


def figures(part: Part) -> set[float]:
    """What it says of speed and time."""
    match part:
        case BenchmarkRates():
            return {f for r in part.rates for f in (r.mean, r.maximum, r.minimum, r.seconds) if f is not None}
        case BenchmarkRun():
            rows = [i for r in part.results for i in r.iterations]
            return {f for i in rows for f in (i.bytes_per_s, i.seconds, i.open_s, i.transfer_s) if f is not None}
        case JobContext():
            return {f for f in (part.elapsed_s, part.io_mean_s, part.io_slowest_s) if f is not None}
        case CrayPatReport():
            rows = [row for table in part.io_tables for row in (*table.rows, *table.rank_rows)]
            said = [*(row.printed_mib for row in rows), *(row.ranks for row in rows), part.process_time_average_s]
            return {float(f) for f in said if f is not None}
        case _:
            return set()


@pytest.mark.parametrize("change", CHANGES.values(), ids=list(CHANGES))
@pytest.mark.parametrize("sample", SAMPLES)
def test_changed_figures_are_left_out_and_said_to_be(sample: str, change: Callable[[str], str]) -> None:
    text = (REPOSITORY / "sample-logs" / sample).read_text(encoding="utf-8")
    plain, changed = read(text), read(change(text))
    known = {f for part in plain.parts for f in figures(part)}
    assert {f for part in changed.parts for f in figures(part)} <= known
    lost = known - {f for part in changed.parts for f in figures(part)}
    said = [p for p in changed.problems if p.code == "unrecognised-number" and p.loses_data]
    assert bool(said) or not lost
    assert not [p for p in plain.problems if p.code == "unrecognised-number"]
