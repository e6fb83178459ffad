"""Phases, stragglers and what is in view, by hand on a few calls and on samples whose programs are known."""

from __future__ import annotations

import base64
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from iotriage.analysis.document.charts.activity import Activity
from iotriage.analysis.document.charts.packed import Packed
from iotriage.analysis.engine import diagnose
from iotriage.analysis.inputs import ReadSource
from iotriage.analysis.views.embedded_trace import embedded_trace, thinned
from iotriage.analysis.views.heatmap import Window
from iotriage.analysis.views.timeline import CallList, CallPixels, Filter, Offsets, Sizes, timeline_view
from iotriage.analysis.views.trace import TracedLog, traced_log
from iotriage.analysis.views.trace_selection import selected_calls
from iotriage.analysis.views.trace_summary import Together, trace_summary
from iotriage_parsers.detect import read
from iotriage_parsers.evidence import SEGMENT, DarshanLog, DxtTrace, Evidence, Job, LustreLayout

SAMPLES = Path(__file__).resolve().parents[4] / "sample-logs" / "darshan_log"
ALL = Filter("POSIX", None, None)


def sample(name: str) -> Evidence:
    with (SAMPLES / name / f"{name}.darshan").open("rb") as stream:
        found = read(stream)
    assert isinstance(found, Evidence)
    return found


def log_of(*rows: tuple[int, float, float], length: int = 10) -> TracedLog:
    """Writes of (rank, start, end)."""
    segments = np.zeros(len(rows), dtype=SEGMENT)
    for i, (rank, start, end) in enumerate(rows):
        segments[i] = (7, rank, True, 100 * i, length, start, end, 0)
    trace = DxtTrace("POSIX", segments, {}, {7: "/scratch/out"}, job=Job(nprocs=4, runtime_s=10.0))
    found = traced_log(Evidence("dxt", (trace,)))
    assert found is not None
    return found


def phases(log: TracedLog) -> tuple[Together, ...]:
    return trace_summary(log).layers[0].phases


def test_a_phase_is_where_half_of_the_ranks_are_inside_calls_together() -> None:
    """Four ranks write from 1 s; three leave at 2 s, rank 2 at 5 s: 3 s after the middle one. Rank 0 alone at 8 s is no
    phase."""
    log = log_of((0, 1, 2), (1, 1, 2), (2, 1, 5), (3, 1, 2), (0, 8, 9))
    (phase,) = phases(log)
    assert (phase.from_s, phase.to_s, phase.ranks, phase.calls, phase.bytes) == (1, 5, 4, 4, 40)
    assert (phase.last_rank, phase.late_s, phase.straggler) == (2, 3, True)


def test_of_ranks_that_tie_for_the_slowest_the_first_leads() -> None:
    """0.1 s three times is more than 0.3 s, by how floats are added."""
    log = log_of((0, 1, 1.3), (1, 1, 1.1), (1, 2, 2.1), (1, 3, 3.1), (2, 1, 1.2))
    assert [one.rank for one in trace_summary(log).layers[0].slowest] == [0, 1, 2]


def test_calls_one_after_the_other_are_no_phase() -> None:
    """Each rank begins as the one before it ends."""
    assert phases(log_of((0, 1, 2), (1, 2, 3), (2, 3, 4), (3, 4, 5))) == ()


@pytest.mark.parametrize("threads", [1, 2, 8])
def test_threads_of_one_rank_are_one_rank(threads: int) -> None:
    """Each rank is at it alone, however many calls it makes side by side; then all are, with one of theirs each."""
    alone = [(rank, 10.0 * rank + 0.1 * n, 10.0 * rank + 5 + 0.1 * n) for rank in range(4) for n in range(threads)]
    assert phases(log_of(*alone)) == ()
    together = [(rank, 50.0, 60.0) for rank in range(4)]
    (phase,) = phases(log_of(*alone, *together))
    assert (phase.from_s, phase.to_s, phase.ranks) == (50.0, 60.0, 4)


