"""MPICH_MPIIO_TIMERS blocks: what is read from whole ones, and what is refused from damaged ones."""

from __future__ import annotations

import html
import io
import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from stats_text import OddStream, block, codes, extra, message, read
from timers_text import RULE, VALUES, of_reads, row, timers, timers_of

from iotriage_parsers import detect
from iotriage_parsers.evidence import Evidence, Failure, Lines, MpiioStats, MpiioTimers, Phase, Spread
from iotriage_parsers.reader import Limits
from iotriage_parsers.readers.mpich_timers import reader
from iotriage_parsers.text.scan import scan

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


def only(text: str | bytes) -> MpiioTimers:
    (found,) = timers_of(text)
    return found


def figures(found: MpiioTimers) -> tuple[object, ...]:
    """Everything but where it stands."""
    return (
        found.direction,
        found.ranks,
        found.file,
        found.complete,
        found.trusted,
        (found.active_ranks, found.idle_ranks, found.open_close_trunc_s, found.scale_exponent, found.total_ticks),
        tuple((p.label, p.ticks, p.percent) for p in found.phases),
        (found.data_send_bandwidth, found.raw_bandwidth, found.net_bandwidth),
        tuple((r.label, r.text) for r in found.rows),
    )


def test_a_whole_block() -> None:
    evidence = read("job starts\n" + timers())
    (found,) = evidence.of(MpiioTimers)
    assert evidence.problems == ()
    assert evidence.reader == "mpich_timers"
    assert found.lines == Lines(2, 29)
    assert (found.direction, found.ranks, found.file, found.occurrence) == ("write", "all ranks", "plain.dat", 1)
    assert (found.complete, found.trusted) == (True, True)
    assert (found.active_ranks, found.idle_ranks) == (4, 60)
    assert found.open_close_trunc_s == Spread(0.01, 0.05, 0.02)
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
    assert found.open_close_trunc_s == Spread(0.01, 0.05, 0.02)
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


def test_a_cut_block_keeps_what_it_has() -> None:
    evidence = read("\n".join(timers().splitlines()[:16]) + "\n")
    (found,) = evidence.of(MpiioTimers)
    assert (found.complete, found.trusted, found.total_ticks) == (False, True, 500000000)
    assert [p.label for p in found.phases] == ["imbalance", "open/close/trunc", "local compute", "wait for coll"]
    assert (found.net_bandwidth, evidence.status) == (None, "partial")
    assert "not present, which is not 0: collective, exchange/write, data send, file write and 4 more" in message(
        evidence, "unterminated"
    )


def test_a_number_at_the_very_end_may_be_cut() -> None:
    found = only("\n".join(timers().splitlines()[:11])[:-3])
    assert found.total_ticks is None


def test_a_block_without_closing_rule_is_whole_if_it_has_all_rows() -> None:
    evidence = read("\n".join(timers().splitlines()[:-1]) + "\nsrun: error: nid001: task 5: Killed\n" + timers("b"))
    assert [(b.file, b.complete, b.trusted) for b in evidence.of(MpiioTimers)] == [
        ("plain.dat", True, True),
        ("b", True, True),
    ]
    assert evidence.status == "complete"


def test_a_block_cut_by_the_next_one() -> None:
    cut = "\n".join(timers("a").splitlines()[:14]) + "\n"
    evidence = read(cut + timers("b"))
    first, second = evidence.of(MpiioTimers)
    assert (first.file, first.complete, first.trusted, len(first.phases)) == ("a", False, True, 2)
    assert (second.file, second.complete, second.trusted) == ("b", True, True)
    assert evidence.status == "partial"


@pytest.mark.parametrize("at", ["local comp", "local compute                  =    2000000", "total"])
def test_a_block_written_into_the_middle_of_a_line_is_whole(at: str) -> None:
    outer = timers("outer")
    cut = outer.index(at) + len(at)
    first, second = timers_of(outer[:cut] + timers("inner") + outer[cut:])
    assert (first.file, first.complete, first.trusted, first.active_ranks) == ("outer", False, True, 4)
    assert (second.file, second.complete, second.trusted, second.total_ticks) == ("inner", True, True, 500000000)
    assert first.phase("local compute") is None


def test_two_blocks_line_by_line_give_no_number() -> None:
    lines = [line for pair in zip(timers("a").splitlines(), timers("b").splitlines(), strict=True) for line in pair]
    evidence = read("\n".join(lines) + "\n")
    assert [(b.file, b.trusted, b.total_ticks, b.phases) for b in evidence.of(MpiioTimers)] == [
        ("a", False, None, ()),
        ("b", False, None, ()),
    ]
    assert "2 interleaved blocks of times at lines 1-56: cannot be separated" in message(evidence, "interleaved")


