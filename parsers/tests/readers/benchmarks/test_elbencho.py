"""elbencho's tables: values by hand, cut, twice, and of another."""

from __future__ import annotations

import pytest
from stats_text import REPOSITORY, codes, extra, read

from iotriage_parsers.evidence import BenchmarkRates, Lines

TEXT = (REPOSITORY / "sample-logs" / "elbencho" / "write-and-read" / "elbencho-fjord.txt").read_text(encoding="utf-8")
FOUND = extra("samples", "found")
MIB = 2**20


def only(text: str) -> BenchmarkRates:
    (found,) = read(text).of(BenchmarkRates)
    return found


def test_the_sample() -> None:
    run = only(TEXT)
    assert codes(read(TEXT)) == []
    assert (run.tool, run.complete, run.lines, run.nprocs) == ("elbencho", True, Lines(1, 19), None)
    assert run.command_line is not None
    assert run.command_line.startswith("elbencho --hosts nid[000101-000104] -d -w")
    assert [(r.phase, r.unit, r.mean, r.seconds, r.line) for r in run.rates] == [
        ("mkdirs dirs", "ops/s", 2000.0, 0.032, 5),
        ("write files", "ops/s", 2.0, 128.0, 9),
        ("write", "ops/s", 16384.0, 128.0, 10),
        ("write", "B/s", 16384.0 * MIB, 128.0, 11),
        ("read files", "ops/s", 4.0, 64.0, 16),
        ("read", "ops/s", 32768.0, 64.0, 17),
        ("read", "B/s", 32768.0 * MIB, 64.0, 18),
    ]


def test_megabytes_are_no_mebibytes() -> None:
    rates = only(TEXT.replace("Throughput MiB/s :", "Throughput MB/s  :")).rates
    assert rates[3].mean == 16384.0 * 10**6


def test_hours_and_milliseconds() -> None:
    assert only(TEXT.replace("2m8.000s", "1h2m8.0s")).rates[3].seconds == 3728.0
    assert only(TEXT.replace("Elapsed time     :    1m4.000s    2m8.000s", "Elapsed ms : 64000 128000")).rates[
        3
    ].seconds == pytest.approx(128.0)


def test_a_time_of_another_shape_is_absent() -> None:
    assert only(TEXT.replace("2m8.000s", "forever")).rates[3].seconds is None


def test_a_table_that_was_cut_says_so_and_keeps_what_it_has() -> None:
    cut = TEXT[: TEXT.index("       32768\n            Total")] + "       327"
    assert codes(read(cut)) == ["unterminated"]
    run = only(cut)
    assert (run.complete, [r.mean for r in run.rates][-1]) == (False, 32768.0)
    assert len(run.rates) == 6


def test_two_tables_one_after_another() -> None:
    assert [len(r.rates) for r in read(TEXT + TEXT.replace("3840", "3841")).of(BenchmarkRates)] == [7, 7]


def test_a_row_that_a_mail_broke_has_the_figure_of_its_own_column() -> None:
    for whole, broken in (
        ("24576       16384\n            Total", "24576\n16384\n            Total"),
        (":       24576       16384\n            Total", ":\n24576  16384\n            Total"),
        (
            "WRITE       Elapsed time     :    1m4.000s    2m8.000s",
            "WRITE       Elapsed time     :    1m4.000s\n2m8.000s",
        ),
    ):
        assert whole in TEXT
        told = read(TEXT.replace(whole, broken))
        assert [(r.phase, r.mean, r.seconds) for r in told.of(BenchmarkRates)[0].rates] == [
            (r.phase, r.mean, r.seconds) for r in only(TEXT).rates
        ]
        assert codes(told) == []


@pytest.mark.parametrize("cut", [1, 3, 4])
def test_a_figure_that_was_broken_is_put_together(cut: int) -> None:
    whole = "24576       16384\n            Total"
    broken = TEXT.replace(whole, f"24576       {'16384'[:cut]}\n{'16384'[cut:]}\n            Total")
    assert [(r.phase, r.mean) for r in only(broken).rates] == [(r.phase, r.mean) for r in only(TEXT).rates]
    # What stands behind another line is no rest of it.
    other = TEXT.replace(whole, "24576       16384\n\n16384\n            Total")
    assert [(r.phase, r.mean) for r in only(other).rates] == [(r.phase, r.mean) for r in only(TEXT).rates]


def test_a_figure_of_the_first_that_was_done_stands_for_no_other() -> None:
    cut = TEXT.replace("24576       16384\n            Total", "24576\n            Total")
    assert codes(read(cut)) == ["torn"]
    assert [(r.phase, r.unit) for r in only(cut).rates] == [
        (r.phase, r.unit) for r in only(TEXT).rates if (r.phase, r.unit) != ("write", "B/s")
    ]


def test_a_phase_whose_first_row_is_torn_is_a_phase_all_the_same() -> None:
    cut = TEXT.replace(
        "READ        Elapsed time     :     48.000s    1m4.000s", "READ        Elapsed time     :     48.000s"
    )
    assert [(r.phase, r.mean) for r in only(cut).rates] == [(r.phase, r.mean) for r in only(TEXT).rates]
    assert [r.seconds for r in only(cut).rates][-1] is None


