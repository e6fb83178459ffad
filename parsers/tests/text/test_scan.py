"""Finding blocks: several kinds in one pass, labels, windows."""

from __future__ import annotations

import io
from collections.abc import Iterable
from dataclasses import replace

from iotriage_parsers.evidence import Problem
from iotriage_parsers.reader import Limits
from iotriage_parsers.text import scan as scanning
from iotriage_parsers.text.blocks import BlockReader, BlockResult, LineResult
from iotriage_parsers.text.lines import Line
from iotriage_parsers.text.scan import scan


class _Collecting:
    """Takes everything up to a line with "end" in it; says what it got, and the line before its first."""

    def __init__(self, name: str, line: Line, before: Iterable[Line]) -> None:
        previous = next(iter(before), None)
        self._got = [f"{name} after {previous.text if previous else 'nothing'}", line.text]
        self._line = line.number

    def feed(self, line: Line) -> LineResult:
        if "noise" in line.text:
            return LineResult.FOREIGN
        if "stop" in line.text:
            return LineResult.OVER
        self._got.append(line.text)
        return LineResult.LAST if "end" in line.text else LineResult.TAKEN

    def close(self) -> BlockResult:
        return BlockResult(problems=(Problem("note", " | ".join(self._got), line=self._line),))


def a_reader(name: str) -> BlockReader:
    def begins(text: str) -> int | None:
        at = text.find(f"begin {name}")
        return None if at < 0 else at

    return BlockReader(
        id=name,
        title=name,
        anchors=(f"begin {name}".encode(),),
        begins=begins,
        start=lambda line, before: _Collecting(name, line, before),
        describe=lambda parts: None,
    )


def said(text: str, *names: str, chunk_bytes: int = 2**20) -> dict[str, list[tuple[int | None, str]]]:
    readers = [a_reader(name) for name in names]
    blocks, _ = scan(io.BytesIO(text.encode()), readers, Limits(), chunk_bytes)
    return {b.reader.id: [(p.line, p.message) for p in b.found.problems] for b in blocks}


def test_several_kinds_are_found_in_one_pass() -> None:
    text = "x\nbegin ants\n1\nnoise\n2\nend\ny\nbegin bees\n3\nend\nbegin ants\nend\n"
    assert said(text, "ants", "bees") == {
        "ants": [(2, "ants after x | begin ants | 1 | 2 | end"), (11, "ants after nothing | begin ants | end")],
        "bees": [(8, "bees after y | begin bees | 3 | end")],
    }


def test_a_block_may_stand_within_another_ones_lines() -> None:
    text = "begin ants\n1\nnoise begin bees\n2\nend\n3\nend\n"
    assert said(text, "ants", "bees") == {
        "ants": [(1, "ants after nothing | begin ants | 1 | 3 | end")],
        "bees": [(3, "bees after nothing | begin bees | 2 | end")],
    }


def test_a_line_after_the_end_may_begin_the_next() -> None:
    assert said("begin ants\n1\nstop begin bees\n2\nend\n", "ants", "bees")["ants"] == [
        (1, "ants after nothing | begin ants | 1")
    ]


def test_writers_are_kept_apart_by_their_labels() -> None:
    text = " 0: begin ants\n11: begin ants\n 0: a\n11: b\n 5: other\n 0: end\n11: end\n"
    assert said(text, "ants") == {
        "ants": [(1, "ants after nothing | begin ants | a | end"), (2, "ants after nothing | begin ants | b | end")]
    }


def test_lines_before_are_those_of_the_same_writer() -> None:
    text = "3: mine\n4: not mine\n3: begin ants\n3: end\n"
    assert said(text, "ants")["ants"] == [(3, "ants after mine | begin ants | end")]


def test_a_block_that_gets_no_line_for_long_is_over() -> None:
    text = "begin ants\n1\n" + "noise\n" * (scanning.PATIENCE_LINES + 1) + "2\nend\n"
    assert said(text, "ants")["ants"] == [(1, "ants after nothing | begin ants | 1")]


