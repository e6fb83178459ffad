"""A job's output as Python shows a value that has it: the list of its lines, the text with `\\n` for line ends, what
`subprocess.run` returns. Of texts with lines those alone are read, else the strings of a list, a line each.

Only what is nothing but strings, numbers, names and brackets is such a value.
"""

from __future__ import annotations

import re
from typing import BinaryIO, Final

from iotriage_parsers.evidence import Problem
from iotriage_parsers.extraction.extracted_text import read_whole

MOST_AT_ONCE: Final = 8 * 2**20
LEAST_LINES: Final = 3

_BEGINS: Final = re.compile(r"\s*(?:[\[({]\s*b?['\"]|b?['\"]|[A-Z]\w{2,40}\()")
# `|(?!)`: until Python 3.11.5 a possessive group whose last try failed halfway went on from there.
# https://github.com/python/cpython/issues/106052
_BETWEEN: Final = r"(?:[\s,\[\](){}:]|[A-Za-z_]\w{0,40}[=(]|-?\d[\d.e+-]*+|None|True|False|b(?=['\"])|(?!))*+"
_STRING: Final = r"(?:'((?:[^'\\\n]|\\[^\n])*+)'|\"((?:[^\"\\\n]|\\[^\n])*+)\")"
_VALUE: Final = re.compile(f"{_BETWEEN}(?:{_STRING}{_BETWEEN}|(?!))*+")
_LIST: Final = re.compile(r"\s*[\[(]\s*b?['\"]")
"""Else it is a document of its own, of which the strings are a part."""
_STRINGS: Final = re.compile(_STRING)
_ESCAPE: Final = re.compile(r"\\(?:x([0-9a-fA-F]{2})|u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8})|(.))")
_CONTROLS: Final = {"n": "\n", "t": "\t", "r": "\r"}

OF_PYTHON: Final = Problem(
    "note", "a value as Python shows it: its strings are read as the text, and lines are counted in them"
)


def python_texts(stream: BinaryIO, head: bytes) -> bytes | None:
    """The text that the value at offset 0 holds; None where it is none, or holds no lines."""
    if _BEGINS.match(head[:200].decode("utf-8", errors="replace")) is None:
        return None
    whole = read_whole(stream, MOST_AT_ONCE)
    if whole is None:
        return None
    text = whole.decode("utf-8", errors="replace")
    if _VALUE.fullmatch(text) is None:
        return None
    strings = (single or double for single, double in _STRINGS.findall(text))
    found = [_ESCAPE.sub(_escaped, string) if "\\" in string else string for string in strings]
    lines = [one for one in found if one.count("\n") >= LEAST_LINES]
    if not lines and _LIST.match(text) is not None:
        lines = found
    joined = "".join(one if one.endswith("\n") else f"{one}\n" for one in lines)
    return joined.encode("utf-8", errors="replace") if joined.count("\n") >= LEAST_LINES else None


def _escaped(found: re.Match[str]) -> str:
    number = found[1] or found[2] or found[3]
    if number is None:
        return _CONTROLS.get(found[4], found[4])
    code = int(number, 16)
    return chr(code) if code < 0x110000 else "\ufffd"
