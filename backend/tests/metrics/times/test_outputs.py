"""What a job writes at regular intervals: from a heatmap, a trace, or files that are written one after the other."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from evidence_by_hand import job, log, metric, table, value

import iotriage
from iotriage.analysis.document import AbsentMetric
from iotriage_parsers.evidence import SEGMENT, DxtTrace, Heatmap

LOGS = Path(__file__).resolve().parents[4] / "sample-logs" / "darshan_log"
GIB = 2**30
EVERY_S, TAKES_S = 120.0, 20.0
BEGINS = tuple(30.0 + EVERY_S * i for i in range(12))


def files(begins=BEGINS, takes_s=TAKES_S, written=GIB):
    """Each output in a file of its own."""
    amounts = written if isinstance(written, list) else [written] * len(begins)
    records = [
        (
            i + 1,
            0,
            {
                "POSIX_WRITES": 1,
                "POSIX_BYTES_WRITTEN": amount,
                "POSIX_F_WRITE_START_TIMESTAMP": begin,
                "POSIX_F_WRITE_END_TIMESTAMP": begin + takes_s,
                "POSIX_F_WRITE_TIME": takes_s,
            },
        )
        for i, (begin, amount) in enumerate(zip(begins, amounts, strict=True))
    ]
    return log(table("POSIX", *records), runtime_s=1600.0)


def one_file(*, heatmaps=()):
    """All outputs in one file, of which the record has the first and the last write alone."""
    record = {
        "POSIX_BYTES_WRITTEN": 12 * GIB,
        "POSIX_F_WRITE_START_TIMESTAMP": BEGINS[0],
        "POSIX_F_WRITE_END_TIMESTAMP": BEGINS[-1] + TAKES_S,
        "POSIX_F_WRITE_TIME": 240.0,
    }
    return replace(log(table("POSIX", (1, 0, record)), runtime_s=1600.0), heatmaps=heatmaps)


def heatmap(bin_s, begins=BEGINS):
    bins = np.zeros((2, int(1600 / bin_s)), np.int64)
    for begin in begins:
        inside = np.arange(int(begin / bin_s), int((begin + TAKES_S) / bin_s) + 1)
        bins[:, inside] += GIB // (2 * len(inside))
    return Heatmap("POSIX", bin_s, np.arange(2), np.zeros_like(bins), bins)


def found(s):
    return tuple(value(s, f"io.output{name}") for name in ("s", "_interval", "_bytes"))


def test_files_that_are_written_one_after_the_other():
    assert found(job(files())) == (12, pytest.approx(EVERY_S), GIB)


@pytest.mark.parametrize("bin_s", [1.0, 8.0, 16.0])
def test_a_heatmap_tells_the_outputs_of_one_file(bin_s):
    outputs, interval, size = found(job(one_file(heatmaps=(heatmap(bin_s),))))
    assert (outputs, interval, size) == (12, pytest.approx(EVERY_S, abs=bin_s / 2), pytest.approx(GIB, rel=0.01))


def test_bins_that_are_as_long_as_the_pauses_tell_nothing():
    assert value(job(one_file(heatmaps=(heatmap(80.0),))), "io.outputs") is None


def test_a_trace_tells_them_call_by_call():
    calls = np.zeros(12 * 4, SEGMENT)
    calls["start"] = np.repeat(BEGINS, 4) + np.tile(np.arange(4) * 5.0, 12)
    calls["end"], calls["length"], calls["write"] = calls["start"] + 4.0, GIB // 4, True
    trace = DxtTrace("POSIX", np.random.default_rng(1).permutation(calls), {}, {})
    s = job(one_file(), parts=((0, trace),))
    assert found(s) == (12, pytest.approx(EVERY_S), GIB)


def test_one_file_alone_shows_no_interval():
    assert metric(job(one_file()), "io.outputs").reason == "no outputs at regular intervals are seen"


def test_lines_of_a_log_between_outputs_are_none_of_them():
    begins, written = [*BEGINS, *(b + 60.0 for b in BEGINS)], [GIB] * 12 + [4096] * 12
    assert found(job(files(begins, 1.0, written))) == (12, pytest.approx(EVERY_S), GIB)


def test_one_that_lasts_into_the_next_counts_too():
    slow = files()
    end = slow.posix.float_names.index("POSIX_F_WRITE_END_TIMESTAMP")
    floats = slow.posix.floats.copy()
    floats[6, end] += EVERY_S
    assert found(job(replace(slow, posix=slow.posix.copy(floats=floats)))) == (12, pytest.approx(EVERY_S), GIB)


@pytest.mark.parametrize(
    ("begins", "written"),
    [
        ([0.0, 10.0, 300.0, 350.0, 900.0, 1500.0], GIB),
        (BEGINS, [GIB << (i % 4) for i in range(12)]),
        (BEGINS[:3], GIB),
        ([10.0 + i for i in range(20)], GIB),
    ],
    ids=["at odd times", "of odd sizes", "too few", "without a pause"],
)
def test_writes_that_are_not_regular_are_no_outputs(begins, written):
    assert value(job(files(list(begins), 1.0, written)), "io.outputs") is None


@pytest.mark.parametrize(("every_s", "takes_s"), [(0.084, 0.02), (2.0, 0.5), (9.0, 1.0)])
def test_pieces_that_follow_one_another_at_once_are_no_outputs(every_s, takes_s):
    begins = [1.0 + every_s * i for i in range(126)]
    assert metric(job(files(begins, takes_s)), "io.outputs").reason == "no outputs at regular intervals are seen"
    assert value(job(files([1.0 + 12.0 * i for i in range(126)], takes_s)), "io.outputs") == 126


def test_of_several_logs_each_has_its_own_times():
    assert (
        metric(job(files(), files()), "io.output_interval").reason
        == "of several logs none has nearly all of the I/O: each has its own times"
    )


@pytest.mark.parametrize("sample", ["02-fpp-posix", "08-shared-strided-collective", "11-coll-subarray-cb-ds-disable"])
def test_the_writes_of_a_program_that_runs_for_seconds_are_no_outputs(sample):
    """They are a fifth of a second, or a whole one, apart."""
    outputs = iotriage.diagnose(LOGS / sample / f"{sample}.darshan").document.metrics["io.outputs"]
    assert isinstance(outputs, AbsentMetric)
