"""Hints that OMPIO prints: values by hand, by many ranks, contradicting, cut, and of another."""

from __future__ import annotations

import pytest
from stats_text import REPOSITORY, codes, extra, read

from iotriage_parsers.evidence import Lines, MpiioHints

TEXT = (REPOSITORY / "sample-logs" / "ompio_hints" / "two-files" / "sea-ompio.out.txt").read_text(encoding="utf-8")
FOUND = extra("samples", "found")
FIRST = "/scratch/fjord/auser/out/sea.0001.dat"


def lists(text: str) -> tuple[MpiioHints, ...]:
    return read(text).of(MpiioHints)


def test_the_sample() -> None:
    first, second = lists(TEXT)
    assert codes(read(TEXT)) == []
    assert (first.printed_by, first.file, first.stage, first.complete) == ("ompio", FIRST, "requested", True)
    assert [(h.key, h.value, h.line) for h in first.hints] == [
        ("cb_buffer_size", "33554432", 2),
        ("collective_buffering", "true", 3),
    ]
    assert (first.lines, second.lines) == (Lines(2, 5), Lines(7, 7))
    assert (second.file, [(h.key, h.value) for h in second.hints]) == (
        "/scratch/fjord/auser/out/sea restart.dat",
        [("cb_nodes", "4")],
    )


def test_many_ranks_and_any_number_of_lines_between() -> None:
    noisy = TEXT.replace("[sea] step 2 of 4\n", "[sea] residual 0.1\n" * 5000) + TEXT * 20
    assert [(p.file, [(h.key, h.value) for h in p.hints]) for p in lists(noisy)] == [
        (p.file, [(h.key, h.value) for h in p.hints]) for p in lists(TEXT)
    ]


def test_two_values_for_one_hint_are_not_used() -> None:
    found = lists(TEXT + f"File: {FIRST} info: cb_buffer_size value 1048576 \n")
    assert [p.trusted for p in found] == [False, True]
    assert found[0].hint("cb_buffer_size") is None


def test_a_value_that_was_cut_is_not_read() -> None:
    cut = TEXT[: TEXT.index("value 4 ") + len("value 4")]
    assert codes(read(cut)) == ["torn"]
    assert [p.file for p in lists(cut)] == [FIRST]


def test_a_value_that_a_terminal_broke_at_its_width_is_not_read() -> None:
    row = f"File: {FIRST}{'x' * 13} info: striping value 128"
    text = TEXT + f"{row[:80]}\n{row[80:]} \n"
    assert len(row[:80]) == 80
    assert row[79] != " "
    assert codes(read(text)) == ["torn"]
    assert lists(text) == lists(TEXT)


def test_other_lines_with_these_words_are_none() -> None:
    assert lists(TEXT + "File: sea.dat info: it has no value here at all\nsee File: x info: y value z\n") == lists(TEXT)


@pytest.mark.skipif(FOUND is None, reason="no extra corpora")
def test_the_line_of_a_book() -> None:
    assert FOUND is not None
    (found,) = lists((FOUND / "ompio-info-parsing.txt").read_text(encoding="utf-8"))
    assert (found.file, [(h.key, h.value) for h in found.hints]) == ("example.data", [("collective_buffering", "true")])
