"""IOR: text, JSON, CSV and lines alone."""

from __future__ import annotations

import json
from io import BytesIO

import pytest
from stats_text import REPOSITORY, codes, message, read

from iotriage_parsers.evidence import BenchmarkHint, BenchmarkRun, JobContext
from iotriage_parsers.reader import Limits
from iotriage_parsers.readers.ior import reader
from iotriage_parsers.text.scan import scan

SAMPLES = REPOSITORY / "sample-logs" / "ior"
TEXT = (SAMPLES / "ssf-collective" / "ior-ssf-collective.txt").read_text(encoding="utf-8")
JSON = (SAMPLES / "json" / "ior-own-files.json").read_text(encoding="utf-8")
MIB, GIB = 2**20, 2**30


def runs(text: str) -> tuple[BenchmarkRun, ...]:
    return read(text).of(BenchmarkRun)


def only(text: str) -> BenchmarkRun:
    (found,) = runs(text)
    return found


def test_the_text_sample() -> None:
    run = only(TEXT)
    assert (run.tool, run.source, run.version, run.api, run.complete) == ("IOR", "text", "3.3.0", "MPIIO", True)
    assert (run.nprocs, run.nodes, run.ranks_per_node, run.segments) == (96, 3, 32, 8)
    assert (run.transfer_size_bytes, run.block_size_bytes, run.total_bytes) == (4 * MIB, 64 * MIB, 48 * GIB)
    assert (run.access, run.collective, run.repetitions) == ("single-shared-file", True, 3)
    assert run.command_line is not None
    assert run.command_line.startswith("./ior -a MPIIO -c -w -r")
    assert (run.began_local, run.finished_local) == ("Tue Mar  4 16:02:11 2025", "Tue Mar  4 16:03:34 2025")
    assert run.line_of("tasks") == 21
    (write,), (read_,) = run.of("write"), run.of("read")
    assert (write.max_bytes_per_s, write.min_bytes_per_s) == (3158.32 * MIB, 2973.77 * MIB)
    assert (write.mean_bytes_per_s, write.stddev_bytes_per_s) == (3073.14 * MIB, 76.01 * MIB)
    assert (write.mean_seconds, write.line) == (16.0039, 43)
    assert [i.bytes_per_s for i in read_.iterations] == [5202 * MIB, 5388 * MIB, 5290 * MIB]
    assert [(i.number, i.line, i.seconds) for i in write.iterations] == [(0, 32, 15.92), (1, 34, 16.53), (2, 36, 15.56)]
    assert (write.iterations[0].open_s, write.iterations[0].transfer_s) == (0.0214, 15.86)


def test_the_json_sample() -> None:
    run = only(JSON)
    assert (run.source, run.version, run.api, run.complete) == ("json", "4.0.0", "POSIX", True)
    assert (run.nprocs, run.nodes, run.access, run.collective) == (48, 2, "file-per-process", False)
    assert (run.transfer_size_bytes, run.block_size_bytes, run.total_bytes) == (MIB, 512 * MIB, 24 * GIB)
    (write,) = run.results
    assert (write.max_bytes_per_s, write.min_bytes_per_s) == (2230.289 * MIB, 2166.9091 * MIB)
    lines = JSON.splitlines()
    assert '"bwMiB": 2230.2890' in lines[write.iterations[1].line]
    assert write.line is not None
    assert '"operation": "write"' in lines[write.line - 1]


@pytest.mark.parametrize("indent", [None, 1, 4])
def test_json_in_other_clothes(indent: int | None) -> None:
    plain, other = only(JSON), only(json.dumps(json.loads(JSON), indent=indent) + "\n")
    assert (other.nprocs, other.version, other.complete) == (plain.nprocs, plain.version, True)
    figures = [(r.operation, r.max_bytes_per_s, len(r.iterations)) for r in plain.results]
    assert [(r.operation, r.max_bytes_per_s, len(r.iterations)) for r in other.results] == figures