def test_a_writer_that_falls_silent_does_not_hold_the_pass_up() -> None:
    text = "0: begin ants\n0: 1\n" + "5: other\n" * (scanning.PATIENCE_ALL_LINES + 2000) + "0: 2\n0: end\n"
    assert said(text, "ants")["ants"] == [(1, "ants after nothing | begin ants | 1")]


def test_where_chunks_end_changes_nothing() -> None:
    text = "noise\n" * 50 + "begin ants\n" + "1\nnoise\n" * 30 + "end\n" + "more\n" * 60 + "begin bees\nend\n"
    whole = said(text, "ants", "bees")
    assert [line for line, _ in whole["bees"]] == [173]
    for chunk_bytes in (1, 7, 64, 100):
        assert said(text, "ants", "bees", chunk_bytes=chunk_bytes) == whole


def test_problems_of_one_kind_are_counted_when_there_are_many() -> None:
    found = said("begin ants\nend\n" * 120, "ants")["ants"]
    assert len(found) == scanning.MOST_PROBLEMS_OF_A_KIND + 1
    assert found[-1][1] == "and 70 more of this kind"


def test_there_is_a_limit_to_blocks_and_it_is_said(monkeypatch) -> None:
    monkeypatch.setattr(scanning, "MOST_BLOCKS", 3)
    blocks, problems = scan(io.BytesIO(b"begin ants\nend\n" * 5), [a_reader("ants")], Limits())
    assert len(blocks[0].found.problems) == 3
    assert [(p.code, p.line, p.loses_data) for p in problems] == [("limit", 7, True)]


def test_a_format_may_have_a_lower_limit_which_ends_no_other() -> None:
    few = replace(a_reader("ants"), most_blocks=2)
    blocks, problems = scan(io.BytesIO(b"begin ants\nend\nbegin bees\nend\n" * 5), [few, a_reader("bees")], Limits())
    assert [len(found.found.problems) for found in blocks] == [2, 5]
    assert [(p.code, p.line, p.loses_data) for p in problems] == [("limit", 9, True)]
    assert problems[0].message == f"more than 2 blocks of {few.title}: those from line 9 on were not read"


def test_blocks_that_are_open_side_by_side_are_bounded(monkeypatch) -> None:
    monkeypatch.setattr(scanning, "MOST_OPEN", 2)
    asked: list[str] = []

    class Unfed(_Collecting):
        def feed(self, line: Line) -> LineResult:
            asked.append(line.text)
            return LineResult.FOREIGN

    begun = replace(a_reader("ants"), start=lambda line, before: Unfed("ants", line, before))
    text = "begin ants\n" * 10 + "noise\n"
    (blocks,), _ = scan(io.BytesIO(text.encode()), [begun], Limits())
    assert len(blocks.found.problems) == 10
    # Each line is asked of two at most.
    assert asked.count("noise") == 2
    assert len(asked) == 1 + 2 * 8 + 2


def test_what_somebody_wrote_behind_a_line_with_an_arrow_is_no_part_of_it() -> None:
    text = "begin ants\nrow  <-- this one\nrow 2   <===\na <- b\nx <--> y\nif (a <= b)\nend <-- here\n"
    assert said(text, "ants")["ants"][0][1].endswith("begin ants | row | row 2 | a <- b | x <--> y | if (a <= b) | end")
    _, problems = scan(io.BytesIO(text.encode()), [a_reader("ants")], Limits())
    assert [p.message for p in problems] == ['remarks ("<-- …") removed from 3 lines, first on line 2']


def test_a_line_in_bold_type_is_what_stands_between_the_marks() -> None:
    text = "begin ants\n**row**\n  **  row 2  **\n*** JOB 12 ***\na ** b ** c\n****\nend\n"
    assert said(text, "ants")["ants"][0][1].endswith(
        "begin ants | row |     row 2   | *** JOB 12 *** | a ** b ** c | **** | end"
    )
