"""Texts whose lines were all cut at a column, as a terminal, `cut -c` or a mail leaves them: what ends there is no
figure."""

from __future__ import annotations

from io import BytesIO

import pytest

from iotriage_parsers import detect
from iotriage_parsers.evidence import (
    BenchmarkRates,
    BenchmarkRun,
    CrayPatReport,
    DarshanLog,
    DxtTrace,
    Evidence,
    StripeLayout,
)

PLAIN = """/scratch/out.h5
lmm_stripe_count:  16
lmm_stripe_size:   4194304
lmm_pattern:       raid0
lmm_layout_gen:    0
lmm_stripe_offset: 12
"""
COMPOSITE = """/scratch/out.h5
  lcm_layout_gen:    2
  lcm_mirror_count:  1
  lcm_entry_count:   2
    lcme_id:             1
    lcme_extent.e_start: 0
    lcme_extent.e_end:   1073741824
      lmm_stripe_count:  1
      lmm_stripe_size:   1048576
      lmm_pattern:       raid0
      lmm_stripe_offset: 0

    lcme_id:             2
    lcme_extent.e_start: 1073741824
    lcme_extent.e_end:   EOF
      lmm_stripe_count:  4
      lmm_stripe_size:   4194304
      lmm_pattern:       raid0
      lmm_stripe_offset: -1
"""


def read(text: str) -> Evidence:
    answer = detect.read(BytesIO(text.encode()))
    assert isinstance(answer, Evidence)
    return answer


def at_column(text: str, column: int) -> str:
    return "".join(line[:column] + "\n" for line in text.splitlines())


@pytest.mark.parametrize("column", range(21, 27))
def test_of_lines_that_are_cut_at_a_column_no_size_nor_what_ends_there_is_believed(column: int) -> None:
    answer = read(at_column(PLAIN, column))
    (layout,) = answer.of(StripeLayout)
    only = layout.components[0]
    assert (only.stripe_size_bytes, layout.complete) == ((4194304, True) if column == 26 else (None, False))
    assert (only.stripe_count, only.first_ost) == ((None, None) if column == 21 else (16, 12))
    assert answer.status == ("complete" if column == 26 else "partial")


@pytest.mark.parametrize("column", [26, 29, 31, 33])
def test_a_component_whose_extent_is_cut_does_not_reach_the_end_of_the_file(column: int) -> None:
    (layout,) = read(at_column(COMPOSITE, column)).of(StripeLayout)
    assert not layout.complete
    assert [c.start_bytes for c in layout.components] == []
    (whole,) = read(COMPOSITE).of(StripeLayout)
    assert [(c.start_bytes, c.end_bytes) for c in whole.components] == [(0, 1 << 30), (1 << 30, None)]


def test_a_size_whose_unit_is_cut_off_is_none() -> None:
    answer = read("/scratch\nstripe_count:  4 stripe_size:   16 stripe_offset: -1\n")
    assert [c.stripe_size_bytes for layout in answer.of(StripeLayout) for c in layout.components] == [None]
    assert any("64 KiB" in p.message for p in answer.problems)


DLIO = """[METRIC] Number of Simulated Accelerators: 16
[METRIC] Training Accelerator Utilization [AU] (%): 15.1989 (0.1397)
[METRIC] Training Throughput (samples/second): 3.1146 (0.0269)
[METRIC] train_au_meet_expectation: fail
"""


@pytest.mark.parametrize(
    ("column", "means"),
    [(50, []), (54, [3.1146]), (57, [3.1146]), (59, [0.151989, 3.1146]), (66, [0.151989, 3.1146])],
)
def test_of_dlio_a_mean_is_whole_where_its_bracket_follows(column: int, means: list[float]) -> None:
    answer = read(at_column(DLIO, column))
    (run,) = answer.of(BenchmarkRates)
    assert [rate.mean for rate in run.rates] == pytest.approx(means)
    assert answer.status == "partial"
    assert read(DLIO).status == "complete"


RESULT = """version         = io500-isc20_v4-22
[ior-easy-write]
exe             = ./ior -C -Q 1 -g -G 271 -k -e -o /scratch/ior-easy
score           = 134.051044
t_delta         = 312.5268
[SCORE]
MD              = 1774.785309
BW              = 89.362503
SCORE           = 398.245222
"""


@pytest.mark.parametrize(("column", "read_of_it"), [(25, []), (27, [89.362503]), (28, [134.051044, 89.362503])])
def test_of_an_io500_result_figures_without_their_decimals_are_left_out(column: int, read_of_it: list[float]) -> None:
    answer = read(at_column(RESULT, column))
    (run,) = answer.of(BenchmarkRates)
    assert [rate.mean / 2**30 for rate in run.rates if rate.unit == "B/s"] == pytest.approx(read_of_it)
    assert not run.complete
    assert "cut-lines" in {p.code for p in answer.problems}
    assert read(RESULT).of(BenchmarkRates)[0].complete


