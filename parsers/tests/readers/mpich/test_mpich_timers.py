"""MPICH_MPIIO_TIMERS blocks: what is read from whole ones, one and several."""

from __future__ import annotations

import pytest
from stats_text import block, message, read
from timers_text import VALUES, of_reads, only, row, timers, timers_of

from iotriage_parsers import detect
from iotriage_parsers.evidence import Lines, MpiioStats, MpiioTimers, Phase, Spread

MIB = 2**20
PHASES = {
    "imbalance": (Spread(10000, 900000, 500000), 0),
    "open/close/trunc": (Spread(1000000, 9000000, 5000000), 1),
    "local compute": (Spread(2000000, 30000000, 20000000), 4),
    "wait for coll": (Spread(30000, 300000000, 200000000), 40),
    "collective": (Spread(400000, 6000000, 5000000), 1),
    "exchange": (Spread(500000, 70000000, 9500000), 1),
    "data send": (Spread(6000000, 480000000, 250000000), 50),
    "file access": (Spread(0, 420000000, 400000000), 80),
    "other": (Spread(70000, 19000000, 10000000), 2),
}


def test_a_whole_block() -> None:
    evidence = read("job starts\n" + timers())
    (found,) = evidence.of(MpiioTimers)
    assert evidence.problems == ()
    assert evidence.reader == "mpich_timers"
    assert found.lines == Lines(2, 29)
    assert (found.direction, found.ranks, found.file, found.occurrence) == ("write", "all ranks", "plain.dat", 1)
    assert (found.complete, found.trusted) == (True, True)
    assert (found.active_ranks, found.idle_ranks) == (4, 60)
    assert found.seconds_of("open/close/trunc time") == Spread(0.01, 0.05, 0.02)
    assert (found.scale_exponent, found.total_ticks) == (3, 500000000)
    assert {p.label: (p.ticks, p.percent) for p in found.phases} == PHASES
    assert [p.line for p in found.phases] == list(range(14, 23))
    assert found.data_send_bandwidth == 4000 * MIB
    assert found.raw_bandwidth == 2500 * MIB
    assert found.net_bandwidth == 2000 * MIB
    assert found.line_of("total") == 12
    assert found.line_of("net write BW (MiB/s)") == 26


def test_two_rows_of_nearly_the_same_name_are_told_apart() -> None:
    found = only(timers())
    assert found.seconds_of("open/close/trunc time") == Spread(0.01, 0.05, 0.02)
    assert found.phase("open/close/trunc") == Phase("open/close/trunc", PHASES["open/close/trunc"][0], 1, 14)


@pytest.mark.parametrize("ranks", ["all ranks", "writers only", "readers only"])
def test_whose_times_they_are_is_kept(ranks: str) -> None:
    assert only(timers(ranks=ranks)).ranks == ranks


def test_a_read_block_has_the_same_rows_in_its_own_words() -> None:
    evidence = read(of_reads(timers()))
    (found,) = evidence.of(MpiioTimers)
    assert evidence.problems == ()
    assert (found.direction, found.active_ranks, found.idle_ranks) == ("read", 4, 60)
    assert {p.label: (p.ticks, p.percent) for p in found.phases} == PHASES
    assert found.raw_bandwidth == 2500 * MIB


def test_rows_that_an_unseen_layout_lacks_are_no_loss() -> None:
    evidence = read(
        of_reads(timers(number_of_ranks_not_writing=None, exchange_write=None))
        + timers("b", ranks="writers only", number_of_ranks_writing=None, number_of_ranks_not_writing=None)
    )
    assert [(b.complete, b.trusted, b.total_ticks) for b in evidence.of(MpiioTimers)] == [(True, True, 500000000)] * 2
    assert evidence.problems == ()


def test_the_scale_on_a_line_of_its_own() -> None:
    found = only(
        timers(scale="|   time scale: 1 = 2**3     clock ticks\n|                     min         max         ave")
    )
    assert (found.scale_exponent, found.complete) == (3, True)
    assert {p.label: (p.ticks, p.percent) for p in found.phases} == PHASES