def test_a_rank_is_inside_until_the_last_of_its_calls_has_ended() -> None:
    """A short call within a long one ends before it."""
    (phase,) = phases(log_of((0, 1, 9), (0, 2, 3), (1, 4, 8)))
    assert (phase.from_s, phase.to_s, phase.ranks, phase.calls) == (1, 9, 2, 2)


def test_ranks_that_leave_together_have_no_straggler() -> None:
    (phase,) = phases(log_of((0, 1, 2), (1, 1, 2.01), (2, 1.5, 2.02), (3, 1, 2.02)))
    assert not phase.straggler


def test_who_is_slowest_and_when_nothing_happened() -> None:
    layer = trace_summary(log_of((0, 1, 2), (1, 1, 4), (2, 1, 1.5), (1, 8, 9))).layers[0]
    assert [(r.rank, r.time_s) for r in layer.slowest] == [(1, 4), (0, 1), (2, 0.5)]
    assert layer.median_time_s == 1
    assert layer.longest_idle is not None
    assert (layer.longest_idle.from_s, layer.longest_idle.to_s) == (4, 8)
    assert (layer.latest.rank, layer.latest.last_end_s) == (1, 9)


def test_collective_calls_of_a_known_program_are_phases_of_all_ranks() -> None:
    """Ten collective writes of eight ranks, a fifth of a second apart."""
    log = traced_log(sample("08-shared-strided-collective"))
    assert log is not None
    (mpiio,) = (layer for layer in trace_summary(log).layers if layer.layer == "MPIIO")
    assert mpiio.phases_total == 10
    assert {p.ranks for p in mpiio.phases} == {8}
    assert {p.calls for p in mpiio.phases} == {8}


def test_few_calls_come_one_by_one_and_many_as_pixels() -> None:
    log = traced_log(sample("11-coll-subarray-cb-ds-disable"))
    assert log is not None
    whole = timeline_view(log, ALL, "operation", Window(0, log.extent_s, 0, 7, 64, 300), None)
    assert whole is not None
    assert isinstance(whole.marks, CallPixels)
    assert whole.marks.calls == 20_736
    assert (whole.marks.rows, whole.marks.columns) == (8, 300)
    part = timeline_view(log, ALL, "operation", Window(0, 4, 0, 3, 64, 300), None)
    assert part is not None
    assert isinstance(part.marks, CallList)
    starts = np.frombuffer(base64.b64decode(part.marks.start_s.data), dtype="<f8")
    assert len(starts) == part.marks.calls
    assert 0 < len(starts) < 20_736
    assert (np.diff(starts) >= 0).all()


def test_pixels_say_read_write_or_both() -> None:
    """More calls than travel: a file written, then read, in the first half and the second of every rank's time."""
    segments = np.zeros(30_000, dtype=SEGMENT)
    segments["rank"] = np.arange(30_000) % 4
    segments["start"] = np.linspace(0, 9.99, 30_000)
    segments["end"] = segments["start"] + 1e-4
    segments["write"] = segments["start"] < 5
    segments["length"], segments["record"] = 1, 7
    log = traced_log(Evidence("dxt", (DxtTrace("POSIX", segments, {}, {}, job=Job(nprocs=4, runtime_s=10.0)),)))
    assert log is not None
    view = timeline_view(log, ALL, "operation", Window(0, 10, 0, 3, 4, 3), None)
    assert view is not None
    assert isinstance(view.marks, CallPixels)
    codes = np.frombuffer(base64.b64decode(view.marks.code.data), dtype=np.uint8).reshape(4, 3)
    fill = np.frombuffer(base64.b64decode(view.marks.fill.data), dtype=np.uint8)
    assert codes.tolist() == [[1, 2, 0]] * 4
    assert (fill > 0).all()
    offsets = timeline_view(log, ALL, "file", Window(0, 10, 0, 3, 8, 8), Offsets(0, 8))
    assert offsets is not None
    assert isinstance(offsets.marks, CallPixels)
    rows = np.frombuffer(base64.b64decode(offsets.marks.fill.data), dtype=np.uint8).reshape(8, 8)
    assert (rows[0] > 0).all()
    assert not rows[1:].any()


