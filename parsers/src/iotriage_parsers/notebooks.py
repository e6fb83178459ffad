"""Jupyter notebooks: what their cells printed, as text of as many lines as the file has, so that places stay right.

A notebook as Jupyter saves it (nbformat 3 and 4) has a string a line. One that was written without line ends is not
read.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import BinaryIO, Final

from iotriage_parsers.evidence import Problem
from iotriage_parsers.reader import Limits
from iotriage_parsers.temporary import temporary_file

READ_AS_ONE: Final = Problem("note", "a Jupyter notebook: what its cells printed is read, not their code or their text")

_CELLS: Final = re.compile(rb'"(?:cells|worksheets)"\s*:\s*\[')
_FORMAT: Final = re.compile(rb'"(?:cell_type|nbformat)"\s*:')
_KEY: Final = re.compile(rb'"(outputs|source|input|metadata|cell_type|execution_count)"\s*:')
_STRING: Final = re.compile(rb'"(?:[^"\\]|\\.)*+"')


def is_notebook(head: bytes) -> bool:
    """Whether the first 64 KiB are those of a notebook."""
    return head.lstrip().startswith(b"{") and bool(_CELLS.search(head)) and bool(_FORMAT.search(head))


@contextmanager
def printed(stream: BinaryIO, limits: Limits) -> Iterator[BinaryIO]:
    """The outputs of the notebook at offset 0, in a file of its own; every other line is empty."""
    stream.seek(0)
    with temporary_file() as text:
        in_outputs = False
        while raw := stream.readline(limits.line_bytes):
            line = raw.strip()
            key = _KEY.match(line)
            if key is not None:
                within = in_outputs and key.group(1) in (b"metadata", b"execution_count")
                in_outputs = key.group(1) == b"outputs" or within
            if in_outputs and _STRING.fullmatch(line.removesuffix(b",")):
                text.write(_said(line.removesuffix(b",")))
            if raw.endswith(b"\n"):
                text.write(b"\n")
        text.seek(0)
        yield text


def _said(string: bytes) -> bytes:
    try:
        value = json.loads(string)
    except ValueError:
        return b""
    return value.rstrip("\n").replace("\n", " ").encode("utf-8", errors="replace") if isinstance(value, str) else b""
