"""Jupyter notebooks: what their cells printed.

Jupyter saves a notebook (nbformat 3 and 4) with a string a line: then each string stays on its line, so that places are
those in the file. Of one that another program wrote, on one line or with a cell's output as one string, places are
those in what its cells printed.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import BinaryIO, Final

from iotriage_parsers.evidence import Failure, Problem
from iotriage_parsers.extraction.extracted_text import ExtractedText, read_whole
from iotriage_parsers.reader import Limits
from iotriage_parsers.temporary_files import temporary_file

MOST_AT_ONCE: Final = 32 * 2**20
"""Bytes of a notebook that is read as one document."""
READ_AS_ONE: Final = Problem("note", "a Jupyter notebook: what its cells printed is read, not their code or their text")
OWN_LINES: Final = Problem("note", f"{READ_AS_ONE.message}; lines are counted in what they printed")

_CELLS: Final = re.compile(rb'"(?:cells|worksheets)"\s*:\s*\[')
_FORMAT: Final = re.compile(rb'"(?:cell_type|nbformat)"\s*:')
_KEY: Final = re.compile(rb'"(outputs|source|input|metadata|cell_type|execution_count)"\s*:')
_STRING: Final = re.compile(rb'"(?:[^"\\]|\\.)*+"')
_ONE_STRING: Final = re.compile(rb'"text(?:/plain)?"\s*:\s*"(?:[^"\\]|\\.)*?\\n')


def is_notebook(head: bytes) -> bool:
    """Whether the first 64 KiB are those of a notebook."""
    return head.lstrip().startswith(b"{") and bool(_CELLS.search(head)) and bool(_FORMAT.search(head))


@contextmanager
def printed(stream: BinaryIO, limits: Limits) -> Iterator[ExtractedText | Failure]:
    """What the cells of the notebook at offset 0 printed, in a file of its own."""
    with temporary_file() as text:
        if _by_lines(stream, text, limits):
            text.seek(0)
            yield ExtractedText(text, READ_AS_ONE)
            return
        text.seek(0)
        text.truncate()
        whole = read_whole(stream, MOST_AT_ONCE)
        outputs = None if whole is None else _outputs(whole)
        if outputs is None:
            what = "a Jupyter notebook that is not as Jupyter saves it, and is cut off, damaged or too long"
            yield Failure("unrecognised", what, "Open it in Jupyter, save it, and give it again; or give the output.")
            return
        text.writelines(part.encode("utf-8", errors="replace") + b"\n" for part in outputs)
        text.seek(0)
        yield ExtractedText(text, OWN_LINES)


def _by_lines(stream: BinaryIO, text: BinaryIO, limits: Limits) -> bool:
    """Writes the strings of outputs at their lines, every other line empty. False where it is not saved so."""
    stream.seek(0)
    in_outputs = False
    number = 0
    while raw := stream.readline(limits.line_bytes):
        number += raw.endswith(b"\n")
        line = raw.strip()
        key = _KEY.match(line)
        if key is not None:
            within = in_outputs and key.group(1) in (b"metadata", b"execution_count")
            in_outputs = key.group(1) == b"outputs" or within
        if in_outputs and _ONE_STRING.match(line):
            return False
        if in_outputs and _STRING.fullmatch(line.removesuffix(b",")):
            text.write(_decode_string(line.removesuffix(b",")))
        if raw.endswith(b"\n"):
            text.write(b"\n")
        elif not number:
            return False
    return True


def _outputs(whole: bytes) -> list[str] | None:
    """The texts of all outputs of a notebook in one document; None where it is none."""
    try:
        book: object = json.loads(whole)
    except (ValueError, RecursionError):
        return None
    cells = _list_of(book, "cells") + [c for sheet in _list_of(book, "worksheets") for c in _list_of(sheet, "cells")]
    return [text for cell in cells for output in _list_of(cell, "outputs") for text in _texts(output)]


def _texts(output: object) -> Iterator[str]:
    data = output.get("data") if isinstance(output, dict) else None
    for holder, key in ((output, "text"), (data, "text/plain")):
        content = holder.get(key) if isinstance(holder, dict) else None
        if isinstance(content, str):
            yield content
        elif isinstance(content, list):
            yield "".join(piece for piece in content if isinstance(piece, str))


def _list_of(holder: object, key: str) -> list[object]:
    found = holder.get(key) if isinstance(holder, dict) else None
    return list(found) if isinstance(found, list) else []


def _decode_string(string: bytes) -> bytes:
    try:
        value = json.loads(string)
    except ValueError:
        return b""
    return value.rstrip("\n").replace("\n", " ").encode("utf-8", errors="replace") if isinstance(value, str) else b""
