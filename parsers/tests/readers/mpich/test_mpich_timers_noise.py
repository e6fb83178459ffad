"""MPICH_MPIIO_TIMERS blocks: what is read from damaged, mixed and decorated ones, and what is refused."""

from __future__ import annotations

import html
import io
import random
from collections.abc import Callable
from dataclasses import replace

import pytest
from budget import dice, examples, tries
from hypothesis import given, settings
from hypothesis import strategies as st
from interleaved import interleaved
from odd_stream import OddStream
from stats_text import block, codes, message, read
from timers_text import RULE, figures, of_reads, only, row, timers, timers_of

from iotriage_parsers import detect
from iotriage_parsers.evidence import Evidence, Failure, MpiioStats, MpiioTimers
from iotriage_parsers.evidence.mpiio_timers import RANKS_NOT_STATED
from iotriage_parsers.reader import Limits
from iotriage_parsers.readers.mpich_timers import reader
from iotriage_parsers.text.scan import scan

MIB = 2**20


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


WITHOUT_TITLE = "\n".join(timers().splitlines()[2:]) + "\n"


def test_a_block_whose_title_is_lost_is_read_without_its_file() -> None:
    evidence = read(WITHOUT_TITLE + timers("b"))
    untitled, titled = evidence.of(MpiioTimers)
    assert (untitled.file, untitled.ranks, untitled.complete, untitled.trusted) == (
        None, "all ranks", False, True,
    )  # fmt: skip
    assert (untitled.direction, untitled.phases, untitled.net_bandwidth) == (
        "write",
        tuple(replace(p, line=p.line - len(WITHOUT_TITLE.splitlines()) - 2) for p in titled.phases),
        titled.net_bandwidth,
    )
    assert "the block at line 1 has no title: whose file it is of is not known" in message(evidence, "torn")


@pytest.mark.parametrize(
    "rows",
    [
        WITHOUT_TITLE.replace("500000000", "400000000"),
        WITHOUT_TITLE.replace(RULE + "\n", "done\n"),
        WITHOUT_TITLE.replace(RULE + "\n", row("raw read BW (MiB/s)", "1.000") + f"\n{RULE}\n"),
        "\n".join([*WITHOUT_TITLE.splitlines()[:9], *WITHOUT_TITLE.splitlines()[8:]]) + "\n",
    ],
    ids=["other percents", "no rule", "a row of reads", "a row twice"],
)
def test_rows_without_a_title_that_may_be_several_blocks_are_not_read(rows: str) -> None:
    evidence = read(rows + timers("b"))
    assert [b.file for b in evidence.of(MpiioTimers)] == ["b"]
    assert "belongs to a block without a title" in message(evidence, "torn")


@pytest.mark.parametrize(("word", "ranks"), [("writers", "writers only"), ("all ranks", "all ranks")])
def test_details_say_whose_times_they_are(word: str, ranks: str) -> None:
    kept = [x for x in WITHOUT_TITLE.splitlines() if "open/close" not in x and "number of" not in x]
    (block,) = read("\n".join(kept) + "\n").of(MpiioTimers)
    assert block.ranks == RANKS_NOT_STATED
    named = f"|| Level 2 details wait for coll\n||   Late arriver among {word} waitforcoll.1 Time = 30000 Rank = 7\n"
    (detailed,) = read("\n".join(kept) + "\n" + named).of(MpiioTimers)
    assert (detailed.ranks, [n.rank for n in detailed.named_ranks]) == (ranks, [7])


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
@settings(max_examples=examples(10))
def test_however_lines_are_mixed_no_number_goes_to_the_wrong_file(
    shuffle: random.Random, how_many: int, reads: bool
) -> None:
    """The numbers of each block have a remainder of their own, so a number that stands under the wrong file shows."""
    writers = []
    for n in range(1, how_many + 1):
        text = timers(f"file{n}", **_marked(n))
        writers.append((of_reads(text) if reads else text).splitlines())
    for found in timers_of(interleaved(writers, shuffle, [1, 1, 2, 5, 14, 28])):
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
@settings(max_examples=examples(10))
def test_noise_around_a_block_changes_nothing_but_line_numbers(
    before: list[str], between: list[str], after: list[str]
) -> None:
    lines = [*before, *timers("a").splitlines(), *between, *timers("b").splitlines(), *after]
    first, second = timers_of("\n".join(lines) + "\n")
    assert [figures(first), figures(second)] == [figures(f) for f in timers_of(timers("a") + timers("b"))]
    assert first.lines.last == len(before) + 28
    assert [p.line for p in first.phases] == list(range(len(before) + 13, len(before) + 22))


