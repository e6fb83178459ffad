"""Notebooks: what their cells printed, at the lines at which it stands."""

from __future__ import annotations

import io
import json

import pytest
from stats_text import block, read

from iotriage_parsers import detect
from iotriage_parsers.evidence import Failure, Lines, MpiioStats


def notebook(printed: str, code: str = "!cat job.err\n", indent: int | None = 1) -> str:
    cell = {
        "cell_type": "code",
        "execution_count": 3,
        "metadata": {},
        "outputs": [{"name": "stdout", "output_type": "stream", "text": printed.splitlines(keepends=True)}],
        "source": code.splitlines(keepends=True),
    }
    text = {"cell_type": "markdown", "metadata": {}, "source": block("in-markdown").splitlines(keepends=True)}
    book = {"cells": [text, cell], "metadata": {}, "nbformat": 4, "nbformat_minor": 5}
    return json.dumps(book, indent=indent)


def test_what_a_cell_printed_is_read_at_its_lines() -> None:
    text = notebook("step 1\n" + block("run/out.dat"))
    evidence = read(text)
    (found,) = evidence.of(MpiioStats)
    lines = text.splitlines()
    assert found.file == "run/out.dat"
    assert found.complete
    assert "run/out.dat" in lines[found.lines.first]
    assert found.lines == Lines(found.lines.first, found.lines.first + len(block().splitlines()) - 1)
    assert [(p.code, p.loses_data) for p in evidence.problems] == [("note", False)]


def test_code_and_markdown_are_not_what_ran() -> None:
    found = detect.read(io.BytesIO(notebook("nothing\n", code=block("in-code")).encode()))
    assert isinstance(found, Failure)


def as_one_string(text: str, indent: int | None) -> str:
    book = json.loads(text)
    for cell in book["cells"]:
        for output in cell.get("outputs", ()):
            output["text"] = "".join(output["text"])
    return json.dumps(book, indent=indent)


@pytest.mark.parametrize("one_string", [True, False])
@pytest.mark.parametrize("indent", [None, 1])
def test_however_a_program_wrote_the_notebook(one_string: bool, indent: int | None) -> None:
    printed = "step 1\n" + block("run/out.dat")
    text = as_one_string(notebook(printed), indent) if one_string else notebook(printed, indent=indent)
    evidence = read(text)
    (found,) = evidence.of(MpiioStats)
    assert (found.file, found.complete) == ("run/out.dat", True)
    (note,) = evidence.problems
    assert (note.code, note.loses_data) == ("note", False)
    if one_string or indent is None:
        assert "lines are counted in what they printed" in note.message
        assert found.lines.first == read(printed).of(MpiioStats)[0].lines.first


def test_what_a_cell_displayed_is_read() -> None:
    book = json.loads(notebook(""))
    book["cells"][1]["outputs"] = [{"output_type": "execute_result", "data": {"text/plain": block("run/out.dat")}}]
    (found,) = read(json.dumps(book)).of(MpiioStats)
    assert found.file == "run/out.dat"


def test_a_notebook_that_is_cut_is_survived_and_on_one_line_refused() -> None:
    whole = notebook(block())
    for text in (whole[: len(whole) // 2], whole.replace('\\n",', '\\q",')):
        detect.read(io.BytesIO(text.encode()))
    cut = detect.read(io.BytesIO(notebook(block(), indent=None)[:-40].encode()))
    assert isinstance(cut, Failure)
    assert "notebook" in cut.message
    assert "save it" in cut.next_step
