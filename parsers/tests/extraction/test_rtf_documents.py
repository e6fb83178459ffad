"""Texts that an editor saved with their type."""

from __future__ import annotations

import io

import pytest
from stats_text import block, read

from iotriage_parsers.evidence import JobContext, MpiioStats
from iotriage_parsers.extraction.rtf_documents import opened, whole_marks
from iotriage_parsers.reader import Limits

SCRIPT = '#!/bin/bash\n#SBATCH -N 4\nexport A="{x}"\nsrun -n 64 \\\n  ./bin/app\n'
TEXT = f"{block('möwe.dat')}done\n"
EDITORS = {
    "TextEdit": (
        "{\\rtf1\\ansi\\ansicpg1252\\cocoartf2709\n{\\fonttbl\\f0\\fnil\\fcharset0 Menlo-Regular;}\n"
        "{\\colortbl;\\red255\\green255\\blue255;}\n{\\*\\expandedcolortbl;;}\n\\pard\\tx720\n\n\\f0\\fs22 \\cf0 ",
        "\\\n",
    ),
    "WordPad": ("{\\rtf1\\ansi{\\fonttbl{\\f0 Courier New;}}\r\n\\viewkind4\\uc1\\pard\\f0\\fs20 ", "\\par\r\n"),
    "one line": ("{\\rtf1{\\info{\\title | MPIIO write access patterns for x}}{\\b ", "}\\line{\\b "),
}


def saved(text: str, head: str, end: str) -> bytes:
    marks = {"\\": "\\\\", "{": "\\{", "}": "\\}", "\n": end}
    return f"{head}{''.join(marks.get(c, c) for c in text)}}}\n".replace("ö", "\\u246?").encode()


@pytest.mark.parametrize("editor", EDITORS.values(), ids=list(EDITORS))
@pytest.mark.parametrize("limits", [None, Limits(line_bytes=37)])
def test_what_an_editor_saved_is_the_text(editor: tuple[str, str], limits: Limits | None) -> None:
    (stats,) = read(saved(TEXT, *editor)).of(MpiioStats)
    assert stats == read(TEXT).of(MpiioStats)[0]
    script = read(saved(SCRIPT, *editor), limits)
    assert script.of(JobContext) == read(SCRIPT).of(JobContext)
    assert [p.code for p in script.problems] == ["stripped"]


@pytest.mark.parametrize("ahead", range(4))
def test_backslashes_at_the_end_of_a_piece(ahead: int) -> None:
    document = io.BytesIO(b"{\\rtf1 " + b"a" * ahead + b"\\\\" * 100 + b"\\par x}")
    with opened(document, Limits(line_bytes=8)) as text:
        assert text.text.read() == b"a" * ahead + b"\\" * 100 + b"\nx"


@pytest.mark.parametrize(
    ("piece", "whole"),
    [
        (b"ab", 2),
        (b"a\\pa", 1),
        (b"a\\\\", 3),
        (b"a\\\\pa", 5),
        (b"a\\\\\\", 3),
        (b"\\" * 10_000, 10_000),
        (b"\\" * 99, 98),
    ],
)
def test_what_is_kept_for_the_next_piece_is_one_mark(piece: bytes, whole: int) -> None:
    """However many backslashes there are: a document may have nothing else."""
    assert whole_marks(piece) == whole


def test_damage_is_survived() -> None:
    whole = saved(TEXT, *EDITORS["TextEdit"])
    for at in range(0, len(whole), 7):
        read(b"{\\rtf1 " + TEXT.encode().replace(b"\n", b"\\par ") + whole[at:])
