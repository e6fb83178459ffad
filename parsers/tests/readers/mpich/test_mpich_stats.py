"""MPICH_MPIIO_STATS blocks: what is read from whole ones, and what is refused from damaged ones."""

from __future__ import annotations

import io
import random

import pytest
from budget import examples
from hypothesis import given, settings
from hypothesis import strategies as st
from interleaved import interleaved
from stats_text import RULE, TRAILER, block, blocks, codes, field, message, read
from timers_text import timers

from iotriage_parsers import detect
from iotriage_parsers.evidence import AggregatorsActive, Failure, Lines, MpiioStats, MpiioTimers


def only(text: str | bytes) -> MpiioStats:
    (found,) = blocks(text)
    return found


def figures(found: MpiioStats) -> tuple[object, ...]:
    """Everything but where it stands."""
    fields = tuple((f.label, f.text, f.number) for f in found.fields)
    return (
        found.direction,
        found.file,
        found.occurrence,
        found.complete,
        found.trusted,
        found.aggregators_active,
        fields,
    )


def test_a_whole_block() -> None:
    found = only("job starts\n" + block())
    assert found.lines == Lines(2, 20)
    assert (found.direction, found.file, found.occurrence) == ("write", "plain.dat", 1)
    assert found.complete
    assert found.trusted
    assert found.independent_accesses == 5
    assert found.collective_accesses == 640
    assert found.independent_accessors == 1
    assert found.aggregators == 10
    assert found.stripe_count == 10
    assert found.stripe_size_bytes == 2097152
    assert found.system_accesses == 1605
    assert found.stripe_sized_accesses == 1600
    assert found.aggregators_active == AggregatorsActive(one=0, low=40, high=100, all=500, n=10)
    assert found.total_bytes == 3355448320
    assert found.average_system_access_bytes == 2090622
    assert found.rmw_count == 3
    assert found.rmw_bytes == 4096
    assert found.gap_count == 2
    assert found.average_gap_bytes == 8192
    assert found.ranks_in_communicator is None
    assert found.line_of("total bytes for accesses") == 13


def test_a_read_block_of_the_newest_layout() -> None:
    lines = [
        RULE,
        "|   pfl comp[0]=  1 x      1M      0M -    10M  w=     0M /     0 (0.000 + 0.000)  r=    10M /    10 (0 + 0)",
        "|   pfl comp total w=     0M /     0 (0.000 + 0.000)  r=    10M /    10 (0.1 + 0.0)",
        RULE,
        "| MPIIO read access patterns for some name: with blanks = and | bars",
        field("ranks in communicator", "16"),
        field("independent reads", "0"),
        field("collective reads", "32"),
        field("independent readers", "0"),
        field("aggregators", "1"),
        field("stripe count", "1"),
        field("stripe size", "1048576"),
        field("system reads", "10"),
        field("stripe sized reads", "9"),
        field("total bytes for reads", "10485000 = 9 MiB"),
        field("ave system read size", "1048500"),
        field("number of read gaps", "0"),
        field("ave read gap size", "NA"),
        RULE,
    ]
    evidence = read("before\n" + "\n".join(lines) + "\nafter\n")
    (found,) = evidence.of(MpiioStats)
    assert evidence.problems == ()
    assert found.lines == Lines(2, 20)
    assert (found.direction, found.file) == ("read", "some name: with blanks = and | bars")
    assert found.complete
    assert found.ranks_in_communicator == 16
    assert found.collective_accesses == 32
    assert found.stripe_sized_accesses == 9
    assert found.total_bytes == 10485000
    assert (found.gap_count, found.average_gap_bytes) == (0, None)
    assert (found.aggregators_active, found.rmw_count) == (None, None)
    assert [c.line for c in found.pfl] == [3, 4]
    assert found.pfl[1].text.startswith("pfl comp total w=")


def test_pfl_lines_belong_to_the_title_below_them() -> None:
    box = f"{RULE}\n|   pfl comp total w= 1M / 1 (0 + 0)  r= 0M / 0 (0 + 0)\n"
    first, second = blocks(block("a") + box + block("b"))
    assert first.pfl == ()
    assert [c.line for c in second.pfl] == [21]


@pytest.mark.parametrize(
    "absent", ["stripe sized writes", "ranks in communicator"], ids=["layout of 2017", "before 8.1.25"]
)
def test_fields_that_not_every_layout_has(absent: str) -> None:
    evidence = read(block(**{absent.replace(" ", "_"): None}))
    assert evidence.problems == ()
    assert evidence.of(MpiioStats)[0].complete