def test_a_row_twice_in_one_block_spoils_the_block() -> None:
    evidence = read(timers("name | with a line end\n" + row("total", "1")))
    (found,) = evidence.of(MpiioTimers)
    assert (found.trusted, found.total_ticks, found.phases) == (False, None, ())
    assert "stands on line 3 and on line 12" in message(evidence, "interleaved")


def test_a_row_of_the_other_direction_spoils_the_block() -> None:
    assert not only(timers(other=row("raw read BW (MiB/s)", "1.000"))).trusted


def test_a_block_whose_title_is_lost_is_said() -> None:
    evidence = read("\n".join(timers().splitlines()[2:]) + "\n" + timers("b"))
    assert [b.file for b in evidence.of(MpiioTimers)] == ["b"]
    assert "line 7 belongs to a block without a title" in message(evidence, "torn")


def test_prose_about_the_output_is_no_block() -> None:
    text = (
        b"MPIIO write by phases, all ranks, for each file: see the manual.\ntotal = 3\nand the time scale: 1 = 2**4\n"
    )
    assert isinstance(detect.read(io.BytesIO(text)), Failure)


def each_line(text: str, before: str, after: str = "") -> str:
    return "".join(f"{before}{line}{after}\n" for line in text.splitlines())


@pytest.mark.parametrize(
    ("text", "problems"),
    [
        (timers().replace("\n", "\r\n"), []),
        (each_line(timers(), "    "), []),
        (each_line(timers(), "  0: "), ["stripped"]),
        (each_line(timers(), "> "), ["stripped"]),
        (each_line(timers(), "> `", "`  "), ["stripped"]),
        (each_line(timers(), "job.err| "), ["stripped"]),
        (each_line(timers(), "\x1b[31m", "\x1b[0m"), ["stripped"]),
        (html.escape(timers()).replace("+", "&#43;"), ["stripped"]),
        ("<pre><code>" + timers().rstrip() + "</code></pre>\n", []),
    ],
    ids=["crlf", "indented", "label", "quoted", "quoted code", "prefix", "colours", "html", "in a page"],
)
def test_the_same_block_in_other_clothes(text: str, problems: list[str]) -> None:
    evidence = read("noise\n" + text + "noise\n")
    (found,) = evidence.of(MpiioTimers)
    assert figures(found) == figures(only(timers()))
    assert (found.lines.first, found.lines.last) == (2, 29) or "<pre>" in text
    assert codes(evidence) == problems


def test_ranks_are_told_apart_by_their_labels() -> None:
    one, other = (timers(f"{n}.dat", total=f"50000000{n}").splitlines() for n in (5, 6))
    lines = [f"{label}: {line}" for pair in zip(one, other, strict=True) for label, line in zip((3, 117), pair)]  # noqa: B905
    found = timers_of("\n".join(lines) + "\n")
    assert [(b.file, b.total_ticks, b.complete) for b in found] == [
        ("5.dat", 500000005, True),
        ("6.dat", 500000006, True),
    ]


@given(st.randoms(use_true_random=False), st.integers(2, 4), st.booleans())
@settings(max_examples=200)
def test_however_lines_are_mixed_no_number_goes_to_the_wrong_file(
    shuffle: random.Random, how_many: int, reads: bool
) -> None:
    """The numbers of each block have a remainder of their own, so a number that stands under the wrong file shows."""
    writers = []
    for n in range(1, how_many + 1):
        text = timers(f"file{n}", **_marked(n))
        writers.append((of_reads(text) if reads else text).splitlines())
    mixed: list[str] = []
    while any(writers):
        writer = shuffle.choice([w for w in writers if w])
        for _ in range(shuffle.choice([1, 1, 2, 5, 14, 28])):
            if writer:
                mixed.append(writer.pop(0))
    for found in timers_of("\n".join(mixed) + "\n"):
        own = int(found.file.removeprefix("file"))
        numbers = [found.active_ranks, found.idle_ranks, found.total_ticks, *(p.ticks.average for p in found.phases)]
        rates = (found.data_send_bandwidth, found.raw_bandwidth, found.net_bandwidth)
        numbers += [None if r is None else r / MIB for r in rates]
        assert all(n is None or n % 7 == own for n in numbers)
        assert found.trusted or all(n is None for n in numbers)


