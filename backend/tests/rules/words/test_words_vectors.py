"""The words of a quantity: the vectors that Python and the page share, and both on numbers that nobody chose."""

from __future__ import annotations

import json
import random
import re
import shutil
import subprocess
from pathlib import Path
from typing import get_args

import pytest

from iotriage.metrics.core.clock import clock_words
from iotriage.metrics.core.metric import Unit
from iotriage.rules.core.words import bounded, exact_quantity, job_hours, quantity, ratio_in_column

VECTORS = json.loads((Path(__file__).parents[2] / "vectors" / "words.json").read_text("utf-8"))
PAGE = Path(__file__).with_name("words_of_the_page.mjs")
UNITS = sorted(get_args(Unit))
THIN = "\u202f"
POWER_OF_TEN = re.compile(r"\de[+-]?\d|10\^")


def named(kind: str):
    vectors = VECTORS[kind]
    return pytest.mark.parametrize("vector", vectors, ids=[" ".join(map(str, v.values())) for v in vectors])


@named("measured")
def test_a_measured_figure(vector):
    assert quantity(vector["value"], vector["unit"]) == vector["words"]


@named("bounded")
def test_a_figure_has_one_bound(vector):
    assert bounded(vector["before"], quantity(vector["value"], vector["unit"])) == vector["words"]


@named("exactly")
def test_a_given_number(vector):
    assert exact_quantity(vector["value"], vector["unit"]) == vector["words"]


@named("ratio_in_column")
def test_a_ratio_in_a_column(vector):
    assert ratio_in_column(vector["value"]) == vector["words"]


@named("job_hours")
def test_what_seconds_of_a_job_cost(vector):
    assert job_hours(vector["seconds"], vector["nprocs"], vector["nnodes"]) == vector["words"]


@named("clock")
def test_when_a_job_began(vector):
    assert clock_words(vector["at"]) == vector["words"]


def test_every_unit_has_vectors():
    assert {v["unit"] for v in VECTORS["measured"]} == set(UNITS)


@pytest.fixture(scope="module")
def numbers():
    """2,000 numbers over 30 powers of ten, half of them beside the borders at which words change."""
    chance = random.Random(20261121)
    of_clocks = [60, 119.5, 3599.5, 3600, 604_770]
    borders = [*of_clocks, 0.01, 0.1, 0.84, 0.995, 0.99, 1, 10, 100, 999.5, 1000, 1024, 1e6, 1e7, 2**20]
    near = [chance.choice(borders) * (1 + chance.uniform(-1, 1) * 10 ** -chance.randint(1, 12)) for _ in range(600)]
    halves = [chance.randint(0, 40_000) / 2 ** chance.randint(0, 12) for _ in range(400)]
    wide = [10 ** chance.uniform(-9, 21) for _ in range(800)]
    whole = [float(chance.randint(0, 2 ** chance.randint(1, 53))) for _ in range(200)]
    return [*near, *halves, *wide, *whole]


def in_python(form: str, a: float, b: object) -> str:
    return (quantity if form == "quantity" else exact_quantity)(a, b)


def asked_of(numbers):
    for number in numbers:
        for unit in UNITS:
            value = number % 1.1 if unit == "share" else number
            yield "quantity", value, unit
            yield "quantity", -value, unit
            yield "exactly", value, unit


@pytest.mark.skipif(shutil.which("node") is None, reason="the page's words need node")
def test_the_page_says_the_same_of_any_number(numbers):
    asked = list(asked_of(numbers))
    said = json.loads(
        subprocess.run(["node", PAGE], input=json.dumps(asked), capture_output=True, check=True, text=True).stdout
    )
    here = [in_python(*each) for each in asked]
    differing = [(each, a, b) for each, a, b in zip(asked, here, said, strict=True) if a != b.replace(THIN, " ")]
    assert differing == []


def test_nothing_is_a_power_of_ten_nor_rounded_to_nothing(numbers):
    for form, value, unit in asked_of(numbers):
        said = in_python(form, value, unit)
        assert not POWER_OF_TEN.search(said), (form, value, unit, said)
        if value != 0:
            assert not re.match(r"-?0(\.0+)?( |$)", said), (form, value, unit, said)


def test_a_part_is_never_said_to_be_the_whole(numbers):
    for number in numbers:
        part = number % 1
        if part < 1 - 1e-12:
            assert quantity(part, "share") != "100 %", part