def test_json_that_is_cut_gives_what_it_had() -> None:
    evidence = read(JSON[: JSON.index('"summary"')])
    (run,) = evidence.of(BenchmarkRun)
    assert (run.complete, evidence.status, len(run.results[0].iterations)) == (False, "partial", 2)
    assert "cut off" in message(evidence, "unterminated")


def test_json_of_others_and_nesting_are_nothing() -> None:
    for text in ('{\n"Version": "1.2",\n"name": "x"\n}\n', '{"Version": "1.0", "Began": ' + "[" * 60_000 + "\n"):
        assert all(not b.found.parts for b in scan(BytesIO(text.encode()), [reader], Limits())[0])


def test_csv_behind_a_text_that_has_no_end_is_another_run() -> None:
    cut = TEXT[: TEXT.index("Max Write")]
    csv = "access,bw(MiB/s),block(KiB),xfer(KiB),numTasks,iter\nwrite,64.5,4096.0,1024.0,4,0\n"
    assert [run.source for run in runs(f"{cut}\nand as a table:\n\n{csv}")] == ["text", "csv"]


def test_csv() -> None:
    run = only(
        "access,bw(MiB/s),IOPS,Latency,block(KiB),xfer(KiB),open(s),wr/rd(s),close(s),total(s),numTasks,iter\n"
        "write,250.5000,62.6,0.1,65536.0000,4096.0000,0.1,1.0,0.1,1.2,16,0\n"
        "read,500.2500,125.0,0.1,65536.0000,4096.0000,0.1,0.5,0.1,0.6,16,0\n"
        "done\n"
    )
    assert (run.source, run.nprocs, run.transfer_size_bytes, run.block_size_bytes) == ("csv", 16, 4 * MIB, 64 * MIB)
    assert [(r.operation, r.best_bytes_per_s) for r in run.results] == [("write", 250.5 * MIB), ("read", 500.25 * MIB)]


def test_lines_alone_are_runs_without_a_head() -> None:
    evidence = read(
        "naive\nMax Write: 442.50 MiB/sec (463.99 MB/sec)\nMax Read:  18789.50 MiB/sec (19702.21 MB/sec)\n"
        "striped\nMax Write: 2176.00 MiB/sec (2281.70 MB/sec)\n"
    )
    first, second = evidence.of(BenchmarkRun)
    assert (first.source, first.nprocs, evidence.status) == ("fragment", None, "complete")
    assert [(r.operation, r.max_bytes_per_s) for r in first.results] == [
        ("write", 442.5 * MIB),
        ("read", 18789.5 * MIB),
    ]
    assert [(r.operation, r.max_bytes_per_s, r.line) for r in second.results] == [("write", 2176 * MIB, 5)]
    assert codes(evidence) == ["note", "note"]


@pytest.mark.parametrize("prefix", ["", "> ", "0: "])
def test_settings_above_the_results_are_kept_without_the_banner(prefix: str) -> None:
    text = """\
tail -f ior.out
ks               : 9
Options:
api                 : MPIIO
access              : single-shared-file
nodes               : 2
tasks               : 32
clients per node    : 16
repetitions         : 1
xfersize            : 1 MiB
blocksize           : 16 MiB
aggregate filesize  : 512 MiB

Results:

access    bw(MiB/s)  IOPS       Latency(s)  block(KiB) xfer(KiB)  open(s)    wr/rd(s)   close(s)   total(s)   iter
------    ---------  ----       ----------  ---------- ---------  --------   --------   --------   --------   ----
write     512.00     512.00     0.012566    16384      1024.00    0.005457   1.00       0.837799   1.00       0
"""
    evidence = read("".join(f"{prefix}{line}\n" for line in text.splitlines()))
    (run,) = evidence.of(BenchmarkRun)
    assert (run.source, run.api, run.nprocs, run.nodes, run.ranks_per_node) == ("fragment", "MPIIO", 32, 2, 16)
    assert (run.transfer_size_bytes, run.total_bytes, run.access) == (MIB, 512 * MIB, "single-shared-file")
    assert (run.lines.first, run.lines.last) == (4, 18)
    assert "without the banner" in evidence.problems[-1].message


