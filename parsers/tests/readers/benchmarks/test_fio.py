"""fio's text and JSON."""

from __future__ import annotations

import io
import json
import re
from dataclasses import replace

import pytest
from stats_text import REPOSITORY, codes, read

from iotriage_parsers import detect
from iotriage_parsers.evidence import BenchmarkRates, Failure

FOLDER = REPOSITORY / "sample-logs" / "fio" / "text-and-json"
TEXT = (FOLDER / "fio-seq.txt").read_text(encoding="utf-8")
JSON = (FOLDER / "fio-mixed.json").read_text(encoding="utf-8")
MIB = 2**20


def only(text: str) -> BenchmarkRates:
    (found,) = read(text).of(BenchmarkRates)
    return found


def test_the_text() -> None:
    run = only(TEXT)
    assert codes(read(TEXT)) == []
    assert (run.tool, run.version, run.nprocs, run.complete) == ("fio", "3.35", 8, True)
    assert (run.lines.first, run.lines.last) == (1, 14)
    assert [(r.phase, r.unit, r.mean, r.seconds, r.line) for r in run.rates] == [
        ("seq write", "B/s", 2048 * MIB, 60.0, 7),
        ("seq write", "ops/s", 2048.0, 60.0, 7),
    ]


def test_the_json_agrees_with_what_json_says() -> None:
    run = only("starting\n" + JSON + "done\n")
    (job,) = json.loads(JSON)["jobs"]
    assert [(r.phase, r.unit, r.mean, r.maximum, r.minimum, r.stddev, r.seconds) for r in run.rates] == [
        ("mixed read", "B/s", job["read"]["bw_bytes"], 9216 * 1024, 7168 * 1024, 128.5 * 1024, 60.0),
        ("mixed read", "ops/s", job["read"]["iops"], 2304, 1792, 32.125, 60.0),
        ("mixed write", "B/s", job["write"]["bw_bytes"], None, None, None, 60.0),
        ("mixed write", "ops/s", job["write"]["iops"], None, None, None, 60.0),
    ]
    assert (run.lines.first, run.lines.last) == (2, 43)
    assert [r.line for r in run.rates] == [15, 15, 29, 29]


def test_a_direction_that_moved_nothing_is_absent() -> None:
    assert [r.phase for r in only(JSON.replace('"io_bytes" : 251658240', '"io_bytes" : 0')).rates] == ["mixed read"] * 2


def test_what_was_cut_says_so() -> None:
    text = TEXT[: TEXT.index("Run status")]
    assert not only(text).complete
    assert codes(read(text)) == ["unterminated"]
    assert isinstance(detect.read(io.BytesIO(JSON[:-30].encode())), Failure)


def test_what_stands_behind_json_that_was_cut_is_read() -> None:
    evidence = read(JSON[: JSON.index('"write"')] + "\n\nsorry, cut. As text:\n\n" + TEXT)
    assert [run.nprocs for run in evidence.of(BenchmarkRates)] == [8]
    assert codes(evidence) == ["unterminated"]


CLONES = """seq: (g=0): rw=write, bs=(R) 1024KiB-1024KiB, (W) 1024KiB-1024KiB, (T) 1024KiB-1024KiB, ioengine=sync
...
fio-3.33
Starting 3 processes

seq: (groupid=0, jobs=1): err= 0: pid=6269: Sat Nov 28 20:27:09 2026
  write: IOPS=115, BW=116MiB/s (122MB/s)(16.0MiB/138msec); 0 zone resets
seq: (groupid=0, jobs=1): err= 0: pid=6270: Sat Nov 28 20:27:09 2026
  write: IOPS=109, BW=110MiB/s (115MB/s)(16.0MiB/146msec); 0 zone resets
seq: (groupid=0, jobs=1): err= 0: pid=6271: Sat Nov 28 20:27:09 2026
  write: IOPS=109, BW=110MiB/s (115MB/s)(16.0MiB/146msec); 0 zone resets

Run status group 0 (all jobs):
  WRITE: bw=329MiB/s (345MB/s), 110MiB/s-116MiB/s (115MB/s-122MB/s), io=48.0MiB (50.3MB), run=138-146msec
"""


def test_processes_that_are_reported_one_by_one_have_the_rate_of_their_group() -> None:
    """Without --group_reporting; the group's row has their bytes over the longest time."""
    run = only(CLONES)
    assert run.nprocs == 3
    (moved, calls) = run.rates
    assert (moved.phase, moved.unit, moved.line, moved.seconds) == ("seq write", "B/s", 7, 0.146)
    assert moved.mean == pytest.approx(329 * MIB, rel=0.01)
    assert calls.mean == pytest.approx(48 / 0.146, rel=0.01)
    one_after_the_other = only(CLONES.replace("seq: (groupid=0", "seq: (groupid=1", 1))
    assert [r.mean for r in one_after_the_other.rates[:2]] == [116 * MIB, 115.0]