def test_filters_leave_out_what_was_not_asked_for() -> None:
    log = traced_log(sample("35-write-readback-mixed"))
    assert log is not None
    window = Window(0, log.extent_s, 0, 7, 64, 300)
    counts = [
        view.marks.calls
        for operation in (None, "read", "write")
        if (view := timeline_view(log, Filter("POSIX", operation, None), "operation", window, None)) is not None
    ]
    assert counts == [512, 256, 256]
    nothing = timeline_view(log, Filter("POSIX", None, 1), "operation", window, None)
    assert nothing is not None
    assert nothing.marks.calls == 0


def activity(name: str) -> Activity:
    found = diagnose([ReadSource(name, "0" * 64, 1, sample(name))]).charts.activity
    assert found is not None
    return found


def test_the_document_says_which_rank_moves_most_and_in_how_many_bursts() -> None:
    """Rank 0 writes ten times the share of the others: 80 of 136 MiB."""
    (grid,) = (g for g in activity("13-imbalanced-rank0").grids if g.layer == "POSIX")
    assert (grid.busiest_rank, grid.busiest_rank_bytes, grid.ranks_active) == (0, 80 * 2**20, 8)
    assert sum(grid.written_by_row) == sum(grid.written_by_time) == 136 * 2**20
    levels = np.frombuffer(base64.b64decode(grid.written_levels.data), dtype=np.uint8).reshape(grid.rows, grid.columns)
    assert (levels.max(axis=1) > 0).all()
    assert levels.max() == 255


def of_step(name: str, start: float) -> Evidence:
    """The sample as a step of job 7 that began then."""
    evidence = sample(name)
    parts = [
        replace(part, job=replace(part.job, job_id="7", start_time=start)) if isinstance(part, DarshanLog) else part
        for part in evidence.parts
    ]
    return replace(evidence, parts=tuple(parts))


@pytest.mark.parametrize(("first", "second"), [(1000.0, 1060.0), (1060.0, 1000.0)])
def test_the_grid_of_a_later_step_says_how_long_after_the_first_it_began(first: float, second: float) -> None:
    earlier = ReadSource("a", "0" * 64, 1, of_step("lustre-ssf-one-stripe", first))
    later = ReadSource("b", "1" * 64, 1, of_step("13-imbalanced-rank0", second))
    found = diagnose([earlier, later]).charts.activity
    assert found is not None
    assert {grid.after_s for grid in found.grids} == {max(0.0, second - first)}
    assert {grid.source for grid in found.grids} == {1}


def text_of_step(start: float) -> Evidence:
    """As darshan-dxt-parser prints the calls of a step of job 7 that began then."""
    segments = np.array([(7, rank, True, 100 * rank, 100, 1.0, 5.0, 0) for rank in range(4)], dtype=SEGMENT)
    job = Job(job_id="7", nprocs=4, start_time=start, runtime_s=10.0)
    return Evidence("darshan_dxt", (DxtTrace("POSIX", segments, {}, {7: "/scratch/out"}, job=job),))


@pytest.mark.parametrize("others", [(), (of_step("lustre-ssf-one-stripe", 1000.0),)], ids=["alone", "beside a log"])
def test_the_grid_of_a_trace_in_a_text_has_its_step_too(others: tuple[Evidence, ...]) -> None:
    every = (text_of_step(1000.0), text_of_step(1060.0), *others)
    found = diagnose([ReadSource(str(n), f"{n:064}", 1, e) for n, e in enumerate(every)]).charts.activity
    assert found is not None
    assert {grid.source: grid.after_s for grid in found.grids if grid.source < 2} == {0: 0.0, 1: 60.0}


def test_a_group_of_files_has_the_stretches_of_its_files() -> None:
    groups = {g.label: g for g in activity("39-heat2d-legacy").groups}
    checkpoints = groups["ckpt.###.####, 32 files"]
    assert len(checkpoints.writes) == 7
    assert checkpoints.reads == ()
    assert all(a.to_s < b.from_s for a, b in zip(checkpoints.writes, checkpoints.writes[1:], strict=False))
    assert checkpoints.opened.from_s <= checkpoints.writes[0].from_s