def test_lines_between_the_rows_do_not_end_a_text_without_its_banner() -> None:
    rows = """\
access    bw(MiB/s)  block(KiB) xfer(KiB)  open(s)    wr/rd(s)   close(s)   total(s)   iter
------    ---------  ---------- ---------  --------   --------   --------   --------   ----
Commencing write performance test: Wed Jan 16 22:55:34 2019
write     44.78      1048576    4.00       0.007478   182.91     49.97      182.93     0
Commencing read performance test: Wed Jan 16 22:58:37 2019
read      52.90      1048576    4.00       0.013605   154.84     40.42      154.85     0
Max Write: 44.78 MiB/sec (46.96 MB/sec)
Max Read:  52.90 MiB/sec (55.47 MB/sec)
"""
    for text in (
        rows,
        "nodes               : 4\nUsing Time Stamp 1553272905 (0x5c951049) for Data Signature\n\n" + rows,
    ):
        run = only(text)
        assert [[i.seconds for i in r.iterations] for r in run.results] == [[182.93], [154.85]]
        assert run.nodes == (4 if text != rows else None)


def test_settings_of_another_block_are_not_those_of_lines_alone() -> None:
    evidence = read("tasks : 4\nsomething else\nMax Write: 442.50 MiB/sec (463.99 MB/sec)\n")
    assert evidence.of(BenchmarkRun)[0].nprocs is None


OLD_HEAD = (
    "IOR-3.0.1: MPI Coordinated Test of Parallel I/O\n\nBegan: Mon Mar  3 10:00:00 2014\n"
    'Command line used: ./IOR "-a" "MPIIO"\nMachine: Linux n1\n\nTest 0 started: Mon Mar  3 10:00:00 2014\n'
    "Summary:\n"
    "\tapi                = MPIIO (version=3, subversion=0)\n\ttest filename      = /s/f\n"
    "\taccess             = single-shared-file, collective\n\tpattern            = strided (16 segments)\n"
    "\tclients            = 48 (12 per node)\n\txfersize           = 1 MiB\n\tblocksize          = 2.50 MiB\n"
    "\taggregate filesize = 1.88 GiB\n\tLustre stripe size = 4 MiB\n\t      stripe count = 8\n\n"
    "access    bw(MiB/s)  block(KiB) xfer(KiB)  open(s)    wr/rd(s)   close(s)   total(s)   iter\n"
    "------    ---------  ---------- ---------  --------   --------   --------   --------   ----\n"
    "write     1920.00    2560       1024       0.01       0.98       0.01       1.00       0   \n\n"
    "Max Write: 1920.00 MiB/sec (2013.27 MB/sec)\n\nFinished: Mon Mar  3 10:00:02 2014\n"
)


@pytest.mark.parametrize("clients", ["1,024", "1'024", "1.024", "9" * 30])
def test_clients_in_groups_of_three_are_not_the_last_group(clients: str) -> None:
    run = only(OLD_HEAD.replace("48 (12", f"{clients} (12"))
    assert (run.nprocs, run.ranks_per_node, run.nodes) == (None, None, None)


def test_an_old_head() -> None:
    run = only(OLD_HEAD)
    assert (run.api, run.nprocs, run.ranks_per_node, run.nodes, run.segments) == ("MPIIO", 48, 12, 4, 16)
    assert (run.access, run.collective) == ("single-shared-file", True)
    assert (run.stripe_count, run.stripe_size_bytes) == (8, 4 * MIB)
    assert (run.block_size_bytes, run.total_bytes) == (2560 * 1024, 48 * 16 * 2560 * 1024)
    assert run.results[0].max_bytes_per_s == 1920 * MIB


def test_more_clients_than_there_can_be_are_absent_and_not_none() -> None:
    run = only(OLD_HEAD.replace("= 48 (12", "= 48000000000000000000 (12"))
    assert (run.nprocs, run.nodes) == (None, None)