def test_processes_that_json_has_one_by_one_have_the_rate_of_all() -> None:
    document = json.loads(JSON)
    (job,) = document["jobs"]
    document["jobs"] = [job, job, {**job, "groupid": 1}]
    run, alone = only(json.dumps(document, indent=1)), only(JSON)
    assert [r.mean for r in run.rates[:4]] == [pytest.approx(2 * (r.mean or 0.0)) for r in alone.rates]
    assert [r.maximum for r in run.rates[:4]] == [None] * 4
    assert [r.mean for r in run.rates[4:]] == [r.mean for r in alone.rates]


def test_thousands_and_other_units() -> None:
    rates = only(TEXT.replace("IOPS=2048, BW=2048MiB/s", "IOPS=12.5k, BW=48.8GiB/s")).rates
    assert [r.mean for r in rates] == [48.8 * 2**30, 12500.0]


@pytest.mark.parametrize(
    "prefix",
    ["0: ", "  0: ", "0:", "[1,0]<stdout>:", "nid001234-0  | ", "2026-11-20T17:00:00Z ", "[17:00:00] ", "> "],
)
def test_what_stands_before_each_line_is_no_part_of_a_name(prefix: str) -> None:
    labelled = "".join(f"{prefix}{line}\n" for line in TEXT.splitlines())
    assert only(labelled).rates == only(TEXT).rates


def test_a_name_of_several_words_is_a_name() -> None:
    found = only(TEXT.replace("seq:", "node1 seq 4k:"))
    assert [r.phase for r in found.rates] == ["node1 seq 4k write"] * 2


@pytest.mark.parametrize("figure", ["-nan", "inf"])
def test_what_c_prints_for_no_number_is_absent_and_the_rest_is_read(figure: str) -> None:
    written = re.sub(r'("iops_max" : )[\d.]+', rf"\g<1>{figure}", JSON, count=1)
    assert written != JSON
    (told,) = [r for r in only(written).rates if r.phase == "mixed read" and r.unit == "ops/s"]
    (as_it_was,) = [r for r in only(JSON).rates if r.phase == "mixed read" and r.unit == "ops/s"]
    assert told == replace(as_it_was, line=told.line, maximum=None)


@pytest.mark.parametrize("digits", [309, 5000])
def test_a_figure_beyond_all_numbers_is_absent(digits: int) -> None:
    document = json.loads(JSON)
    written = json.dumps(document).replace(
        f'"runtime": {document["jobs"][0]["read"]["runtime"]}', f'"runtime": {"9" * digits}'
    )
    run = only(written)
    assert {r.seconds for r in run.rates if r.phase == "mixed read"} == {None}
    assert all(r.mean for r in run.rates)


def test_the_head_that_fio_prints_before_its_json_is_no_run_of_its_own() -> None:
    head = "".join(f"j{i}: (g=0): rw=read, bs=(R) 4096B-4096B, ioengine=libaio, iodepth=1\n" for i in range(3))
    found = read(f"{head}...\nfio-3.42\nStarting 3 processes\n\n{JSON}")
    assert [run.complete for run in found.of(BenchmarkRates)] == [True]
    assert codes(found) == []
    alone = read(f"{head}fio-3.42\nStarting 3 processes\n")
    assert codes(alone) == ["unterminated"]


def test_a_text_that_begins_with_a_jobs_results() -> None:
    text = TEXT[TEXT.index("seq: (groupid") :]
    assert only(text).rates[0].mean == 2048 * MIB
    assert (only(text).version, only(text).nprocs, only(text).complete) == (None, 8, True)
    assert codes(read(text)) == ["note"]


GROUPS = """\
// Ubuntu 16.04:
Run status group 0 (all jobs):
   READ: bw=54.5MiB/s (57.1MB/s), 54.5MiB/s-54.5MiB/s (57.1MB/s-57.1MB/s), io=6537MiB (6854MB), run=120002-120003msec
  WRITE: bw=57.2MB/s (54.5MiB/s), 57.2MB/s-57.2MB/s (54.5MiB/s-54.5MiB/s), io=6862MB (6544MiB), run=120002-120003msec

Run status group 1 (all jobs):
   READ: bw=9696KiB/s (9929kB/s), io=94.7MiB (99.3MB), run=10001-10001msec
"""


@pytest.mark.parametrize("prefix", ["", "> ", "0: "])
def test_rates_of_groups_alone(prefix: str) -> None:
    run = only("".join(f"{prefix}{line}\n" for line in GROUPS.splitlines()))
    assert [(r.phase, r.unit, r.mean, r.seconds) for r in run.rates] == [
        ("group 0 read", "B/s", 54.5 * MIB, 120.003),
        ("group 0 write", "B/s", 57.2e6, 120.003),
        ("group 1 read", "B/s", 9696 * 1024, 10.001),
    ]
    assert (run.complete, run.nprocs) == (True, None)


