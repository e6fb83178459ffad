"""Texts whose every line begins with what something else put before it."""

from __future__ import annotations

import io
from collections.abc import Callable

import pytest
from stats_text import block, codes, read

from iotriage_parsers import detect
from iotriage_parsers.evidence import BenchmarkRun, Failure, JobContext, MpiioStats
from iotriage_parsers.extraction.line_prefixes import form_of, stripped
from iotriage_parsers.reader import Limits

CLOCK = "10:{:02}:{:02}"


def clock(n: int) -> str:
    return CLOCK.format(n // 60 % 60, n % 60)


FORMS: dict[str, Callable[[int], str]] = {
    "containerd": lambda n: f"2026-01-05T{clock(n)}.000000000Z stderr F ",
    "kubectl --prefix": lambda _: "[pod/io-0/main] ",
    "journalctl": lambda n: f"Jan  5 {clock(n)} nid001 slurmstepd[1234]: ",
    "journalctl -o short-iso": lambda n: f"2026-01-05T{clock(n)}+0100 nid001 app: ",
    "rfc 5424": lambda n: f"<14>1 2026-01-05T{clock(n)}Z nid001 app 123 - - ",
    "logging": lambda n: f"2026-01-05 {clock(n)},123 - app.io - INFO - ",
    "logging, plain": lambda _: "INFO:root:",
    "loguru": lambda n: f"2026-01-05 {clock(n)}.123 | INFO     | ",
    "loguru, with places": lambda n: f"2026-01-05 {clock(n)}.123 | INFO     | run:main:42 - ",
    "logging, in brackets": lambda n: f"[2026-01-05 {clock(n)},123] [INFO] [launcher.py:42] ",
    "logging, with a dash": lambda n: f"2026-01-05T{clock(n)}Z INFO - ",
    "glog": lambda n: f"I0105 {clock(n)}.123456 12345 run.cc:123] ",
    "gh run view --log": lambda n: f"build\tRun job\t2026-01-05T{clock(n)}.1234567Z ",
    "cat -n": lambda n: f"{n + 1:6d}\t",
    "points of a list": lambda _: "• ",
    "comments of C": lambda _: " * ",
    "comments of Fortran": lambda _: "! ",
    "prterun --tag-output": lambda _: "[prterun-nid001-123@1,0]<stdout>: ",
    "mpirun --timestamp-output": lambda n: f"Mon Jan  5 {clock(n)} 2026[1,0]<stderr>:",
    "grep -H": lambda _: "logs/job-12.err:",
    "grep -Hn": lambda n: f"job.err:{n + 1}:",
    "grep -Hn -A": lambda n: f"job.err:{n + 1}:" if n == 1 else f"job.err-{n + 1}-",
    "grep -n -A": lambda n: f"{n + 120}:" if n == 1 else f"{n + 120}-",
    "a patch": lambda _: "+",
    "comments": lambda _: "# ",
    "output in R Markdown": lambda _: "## ",
    "an example of Org": lambda _: ": ",
    "names of streams": lambda _: "stdout: ",
    "docker compose logs": lambda _: "app-1  | ",
    "points of a list in Markdown": lambda _: "- ",
}
IOR = """\
IOR-4.0.0: MPI Coordinated Test of Parallel I/O
Began               : Mon Jan  5 10:00:00 2026
Command line        : ior -w -t 1m -b 16m
Machine             : Linux nid001
TestID              : 0

Options:
api                 : POSIX
nodes               : 1
tasks               : 4

Results:

access    bw(MiB/s)  IOPS       Latency(s)  block(KiB) xfer(KiB)  open(s)    wr/rd(s)   close(s)   total(s)   iter
------    ---------  ----       ----------  ---------- ---------  --------   --------   --------   --------   ----
write     1600.00    1601.00    0.039000    16384      1024.00    0.000500   0.039500   0.000100   0.040000   0
Finished            : Mon Jan  5 10:00:01 2026
"""


def prefixed(form: Callable[[int], str], text: str) -> str:
    return "".join(f"{form(n)}{line}\n" for n, line in enumerate(text.splitlines()))


@pytest.mark.parametrize("form", FORMS.values(), ids=list(FORMS))
@pytest.mark.parametrize("text", ["step 1\n" + block("run/out.dat"), IOR], ids=["statistics", "benchmark"])
def test_what_stands_before_every_line_is_taken_off(form: Callable[[int], str], text: str) -> None:
    evidence = read(prefixed(form, text))
    assert evidence.parts == read(text).parts
    assert codes(evidence) == ["stripped"]


def test_lines_in_the_quotes_of_a_table() -> None:
    text = "step 1\n" + block("run/out.dat")
    evidence = read("".join('"' + line.replace('"', '""') + '"\r\n' for line in text.splitlines()))
    assert evidence.parts == read(text).parts


AROUND: dict[str, Callable[[str], str]] = {
    "elements": lambda line: f"<log>{line}</log>",
    "a page of a word processor": lambda line: (
        f'<p class="MsoNormal"><span style="font-family:Consolas">{line}<o:p></o:p></span></p>'
    ),
    "a table": lambda line: f"<tr><td>{line}</td></tr>",
    "breaks": lambda line: f"{line}<br/>",
    "logfmt": lambda line: f'ts=2026-01-05T10:00:00Z level=info msg="{line}"',
    "bytes": lambda line: f"b'{line}\\n'",
    "ends written out": lambda line: f"{line}\\n",
    "cat -A": lambda line: f"{line}$",
    "backquotes": lambda line: f"`{line}`",
    "quoted backquotes": lambda line: f"> `{line}`  ",
    "a paragraph": lambda line: f"<p>{line}</p>",
    "a table of Markdown": lambda line: f"| `{line}` |",
    "a list of JSON": lambda line: '    "' + line.replace('"', '\\"') + '",',
    "a drawn box": lambda line: f"│ {line:<80} │",
}


@pytest.mark.parametrize("around", AROUND.values(), ids=list(AROUND))
def test_what_stands_around_every_line_is_taken_off(around: Callable[[str], str]) -> None:
    text = "step 1\n" + block("run/out.dat")
    assert read("".join(around(line) + "\n" for line in text.splitlines())).parts == read(text).parts


def test_the_lines_around_a_title_that_grep_prints_are_of_its_file() -> None:
    lines = block("run/out.dat").splitlines()
    text = "".join(f"job.err{':' if 'MPIIO' in line else '-'}{line}\n" for line in lines)
    assert read(text).of(MpiioStats)[0].total_bytes == read(block("run/out.dat")).of(MpiioStats)[0].total_bytes


def test_names_with_dashes_are_no_prefix() -> None:
    assert form_of(b"".join(b"cube-%d.x-%d rest\n" % (n, n) for n in range(20))) is None


def test_a_title_within_other_text_names_no_file() -> None:
    for text in (
        f'["{block("a")}"]\n'.replace("\n", "\\n") + "\n",
        'x = ("1", "| MPIIO write access patterns for a", 2)\n',
    ):
        found = detect.read(io.BytesIO(text.encode()))
        assert isinstance(found, Failure)
    evidence = read(block("a") + "log: | MPIIO write access patterns for b') at line 3\nstep 1\n")
    assert [b.file for b in evidence.of(MpiioStats)] == ["a"]
    assert any(p.loses_data for p in evidence.problems)


def test_a_block_of_which_nothing_is_left_is_told_beside_others() -> None:
    evidence = read(IOR + 'log: ("1", "| MPIIO write access patterns for a", 2)\n')
    assert len(evidence.of(BenchmarkRun)) == 1
    assert [(p.code, p.loses_data) for p in evidence.problems] == [("unterminated", True)]


def test_colours_before_a_prefix() -> None:
    text = "".join(f"\x1b[36m[pod/io-0/main]\x1b[0m {line}\n" for line in block("a").splitlines())
    assert [b.file for b in read(text).of(MpiioStats)] == ["a"]


def test_blocks_of_several_writers_are_told_apart() -> None:
    pairs = zip(block("a").splitlines(), block("b").splitlines(), strict=True)
    text = "".join(f"[pod/io-0/main] {one}\n[pod/io-1/main] {other}\n" for one, other in pairs)
    found = read(text).of(MpiioStats)
    assert [(b.file, b.complete, b.trusted, b.lines.first) for b in found] == [
        ("a", True, True, 1),
        ("b", True, True, 2),
    ]


def test_a_trace_is_no_patch_and_columns_are_no_quoted_lines() -> None:
    trace = "+ export MPICH_MPIIO_STATS=1\n+ module load darshan\n+ cd /scratch\n+ srun -n 64 ./app\n"
    (context,) = read(trace).of(JobContext)
    assert context.launches[0].ranks == 64
    rows = '"access","bw"\n"write","100"\n"read","200"\n"write","300"\n'
    assert "stripped" not in codes(read(rows + IOR))
    assert len(read(rows + IOR).of(BenchmarkRun)) == 1


@pytest.mark.parametrize("noise", ["\x07{}", "{}  \x08\x08", "\x0c{}", "\x1b]0;title\x07{}"])
def test_bells_steps_back_and_the_ends_of_pages(noise: str) -> None:
    text = "step 1\n" + block("run/out.dat")
    assert read("".join(noise.format(line) + "\n" for line in text.splitlines())).parts == read(text).parts


def test_words_in_brackets_behind_a_time_are_the_programs() -> None:
    lines = ["[RESULT]  ior-easy-write  20.0 GiB/s : time 312.0 seconds", "[SCORE ] Bandwidth 1.0 GiB/s", "| a", "- b"]
    for said in ("INFO", "[INFO] [main]", "INFO -"):
        text = "".join(f"2026-01-05 10:00:00 {said} {line}\n" for line in lines).encode()
        form = form_of(text)
        assert form is not None
        with stripped(io.BytesIO(text), form, Limits()) as taken:
            assert taken.text.read().decode().splitlines() == lines


def test_labels_of_ranks_that_greeted_in_turn_are_no_numbers_of_lines() -> None:
    pairs = zip(block("a").splitlines(), block("b").splitlines(), strict=True)
    text = "".join(f"{rank}: hello\n" for rank in range(512))
    text += "".join(f"8: {one}\n16: {other}\n" for one, other in pairs)
    assert [(b.file, b.complete, b.trusted) for b in read(text).of(MpiioStats)] == [
        ("a", True, True),
        ("b", True, True),
    ]


def test_numbers_that_do_not_count_on_are_no_numbers_of_lines() -> None:
    assert form_of(b"".join(b"%d:x\n" % n for n in (1, 2, 3, 5, 6, 7))) is None


def test_a_scripts_comments_are_not_carried_out() -> None:
    notes = "".join(f"# note {n}\n" for n in range(30)) + "# export MPICH_MPIIO_STATS=1\n"
    for script in (f"#!/bin/bash\n{notes}srun -n 8 ./sea\n", f"#!/bin/bash\n#SBATCH -N 2\n#SBATCH -t 5\n{notes}"):
        (context,) = read(script).of(JobContext)
        assert context.environment == ()


def test_what_darshan_parser_begins_lines_with_is_no_comments_sign() -> None:
    for line in (b"# *ERROR*: The POSIX module contains incomplete data!\n", b"# agg_perf_by_slowest: 2206.98\n"):
        assert form_of(line * 6) is None


@pytest.mark.parametrize("end", [b"\n", b"\r\n"])
def test_points_of_a_list_with_blank_lines_between(end: bytes) -> None:
    form = form_of(end.join([b"- one", b"- two", b"", b"- three", b"- four", b""]))
    assert form is not None
    assert form.title == "the signs of a list"


@pytest.mark.parametrize(
    "rows",
    [
        ["posix | Max Write: 1.0 MiB/sec", "mpiio | Max Write: 2.0 MiB/sec", "hdf5 | Max Write: 3.0 MiB/sec", "a | b"],
        ["jobid | state | nodes", "job | COMPLETED | 4", "job | COMPLETED | 4", "job | COMPLETED | 8", "job | x | 8"],
    ],
)
def test_the_first_column_of_a_table_is_no_containers_name(rows: list[str]) -> None:
    assert form_of("".join(f"{row}\n" for row in rows).encode()) is None


def test_a_containers_name_before_boxes_is_one() -> None:
    rows = ["+-----+", "| MPIIO write access patterns for a", "|   collective writes = 4", "+-----+"]
    form = form_of("".join(f"app-1  | {row}\n" for row in rows).encode())
    assert form is not None
    assert form.title == "the names of containers"


def test_a_bar_behind_the_numbers_of_lines() -> None:
    for bar in ("|", "\u2502"):
        form = form_of("".join(f"{n:4d} {bar} line\n" for n in range(1, 9)).encode())
        assert form is not None
        assert form.title == "line numbers"


def test_points_of_a_list_that_stand_further_in() -> None:
    form = form_of(b" - one\n - two\n\n - three\n - four\n")
    assert form is not None
    assert form.title == "the signs of a list"


def test_a_mail_in_html_whose_first_lines_have_its_head() -> None:
    head = '<html><head><meta charset="utf-8"></head><body><p class="MsoNormal"><span>'
    rows = [head + "one</span></p>", "<div>", *(f"<p><span>{n}</span></p>" for n in range(6)), "</div></body></html>"]
    form = form_of("".join(f"{row}\n" for row in rows).encode())
    assert form is not None
    assert form.title == "the elements of a page or document"


def test_what_stands_around_lines_within_something_else_is_taken_off_too() -> None:
    rows = ["MPIIO WARNING: DVS stripe width of 32 was requested but DVS set it to 28", "step 1", "step 2", "step 3"]
    evidence = read("".join(f" * {row}<br>\n" for row in rows))
    assert [part.kind for part in evidence.parts] == ["dvs_stripe_warning"]
    assert [p.message.split(" removed")[0] for p in evidence.problems if p.code == "stripped"] == [
        "the sign of a comment",
        "line breaks of a page",
    ]


BOX = (
    "+-----+\n| MPIIO write access patterns for a.nc\n|   independent writes = 0\n|   collective writes = 64\n+-----+\n"
    * 2
)


def test_numbers_with_nothing_but_a_blank_behind_take_no_side_of_a_box() -> None:
    for between in (" ", "  ", ": ", " | ", " \u2502 "):
        numbered = "".join(f"{n:5d}{between}{line}\n" for n, line in enumerate(BOX.splitlines(), 1)).encode()
        form = form_of(numbered)
        assert form is not None
        assert form.title == "line numbers"
        with stripped(io.BytesIO(numbered), form, Limits()) as taken:
            assert [line.strip() for line in taken.text.read().decode().splitlines()] == [
                line.strip() for line in BOX.splitlines()
            ]


def test_line_breaks_of_a_page_are_taken_off_a_trace_too() -> None:
    form = form_of(b"+ export MPICH_MPIIO_STATS=1<br>\n+ srun ./sea<br>\nstep 1<br>\n<br>\nstep 2<br>\n")
    assert form is not None
    assert form.title == "line breaks of a page"


def test_tabs_that_were_written_out_are_tabs() -> None:
    text = b"mount:^I/scratch^Ilustre$\n" * 5
    form = form_of(text)
    assert form is not None
    with stripped(io.BytesIO(text), form, Limits()) as taken:
        assert taken.text.read() == b"mount:\t/scratch\tlustre\n" * 5