DXT = """# DXT, file_id: 6331129185542144414, file_name: /scratch/a.dat
# DXT, rank: 0, hostname: n1
# DXT, write_count: 1, read_count: 1
# DXT, mnt_pt: /scratch, fs_type: lustre
# Module    Rank  Wt/Rd  Segment          Offset       Length    Start(s)      End(s)
 X_POSIX       0  write        0        33554432     16777216      0.0033      0.0402
 X_POSIX       0   read        0        33554432     16777216      0.0404      0.0563
"""


@pytest.mark.parametrize("column", [82, 83, 84])
def test_of_dxt_a_call_whose_last_time_is_cut_is_left_out(column: int) -> None:
    answer = read(at_column(DXT, column))
    assert [len(trace.segments) for trace in answer.of(DxtTrace)] == [0]
    assert "cut-lines" in {p.code for p in answer.problems}
    assert [len(trace.segments) for trace in read(at_column(DXT, 85)).of(DxtTrace)] == [2]


IOR = """IOR-3.2.1: MPI Coordinated Test of Parallel I/O
api                 : POSIX
Summary of all tests:
Operation   Max(MiB)   Min(MiB)  Mean(MiB)     StdDev    Mean(s) Test# #Tasks tPN segcnt   blksiz    xsize API RefNum
write       12442.71   12399.48   12415.60      17.49   39.49078     0   1024  16     16 17179869184 16777216 POSIX    0
Finished            : Thu Aug  1 07:02:15 2019
"""


@pytest.mark.parametrize(
    ("column", "block", "transfer"),
    [(95, None, None), (104, 17179869184, None), (106, 17179869184, None), (130, 17179869184, 16777216)],
)
def test_of_iors_summary_the_size_at_the_cut_is_left_out(column: int, block: int | None, transfer: int | None) -> None:
    (run,) = read(at_column(IOR, column)).of(BenchmarkRun)
    assert (run.block_size_bytes, run.transfer_size_bytes, run.nprocs) == (block, transfer, 1024)
    assert run.results[0].mean_bytes_per_s == pytest.approx(12415.60 * 2**20)


def test_of_iors_summary_that_is_cut_behind_its_second_deviation_the_first_is_read() -> None:
    """Two columns have that name: of bandwidths and, since 3.2, of operations."""
    text = """IOR-3.3.0: MPI Coordinated Test of Parallel I/O
Summary of all tests:
Operation   Max(MiB)   Min(MiB)  Mean(MiB)     StdDev   Max(OPs)   Min(OPs)  Mean(OPs)     StdDev    Mean(s) API RefNum
write       12442.71   12399.48   12415.60      17.49    3110.68    3099.87    3103.90       4.37   39.49078 POSIX    0
Finished            : Thu Aug  1 07:02:15 2019
"""
    for column in (97, 108):
        (run,) = read(at_column(text, column)).of(BenchmarkRun)
        assert run.results[0].stddev_bytes_per_s == pytest.approx(17.49 * 2**20)


def test_of_a_table_of_ior_that_is_cut_no_name_that_ends_there_is_believed() -> None:
    text = """IOR-3.2.1: MPI Coordinated Test of Parallel I/O
Command line        : ior -w -t 1m -b 16m -o /scratch/project/out/testFile
api                 : POSIX
test filename       : /scratch/project/out/testFile
tasks               : 64
access    bw(MiB/s)  block(KiB) xfer(KiB)  open(s)    wr/rd(s)   close(s)   total(s)   iter
------    ---------  ---------- ---------  --------   --------   --------   --------   ----
write     399.48     16384      1024.00    0.003189   41.01      0.000277   41.01      0
Finished            : Thu Aug  1 07:02:15 2019
"""
    for column, file in ((48, None), (50, None), (52, "/scratch/project/out/testFile")):
        (run,) = read(at_column(text, column)).of(BenchmarkRun)
        assert (run.file, run.command_line, run.nprocs) == (file, None, 64)


PAT = """Table 6:  File Output Stats by Filename

      Avg |    Avg Write |   Write Rate | Number |   Avg Writes |     Bytes/ | File Name=!x/^/(proc|sys)/
    Write |  MiBytes per |  MiBytes/sec |     of |   per Writer |       Call |  PE=HIDE
 Time per |  Writer Rank |              | Writer |         Rank |            |
|-----------------------------------------------------------------------------
| 8.911367 |     0.312553 |     0.035073 |  1,024 | 20,195,128.7 |       0.02 | out.nc
| 3.321665 | 4,761.138611 | 1,433.359032 |      1 |     10,456.0 | 477,468.98 | WAVECAR
|=============================================================================
"""