def test_groups_of_two_runs_are_two() -> None:
    other = GROUPS.replace("bw=54.5MiB", "bw=23.5MiB")
    for between in ("", "// Ubuntu 18.04:\n"):
        one, two = read(GROUPS + between + other).of(BenchmarkRates)
        assert [run.rates[0].mean for run in (one, two)] == [54.5 * MIB, 23.5 * MIB]


def test_rates_in_multiples_of_a_thousand() -> None:
    text = TEXT.replace("BW=2048MiB/s (2147MB/s)", "BW=2147MB/s (2048MiB/s)")
    assert only(text).rates[0].mean == 2147e6


OLD = """\
seqw: (g=0): rw=write, bs=1M-1M/1M-1M/1M-1M, ioengine=libaio, iodepth=8
fio-2.1.10
Starting 2 processes

seqw: (groupid=0, jobs=1): err= 0: pid=7421: Tue Mar  3 10:10:10 2015
  write: io=596856KB, bw=56946KB/s, iops=14236, runt= 10481msec
    bw (KB  /s): min=100000, max=400000, per=25.00%, avg=300000.00, stdev=20000.00
seqw: (groupid=0, jobs=1): err= 0: pid=7422: Tue Mar  3 10:10:10 2015
  write: io=1024.0MB, bw=100.5MB/s, iops=25728 , runt= 10481msec

Run status group 0 (all jobs):
  WRITE: io=1620856KB, aggrb=154.0MB/s, minb=58313KB/s, maxb=105381KB/s, mint=10481msec, maxt=10481msec
"""


def test_what_fio_printed_before_version_3() -> None:
    """https://github.com/axboe/fio/blob/fio-2.1.10/stat.c; its KB are 2^10 bytes where kb_base is not set."""
    run = only(OLD)
    assert codes(read(OLD)) == []
    assert (run.version, run.nprocs, run.complete) == ("2.1.10", 2, True)
    assert [(r.phase, r.unit, r.mean, r.seconds) for r in run.rates] == [
        ("seqw write", "B/s", 56946 * 1024 + 100.5 * MIB, 10.481),
        ("seqw write", "ops/s", 14236 + 25728, 10.481),
    ]


def test_the_groups_of_fio_before_version_3() -> None:
    tail = OLD[OLD.index("Run status") :]
    assert [(r.phase, r.mean, r.seconds) for r in only(tail).rates] == [("group 0 write", 154 * MIB, 10.481)]
    assert codes(read(tail)) == ["note"]


def test_an_output_without_a_rate_that_is_read_says_so() -> None:
    other = TEXT.replace("write: IOPS=", "write: ops=").replace("WRITE: bw=", "WRITE: rate=")
    assert "unknown-field" in codes(read(other))


@pytest.mark.parametrize(
    ("row", "group", "phase", "bytes_per_s"),
    [
        ("write: IOPS=1207, BW=9.5Gibit/s (10Gbit/s)(71.2GiB/60000msec)", "WRITE: bw=9.5Gibit/s", "write", 9.5 * 2**27),
        ("write: IOPS=1G, BW=1.5PiB/s (1.7PB/s)(71.2GiB/60000msec)", "WRITE: bw=1.5PiB/s", "write", 1.5 * 2**50),
        ("read: IOPS=12.5k, BW=800Mb/s (840Mb/s)(7.1GiB/60000msec)", "READ: bw=800Mb/s", "read", 1e8),
        ("mixed: IOPS=101k, BW=395MiB/s (414MB/s)(23.2GiB/60000msec)", "MIXED: bw=395MiB/s", "mixed", 395 * 2**20),
        ("trim: IOPS=101k, BW=395MiB/s (414MB/s)(23.2GiB/60000msec)", "TRIM: bw=395MiB/s", "trim", 395 * 2**20),
    ],
)
def test_bits_and_what_is_reported_together(row: str, group: str, phase: str, bytes_per_s: float) -> None:
    group = f"Run status group 0 (all jobs):\n  {group} (1MB/s), io=1GiB (1GB), run=60000-60000msec\n"
    text = f"j: (g=0): rw=randrw, bs=4096B\nfio-3.36\nStarting 1 process\n\nj: (groupid=0, jobs=1): err= 0\n  {row}\n\n"
    for given, name in ((text + group, "j"), (group, "group 0")):
        (run,) = read(given).of(BenchmarkRates)
        found = {rate.phase: (rate.mean, rate.seconds) for rate in run.rates if rate.unit == "B/s"}
        assert found == {f"{name} {phase}": (bytes_per_s, 60)}