@pytest.mark.skipif(FOUND is None, reason="no extra corpora")
def test_the_table_of_its_documentation() -> None:
    assert FOUND is not None
    run = only((FOUND / "elbencho-readme.txt").read_text(encoding="utf-8"))
    assert [(r.phase, r.unit, r.mean, r.seconds) for r in run.rates] == [
        ("write", "ops/s", 33352.0, 125.755),
        ("write", "B/s", 33352.0 * MIB, 125.755),
    ]
    assert run.command_line is not None
    assert run.command_line.endswith('-t 96 "/mnt/storage/bigfiles/file[1-256]"')


def test_rows_that_were_all_left_out_are_no_cut() -> None:
    text = """\
OPERATION   RESULT TYPE         FIRST DONE   LAST DONE
=========== ================    ==========   =========
WRITE       Elapsed time     :      12.3s      12.4s
            IOPS             :      1 600      1 590
            Throughput MiB/s :      1,600      1,590
"""
    assert codes(read(text)) == ["unrecognised-number"]
    assert codes(read(text.partition("WRITE")[0] + "WRITE       Elapsed time     :      12.3s      12.4s\n")) == [
        "unterminated"
    ]


@pytest.mark.parametrize("between", ["", "\n"])
def test_the_command_as_a_file_of_results_has_it(between: str) -> None:
    table = TEXT[TEXT.index("OPERATION") :]
    head = 'ISO DATE: 2026-07-22T10:48:37-0700\nCOMMAND LINE: "/usr/local/bin/elbencho" "-w" "-t" "8" "/mnt/a b"\n'
    run = only(head + between + table)
    assert run.command_line == "elbencho -w -t 8 '/mnt/a b'"
    assert run.lines.first == 2


def test_what_a_scheduler_says_behind_a_table_is_its_own() -> None:
    evidence = read(TEXT + "\nJob ID: 789\nCluster: hill\nState: COMPLETED (exit code 0)\nNodes: 4\n")
    assert [part.kind for part in evidence.parts] == [*(part.kind for part in read(TEXT).parts), "job_context"]


HEAD = "OPERATION   RESULT TYPE         FIRST DONE  LAST DONE\n=========== ================    ==========  =========\n"


def rates(table: str) -> list[tuple[str, str, float | None, float | None]]:
    (run,) = read(HEAD + table).of(BenchmarkRates)
    return [(rate.phase, rate.unit, rate.mean, rate.seconds) for rate in run.rates]


def test_a_phase_that_writes_and_reads_at_once_has_both_rates() -> None:
    table = """RWMIX30     Elapsed time     :      9.871s     10.021s
            IOPS write       :      112233      110011
            IOPS read        :       48100       47147
            IOPS total       :      160333      157158
            MiB/s write      :         438         429
            MiB/s read       :         187         184
            MiB/s total      :         626         613
            MiB write        :        4328        4305
            MiB read         :        1855        1846
---
MIX-T2      Elapsed time     :      1.871s      2.000s
            Files/s write    :        1122        1100
            Files/s read     :         481         471
            Files/s total    :        1603        1571
            MB/s write       :         438         429
            MB/s read        :         187         184
            MB/s total       :         626         613
            Files write      :       11220       11220
"""
    assert rates(table) == [
        ("rwmix30 write", "ops/s", 110011, 10.021),
        ("rwmix30 read", "ops/s", 47147, 10.021),
        ("rwmix30 write", "B/s", 429 * 2**20, 10.021),
        ("rwmix30 read", "B/s", 184 * 2**20, 10.021),
        ("mix-t2 files write", "ops/s", 1100, 2),
        ("mix-t2 files read", "ops/s", 471, 2),
        ("mix-t2 write", "B/s", 429e6, 2),
        ("mix-t2 read", "B/s", 184e6, 2),
    ]


def test_what_is_done_within_a_phase_stands_in_its_name() -> None:
    table = """MKDIRS      Elapsed time     :        12ms        15ms
            Dirs/s           :        1290        1066
---
WRITE+s+r   Elapsed time     :      9.871s     10.021s
            Throughput MiB/s :         438         429
---
READ+s      Elapsed time     :      1.871s      2.021s
            Files/s          :        2122        2100
"""
    assert [(phase, seconds) for phase, _, _, seconds in rates(table)] == [
        ("mkdirs dirs", 0.015),
        ("write+s+r", 10.021),
        ("read+s files", 2.021),
    ]


def test_the_table_of_its_first_versions() -> None:
    table = """MKDIRS    time ms       :         12         15
MKDIRS    entries/s     :       1290       1066
MKDIRS    entries       :         16         16
WRITE     time ms       :       9871      10021
WRITE     IOPS          :      11220      11000
WRITE     I/Os          :     112200     110000
WRITE     MiB/s         :        438        429
WRITE     MiB           :       4328       4305
WRITE     IO lat us     : [ min=12 avg=14 max=1300 ]
"""
    assert rates(table) == [
        ("mkdirs entries", "ops/s", 1066, 0.015),
        ("write", "ops/s", 11000, 10.021),
        ("write", "B/s", 429 * 2**20, 10.021),
    ]