def test_hints() -> None:
    hints = (
        "\nhints passed to MPI_File_open() {\n\tcb_nodes = 4\n}\n\nhints returned from opened file {\n"
        "\tcb_buffer_size = 16777216\n\tromio_cb_write = \n}\n"
    )
    run = only(TEXT.replace("write     3087.34", f"{hints}write     3087.34"))
    assert [(h.name, h.value, h.given) for h in run.hints] == [
        ("cb_nodes", "4", "passed"),
        ("cb_buffer_size", "16777216", "returned"),
        ("romio_cb_write", "", "returned"),
    ]
    assert run.hints[0] == BenchmarkHint("cb_nodes", "4", "passed", 34)
    assert len(run.of("write")[0].iterations) == 3


def test_several_tests_of_one_start() -> None:
    head, rest = TEXT.split("TestID              : 0\n")
    body, summary = rest.split("Summary of all tests:\n")
    second = body.replace("single-shared-file", "file-per-process").replace("3087.34", "4000.00")
    lines = summary.splitlines()
    other = [line.replace("NA     0     96", "NA     1     96").replace("3158.32", "4100.00") for line in lines[1:3]]
    text = f"{head}TestID              : 0\n{body}TestID              : 1\n{second}Summary of all tests:\n"
    one, two = runs(text + "\n".join([*lines[:3], *other, *lines[3:]]) + "\n")
    assert (one.access, two.access) == ("single-shared-file", "file-per-process")
    assert (one.of("write")[0].max_bytes_per_s, two.of("write")[0].max_bytes_per_s) == (3158.32 * MIB, 4100 * MIB)
    assert two.of("write")[0].iterations[0].bytes_per_s == 4000 * MIB
    assert one.version == two.version == "3.3.0"


def test_a_run_that_was_killed_says_so() -> None:
    evidence = read(TEXT[: TEXT.index("read      5388")])
    (run,) = evidence.of(BenchmarkRun)
    assert (run.complete, evidence.status, [len(r.iterations) for r in run.results]) == (False, "partial", [2, 1])
    assert "has no end" in message(evidence, "unterminated")


@pytest.mark.parametrize(
    "error",
    [
        "ior ERROR: write() failed, errno 28, No space left on device (aiori-POSIX.c:503)",
        "** error **\nERROR in aiori-POSIX.c (line 260): transfer failed.\nERROR: No space left on device\n",
    ],
)
def test_a_run_that_gave_up_says_what_it_gave_up_for(error: str) -> None:
    begun = TEXT[: TEXT.index("write     3087")]
    (problem,) = read(f"{begun}{error}\napplication called MPI_Abort\n").problems
    assert (problem.code, problem.loses_data) == ("note", True)
    assert "ends with an error of IOR" in problem.message
    assert "No space left on device" in problem.message
    assert "it has no results" in problem.message
    # An error of another program behind a run that came to its end is none of IOR's.
    assert read(f"{TEXT}{error}\n").problems == ()


def test_a_torn_row_is_left_out() -> None:
    evidence = read(TEXT.replace("746.04     0.128680 ", ""))
    assert [i.line for i in evidence.of(BenchmarkRun)[0].of("write")[0].iterations] == [32, 36]
    assert "torn" in codes(evidence)


@pytest.mark.parametrize("rate", ["inf       ", "-nan      ", "nan       "])
def test_a_row_of_no_time_has_no_rate_and_the_rest(rate: str) -> None:
    run = only(TEXT.replace("write     3087.34    774.78     ", f"write     {rate} {rate} "))
    first, *_ = run.of("write")[0].iterations
    assert (first.number, first.bytes_per_s, first.seconds) == (0, None, 15.92)
    cells = f"{rate.strip()},1,0.1,65536,4096,0.1,1.0,0.1,1.2,16,0"
    columns = "access,bw(MiB/s),IOPS,Latency,block(KiB),xfer(KiB),open(s),wr/rd(s),close(s),total(s),numTasks,iter"
    (row,) = only(f"{columns}\nread,{cells}\n").of("read")[0].iterations
    assert (row.bytes_per_s, row.seconds) == (None, 1.2)