def test_without_percents() -> None:
    text = "\n".join(line[:-4] if line.endswith("%") else line for line in timers().splitlines()) + "\n"
    found = only(text)
    assert {p.label: (p.ticks, p.percent) for p in found.phases} == {k: (v[0], None) for k, v in PHASES.items()}
    assert found.complete


def test_a_full_percent_stands_without_a_blank() -> None:
    found = only(timers(file_write="         0   500000000   500000000100%"))
    assert found.phase("file access") == Phase("file access", Spread(0, 500000000, 500000000), 100, 20)


def test_a_row_with_one_number_has_the_average() -> None:
    found = only(timers(local_compute="                           20000000  4%"))
    assert found.phase("local compute") == Phase("local compute", Spread(None, None, 20000000), 4, 15)


@pytest.mark.parametrize(("text", "code"), [("NA", None), ("nan", "not-a-number"), ("inf", "not-a-number")])
def test_a_rate_over_no_time_is_absent_and_no_loss(text: str, code: str | None) -> None:
    evidence = read(timers(raw_write_BW_MiB_s=text))
    (found,) = evidence.of(MpiioTimers)
    assert (found.raw_bandwidth, found.net_bandwidth) == (None, 2000 * MIB)
    assert [(p.code, p.line, p.loses_data) for p in evidence.problems] == ([(code, 24, False)] if code else [])
    assert found.complete


@pytest.mark.parametrize(
    ("value", "code"),
    [
        ("10000 900000 18446744073709551615  0%", "out-of-range"),
        ("10000 -900000 500000  0%", "out-of-range"),
        ("10000 900000 nan  0%", "not-a-number"),
        ("10000 900,000 500000  0%", "unrecognised-number"),
        ("10000 500000  0%", "unrecognised-number"),
    ],
)
def test_ticks_that_are_not_as_expected(value: str, code: str) -> None:
    evidence = read(timers(imbalance=value))
    assert [(p.code, p.line, p.loses_data) for p in evidence.problems] == [(code, 13, True)]
    (found,) = evidence.of(MpiioTimers)
    assert found.phase("wait for coll") is not None
    spread = found.phase("imbalance")
    assert spread is None or None in (spread.ticks.maximum, spread.ticks.average)


def test_a_percent_that_its_ticks_are_not_is_said() -> None:
    evidence = read(timers(file_write="0   420000000   400000000 44%"))
    assert message(evidence, "note") == '"file access" is printed as 44 % on line 20, which its ticks are not'


def test_an_unknown_phase_is_kept() -> None:
    extra_row = row("quantum wait", "         1           3           2  0%")
    evidence = read(timers(other=row("other", VALUES["other"]) + "\n" + extra_row))
    (found,) = evidence.of(MpiioTimers)
    assert found.phase("quantum wait") == Phase("quantum wait", Spread(1, 3, 2), 0, 22)
    assert [(p.code, p.line, p.loses_data) for p in evidence.problems] == [("unknown-field", 22, False)]
    assert found.complete


def test_statistics_and_times_of_one_file_stand_beside_each_other() -> None:
    evidence = read(block("a") + timers("a") + block("b") + timers("b"))
    assert evidence.reader == "mpich_stats"
    assert evidence.problems == ()
    assert [b.lines for b in evidence.of(MpiioStats)] == [Lines(1, 19), Lines(48, 66)]
    assert [(b.file, b.lines) for b in evidence.of(MpiioTimers)] == [("a", Lines(20, 47)), ("b", Lines(67, 94))]
    assert detect.describe(evidence)[:2] == (
        "MPICH_MPIIO_STATS: 2 blocks of 2 files",
        "MPICH_MPIIO_TIMERS: 2 blocks of 2 files",
    )


def test_a_copy_is_counted_once_and_repeats_are_numbered() -> None:
    evidence = read(timers() + timers() + timers(total="500000001"))
    assert [b.occurrence for b in evidence.of(MpiioTimers)] == [1, 2]
    assert message(evidence, "duplicate-block").startswith("the block at lines 29-56 is byte for byte that of lines 1-")
    of_each = timers_of(timers() + timers(ranks="writers only") + of_reads(timers()))
    assert [b.occurrence for b in of_each] == [1, 1, 1]
