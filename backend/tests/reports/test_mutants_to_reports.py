"""Mutants through the diagnosis to every form of report: none raises."""

from __future__ import annotations

import hashlib
import io

import pytest
from budget import SEED, tries
from mutants.drawn import FAMILIES, Family, mutant

from iotriage.analysis.engine import diagnose
from iotriage.analysis.inputs import ReadSource
from iotriage.reports.formats import FORMATS
from iotriage.reports.terminal import as_text
from iotriage_parsers import detect


@pytest.mark.fuzz
@pytest.mark.parametrize("family", FAMILIES)
def test_a_mutant_is_reported(family: Family) -> None:
    for i in range(tries(6, 100)):
        data = mutant(family, f"{SEED or 'few'} report {family} {i}")
        found = detect.read_or_unpack(io.BytesIO(data))
        document = diagnose([ReadSource("mutant", hashlib.sha256(data).hexdigest(), len(data), found)], None)
        assert as_text(document)
        assert all(form.write(document) for form in FORMATS.values())
