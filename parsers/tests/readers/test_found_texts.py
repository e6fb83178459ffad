"""Rates, OSTs and lines of scripts in texts that others published, against what a pattern finds in the same bytes."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from stats_text import extra

from iotriage_parsers.detect import read
from iotriage_parsers.evidence import BenchmarkRun, Evidence, JobContext, StripeLayout

FOUND = extra("samples", "found")
pytestmark = pytest.mark.skipif(FOUND is None, reason="the texts of others are not here")
ROW = re.compile(r"^(write|read) +(\d[\d.]*)(?: +\d[\d.]*){7} +(\d[\d.]*) +\d+ *$", re.MULTILINE)
OBJECT = re.compile(r"^\s*(\d+)\s+\d+\s+0x[0-9a-f]+\s+\S+\s*$", re.MULTILINE)
EXPORT = re.compile(r"^export ((?:MPICH|I_MPI|OMP|ROMIO|DARSHAN|HDF5)\w*)=", re.MULTILINE)
"""Of the kinds that a reader keeps: what a person calls their own folders is nobody's business."""


def texts(pattern: str) -> list[Path]:
    return [] if FOUND is None else sorted(FOUND.glob(pattern))


def evidence_of(path: Path) -> Evidence:
    with path.open("rb") as stream:
        found = read(stream)
    assert isinstance(found, Evidence)
    return found


@pytest.mark.parametrize("path", texts("ior-*"), ids=lambda path: path.stem[:14])
def test_each_row_of_ior_is_there_with_its_rate(path: Path) -> None:
    found = evidence_of(path)
    assert found.status == "complete"
    rows = [
        (i.operation, i.bytes_per_s, i.seconds)
        for run in found.of(BenchmarkRun)
        for result in run.results
        for i in result.iterations
    ]
    printed = [(m[1], float(m[2]) * 2**20, float(m[3])) for m in ROW.finditer(path.read_text(errors="replace"))]
    assert printed
    assert [(operation, seconds) for operation, _, seconds in rows] == [(m[0], m[2]) for m in printed]
    assert [rate for _, rate, _ in rows] == pytest.approx([rate for _, rate, _ in printed])


@pytest.mark.parametrize("path", texts("getstripe-*"), ids=lambda path: path.stem)
def test_each_object_of_a_layout_is_on_its_ost(path: Path) -> None:
    osts = [ost for layout in evidence_of(path).of(StripeLayout) for part in layout.components for ost in part.osts]
    assert osts == [int(m[1]) for m in OBJECT.finditer(path.read_text(errors="replace"))]


@pytest.mark.parametrize("path", texts("script-*"), ids=lambda path: path.stem)
def test_what_a_script_exports_is_kept_to_its_end(path: Path) -> None:
    exported = set(EXPORT.findall(path.read_text(errors="replace")))
    kept = {setting.name for context in evidence_of(path).of(JobContext) for setting in context.environment}
    assert exported <= kept