def _marked(n: int) -> dict[str, str]:
    """Numbers that leave `n` when divided by 7, and percents that differ from block to block."""
    single = ("number_of_ranks_writing", "number_of_ranks_not_writing")
    rates = ("data_send_BW_MiB_s", "raw_write_BW_MiB_s", "net_write_BW_MiB_s")
    phases = ("imbalance", "open_close_trunc", "local_compute", "wait_for_coll", "collective", "exchange_write")
    return {
        "total": str(700_000 + n),
        **{label: str(70 + n) for label in (*single, *rates)},
        **dict.fromkeys((*phases, "data_send", "file_write"), f"0 {140000 * n + n} {140000 * n + n} {20 * n}%"),
        "other": f"0 {140_000 * n + n} {140_000 * n + n} {20 * n}%",
    }


NOISE = st.lists(
    st.sampled_from(
        [
            "step 12  residual = 1.2e-5",
            "+-------------------------------+----------------------+----------------------+",
            "+--------------------------------------------------------+",
            RULE,
            "| N/A   29C    P0    54W / 400W |      0MiB / 40960MiB |      0%      Default |",
            "|   |-> 2.86e+02 sec 91.2% 0.0% 0.8% 0.1% 0.00e+00 1 PHDF5::WriteOutputFileRealPrec [region]",
            "|",
            "PE 0: MPIIO hints for a.dat:",
            "",
            "0: 0",
            "> quoted",
            "10%\r20%\r30%",
            "| a | table | of | something = else |",
            "total = 3",
        ]
    ),
    max_size=40,
)


@given(NOISE, NOISE, NOISE)
@settings(max_examples=150)
def test_noise_around_a_block_changes_nothing_but_line_numbers(
    before: list[str], between: list[str], after: list[str]
) -> None:
    lines = [*before, *timers("a").splitlines(), *between, *timers("b").splitlines(), *after]
    first, second = timers_of("\n".join(lines) + "\n")
    assert [figures(first), figures(second)] == [figures(f) for f in timers_of(timers("a") + timers("b"))]
    assert first.lines.last == len(before) + 28
    assert [p.line for p in first.phases] == list(range(len(before) + 13, len(before) + 22))


@given(st.lists(st.integers(1, 400), min_size=1, max_size=5).map(tuple), st.integers(1, 3000))
@settings(max_examples=40)
def test_how_the_bytes_arrive_changes_nothing(sizes: tuple[int, ...], chunk_bytes: int) -> None:
    text = ("noise " * 9 + "\n") * 30 + timers("a") + each_line(timers("b"), " 4: ") + "noise\n" * 99 + timers("c")
    whole = scan(io.BytesIO(text.encode()), [reader], Limits())
    assert scan(OddStream(text.encode(), sizes), [reader], Limits(), chunk_bytes) == whole


def test_a_cut_never_changes_a_number() -> None:
    text = timers("a") + timers("b")
    known = {(b.file, figure) for b in timers_of(text) for figure in _all_figures(b)}
    for end in range(200, len(text), 7):
        cut = detect.read(io.BytesIO(text[:end].encode()))
        if isinstance(cut, Evidence):
            assert {(b.file, figure) for b in cut.of(MpiioTimers) for figure in _all_figures(b)} <= known


def test_damage_is_survived() -> None:
    data = (block("a") + timers("a") + timers("b")).encode()
    chance = random.Random("timers")
    for _ in range(150):
        flipped = bytearray(data)
        flipped[chance.randrange(len(data))] ^= 1 << chance.randrange(8)
        assert isinstance(detect.read(io.BytesIO(bytes(flipped))), Evidence | Failure)


def _all_figures(found: MpiioTimers) -> list[tuple[str, object]]:
    named = {
        "active": found.active_ranks,
        "idle": found.idle_ranks,
        "open": found.open_close_trunc_s,
        "scale": found.scale_exponent,
        "total": found.total_ticks,
        "send": found.data_send_bandwidth,
        "raw": found.raw_bandwidth,
        "net": found.net_bandwidth,
    }
    phases = [(p.label, (p.ticks, p.percent)) for p in found.phases]
    return [(label, figure) for label, figure in (*named.items(), *phases) if figure is not None]


PUBLIC = extra("samples", "mpiio")
SEEDS = extra("seeds")