@pytest.mark.parametrize("name", ["lustre-ssf-one-stripe", "31-nonmpi-cp"])
def test_a_log_without_trace_and_heatmap_still_tells_when_files_were_used(name: str) -> None:
    found = activity(name)
    assert (found.traces, found.grids) == ((), ())
    assert found.groups


def numbers(packed: Packed, type: type[np.generic]) -> NDArray[np.generic]:
    return np.frombuffer(base64.b64decode(packed.data), dtype=type)


def striped_log() -> TracedLog:
    """Stripes of 100 bytes on the OSTs 7, 4 and 9: within 7, from 7 into 4, all of 9 and back on 7, and of a file whose
    layout is not known."""
    rows = [(7, 10, 50, False), (7, 90, 20, True), (7, 200, 150, True), (8, 0, 1000, True)]
    segments = np.zeros(len(rows), dtype=SEGMENT)
    for i, (record, offset, length, write) in enumerate(rows):
        segments[i] = (record, i, write, offset, length, float(i), i + 0.5, 0)
    layout = LustreLayout(7, 100, 3, (7, 4, 9))
    trace = DxtTrace("POSIX", segments, {}, {7: "/lus/out"}, job=Job(nprocs=4, runtime_s=10.0), lustre=(layout,))
    found = traced_log(Evidence("dxt", (trace,)))
    assert found is not None
    return found


def calls_of(log: TracedLog, chosen: Filter) -> CallList:
    view = timeline_view(log, chosen, "ost", Window(0.0, 10.0, 0, 3, 64, 64), None)
    assert view is not None
    assert isinstance(view.marks, CallList)
    return view.marks


def test_the_summary_has_the_bytes_of_each_ost_and_those_that_lie_on_none_known() -> None:
    summary = trace_summary(striped_log())
    assert [(o.ost, o.bytes_read, o.bytes_written, o.alone_calls) for o in summary.osts] == [
        (7, 50, 60, 1),
        (9, 0, 100, 0),
        (4, 0, 10, 0),
    ]
    assert (summary.osts_total, summary.ost_layer, summary.bytes_without_ost) == (3, "POSIX", 1000)


def test_a_call_has_the_class_of_its_first_ost_and_is_found_by_any_that_holds_its_bytes() -> None:
    log = striped_log()
    every = calls_of(log, ALL)
    assert numbers(every.ost, np.uint8).tolist() == [0, 0, 1, 255]
    assert numbers(every.first_ost, np.uint32).tolist() == [7, 7, 9, 2**32 - 1]
    for ost, offsets in ((7, [10, 90, 200]), (4, [90]), (9, [200]), (1, [])):
        found = calls_of(log, Filter("POSIX", None, None, ost))
        assert numbers(found.offset, np.float64).tolist() == offsets


def test_pixels_have_the_class_of_the_ost_of_most_calls() -> None:
    """More calls than travel one by one: 15,000 on OST 4 in the first half, 15,000 on OST 9 in the second."""
    n = 15_000
    segments = np.zeros(2 * n, dtype=SEGMENT)
    segments["record"], segments["length"], segments["write"] = 7, 10, True
    segments["offset"] = np.repeat([100, 200], n)
    segments["start"] = np.concatenate([np.linspace(0, 4.9, n), np.linspace(5, 9.9, n)])
    segments["end"] = segments["start"] + 1e-4
    layout = LustreLayout(7, 100, 3, (7, 4, 9))
    log = traced_log(Evidence("dxt", (DxtTrace("POSIX", segments, {}, {}, lustre=(layout,)),)))
    assert log is not None
    view = timeline_view(log, ALL, "ost", Window(0.0, 10.0, 0, 0, 1, 2), None)
    assert view is not None
    assert isinstance(view.marks, CallPixels)
    assert [log.osts[code].ost for code in numbers(view.marks.code, np.uint8).tolist()] == [4, 9]


