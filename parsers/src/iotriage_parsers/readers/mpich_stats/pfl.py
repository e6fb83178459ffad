"""The lines above a block that tell the components of its file's progressive layout, as version 8.1 prints them:

    pfl comp[1]=  4 x      1M     64M -  1024M  w=     0M /     0 (0.000 + 0.000)  r=   960M /   960 (0.208 + 0.000)

Stripes and their size; from where to where in the file; bytes and system calls of writes and of reads.
"""

from __future__ import annotations

import re
from typing import Final

from iotriage_parsers.evidence import PflComponent

_COMPONENT: Final = re.compile(
    r"pfl comp\[\d{1,4}\]=\s*(-?\d{1,6}) x\s+(\d{1,9})([KMG])\s.{3,60}?"
    r"\bw=\s*(\d{1,12})M\s*/.{3,60}?\br=\s*(\d{1,12})M\s*/"
)
_UNITS: Final = {"K": 2**10, "M": 2**20, "G": 2**30}
_MIB: Final = 2**20


def pfl_component(text: str, line: int, end: str = "") -> PflComponent:
    """The line, and of a component's its stripes and bytes. `end` is what was broken off it: within a word, as a
    terminal does, or at a blank, as a mail program does."""
    text, found = next(
        ((joined, found) for joined in (text + end, f"{text} {end}") if (found := _COMPONENT.match(joined))),
        (f"{text} {end}".rstrip(), None),
    )
    if found is None:
        return PflComponent(text, line)
    count, size, unit, written, read = found.groups()
    stripes = int(count)
    return PflComponent(
        text, line, stripes if stripes > 0 else None, int(size) * _UNITS[unit], int(written) * _MIB, int(read) * _MIB
    )
