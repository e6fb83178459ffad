"""Texts as Python shows the value that holds them."""

from __future__ import annotations

import io
import subprocess

import pytest
from stats_text import block, codes, read

from iotriage_parsers.evidence import MpiioStats
from iotriage_parsers.extraction.python_values import python_texts

TEXT = "it's step 1\n" + block()


@pytest.mark.parametrize(
    "value",
    [
        TEXT.splitlines(),
        TEXT,
        TEXT.encode(),
        {"out": "done", "err": TEXT},
        subprocess.CompletedProcess(["srun", "-n", "4", "./app"], 0, stdout="1\n2\n3\n4\n", stderr=TEXT),
    ],
    ids=["lines", "text", "bytes", "dictionary", "process"],
)
def test_it_is_read_as_the_text(value: object) -> None:
    evidence = read(repr(value) + "\n")
    assert [(p.file, p.total_bytes) for p in evidence.of(MpiioStats)] == [
        (p.file, p.total_bytes) for p in read(TEXT).of(MpiioStats)
    ]
    assert codes(evidence) == ["note"]


def test_a_list_that_is_printed_a_line_each() -> None:
    shown = "[" + ",\n ".join(map(repr, TEXT.splitlines())) + "]"
    assert len(read(shown).of(MpiioStats)) == 1


@pytest.mark.parametrize(
    "text",
    [
        "['a', 'b', 'c'].sort()\n",
        "'a' and 'b' are files\n'c' too\n'd'\n",
        "['a', 'b', 'c",
        "['a']\n",
        "{'jobs': ['a', 'b', 'c', 'd']}\n",
        "'' " * 4 + "|\n",
    ],
)
def test_what_is_no_such_value(text: str) -> None:
    data = text.encode()
    assert python_texts(io.BytesIO(data), data) is None