def test_one_aggregator_makes_the_legend_degenerate() -> None:
    found = only(block(aggregators="1", aggregators_active="640,0,0,0 (1, <= 1, > 1, 1)"))
    assert found.aggregators_active == AggregatorsActive(640, 0, 0, 0, 1)
    assert found.aggregators_active.degenerate


def test_absent_is_not_zero_and_not_wrong() -> None:
    evidence = read(block(number_of_write_gaps="0", ave_write_gap_size="NA"))
    assert evidence.of(MpiioStats)[0].average_gap_bytes is None
    assert evidence.problems == ()


@pytest.mark.parametrize(
    ("value", "number", "code", "loses"),
    [
        ("9223372036854775808", None, "out-of-range", True),
        ("-2147483648 = -2048 MiB = -2 GiB", None, "out-of-range", True),
        ("nan", None, "not-a-number", True),
        ("6,442,450,968", None, "unrecognised-number", True),
        ("6.442.450.968", None, "unrecognised-number", True),
        ("6 442 450 968", None, "unrecognised-number", True),
        ("442.450", None, "unrecognised-number", True),  # a count in groups of three, or a fraction
        ("8 = 3", None, "unrecognised-number", True),
        ("3355448320.0", 3355448320, "note", False),
        ("00003355448320", 3355448320, None, False),
    ],
)
def test_numbers_that_are_not_as_expected(value: str, number: int | None, code: str | None, loses: bool) -> None:
    evidence = read(block(total_bytes_for_writes=value))
    (found,) = evidence.of(MpiioStats)
    assert found.total_bytes == number
    assert [(p.code, p.line, p.loses_data) for p in evidence.problems] == ([(code, 12, loses)] if code else [])
    assert next(f.text for f in found.fields if f.label == "total bytes for accesses") == value
    assert found.system_accesses == 1605


def test_an_average_of_nothing_is_no_loss() -> None:
    evidence = read(block(ave_system_write_size="nan"))
    assert evidence.status == "complete"
    assert evidence.of(MpiioStats)[0].average_system_access_bytes is None


@pytest.mark.parametrize(
    "label",
    [
        "stripe_size",
        "total_bytes_for_writes",
        "ave_system_write_size",
        "read_modify_write_bytes",
        "ave_write_gap_size",
    ],
)
def test_every_number_of_bytes_may_be_said_again_in_larger_units(label: str) -> None:
    evidence = read(block(**{label: "39728447488 = 37888 MiB = 37 GiB"}))
    (found,) = evidence.of(MpiioStats)
    assert evidence.problems == ()
    assert 39728447488 in [f.number for f in found.fields]


@pytest.mark.parametrize(
    "text",
    [
        "39728447488\t=\t37888 MiB\t=\t37 GiB",  # tabs for blanks
        "39728447488 = 37888 MiB = 37",  # a mail broke the line
        "39728447488 = 37888 MiB =",
        "39728447488 =",
    ],
)
def test_a_number_of_bytes_stands_though_the_rest_of_its_line_was_changed(text: str) -> None:
    evidence = read(block(total_bytes_for_writes=text))
    assert (evidence.problems, evidence.of(MpiioStats)[0].total_bytes) == ((), 39728447488)


def test_a_count_has_no_larger_units() -> None:
    assert codes(read(block(system_writes="1605 = 1605 MiB"))) == ["unrecognised-number"]
    assert codes(read(block(read_modify_write_bytes="4096 = nothing = 1 GiB"))) == ["unrecognised-number"]


@pytest.mark.parametrize("value", ["0,40,100 (1, <= 5, > 5, 10)", "0,40,-1,500 (1, <= 5, > 5, 10)", "0,40,100,500"])
def test_bins_that_cannot_be_read_are_left_out(value: str) -> None:
    evidence = read(block(aggregators_active=value))
    assert evidence.of(MpiioStats)[0].aggregators_active is None
    assert codes(evidence) == ["unrecognised-number"]


def test_an_unknown_field_is_kept() -> None:
    text = block().replace(TRAILER, field("stripes of the third kind", "12") + "\n" + TRAILER)
    evidence = read(text)
    (found,) = evidence.of(MpiioStats)
    assert (found.fields[-1].label, found.fields[-1].number) == ("stripes of the third kind", 12)
    assert [(p.code, p.line, p.loses_data) for p in evidence.problems] == [("unknown-field", 18, False)]
    assert found.complete


def test_rows_of_another_table_are_no_unknown_fields() -> None:
    rows = "|   data send (*)                  =    7189592   759376475   357649987 47%\n|   a | b = c\n"
    evidence = read(block().replace(TRAILER, rows + TRAILER))
    assert evidence.problems == ()
    assert len(evidence.of(MpiioStats)[0].fields) == 15