@given(st.lists(st.integers(1, 400), min_size=1, max_size=5).map(tuple), st.integers(1, 3000))
@settings(max_examples=examples(10))
def test_how_the_bytes_arrive_changes_nothing(sizes: tuple[int, ...], chunk_bytes: int) -> None:
    text = ("noise " * 9 + "\n") * 30 + timers("a") + each_line(timers("b"), " 4: ") + "noise\n" * 99 + timers("c")
    whole = scan(io.BytesIO(text.encode()), [reader], Limits())
    assert scan(OddStream(text.encode(), sizes), [reader], Limits(), chunk_bytes) == whole


@pytest.mark.fuzz
def test_a_cut_never_changes_a_number() -> None:
    text = timers("a") + timers("b")
    known = {(b.file, figure) for b in timers_of(text) for figure in _all_figures(b)}
    for end in range(200, len(text), tries(23, 7)):
        cut = detect.read(io.BytesIO(text[:end].encode()))
        if isinstance(cut, Evidence):
            assert {(b.file, figure) for b in cut.of(MpiioTimers) for figure in _all_figures(b)} <= known


@pytest.mark.fuzz
def test_damage_is_survived() -> None:
    data = (block("a") + timers("a") + timers("b")).encode()
    chance = dice("timers")
    for _ in range(tries(8, 200)):
        flipped = bytearray(data)
        flipped[chance.randrange(len(data))] ^= 1 << chance.randrange(8)
        assert isinstance(detect.read(io.BytesIO(bytes(flipped))), Evidence | Failure)


def _all_figures(found: MpiioTimers) -> list[tuple[str, object]]:
    named = {
        "active": found.active_ranks,
        "idle": found.idle_ranks,
        "open": found.seconds_of("open/close/trunc time"),
        "scale": found.scale_exponent,
        "total": found.total_ticks,
        "send": found.data_send_bandwidth,
        "raw": found.raw_bandwidth,
        "net": found.net_bandwidth,
    }
    phases = [(p.label, (p.ticks, p.percent)) for p in found.phases]
    return [(label, figure) for label, figure in (*named.items(), *phases) if figure is not None]


@pytest.mark.parametrize("of", [timers, block])
def test_a_title_below_which_a_person_broke_off_is_none_of_the_next_block(of: Callable[[str], str]) -> None:
    title = "\n".join(of("cut").splitlines()[:2])
    evidence = read(f"{title}\n\nsorry, the other one is whole:\n\n{of('whole')}")
    assert [(b.file, b.complete) for b in evidence.parts if isinstance(b, MpiioStats | MpiioTimers)][-1] == (
        "whole",
        True,
    )
    assert "interleaved" not in codes(evidence)
    # Of two writers either may have the rows.
    assert "interleaved" in codes(read(f"{title}\n{of('whole')}"))


def test_lines_cut_at_a_column_have_no_figures_but_whole_ones() -> None:
    whole = timers("a")
    (uncut,) = read(whole).of(MpiioTimers)
    wide = max(map(len, whole.splitlines()))
    for column in range(48, wide):
        evidence = read(timers("b") + "".join(f"{line[:column]}\n" for line in whole.splitlines()))
        assert "cut-lines" in codes(evidence)
        for found in (f for f in evidence.of(MpiioTimers) if f.file != "b"):
            assert not found.complete
            assert found.total_ticks in (None, uncut.total_ticks)
            assert found.net_bandwidth in (None, uncut.net_bandwidth)
            assert {(p.label, p.ticks) for p in found.phases} <= {(p.label, p.ticks) for p in uncut.phases}
            assert {(s.label, s.seconds) for s in found.seconds} <= {(s.label, s.seconds) for s in uncut.seconds}
