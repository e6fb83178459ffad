"""Figures that no document can state are absent, and said to be."""

from __future__ import annotations

import json
import math
from dataclasses import asdict, replace
from io import BytesIO
from pathlib import Path

import pytest

from iotriage_parsers.detect import read
from iotriage_parsers.evidence import (
    AggregatorPlacement,
    BenchmarkIteration,
    BenchmarkResult,
    BenchmarkRun,
    Evidence,
    Lines,
    Part,
    PlacedAggregator,
    Problem,
    StripeComponent,
    StripeLayout,
)
from iotriage_parsers.evidence.representable import representable

SAMPLES = Path(__file__).parents[2] / "sample-logs"
RUN = BenchmarkRun("IOR", "text", Lines(1, 9), True, (BenchmarkResult("write", 3, max_bytes_per_s=1e9),), nprocs=4)
TABLE = AggregatorPlacement(
    "/f", (PlacedAggregator(0, 3, "nid1", 4), PlacedAggregator(1, 5, "nid2", 5)), (), Lines(1, 5), True
)


def test_evidence_that_is_representable_is_the_same_object() -> None:
    evidence = Evidence("text", (RUN, TABLE), (Problem("note", "\N{GREEK SMALL LETTER BETA} \N{GRINNING FACE}"),))
    assert representable(evidence) is evidence


@pytest.mark.parametrize("figure", [math.inf, -math.inf, math.nan])
def test_a_number_without_end_is_absent_and_said_to_be(figure: float) -> None:
    rows = (BenchmarkIteration("write", 4, bytes_per_s=figure, seconds=2.5),)
    evidence = representable(Evidence("text", (replace(RUN, results=(BenchmarkResult("write", iterations=rows),)),)))
    assert evidence.of(BenchmarkRun)[0].results[0].iterations == (BenchmarkIteration("write", 4, seconds=2.5),)
    assert evidence.status == "partial"
    assert [(p.code, p.message[:9]) for p in evidence.problems] == [("out-of-range", "1 numbers")]


@pytest.mark.parametrize(("number", "left"), [(2**64, None), (-(2**63) - 1, None), (2**64 - 1, 2**64 - 1)])
def test_a_whole_number_beyond_64_bits_is_absent(number: int, left: int | None) -> None:
    assert representable(Evidence("text", (replace(RUN, nprocs=number),))).of(BenchmarkRun)[0].nprocs == left


def test_a_record_goes_whose_figure_may_not_be_absent() -> None:
    odd = replace(TABLE, aggregators=(TABLE.aggregators[0], replace(TABLE.aggregators[1], rank=10**30)))
    evidence = representable(Evidence("text", (odd,)))
    assert evidence.of(AggregatorPlacement)[0].aggregators == TABLE.aggregators[:1]
    assert evidence.status == "partial"


def test_a_list_of_figures_goes_whole_since_each_has_its_place() -> None:
    component = StripeComponent(3, osts=(1, 10**30, 2))
    layout = StripeLayout("plain", "/f", 1, Lines(1, 3), True, (component,))
    assert representable(Evidence("text", (layout,))).of(StripeLayout)[0].components == ()


def test_half_a_character_is_written_as_its_number() -> None:
    evidence = representable(Evidence("text", (replace(RUN, file="/a\ud800\N{GREEK SMALL LETTER BETA}"),)))
    assert evidence.of(BenchmarkRun)[0].file == "/a\\ud800\N{GREEK SMALL LETTER BETA}"
    assert evidence.status == "complete"
    assert [p.code for p in evidence.problems] == ["encoding"]


@pytest.mark.parametrize("half", ["\\ud800", "\\udfff", "x\\udc80y"])
def test_no_string_of_a_benchmarks_document_becomes_half_a_character(half: str) -> None:
    document = (SAMPLES / "ior/json/ior-own-files.json").read_text()
    strings = [value for value in _strings(json.loads(document)) if value and value.isascii() and '"' not in value]
    for value in dict.fromkeys(strings):
        found = read(BytesIO(document.replace(f'"{value}"', f'"{half}{value}"').encode()))
        # What makes the document IOR's may be what was changed.
        parts = found.parts if isinstance(found, Evidence) else ()
        assert all(_all_texts(part).encode() for part in parts)


def _all_texts(part: Part) -> str:
    """`repr` would escape what is looked for."""
    return json.dumps(asdict(part), ensure_ascii=False)


def _strings(value: object) -> list[str]:
    if isinstance(value, dict):
        return [text for inner in value.values() for text in _strings(inner)]
    if isinstance(value, list):
        return [text for inner in value for text in _strings(inner)]
    return [value] if isinstance(value, str) else []