@pytest.mark.skipif(PUBLIC is None, reason="no extra corpora")
@pytest.mark.parametrize("name", ["02-stats1-timers1-write-sisu-xc40.txt", "04-html-escaped-stats-timers-sisu.txt"])
def test_the_public_block_of_2017(name: str) -> None:
    assert PUBLIC is not None
    evidence = read((PUBLIC / name).read_bytes())
    (found,) = evidence.of(MpiioTimers)
    assert (found.direction, found.ranks, found.file) == ("write", "all ranks", "large-cube-SPIN_DENSITY-1_0.cube")
    assert (found.complete, found.trusted, found.lines) == (True, True, Lines(19, 46))
    assert (found.active_ranks, found.idle_ranks, found.open_close_trunc_s) == (1, 191, Spread(0, 0, 0))
    assert (found.scale_exponent, found.total_ticks) == (4, 760329267)
    assert {p.label: (p.ticks.minimum, p.ticks.maximum, p.ticks.average, p.percent) for p in found.phases} == {
        "imbalance": (1923, 2566, 2346, 0),
        "open/close/trunc": (247135, 302731, 251846, 0),
        "local compute": (92757, 213092, 97163, 0),
        "wait for coll": (14746, 752303980, 398433146, 52),
        "collective": (28706, 35441, 30597, 0),
        "exchange": (373415, 2146029, 398483, 0),
        "data send": (7189592, 759376475, 357649987, 47),
        "file access": (0, 656363834, 656363834, 86),
        "other": (5582, 48380, 47134, 0),
    }
    assert (found.data_send_bandwidth, found.raw_bandwidth, found.net_bandwidth) == (
        pytest.approx(1899.597 * MIB),
        pytest.approx(1035.084 * MIB),
        pytest.approx(893.550 * MIB),
    )
    assert evidence.of(MpiioStats)[0].total_bytes == 4382277718


@pytest.mark.skipif(SEEDS is None, reason="no extra corpora")
def test_the_text_of_the_theta_slides() -> None:
    """Labels and numbers stand on lines of their own, two numbers before their label; two rows have no number."""
    assert SEEDS is not None
    (path,) = SEEDS.glob("002_*.txt")
    (found,) = timers_of(path.read_bytes())
    assert (found.file, found.active_ranks, found.idle_ranks) == ("testFile", None, 4048)
    assert (found.complete, found.trusted) == (False, True)
    assert (found.scale_exponent, found.total_ticks) == (1, 515639319)
    assert {p.label: (p.ticks.minimum, p.ticks.maximum, p.ticks.average, p.percent) for p in found.phases} == {
        "imbalance": (70473, 4113200, 4038142, 0),
        "open/close/trunc": (20449942, 21682440, 20547164, 3),
        "local compute": (1264081, 72814196, 7986327, 1),
        "wait for coll": (342868, 469936675, 261193401, 50),
        "collective": (5040048, 7905176, 6537893, 1),
        "exchange": (2857647, 32294255, 3413887, 0),
        "data send": (6250725, 403979537, 205475108, 39),
        "file access": (0, 235316380, 226898464, 44),
        "other": (49224, 5699284, 3788427, 0),
    }
    assert (found.data_send_bandwidth, found.raw_bandwidth, found.net_bandwidth) == (
        pytest.approx(12967.254 * MIB),
        pytest.approx(11742.909 * MIB),
        pytest.approx(5167.271 * MIB),
    )


SLIDE = """\
 number of ranks writing = 4
 total
                      = 10000 900000
 imbalance
                                    500000 0%
 wait for coll = 30000 300000000
                                   200000000 40%
 file write
               = 0 420000000 400000000 80%
 raw write BW (MiB/s)
                    2500.000
                    2000.000
 net write BW (MiB/s)
(*) send and write overlap when number ranks != number of writers
"""


def slide(text: str) -> MpiioTimers:
    return only("MPIIO write by phases, all ranks, for testFile\n" + text)


def test_numbers_on_lines_of_their_own_are_put_in_order() -> None:
    found = slide(SLIDE.replace(" total\n", " 500000000\n total\n"))
    assert (found.active_ranks, found.total_ticks) == (4, 500000000)
    assert [(p.label, p.percent) for p in found.phases] == [
        ("imbalance", 0),
        ("wait for coll", 40),
        ("file access", 80),
    ]
    assert (found.raw_bandwidth, found.net_bandwidth) == (2500 * MIB, 2000 * MIB)


@pytest.mark.parametrize(
    ("damage", "label"),
    [
        ((" 400000000 80%", " 400000000 44%"), "file access"),
        (("30000 300000000\n", "300000000 30000\n"), "wait for coll"),
    ],
)
def test_an_order_that_the_figures_do_not_confirm_is_not_believed(damage: tuple[str, str], label: str) -> None:
    found = slide(SLIDE.replace(" total\n", " 500000000\n total\n").replace(*damage))
    assert found.phase(label) is None
    assert not found.complete


def test_bandwidths_in_the_wrong_order_are_left_out() -> None:
    swapped = SLIDE.replace("2500.000", "x").replace("2000.000", "2500.000").replace("x", "2000.000")
    found = slide(swapped.replace(" total\n", " 500000000\n total\n"))
    assert (found.raw_bandwidth, found.net_bandwidth) == (None, None)
