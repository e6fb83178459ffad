"""What a log states costs nothing: neither time nor memory grows with its number of ranks, components or OSTs."""

from __future__ import annotations

import dataclasses
import tracemalloc

import numpy as np
import pytest
from evidence_by_hand import log, table

from iotriage.analysis.document import CaseDocument
from iotriage.analysis.engine import diagnose
from iotriage.analysis.inputs import ReadSource
from iotriage.analysis.views.heatmap import Window, heatmap_view
from iotriage.analysis.views.rank_table import rank_table
from iotriage.analysis.views.timeline import Filter, timeline_view
from iotriage.analysis.views.trace import traced_log
from iotriage.metrics.tables.osts.placement import END, Accesses, Extent, Placement
from iotriage_parsers.evidence import SEGMENT, DarshanLog, DxtTrace, Evidence, Heatmap

MIB = 2**20
ENOUGH_BYTES = 48 * MIB
FAR = 2**24 - 2
"""A rank that a log may state; the calls of one beyond are left out."""


def traced(nprocs: int, rank: int) -> Evidence:
    """A file for each of two ranks, one of them far away, with calls and a heatmap."""

    def own(record: int, of_rank: int) -> tuple[int, int, dict[str, float]]:
        counters = {"BYTES_WRITTEN": 100, "WRITES": 2, "OPENS": 1, "F_WRITE_TIME": 1.5, "F_META_TIME": 0.5}
        return record, of_rank, {f"POSIX_{name}": value for name, value in counters.items()}

    def above(record: int, of_rank: int) -> tuple[int, int, dict[str, float]]:
        counters = {"BYTES_WRITTEN": 100, "INDEP_WRITES": 2, "F_WRITE_TIME": 3.0}
        return record, of_rank, {f"MPIIO_{name}": value for name, value in counters.items()}

    calls = np.zeros(4, dtype=SEGMENT)
    calls["rank"], calls["write"], calls["record"] = [0, 0, rank, rank], True, [1, 1, 2, 2]
    calls["length"], calls["start"], calls["end"] = 50, [1, 2, 1, 2], [1.5, 99, 1.5, 99]
    grid = np.ones((2, 4), dtype=np.int64)
    ranks = (0, rank)
    made: DarshanLog = log(
        table("POSIX", *(own(i + 1, r) for i, r in enumerate(ranks))),
        table("MPI-IO", *(above(i + 1, r) for i, r in enumerate(ranks))),
        nprocs=nprocs,
    )
    heat = Heatmap("POSIX", 25.0, np.array(ranks), grid, grid)
    made = dataclasses.replace(made, heatmaps=(heat,))
    return Evidence("darshan_log", (made, DxtTrace("MPIIO", calls, {}, {})))


def peak_bytes(work: object) -> int:
    tracemalloc.start()
    try:
        assert callable(work)
        work()
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


def document(evidence: Evidence) -> CaseDocument:
    return diagnose([ReadSource("log", "0" * 64, 1, evidence)])


@pytest.mark.parametrize("nprocs", [FAR + 1, 2**31 - 1])
def test_a_diagnosis_takes_no_memory_for_ranks_that_are_only_stated(nprocs: int) -> None:
    document(traced(8, 1))
    assert peak_bytes(lambda: document(traced(nprocs, FAR))) < ENOUGH_BYTES


def test_the_slowest_rank_is_found_wherever_it_is() -> None:
    found, small = (document(traced(*stated)).account for stated in ((2**31 - 1, FAR), (8, 1)))
    assert found is not None
    assert small is not None
    assert found.slowest is not None
    assert found.slowest == small.slowest


def test_nor_do_the_views_of_a_trace() -> None:
    seen = traced_log(traced(2**31 - 1, FAR))
    assert seen is not None
    window = Window(0.0, 100.0, 0, seen.nprocs - 1, 256, 512)
    assert peak_bytes(lambda: heatmap_view(seen, "POSIX", window)) < ENOUGH_BYTES
    assert peak_bytes(lambda: heatmap_view(seen, "MPIIO", window)) < ENOUGH_BYTES
    shown = Filter("MPIIO", None, None)
    assert peak_bytes(lambda: timeline_view(seen, shown, "operation", window, None)) < ENOUGH_BYTES
    drawn = heatmap_view(seen, "MPIIO", window)
    assert drawn is not None
    assert [r.rank for r in drawn.busiest_ranks] == [0, FAR]
    assert drawn.ranks_active == 2


def test_a_table_of_ranks_is_not_made_for_a_billion() -> None:
    given = [ReadSource("log", "0" * 64, 1, traced(FAR + 1, FAR))]
    assert peak_bytes(lambda: rank_table(given)) < ENOUGH_BYTES
    assert rank_table(given).use.series


def test_a_call_over_a_thousand_components_costs_what_one_costs() -> None:
    components = 1000
    ends = [*(n * 64 + 64 for n in range(components - 1)), END]
    placement = Placement({1: tuple(Extent(n * 64, end, 16, (n, n + 1)) for n, end in enumerate(ends))})
    calls = 20_000
    whole = Accesses(
        np.ones(calls, dtype=np.uint64), np.zeros(calls, dtype=np.int64), np.full(calls, components * 64, np.int64)
    )
    assert peak_bytes(lambda: placement.laid(whole)) < ENOUGH_BYTES
    assert placement.laid(whole).held.tolist() == [32 * calls] * (2 * components)
    assert peak_bytes(lambda: placement.on(whole, 500)) < ENOUGH_BYTES
    assert placement.on(whole, 500).all()
    assert not placement.on(whole, components + 1).any()