def test_figures_of_others_between_the_rows_are_not_taken() -> None:
    noise = "write error: disk quota\nread 5 files\npath : /elsewhere\ntasks : 7\n"
    run = only(TEXT.replace("Max Write", f"{noise}Max Write"))
    assert (run.nprocs, run.file) == (96, "/scratch/bay/auser/ior/shared.dat")
    assert [len(r.iterations) for r in run.results] == [3, 3]


ROWS = TEXT.index("write     3")
RANKS = "".join(f"{rank}: stonewalling pairs accessed: {rank % 97}\n" for rank in range(5000))
WARNINGS = "ior WARNING: fsync() failed, errno 5\n" * 3000


def test_lines_of_all_ranks_between_head_and_rows() -> None:
    """As -vv prints them: one line a rank, in the head too."""
    tasks = "".join(f"task {rank} on nid{rank // 64:06d}\n" for rank in range(5000))
    head, rest = TEXT.split("Participating", 1) if "Participating" in TEXT else TEXT.split("Options", 1)
    word = "Participating" if "Participating" in TEXT else "Options"
    loud = head + tasks + word + rest
    at = loud.index("write     ", loud.index("access    bw"))
    loud = loud[:at] + RANKS + WARNINGS + loud[at:]
    assert len(loud.splitlines()) > 13_000
    quiet, verbose = only(TEXT), only(loud)
    assert verbose.complete
    assert [(r.operation, [i.bytes_per_s for i in r.iterations]) for r in verbose.results] == [
        (r.operation, [i.bytes_per_s for i in r.iterations]) for r in quiet.results
    ]
    assert (verbose.nprocs, verbose.file, verbose.total_bytes) == (quiet.nprocs, quiet.file, quiet.total_bytes)
    assert codes(read(loud)) == []


IO500 = """\
IOR-4.1.0+dev: MPI Coordinated Test of Parallel I/O
Began               : Mon Feb  9 10:12:13 2026
Command line        : ./ior --dataPacketType=timestamp -C -Q 1 -g -k -o ./scratch/easy/file -t 2m -b 20g -F -w -a POSIX
Machine             : Linux fjord012

Options:
api                 : POSIX
test filename       : ./scratch/easy/file
access              : file-per-process
nodes               : 10
tasks               : 640
clients per node    : 64
repetitions         : 1
xfersize            : 2 MiB
blocksize           : 20 GiB
aggregate filesize  : 12.50 TiB

Results:

access    bw(MiB/s)  IOPS       Latency(s)  block(KiB) xfer(KiB)  open(s)    wr/rd(s)   close(s)   total(s)   iter
------    ---------  ----       ----------  ---------- ---------  --------   --------   --------   --------   ----
WARNING: Expected aggregate file size       = 13743895347200
WARNING: Stat() of aggregate file size      = 6871947673600
WARNING: Using actual aggregate bytes moved = 6871947673600
WARNING: Maybe caused by deadlineForStonewalling
write     21845      10922      0.058       20971520   2048.00    0.010      300.00     0.002      300.01     0
"""


def test_the_io500s_ior_ends_with_its_last_row() -> None:
    run = only(IO500)
    assert (run.complete, codes(read(IO500))) == (True, [])
    (row,) = run.results[0].iterations
    assert (row.bytes_per_s, row.bytes_moved) == (21845 * MIB, 6871947673600)
    assert run.total_bytes == 640 * 20 * GIB


@pytest.mark.parametrize("moved", ["6,871,947", "6.871.947", "6'871'947", "6" * 21])
def test_bytes_moved_that_are_no_plain_figure_are_absent(moved: str) -> None:
    (row,) = only(IO500.replace("moved = 6871947673600", f"moved = {moved}")).results[0].iterations
    assert row.bytes_moved is None


@pytest.mark.parametrize(
    "cut", [IO500.replace(" -w ", " -w -r "), IO500[:-16], IO500.replace("repetitions         : 1", "repetitions : 2")]
)
def test_without_its_last_row_it_is_cut_off(cut: str) -> None:
    assert not only(cut).complete
    assert "unterminated" in codes(read(cut))


