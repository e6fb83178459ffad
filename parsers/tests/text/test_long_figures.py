"""A figure that is longer than any can be, as where two are printed over one another, or that goes on behind a
separator of thousands, is absent: neither its first digits nor its last ones are what the program printed."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import fields, is_dataclass
from io import BytesIO
from typing import Final

import pytest
from budget import dice, tries
from stats_text import REPOSITORY

from iotriage_parsers.detect import read
from iotriage_parsers.evidence import Evidence

SAMPLES: Final = REPOSITORY / "sample-logs"
LARGEST: Final = 20_000
TEXTS: Final = {
    str(path.relative_to(SAMPLES)): path.read_text(encoding="utf-8")
    for path in sorted(SAMPLES.glob("*/*/*"))
    if path.suffix in (".txt", ".out", ".log", ".err", ".sh") and path.stat().st_size <= LARGEST
}
FIGURE: Final = re.compile(r"(?<![\w.,:/-])\d{1,12}(?![\w.,:/-])")
MANY: Final = "86420975318642097531864209753186420975"
IN_THOUSANDS: Final = ("97531,864,208", "97531'864'208")


def _figures(value: object) -> Iterator[str]:
    """All whole numbers that were read, as digits."""
    if isinstance(value, bool | float):
        yield f"{value:.0f}"
    elif isinstance(value, int):
        yield str(value)
    elif isinstance(value, tuple):
        for item in value:
            yield from _figures(item)
    elif is_dataclass(value):
        for field in fields(value):
            yield from _figures(getattr(value, field.name))


def _read(text: str) -> frozenset[str]:
    found = read(BytesIO(text.encode()))
    return frozenset(_figures(found.parts)) if isinstance(found, Evidence) else frozenset()


@pytest.mark.fuzz
@pytest.mark.parametrize("name", sorted(TEXTS))
def test_no_part_of_a_figure_is_read_for_it(name: str) -> None:
    text, chance = TEXTS[name], dice(name)
    whole = _read(text)
    places = [found.span() for found in FIGURE.finditer(text)]
    for start, end in chance.sample(places, min(len(places), tries(2, 20))):
        figure = text[start:end]
        for longer in (MANY + figure, figure + MANY, *IN_THOUSANDS):
            digits = re.sub(r"\D", "", longer)
            new = _read(text[:start] + longer + text[end:]) - whole
            parts = [number for number in new if len(number) > 2 and number != digits and number in digits]
            assert parts == [], (longer, start)
