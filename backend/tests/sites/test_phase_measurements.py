"""What IO500 and mdtest measured, as tables of a site: each run once, at its own number of processes."""

from __future__ import annotations

import tomllib
from io import BytesIO
from pathlib import Path

import pytest

from iotriage.sites import load
from iotriage.sites.measured_profile import MeasuredProfile, NewSite, profile_of
from iotriage_parsers.detect import read_or_unpack
from iotriage_parsers.evidence import Evidence
from iotriage_parsers.reader import Limits

SAMPLES = Path(__file__).parents[3] / "sample-logs"
RESULT = (SAMPLES / "io500/summary-and-result/result.txt").read_text()
SUMMARY = (SAMPLES / "io500/summary-and-result/result_summary.txt").read_text()
MDTEST = (SAMPLES / "mdtest/shared-directory/mdtest-fjord.txt").read_text()
FIO = (SAMPLES / "fio/text-and-json/fio-seq.txt").read_text()
HARD = """
[ior-hard-write]
exe = ./ior -C -Q 1 -g -k -e -o /scratch/fjord/auser/io500/ior-hard/file -t 47008 -b 47008 -s 1 -w -a MPIIO -c
score = 1.500000
"""
READ = """
[ior-easy-read]
exe = ./ior -r -R -C -Q 1 -g -k -e -o /scratch/fjord/auser/io500/ior-easy/file -t 2m -b 9920000m -F -a POSIX
score = 30.000000
"""
IOR = f"""\
IOR-4.0.0: MPI Coordinated Test of Parallel I/O
Began               : Thu Feb 12 10:00:01 2026
Command line        : ./ior -C -F -w -t 2m -a POSIX -o /scratch/fjord/auser/io500/ior-easy/file
Machine             : Linux n001
TestID              : 0
StartTime           : Thu Feb 12 10:00:01 2026
Path                : /scratch/fjord/auser/io500/ior-easy/file

Options:
api                 : POSIX
test filename       : /scratch/fjord/auser/io500/ior-easy/file
access              : file-per-process
type                : independent
ordering inter file : constant task offset
nodes               : 10
tasks               : 640
clients per node    : 64
repetitions         : 1
xfersize            : 2 MiB

Results:

access    bw(MiB/s)  IOPS       Latency(s)  block(KiB) xfer(KiB)  open(s)    wr/rd(s)   close(s)   total(s)   iter
------    ---------  ----       ----------  ---------- ---------  --------   --------   --------   --------   ----
write     {20 * 1024:<9.2f} 10.0  0.1  524288  2048.00  0.02  5.02  0.03  5.08  0
Finished            : Thu Feb 12 10:05:13 2026
"""


def measured(*texts: str, new: NewSite | None = None) -> MeasuredProfile:
    results: list[tuple[str, Evidence]] = []
    for i, text in enumerate(texts):
        found = read_or_unpack(BytesIO(text.encode()), Limits())
        assert isinstance(found, Evidence)
        results.append((f"{i}.txt", found))
    return profile_of("fjord", results, "2026-11-22", new or NewSite())


def run(easy: float, procs: int = 640) -> str:
    """result.txt of a run whose ior-easy wrote at `easy` GiB/s."""
    return RESULT.replace("score           = 20.000000", f"score           = {easy:.6f}").replace(
        "procs           = 640", f"procs           = {procs}"
    )


def test_the_phases_of_io500_are_tables_with_processes_date_and_source(tmp_path: Path) -> None:
    made = measured(RESULT)
    file = tmp_path / "fjord.toml"
    file.write_text(made.toml)
    site = load(file)
    (rates,) = site.rates
    assert (rates.pattern, rates.direction, rates.transfer_size_bytes, rates.settings) == (
        "file-per-process",
        "write",
        2 * 2**20,
        "POSIX",
    )
    assert [(row.processes, row.rate) for row in rates.rows] == [(640, 20 * 2**30)]
    assert (rates.statistic, rates.measured, rates.source.section) == ("range", "2026-02-12", "0.txt")
    (creates,) = site.operation_rates
    assert (creates.operation, creates.directory, creates.file_size_bytes) == ("create", "own", 0)
    assert [(row.processes, row.rate) for row in creates.rows] == [(640, 100_000)]