def test_a_cut_block_keeps_what_it_has() -> None:
    evidence = read("\n".join(block().splitlines()[:10]) + "\n")
    (found,) = evidence.of(MpiioStats)
    assert (found.complete, found.trusted) == (False, True)
    assert found.stripe_sized_accesses == 1600
    assert (found.total_bytes, found.rmw_count) == (None, None)
    assert codes(evidence) == ["unterminated"]
    assert "not present, which is not 0: aggregators active, total bytes for writes" in message(
        evidence, "unterminated"
    )


def test_a_number_at_the_very_end_may_be_cut() -> None:
    found = only("\n".join(block().splitlines()[:12])[:-20])
    assert found.fields[-1].label == "total bytes for accesses"
    assert found.fields[-1].number is None
    assert found.total_bytes is None


def test_a_block_without_closing_rule_is_whole_if_it_has_all_fields() -> None:
    evidence = read("\n".join(block().splitlines()[:-1]) + "\nsrun: error: nid001: task 5: Killed\n")
    assert evidence.of(MpiioStats)[0].complete
    assert evidence.status == "complete"
    assert codes(evidence) == ["unterminated"]


def test_a_torn_line_loses_its_field_only() -> None:
    evidence = read(block("a").replace(field("collective writes", "640"), "|   collective wri") + block("b"))
    first, second = evidence.of(MpiioStats)
    assert (first.complete, first.trusted, first.collective_accesses, first.aggregators) == (False, True, None, 10)
    assert (second.complete, second.collective_accesses) == (True, 640)
    assert [p.line for p in evidence.problems if p.code == "torn"] == [2, 4]


@pytest.mark.parametrize("at", ["collective wri", "collective writes       = 6", "aggregators             = 1"])
def test_a_block_written_into_the_middle_of_a_line_is_whole(at: str) -> None:
    outer = block("outer")
    cut = outer.index(at) + len(at)
    first, second = blocks(outer[:cut] + block("inner") + outer[cut:])
    assert (first.file, first.complete, first.trusted) == ("outer", False, True)
    assert first.independent_accesses == 5
    assert (second.file, second.complete, second.trusted) == ("inner", True, True)
    assert second.collective_accesses == 640
    torn = first.collective_accesses if at.startswith("coll") else first.aggregators
    assert torn is None


def test_two_blocks_line_by_line_give_no_number() -> None:
    lines = [line for pair in zip(block("a").splitlines(), block("b").splitlines(), strict=True) for line in pair]
    evidence = read("\n".join(lines) + "\n")
    assert [(b.file, b.trusted, b.total_bytes, b.fields) for b in evidence.of(MpiioStats)] == [
        ("a", False, None, ()),
        ("b", False, None, ()),
    ]
    assert message(evidence, "interleaved") == (
        "2 interleaved blocks at lines 1-38: cannot be separated; use srun --output=%t or -u"
    )
    assert evidence.status == "partial"


