"""What a benchmark read: its own writing, or what other nodes wrote."""

from __future__ import annotations

from dataclasses import replace

import pytest
from evidence_by_hand import metric, value

from iotriage.metrics.core.selection import Selection
from iotriage.metrics.tables.selecting import select_job
from iotriage_parsers.evidence import BenchmarkResult, BenchmarkRun, BenchmarkSetting, Lines

OWN, SHIFTED = "no tasks offsets", "constant task offset"


def ran(
    order: str | None = OWN,
    *,
    nodes: int | None = 4,
    read: float | None = 9.0,
    tool: str = "IOR",
    api: str = "POSIX",
    line: str | None = None,
) -> Selection:
    results = [BenchmarkResult("write", max_bytes_per_s=2.0)]
    results += [] if read is None else [BenchmarkResult("read", max_bytes_per_s=read)]
    settings = () if order is None else (BenchmarkSetting("ordering inter file", order, 18),)
    run = BenchmarkRun(tool, "text", Lines(1, 40), True, tuple(results), api=api, nodes=nodes, command_line=line)  # type: ignore[arg-type]
    run = replace(run, settings=settings)
    return select_job([(0, run)])


@pytest.mark.parametrize(
    ("found", "whose"),
    [
        (ran(), "own nodes"),
        (ran(SHIFTED), "other nodes"),
        (ran("random task offsets >= 1, seed=0"), "other nodes"),
        (ran(SHIFTED, nodes=1), "own nodes"),  # there is no other to shift to
        (ran(None), None),
        (ran(api="DFS"), "past the memory"),
        (ran(line="ior -a POSIX --posix.odirect -o /x/y"), "past the memory"),
        (ran(line="ior -a POSIX -F -oBIG -e"), "own nodes"),
        (ran(api="MPIIO", line="ior -a MPIIO -B"), "own nodes"),
    ],
)
def test_whose_bytes_were_read(found: Selection, whose: str | None) -> None:
    assert value(found, "benchmark.read_over_write") == 4.5
    assert value(found, "benchmark.read_back") == whose


@pytest.mark.parametrize("found", [ran(read=None), ran(tool="benchio"), select_job([])])
def test_nothing_was_read_back(found: Selection) -> None:
    assert metric(found, "benchmark.read_over_write").value is None
    assert metric(found, "benchmark.read_back").value is None
