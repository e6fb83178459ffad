"""benchio: old and new output, whatever the compiler, and its CSV."""

from __future__ import annotations

import pytest
from stats_text import REPOSITORY, codes, message, read

from iotriage_parsers.evidence import BenchmarkRun

TEXT = (REPOSITORY / "sample-logs" / "benchio" / "striped" / "benchio-2-nodes.txt").read_text(encoding="utf-8")
MIB, GIB = 2**20, 2**30


def only(text: str) -> BenchmarkRun:
    (found,) = read(text).of(BenchmarkRun)
    return found


def test_the_sample() -> None:
    run = only(TEXT)
    assert (run.tool, run.source, run.complete) == ("benchio", "text", True)
    assert (run.nprocs, run.nodes, run.ranks_per_node, run.total_bytes) == (256, 2, 128, 16 * GIB)
    assert [(r.layer, r.striping, r.iterations[0].line) for r in run.results] == [
        ("mpiio", "unstriped", 36),
        ("mpiio", "striped", 38),
        ("mpiio", "fullstriped", 40),
        ("hdf5", "unstriped", 47),
        ("hdf5", "striped", 49),
        ("hdf5", "fullstriped", 51),
    ]
    for result in run.results:
        (row,) = result.iterations
        assert result.operation == "write"
        assert row.seconds is not None
        assert row.bytes_per_s == pytest.approx(16 * GIB / row.seconds, rel=1e-12)


OLD = """\

 Simple Parallel IO benchmark
 ----------------------------

 Running on           64  process(es)
 Total amount of data =    1024.00000000000       MiB

 ------
 MPI-IO
 ------

 Writing to striped/mpiio.dat
 time =    2.00000000000000      , rate =    512.000000000000       MiB/s
 time =   0.40000000000000E+01, rate =    256.000000000000       MiB/s
 mintime =    2.00000000000000      , maxrate =    512.000000000000       MiB/s
 avgtime =    3.00000000000000      , avgrate =    384.000000000000       MiB/s
 Deleting: striped/mpiio.dat

 --------
 Finished
 --------
"""


def test_the_old_output() -> None:
    run = only(OLD)
    assert (run.nprocs, run.total_bytes, run.complete) == (64, GIB, True)
    (result,) = run.results
    assert (result.layer, result.striping, result.file) == ("mpiio", "striped", "striped/mpiio.dat")
    assert (result.max_bytes_per_s, result.mean_bytes_per_s) == (512 * MIB, 384 * MIB)
    assert (result.min_seconds, result.mean_seconds, result.line) == (2.0, 3.0, 15)
    assert [(i.bytes_per_s, i.seconds) for i in result.iterations] == [(512 * MIB, 2.0), (256 * MIB, 4.0)]


@pytest.mark.parametrize(
    ("file", "layer"),
    [
        ("unstriped/serial.dat", "serial"),
        ("fullstriped/proc000000.dat", "proc"),
        ("striped/rank000012.dat", "proc"),
        ("striped/node000000.dat", "node"),
        ("striped/netcdf.dat", "netcdf"),
        ("striped/adios2.bp", "adios2"),
    ],
)
def test_layers_by_the_file_name(file: str, layer: str) -> None:
    assert only(OLD.replace("Writing to striped/mpiio.dat", f"Writing to {file}")).results[0].layer == layer


def test_small_rates_in_e_notation() -> None:
    run = only(OLD.replace("512.000000000000       MiB", "9.7656250000000000E-004  GiB"))
    assert run.results[0].iterations[0].bytes_per_s == MIB


def test_the_csv() -> None:
    first, second = read(
        "Multiplier = 4\nNodes, rates (GiB/s) repeat measurements\n1, 1.5,2.5,\n16, 6.0,5.0,4.0,\n\nother\n"
    ).of(BenchmarkRun)
    assert (first.source, first.nodes, second.nodes) == ("csv", 1, 16)
    assert [i.bytes_per_s for i in first.results[0].iterations] == [1.5 * GIB, 2.5 * GIB]
    assert (second.results[0].best_bytes_per_s, second.results[0].iterations[0].line) == (6 * GIB, 4)
    assert first.settings[0].text == "Multiplier = 4"


def test_what_a_terminal_broke_off_a_row_of_the_csv_is_no_number_of_nodes() -> None:
    head = "Nodes, rates (GiB/s) repeat measurements\n"
    for rows, kept in (
        ("1, 1.5,2.5,\n16, 6.0,5.0\n26, 4.0,\n32, 7.0,\n", (1, 32)),
        ("1, 1.5,2.\n5, 3.5,4\n.5,\n32, 7.0,\n", (32,)),
        ("1, 1.5,2.5\n16, 6.0,5.0\n", (1, 16)),
    ):
        evidence = read(head + rows)
        assert tuple(run.nodes for run in evidence.of(BenchmarkRun)) == kept
        assert ("torn" in codes(evidence)) == (kept != (1, 16))