@given(st.randoms(use_true_random=False), st.integers(2, 4))
@settings(max_examples=examples(10))
def test_however_lines_are_mixed_no_number_goes_to_the_wrong_file(shuffle: random.Random, how_many: int) -> None:
    """The blocks differ in every number, so a number that stands under the wrong file shows."""
    writers = [
        block(f"file{n}", **{label: str(1000 * n + i) for i, label in enumerate(_NUMBERS)}).splitlines()
        for n in range(1, how_many + 1)
    ]
    for found in blocks(interleaved(writers, shuffle, [1, 1, 2, 5, 19])):
        own = int(found.file.removeprefix("file"))
        assert all(f.number is None or int(f.number) // 1000 == own for f in found.fields if found.trusted)


_NUMBERS = (
    "independent_writes",
    "collective_writes",
    "independent_writers",
    "aggregators",
    "stripe_count",
    "stripe_size",
    "system_writes",
    "stripe_sized_writes",
    "total_bytes_for_writes",
    "ave_system_write_size",
    "read_modify_write_count",
    "read_modify_write_bytes",
    "number_of_write_gaps",
    "ave_write_gap_size",
)


def test_a_field_twice_in_one_block_spoils_the_block() -> None:
    evidence = read(block("name = 1 | with a line end\n|   independent writes      = 999999"))
    (found,) = evidence.of(MpiioStats)
    assert (found.trusted, found.independent_accesses, found.collective_accesses) == (False, None, None)
    assert {f.text for f in found.fields if f.label == "independent accesses"} == {"999999"}
    assert "stands on line 3 and on line 4" in message(evidence, "interleaved")


def test_a_line_of_the_other_direction_spoils_the_block() -> None:
    assert not only(block().replace(TRAILER, field("collective reads", "7"))).trusted


def test_a_block_whose_title_is_lost_is_said() -> None:
    evidence = read("\n".join(block().splitlines()[2:]) + "\n" + block("b"))
    assert [b.file for b in evidence.of(MpiioStats)] == ["b"]
    assert evidence.status == "partial"
    assert "line 10 belongs to a block without a title" in message(evidence, "torn")


def test_a_copy_is_counted_once() -> None:
    evidence = read(block() + "noise\n" + block())
    assert len(evidence.parts) == 1
    assert codes(evidence) == ["duplicate-block"]
    assert "lines 21-39 is byte for byte that of lines 1-19" in message(evidence, "duplicate-block")


def test_three_alike_are_three_closes() -> None:
    evidence = read(block() * 3)
    assert [b.occurrence for b in evidence.of(MpiioStats)] == [1, 2, 3]
    assert "3 identical blocks" in message(evidence, "note")


def test_occurrences_are_numbered_by_file_and_direction() -> None:
    text = block("a") + block("b") + block("a", system_writes="7")
    assert [(b.file, b.occurrence) for b in blocks(text)] == [("a", 1), ("b", 1), ("a", 2)]


def test_the_text_of_slides_has_no_box() -> None:
    lines = [
        "MPIIO write access patterns for testFile",
        " independent writes",
        "      = 3",
        *(line.lstrip("| ") for line in block().splitlines()[3:17]),
    ]
    evidence = read("Sample output\n\n" + "\n".join(lines) + "\n```\n")
    (found,) = evidence.of(MpiioStats)
    assert (found.complete, found.independent_accesses, found.collective_accesses) == (True, 3, 640)


def test_prose_about_the_output_is_no_block() -> None:
    text = b"The MPIIO write access patterns for each file are printed.\ntotal bytes for all = 4\n"
    assert isinstance(detect.read(io.BytesIO(text)), Failure)


def test_what_each_close_of_a_file_took_tells_how_often_it_was_closed() -> None:
    """A checkpoint that is written again has the same statistics, and never the same ticks."""
    first, again = block() + timers(), block() + timers(imbalance="     10000      900000      510000  0%")
    evidence = read(first + again)
    assert [b.occurrence for b in evidence.of(MpiioStats)] == [1, 2]
    assert codes(evidence) == []
    # The output of both closes, given twice.
    evidence = read((first + again) * 2)
    assert ([b.occurrence for b in evidence.of(MpiioStats)], len(evidence.of(MpiioTimers))) == ([1, 2], 2)
    assert set(codes(evidence)) == {"duplicate-block"}
    assert len(read(first * 2).of(MpiioStats)) == 1


def test_two_alike_about_one_that_is_there_once_are_two_closes() -> None:
    assert [b.file for b in blocks(block("r") + block("a") + block("r"))] == ["r", "a", "r"]
    # Screens that overlap, and a text that stands twice.
    assert [b.file for b in blocks(block("a") + block("r") + block("b") + block("r") + block("b") + block("c"))] == [
        *"arbc"
    ]
    assert [b.file for b in blocks((block("a") + block("r")) * 2)] == ["a", "r"]


def test_lines_cut_at_a_column_have_no_figures_but_whole_ones() -> None:
    whole, earlier = block("a.h5"), block("earlier.h5")
    numbers = {f.label: f.number for f in only(whole).fields}
    for column in range(34, len(RULE)):
        evidence = read(earlier + "".join(f"{line[:column]}\n" for line in whole.splitlines()))
        found = [part for part in evidence.of(MpiioStats) if part.file != "earlier.h5"]
        assert len(found) == (column > len("| MPIIO write access patterns for a.h5"))
        for part in found:
            read_ones = {f.label: f.number for f in part.fields if f.number is not None}
            assert part.file == "a.h5"
            assert read_ones.items() <= numbers.items()
            assert (part.complete, part.aggregators_active) == (False, None)
        assert "cut-lines" in codes(evidence)
    (found,) = read("".join(f"{line[: len(RULE)]}\n" for line in whole.splitlines())).of(MpiioStats)
    assert {f.label: f.number for f in found.fields} == numbers


def test_rules_without_an_end_cut_nothing_where_lines_go_on_behind_them() -> None:
    whole = block()
    short = whole.replace(RULE, RULE[:40])
    assert figures(only(short)) == figures(only(whole))
