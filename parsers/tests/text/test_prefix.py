"""Prefixes that launchers, logging and mail put before lines."""

from __future__ import annotations

import re

import pytest

from iotriage_parsers.text.prefix import known_prefix, numbered, writer


@pytest.mark.parametrize(
    ("text", "kinds"),
    [
        ("  0: ", ("label",)),
        ("0013: ", ("label",)),
        ("[0] ", ("label",)),
        ("[1,0]<stderr>:", ("label",)),
        ("x3006c0s13b1n0.hsn.cm.polaris.alcf.anl.gov 5: ", ("node", "label")),
        ("2026-11-20T17:00:00 nid001234 [0] ", ("timestamp", "node", "label")),
        ("[2026-11-20 17:00:00.123] ", ("timestamp",)),
        ("Nov 20 17:00:00 nid001234: ", ("timestamp", "label", "node")),
        ("2026-11-20T17:00:00.123456Z 01O ", ("timestamp", "label")),
        ("2026-11-20T17:00:00.123456Z 00E+", ("timestamp", "label")),
        ("> > ", ("quote",)),
        ("> `", ("quote",)),
        ("`", ("quote",)),
    ],
)
def test_known_prefixes(text: str, kinds: tuple[str, ...]) -> None:
    prefix = known_prefix(text)
    assert prefix is not None
    assert prefix.kinds == kinds


@pytest.mark.parametrize("text", ["PE 0: ", "see the ", "|   collective wri", "+-----+", "done. ", "0: " * 100])
def test_what_is_no_prefix(text: str) -> None:
    assert known_prefix(text) is None


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("  0: ", "127: "),
        ("2026-11-20T17:00:00 nid001234 [0] ", "2026-11-20T18:09:59 nid001234 [12] "),
        ("[2026-11-20 17:00:00.123] 3: ", "[2026-11-20 17:00:01.9] 14: "),
    ],
)
def test_a_shape_fits_the_prefixes_of_all_writers(one: str, other: str) -> None:
    prefix = known_prefix(one)
    assert prefix is not None
    assert re.fullmatch(prefix.shape, other)
    assert writer(one) != writer(other)


def test_the_writer_is_the_same_at_any_time() -> None:
    assert writer("2026-11-20T17:00:00 nid001234 [0] ") == writer("2026-11-20T17:01:00 nid001234 [0] ")
    assert writer(" 0: ") == writer("0: ")


@pytest.mark.parametrize(
    ("text", "before", "is_numbered"),
    [
        ("   12\t", ["   11\t| a", "   10\t| a", "    9\tx"], True),
        ("[0012] ", ["[0011] b", "[0010] a", "[0009] x"], True),
        ("12) ", ["11) b", "10) a", "9) x"], True),
        ("2: ", ["1: +-----", "it printed"], True),
        ("3: ", ["2: | c", "1: | d", "0: | a", "step 512"], True),
        ("3: ", ["2: | c", "1: | d", "0: | a", "3: +--", "2: +--"], False),
        ("1: ", ["0: +--", "1: +--"], False),
        ("12: ", ["11: b", "10: a"], False),
        ("63: ", [f"{n}: | b" for n in range(62, 22, -1)], False),
        ("12: ", ["10: b", "9: a", "8: x"], False),
    ],
)
def test_the_number_of_a_line_and_that_of_a_rank(text: str, before: list[str], is_numbered: bool) -> None:
    assert (numbered(text, "| b", before, every=False) is not None) == is_numbered
