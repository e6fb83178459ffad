"""Notebooks: what their cells printed, at the lines at which it stands."""

from __future__ import annotations

import io
import json

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


def test_a_notebook_without_line_ends_or_cut_is_survived() -> None:
    whole = notebook(block())
    for text in (notebook(block(), indent=None), whole[: len(whole) // 2], whole.replace('\\n",', '\\q",')):
        detect.read(io.BytesIO(text.encode()))