def test_prose_that_begins_like_a_row_is_no_torn_row() -> None:
    at = TEXT.index("write     ", TEXT.index("access    bw"))
    evidence = read(TEXT[:at] + "read 5 lines of the namelist\nwrite 3 steps\n" + TEXT[at:])
    assert codes(evidence) == []


def test_the_head_of_the_table_once_for_two_tests() -> None:
    """As 2.10 prints it, on Blue Gene with its label before each line."""
    lines = (
        "IOR-2.10.3: MPI Coordinated Test of Parallel I/O",
        "Run began: Mon Feb  9 10:12:13 2009",
        "Command line used: ./IOR -f two.tests",
        "Machine: BlueGene R00",
        "Test 0 started: Mon Feb  9 10:12:13 2009",
        "access    bw(MiB/s)  block(KiB) xfer(KiB)  open(s)    wr/rd(s)   close(s)   total(s)   iter",
        "------    ---------  ---------- ---------  --------   --------   --------   --------   ----",
        "write     100.00     1024       1024       0.01       1.00       0.01       1.02       0",
        "Test 1 started: Mon Feb  9 10:13:13 2009",
        "write     200.00     1024       1024       0.01       0.50       0.01       0.52       0",
        "Run finished: Mon Feb  9 10:14:13 2009",
    )
    for label in ("", "stdout[0] "):
        text = "".join(f"{label}{line}\n" for line in lines)
        rates = [i.bytes_per_s for run in runs(text) for result in run.results for i in result.iterations]
        assert rates == [100 * MIB, 200 * MIB]
        assert len(runs(text)) == 2


def test_a_row_of_the_summary_that_grep_numbered_below_a_head_that_it_did_not() -> None:
    head, row = (next(line for line in TEXT.splitlines() if line.startswith(w)) for w in ("Operation", "write  "))
    at = TEXT.index("Operation ")
    row = next(line for line in TEXT[at:].splitlines() if line.startswith("write "))
    (whole,) = runs(f"Summary of all tests:\n{head}\n{row}\n")
    for mark in ("190: ", "190-", ""):
        (run,) = runs(f"We use these:\n{head}\n{mark}{row}\n")
        assert (run.nprocs, run.results[0].max_bytes_per_s) == (whole.nprocs, whole.results[0].max_bytes_per_s)


CSV = """\
access,bw(MiB/s),IOPS,Latency,block(KiB),xfer(KiB),open(s),wr/rd(s),close(s),total(s),numTasks,iter
write,100.5,100,0.1,16384,1024,0.01,1.5,0.02,1.6,4,0
"""


def test_rows_of_csv_between_other_output() -> None:
    row = CSV.splitlines()[1]
    run = only(f"{CSV}srun: Step created for StepId=12.0\n{row.replace('100.5', '90.5')}\ndone\n")
    (result,) = run.results
    assert [i.bytes_per_s for i in result.iterations] == [100.5 * MIB, 90.5 * MIB]
    two = read(CSV + CSV).of(BenchmarkRun)
    assert [len(run.results[0].iterations) for run in two] == [1, 1]


@pytest.mark.parametrize(
    "row", ["write,100,5,100,0,1,16384,1024,0,01,1,5,0,02,1,6,4,0\n", "read,100.5,100\n", "read,100."]
)
def test_a_row_of_csv_with_other_cells_is_told(row: str) -> None:
    evidence = read(CSV + row)
    assert codes(evidence) == ["torn"]
    assert len(evidence.of(BenchmarkRun)[0].results[0].iterations) == 1


SCRIPT = """\
#!/bin/bash
#SBATCH --nodes=2
# last time:
# access    bw(MiB/s)  block(KiB) xfer(KiB)  open(s)    wr/rd(s)   close(s)   total(s)   iter
# ------    ---------  ---------- ---------  --------   --------   --------   --------   ----
# write     44.78      1048576    4.00       0.007478   182.91     49.97      182.93     0
# Max Write: 44.78 MiB/sec (46.96 MB/sec)
#SBATCH --ntasks=64
srun ior -w -o out
"""