@pytest.mark.parametrize(
    ("column", "rows"),
    [(40, []), (66, []), (70, []), (76, []), (80, []), (86, [(8.911367, 20195128.7), (3.321665, 10456.0)])],
)
def test_of_craypats_tables_no_figure_is_a_files_name(column: int, rows: list[tuple[float, float]]) -> None:
    answer = read(at_column(PAT, column))
    (report,) = answer.of(CrayPatReport)
    (table,) = report.io_tables
    assert [(row.printed_time_s, row.printed_calls) for row in table.rows] == rows
    assert rows or ("torn" in {p.code for p in answer.problems} and not table.complete)


ROWS = """# darshan log version: 3.41
# exe: ./sea
# uid: 1000
# jobid: 5145
# start_time: 1700000000
# end_time: 1700000100
# nprocs: 8
# run time: 100.0000
#<module>\t<rank>\t<record id>\t<counter>\t<value>\t<file name>\t<mount pt>\t<fs type>
POSIX\t-1\t11013172835896589078\tPOSIX_BYTES_WRITTEN\t84934656\t/scratch/sea.out\t/scratch\tlustre
POSIX\t-1\t11013172835896589078\tPOSIX_WRITES\t5307\t/scratch/sea.out\t/scratch\tlustre
"""


@pytest.mark.parametrize("column", range(47, 61))
def test_of_darshans_rows_no_value_that_ends_at_the_cut_is_believed(column: int) -> None:
    answer = read(at_column(ROWS, column))
    (log,) = answer.of(DarshanLog)
    posix = log.posix
    assert posix is not None
    written, writes = (int(posix.ints[0, posix.int_names.index(f"POSIX_{n}")]) for n in ("BYTES_WRITTEN", "WRITES"))
    assert written == (84934656 if column > 58 else -1)
    assert writes in (-1, 5307)
    assert answer.status == "partial"


def test_of_a_row_of_iors_summary_that_ends_early_the_last_figure_is_left_out() -> None:
    row = "write       12442.71   12399.48   12415.60      17"
    answer = read(IOR.replace(IOR.splitlines()[4], row))
    (run,) = answer.of(BenchmarkRun)
    (result,) = run.results
    assert result.mean_bytes_per_s == pytest.approx(12415.60 * 2**20)
    assert result.stddev_bytes_per_s is None
    assert [p.code for p in answer.problems if p.loses_data] == ["torn"]


def test_of_darshans_rows_that_a_mail_broke_before_the_value_or_the_name_both_are_read() -> None:
    for row, broken in (("\t5307\t", "\n5307\t"), ("\t5307\t", "\t5307\n")):
        quoted = "".join(f"> {line}\n" for line in ROWS.replace(row, broken).expandtabs(8).splitlines())
        (log,) = read(quoted.replace("<mount pt> ", "<mount pt>\n> ")).of(DarshanLog)
        posix = log.posix
        assert posix is not None
        assert posix.ints[0, posix.int_names.index("POSIX_WRITES")] == 5307
        assert set(log.names.values()) == {"/scratch/sea.out"}


CUT_HEAD = """CrayPat/X:  Version 20.09.0 Revision 430aefe03  08/13/20 20:40:23

Number of PEs (MPI ranks):   1,024
Numbers of PEs per Node:       128  PEs on each of  8  Nodes
Numbers of Threads per PE:       1
Number of Cores per Socket:     64
Execution start time:  Sat Nov  7 11:14:50 2020
System name and speed:  nid001225  2.250 GHz (nominal)

Table 1:  Wall Clock Time, Memory High Water Mark

 Process Time |   Process | PE=[mmm]
              |     HiMem |
              | (MiBytes) |

 5,150.938241 |     666.7 | Total
|-----------------------------------
| 5,179.288402 |     705.7 | pe.0
| 5,150.380644 |     629.5 | pe.1012
| 5,150.234333 |     635.6 | pe.488
|===================================
"""


def craypat(text: str) -> CrayPatReport:
    (report,) = read(text).of(CrayPatReport)
    return report


def figures_of(report: CrayPatReport) -> set[object]:
    counts = (report.ranks, report.ranks_per_node, report.nodes, report.threads_per_rank, report.cores_per_socket)
    times = ((time.rank, time.process_time_s, time.high_memory_mib) for time in report.rank_times)
    return {count for count in counts if count is not None} | set(times)


@pytest.mark.parametrize("column", range(26, 60))
def test_what_ends_where_a_report_is_cut_is_no_figure(column: int) -> None:
    whole = figures_of(craypat(CUT_HEAD))
    evidence = read(at_column(CUT_HEAD, column))
    for report in evidence.of(CrayPatReport):
        assert figures_of(report) <= whole
    if column < 47:
        assert any(p.code == "cut-lines" for p in evidence.problems)


def test_lines_of_one_width_are_not_cut() -> None:
    head = "\n".join(line for line in CUT_HEAD.splitlines()[2:6] if "each" not in line)
    report = craypat(f"CrayPat/X:  Version 20.09.0\n{head}\n")
    assert (report.ranks, report.threads_per_rank, report.cores_per_socket) == (1024, 1, 64)