CSV_HEAD = "Nodes, rates (GiB/s) repeat measurements\n"
ROWS = (
    "1, 1.5123,2.5012,2.7001,2.9117,1.9118,1.9119,2.5213,2.5214,2.5215,\n"
    "2, 3.5123,4.5012,4.7001,3.9217,3.9218,3.9219,4.5313,4.5314,4.5315,\n"
    "64, 9.5123,8.5012,8.7001,9.9317,9.9318,9.9319,8.5413,8.5414,8.5415,\n"
    "128, 12.512,14.501,14.700,13.917,13.918,13.919,14.553,14.554,14.555,\n"
)


@pytest.mark.parametrize("column", range(len(CSV_HEAD) - 1, 68))
def test_figures_of_a_csv_that_was_cut_at_a_column_are_left_out(column: int) -> None:
    whole = {i.bytes_per_s for run in read(CSV_HEAD + ROWS).of(BenchmarkRun) for r in run.results for i in r.iterations}
    evidence = read(CSV_HEAD + "".join(f"{row[:column]}\n" for row in ROWS.splitlines()))
    rates = {i.bytes_per_s for run in evidence.of(BenchmarkRun) for r in run.results for i in r.iterations}
    assert rates <= whole
    assert rates == whole or {"cut-lines", "torn"} & set(codes(evidence))


@pytest.mark.parametrize("rows", ["1, 1.5,2.5\n2, 6.0,5.0\n", "1, 1.5123,2.50\n16, 6.01,5.0123\n", "4, 1.5123,2.50\n"])
def test_a_csv_without_commas_at_its_ends_is_not_cut_for_that(rows: str) -> None:
    assert not codes(read(CSV_HEAD + rows))


def test_a_killed_run_is_partial() -> None:
    evidence = read(OLD[: OLD.index(" avgtime")])
    (run,) = evidence.of(BenchmarkRun)
    assert (run.complete, evidence.status, len(run.results[0].iterations)) == (False, "partial", 2)
    assert 'no "Finished"' in message(evidence, "unterminated")


def test_results_alone() -> None:
    start, end = OLD.index(" Writing"), OLD.index(" Deleting")
    evidence = read(OLD[start:end])
    (run,) = evidence.of(BenchmarkRun)
    assert (run.source, run.nprocs, len(run.results)) == ("fragment", None, 1)
    assert codes(evidence) == ["note"]


@pytest.mark.parametrize("row", ["1, 1,2207,1,3801,1,3333,\n", "16, 1,25,2,5,\n"])
def test_a_table_whose_points_became_commas_has_no_figures(row: str) -> None:
    evidence = read(CSV_HEAD + row + "4, 1.5,2.5,\n")
    assert codes(evidence) == ["unrecognised-number"]
    (run,) = evidence.of(BenchmarkRun)
    assert (run.nodes, [i.bytes_per_s for i in run.results[0].iterations]) == (4, [1.5 * 2**30, 2.5 * 2**30])


@pytest.mark.parametrize("at", ["= ", " , ", "rate = ", " MiB/s"])
def test_rows_that_a_mail_broke_have_the_same_figures(at: str) -> None:
    broken = OLD.replace(at, f"{at.rstrip()}\n> " if at != " MiB/s" else "\n> MiB/s")
    quoted = "".join(f"> {line}\n" if not line.startswith("> ") else f"{line}\n" for line in broken.splitlines())
    whole, found = read(OLD).of(BenchmarkRun), read(quoted).of(BenchmarkRun)
    figures = [
        [(r.max_bytes_per_s, [i.bytes_per_s for i in r.iterations]) for r in run.results] for run in (*whole, *found)
    ]
    assert figures[0] == figures[1]


def test_the_program_that_writes_a_file_per_process() -> None:
    text = """ Simple Parallel IO benchmark
 ----------------------------

 Running on           24  process(es)

 Total amount of data =    24576.000000000000       MiB

 ------
 File per process
 ------

 Writing to unstriped/fpp
 time =    10.000000000000000      , rate =    2457.5999999999999       MiB/s
 time =    12.000000000000000      , rate =    2048.0000000000000       MiB/s
 mintime =    10.000000000000000      , maxrate =    2457.5999999999999       MiB/s
 avgtime =    11.000000000000000      , avgrate =    2252.8000000000000       MiB/s

 Writing to defstriped/fpp
 time =    20.000000000000000      , rate =    1228.8000000000000       MiB/s
 mintime =    20.000000000000000      , maxrate =    1228.8000000000000       MiB/s
 avgtime =    20.000000000000000      , avgrate =    1228.8000000000000       MiB/s

 --------
 Finished
 --------
"""
    (run,) = read(text).of(BenchmarkRun)
    found = [(r.layer, r.striping, r.min_seconds, r.mean_seconds, len(r.iterations)) for r in run.results]
    assert found == [("proc", "unstriped", 10, 11, 2), ("proc", "defstriped", 20, 20, 1)]
    assert run.results[0].mean_bytes_per_s == 2252.8 * 2**20