def test_results_in_a_scripts_comments_are_told_and_not_read() -> None:
    evidence = read(SCRIPT)
    (job,) = evidence.of(JobContext)
    assert (job.nnodes, job.ntasks, len(job.launches)) == (2, 64, 1)
    assert not evidence.of(BenchmarkRun)
    (note,) = evidence.problems
    assert note.message.startswith("IOR output in comments (lines 4-7)")
    assert (note.line, note.loses_data) == (4, False)


def test_an_output_that_is_commented_as_a_whole_is_read() -> None:
    text = "".join(f"{line}\n" for line in SCRIPT.splitlines()[3:7])
    assert only(text).results[0].max_bytes_per_s == 44.78 * MIB


@pytest.mark.parametrize(("column", "open_s", "transfer_s"), [(58, 0.01, None), (50, None, None), (68, 0.01, 1.5)])
def test_a_table_that_is_cut_at_a_column_has_no_figure_that_ends_there(
    column: int, open_s: float | None, transfer_s: float | None
) -> None:
    table = """\
access    bw(MiB/s)  block(KiB) xfer(KiB)  open(s)    wr/rd(s)   close(s)   total(s)   iter
------    ---------  ---------- ---------  --------   --------   --------   --------   ----
write     44.78      1048576    4.00       0.010000   1.500000   0.970000   2.930000   0
"""
    evidence = read("".join(f"{line[:column]}\n" for line in table.splitlines()))
    (iteration,) = evidence.of(BenchmarkRun)[0].results[0].iterations
    assert (iteration.bytes_per_s, iteration.open_s, iteration.transfer_s) == (44.78 * MIB, open_s, transfer_s)
    assert [p.code for p in evidence.problems if p.loses_data] == ["cut-lines"]
    assert not [p for p in read(table).problems if p.loses_data]


@pytest.mark.parametrize("said", ["write, then read, and remove\n", "read, as you see, is slower\n"])
def test_a_sentence_that_begins_with_an_operation_is_no_row_of_csv(said: str) -> None:
    evidence = read(CSV + said + CSV.splitlines()[1] + "\n")
    assert codes(evidence) == []
    assert len(evidence.of(BenchmarkRun)[0].results[0].iterations) == 2


@pytest.mark.parametrize("blank", [" ", "\t"])
@pytest.mark.parametrize("picked", [(0, 1, 7), (0, 1, 2, 3), (0, 1, 5, 7)])
def test_columns_that_somebody_picked_are_not_cut(picked: tuple[int, ...], blank: str) -> None:
    table = """\
access    bw(MiB/s)  block(KiB) xfer(KiB)  open(s)    wr/rd(s)   close(s)   total(s)   iter
write     44.78      1048576    4.00       0.010000   1.500000   0.970000   2.930000   0
read      144.78     1048576    4.00       0.010000   1.500000   0.970000   2.930000   0
"""
    evidence = read("".join(f"{blank.join(line.split()[n] for n in picked)}\n" for line in table.splitlines()))
    iterations = [i for result in evidence.of(BenchmarkRun)[0].results for i in result.iterations]
    assert [i.seconds for i in iterations] == [2.93 if 7 in picked else None] * 2
    assert not [p for p in evidence.problems if p.loses_data]


def test_a_long_files_name_that_a_mail_put_on_the_line_below() -> None:
    name = "/scratch/project_2001234/someone/io500/datafiles/ior-easy/ior_file_easy"
    text = f"""IOR-3.2.1: MPI Coordinated Test of Parallel I/O
api                 : POSIX
test filename       :
{name}
access              : single-shared-file
Max Write: 44.78 MiB/sec (46.96 MB/sec)
Finished            : Thu Aug  1 07:02:15 2019
"""
    (run,) = read(text).of(BenchmarkRun)
    assert (run.file, run.access) == (name, "single-shared-file")