def test_equal_runs_are_pooled_and_other_scales_are_rows_of_their_own() -> None:
    table = tomllib.loads(measured(run(20.0), run(18.0), run(9.0, 320), run(8.0, 320)).toml)["rates"][0]
    assert table["statistic"] == "maximum"
    assert table["rows"] == [{"processes": 320, "maximum": 9 * 1024.0}, {"processes": 640, "maximum": 20 * 1024.0}]


def test_a_shared_file_written_collectively_is_another_pattern() -> None:
    rates = tomllib.loads(measured(RESULT.replace("\n[SCORE]", f"{HARD}\n[SCORE]")).toml)["rates"]
    assert [(t["pattern"], t["transfer_size_bytes"]) for t in rates] == [
        ("file-per-process", 2 * 2**20),
        ("shared-collective", 47008),
    ]


def test_a_read_on_an_unknown_number_of_nodes_may_be_of_a_cache() -> None:
    text = run(20.0).replace("\n[SCORE]", f"{READ}\n[SCORE]")
    tables = tomllib.loads(measured(text, text.replace("score = 30.000000", "score = 31.000000")).toml)["rates"]
    read = next(t for t in tables if t["direction"] == "read")
    assert read["statistic"] == "range"
    assert read["rows"] == [{"processes": 640, "minimum": 30 * 1024.0, "maximum": 31 * 1024.0}]


def test_one_run_told_by_two_files_counts_once() -> None:
    made = measured(RESULT, IOR, RESULT)
    assert {(o.result, o.why) for o in made.left_out} == {
        ("0.txt", "the same run stands in 1.txt"),
        ("2.txt", "it says the same as 0.txt"),
    }
    (table,) = made.tables
    assert (table.statistic, table.source.says) == ("range", "IOR, 1 value at 640 processes on 10 nodes.")
    assert tomllib.loads(made.toml)["detect_hosts"] == [r"^n\d+(\..*)?$"]


def test_mdtest_says_how_many_files_a_second() -> None:
    tables = {t.operation: t for t in measured(MDTEST).operation_tables}
    assert set(tables) == {"create", "stat", "read", "remove"}
    assert {t.directory for t in tables.values()} == {"shared"}
    assert (tables["create"].statistic, tables["create"].rows[0].rate) == ("maximum", 20480.0)
    assert (tables["stat"].statistic, tables["stat"].rows[0].minimum) == ("range", 102400.0)
    assert tables["create"].source.says == "mdtest, 2 values at 256 processes on 4 nodes."


@pytest.mark.parametrize(
    ("text", "why"),
    [
        (SUMMARY, "how many processes"),
        (RESULT.replace("score           = 20.000000", "score = 20.000000 [INVALID]"), "does not count"),
        (RESULT.replace("/scratch/fjord", "fjord"), "on which of the file systems"),
        (RESULT.replace("exe             = ./ior", "how = ./ior"), "how ior-easy-write was run"),
        (FIO, "results of fio"),
    ],
)
def test_what_is_no_measurement_is_left_out(text: str, why: str) -> None:
    made = measured(text)
    assert any(why in one.why for one in made.left_out)
    assert not made.tables


@pytest.mark.parametrize(
    ("folder", "key", "pattern"),
    [
        ("/scratch/fjord", "detect_common_paths", "^/scratch(/|$)"),
        ("/fjord/auser", "detect_paths", "^/fjord(/|$)"),
        ("/mnt/fjord", "detect_paths", "^/mnt/fjord(/|$)"),
        ("/tmp/dfuse", "detect_common_paths", "^/tmp/dfuse(/|$)"),
    ],
)
def test_a_mount_point_that_many_have_is_not_what_the_site_is_known_by(folder: str, key: str, pattern: str) -> None:
    profile = tomllib.loads(measured(RESULT.replace("/scratch/fjord", folder)).toml)
    assert profile[key] == [pattern]
    assert profile["file_systems"][0]["mounts"] == [pattern]


@pytest.mark.parametrize(
    ("host", "pattern"),
    [("nid001234", r"^nid\d+(\..*)?$"), ("cn-07.fjord.example.org", r"^cn\-\d+\.fjord\.example\.org$")],
)
def test_a_node_is_known_whatever_its_number(host: str, pattern: str) -> None:
    assert tomllib.loads(measured(RESULT, new=NewSite(host=host)).toml)["detect_hosts"] == [pattern]
