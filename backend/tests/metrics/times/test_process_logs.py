"""Logs of single processes put together: ranks, times of the whole run, and what a log states that cannot be."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from evidence_by_hand import log, table

from iotriage.metrics.tables.records.process_logs import MOST_CELLS, merge_process_logs
from iotriage_parsers.evidence import DarshanLog, DxtTrace, Heatmap, Part
from iotriage_parsers.evidence.dxt import SEGMENT


def process(source: int, start_s: float, *, record: int = 7, bin_width_s: float = 10.0) -> list[tuple[int, Part]]:
    counters = {"POSIX_READS": 5, "POSIX_F_READ_START_TIMESTAMP": 2.0, "POSIX_F_WRITE_START_TIMESTAMP": 0.0}
    made = log(table("POSIX", (record, 0, counters)), nprocs=1, runtime_s=100.0)
    bins = np.zeros((1, 10), np.int64)
    bins[0, 1] = 64
    heat = Heatmap("POSIX", bin_width_s, np.zeros(1, np.int64), bins, np.zeros_like(bins))
    job = replace(made.job, start_time=start_s, end_time=start_s + 100.0)
    calls = np.array([(record, 0, False, 0, 64, 2.0, 3.0, 0)], dtype=SEGMENT)
    return [
        (source, replace(made, job=job, heatmaps=(heat,))),
        (source, DxtTrace("POSIX", calls, {0: f"n{source}"}, {record: "x"})),
    ]


def together(*parts: list[tuple[int, Part]]) -> tuple[DarshanLog, DxtTrace]:
    found, owners = merge_process_logs([one for of_process in parts for one in of_process])
    assert set(owners) == {0}
    (only_log,) = (p for _, p in found if isinstance(p, DarshanLog))
    (only_trace,) = (p for _, p in found if isinstance(p, DxtTrace))
    return only_log, only_trace


def test_times_are_those_of_the_whole_run() -> None:
    (_, later), *rest = process(1, 1040.0)
    found, trace = together(process(0, 1000.0), [(1, replace(later, compression="bzip2")), *rest])
    assert found.compression == "zlib"  # the first one's, as all that is no record's
    assert (found.job.nprocs, found.job.runtime_s, found.job.start_time) == (2, 140.0, 1000.0)
    assert found.posix is not None
    assert found.posix.ranks.tolist() == [0, 1]
    assert found.posix.seconds("POSIX_F_READ_START_TIMESTAMP").tolist() == [2.0, 42.0]
    assert found.posix.seconds("POSIX_F_WRITE_START_TIMESTAMP").tolist() == [0.0, 0.0]  # never
    assert trace.segments["start"].tolist() == [2.0, 42.0]
    assert trace.segments["rank"].tolist() == [0, 1]
    assert trace.hostnames == {0: "n0", 1: "n1"}


def test_bins_are_the_widest_and_begin_with_their_process() -> None:
    found, _ = together(process(0, 1000.0), process(1, 1040.0, bin_width_s=20.0))
    (heat,) = found.heatmaps
    assert (heat.bin_width_s, heat.ranks.tolist()) == (20.0, [0, 1])
    assert np.argwhere(heat.read).tolist() == [[0, 0], [1, 3]]
    assert heat.read.sum() == 128


def test_a_process_after_another_is_the_same_rank() -> None:
    found, _ = together(process(0, 1000.0), process(1, 1040.0), process(2, 1105.0))
    assert found.posix is not None
    assert found.posix.ranks.tolist() == [0, 1, 0]
    assert found.heatmaps[0].ranks.tolist() == [0, 1]


@pytest.mark.parametrize("width", [1e-12, 0.0, -1.0, float("nan"), 1e-6])
def test_bins_that_a_log_only_states_cost_nothing(width: float) -> None:
    found, _ = together(process(0, 1000.0, bin_width_s=width), process(1, 1040.0, bin_width_s=width))
    assert found.heatmaps == ()
    mixed, _ = together(process(0, 1000.0, bin_width_s=width), process(1, 1040.0))
    assert all(heat.read.size <= MOST_CELLS for heat in mixed.heatmaps)


def test_programs_that_do_not_overlap_stay_as_they_are() -> None:
    parts = [*process(0, 1000.0), *process(1, 1100.0)]
    assert merge_process_logs(parts) == (parts, {})