def test_a_selection_is_busy_while_any_call_runs() -> None:
    """Ranks 0 and 1 overlap from 1 to 4 s, rank 2 is alone from 6 to 7 s, rank 3 begins where the window ends."""
    log = log_of((0, 1, 3), (1, 2, 4), (2, 6, 7), (3, 8, 9))
    found = selected_calls(log, ALL, Window(2.5, 8, 0, 3, 1, 1), None)
    assert found is not None
    assert (found.writes, found.reads, found.bytes_written, found.ranks, found.files) == (3, 0, 30, 3, 1)
    assert (found.from_s, found.to_s, found.busy_s, found.in_calls_s) == (1, 7, 4, 5)
    assert found.call_s is not None
    assert (found.call_s.least, found.call_s.median, found.call_s.most) == (1, 2, 2)
    assert (found.osts, found.bytes_without_ost) == (None, None)


def test_a_selection_of_nothing_has_no_times() -> None:
    found = selected_calls(log_of((0, 1, 3)), ALL, Window(5, 8, 0, 3, 1, 1), None)
    assert found is not None
    assert (found.writes, found.from_s, found.busy_s, found.call_s, found.longest.calls) == (0, None, 0, None, 0)


def test_a_selection_counts_the_osts_that_hold_its_bytes() -> None:
    found = [selected_calls(striped_log(), ALL, Window(0, 10, first, 3, 1, 1), None) for first in (0, 3)]
    assert [(f.osts, f.bytes_without_ost) for f in found if f is not None] == [(3, 1000), (0, 1000)]


def test_sizes_lie_on_a_logarithmic_scale_with_the_largest_at_the_top() -> None:
    """More calls than are told one by one, half of 1 MiB and half of 1 byte: the first and the last row of 20."""
    n = 20_002
    segments = np.zeros(n, dtype=SEGMENT)
    segments["record"], segments["write"] = 7, True
    segments["length"] = np.where(np.arange(n) % 2, 2**20, 1)
    segments["start"] = np.linspace(0, 9, n)
    segments["end"] = segments["start"] + 1e-4
    log = traced_log(Evidence("dxt", (DxtTrace("POSIX", segments, {}, {}),)))
    assert log is not None
    view = timeline_view(log, ALL, "operation", Window(0, 10, 0, 0, 21, 10), Sizes(1, 2**21))
    assert view is not None
    assert isinstance(view.marks, CallPixels)
    fill = numbers(view.marks.fill, np.uint8).reshape(21, 10)
    assert np.flatnonzero(fill.any(axis=1)).tolist() == [1, 20]


def test_a_page_without_a_server_keeps_few_calls_whole() -> None:
    log = log_of((0, 1.0, 2.0), (1, 0.5, 0.6), (0, 3.0, 3.1))
    kept = embedded_trace(log)
    (calls,) = kept.calls
    assert (calls.total, calls.marks.calls) == (3, 3)
    assert kept.summary.layers[0].calls == 3
    assert [view.kind for view in kept.heatmaps] == ["DXT"]


def test_of_many_the_longest_of_every_stretch_of_each_rank_are_kept() -> None:
    rng = np.random.default_rng(3)
    start = np.sort(rng.uniform(0, 100, 5000))
    rows = [
        (int(r), float(s), float(s + d))
        for r, s, d in zip(rng.integers(0, 4, 5000), start, rng.exponential(0.01, 5000), strict=True)
    ]
    rows[2500] = (2, rows[2500][1], rows[2500][1] + 50.0)
    rows[100] = (3, 99.9, 99.90001)
    log = log_of(*rows)
    (calls,) = log.all_calls
    few = thinned(calls, log, 200)
    seconds = few.end - few.start
    assert 50 < len(few) <= 200
    assert seconds.max() >= 50
    assert set(few.rank.tolist()) == {0, 1, 2, 3}
    # A stretch in which anything was done has its longest call: none looks idle.
    width = log.extent_s / 25
    for rank in range(4):
        mine, theirs = calls.rank == rank, few.rank == rank
        for at in np.unique((calls.start[mine] // width).astype(int)):
            there = mine & ((calls.start // width).astype(int) == at)
            kept = theirs & ((few.start // width).astype(int) == at)
            assert (calls.end - calls.start)[there].max() == seconds[kept].max()
