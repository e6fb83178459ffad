"""Mutants of every format: each gets an answer, and none is called complete where a second decoder disagrees."""

from __future__ import annotations

import io

import pytest
from budget import SEED, tries
from mutants.drawn import FAMILIES, Family, mutant
from mutants.judged import answer_of, second_opinion

from iotriage_parsers import detect
from iotriage_parsers.evidence import Archive, Evidence, Failure


@pytest.mark.fuzz
@pytest.mark.parametrize("family", FAMILIES)
def test_a_mutant_is_answered_and_never_called_complete_where_it_is_not(family: Family) -> None:
    for i in range(tries(20, 300)):
        seed = f"{SEED or 'few'} {family} {i}"
        data = mutant(family, seed)
        found = detect.read_or_unpack(io.BytesIO(data))
        assert isinstance(found, Evidence | Archive | Failure), seed
        agrees, _ = second_opinion(family, data, found, answer_of(found))
        assert agrees is not False, seed
