"""Mutants of texts: lines, words, numbers and bytes changed as damage, locales, terminals and liars change them."""

from __future__ import annotations

import random
import re
from typing import Final

_NUMBER: Final = re.compile(rb"-?[0-9]+(?:\.[0-9]+)?")
_INSTEAD: Final = (
    *(b"0", b"-1", b"-4", b"nan", b"-nan", b"inf", b"-inf", b"1e999", b"-1e308", b"1e-320", b"1_000", b"0x10", b""),
    *("١٢".encode(), "１２３".encode(), "²".encode(), b"1,234", b"1.234.567", b"+5", b"--3", b"5-", b"NA", b"****"),
    *(b"9223372036854775807", b"9223372036854775808", b"18446744073709551616", b"4294967296", b"-27262", b"9" * 400),
)
_BETWEEN: Final = (
    b"\0",
    b"\r",
    b"\x1b[31m",
    b"\xff\xfe",
    b"\xc3",
    "\u202e".encode(),
    b"\t",
    b"\x0c",
    b"&amp;",
    b"\x85",
)
_MOST_BYTES: Final = 400_000


def mutant(data: bytes, other: bytes, chance: random.Random) -> bytes:
    """A text made of `data`, some of `other` in it at times."""
    for _ in range(chance.choice((1, 1, 2, 4, 10))):
        data = _changed(data, other, chance)[:_MOST_BYTES]
    return data


def _changed(data: bytes, other: bytes, chance: random.Random) -> bytes:
    way = chance.randrange(12)
    if way < 4:
        return _number(data, chance)
    if way == 4:
        at = chance.randrange(len(data) + 1)
        return data[:at] + chance.choice(_BETWEEN) + data[at:]
    if way == 5:
        return data[: chance.randrange(len(data) + 1)]
    lines = data.splitlines(keepends=True)
    if not lines:
        return data
    at = chance.randrange(len(lines))
    end = min(len(lines), at + chance.choice((1, 1, 2, 5, 20)))
    if way == 6:
        return b"".join(lines[:at] + lines[end:])
    if way == 7:
        return b"".join(lines[:at] + lines[at:end] * chance.choice((2, 2, 10, 1000)) + lines[end:])
    if way == 8:
        words = lines[at].split(b" ")
        chance.shuffle(words)
        return b"".join([*lines[:at], b" ".join(words), *lines[at + 1 :]])
    if way == 9:
        strange = other.splitlines(keepends=True)
        start = chance.randrange(len(strange) + 1)
        return b"".join(lines[:at] + strange[start : start + chance.choice((1, 3, 30))] + lines[at:])
    if way == 10:
        to = chance.randrange(len(lines))
        lines[at], lines[to] = lines[to], lines[at]
        return b"".join(lines)
    return b"".join([*lines[:at], lines[at].rstrip(b"\n"), *lines[at + 1 :]])


def _number(data: bytes, chance: random.Random) -> bytes:
    places = [m.span() for m in _NUMBER.finditer(data, chance.randrange(len(data) + 1))][:200]
    if not places:
        return data
    start, end = chance.choice(places)
    return data[:start] + chance.choice(_INSTEAD) + data[end:]
