"""A job's picture of a line's height, on samples of which the text of the log says who wrote when."""

from __future__ import annotations

from dataclasses import replace

import pytest
from pydantic import TypeAdapter
from sample_documents import document_named

from iotriage.analysis.portrait import COLUMNS, TOP_LEVEL, Portrait, portrait_of

SMALL = 1024
"""Bytes of JSON that a row of a list may carry for its picture."""


def _portrait(name: str) -> Portrait:
    found = portrait_of(document_named(name))
    assert found is not None
    return found


def test_one_rank_that_writes_for_all_is_one_row() -> None:
    portrait = _portrait("01-serial-gather")
    (band,) = (b for b in portrait.bands if b.layer == "POSIX")
    assert band.ranks == (TOP_LEVEL, 0, 0, 0)
    assert band.cells is not None
    first, others = band.cells[:COLUMNS], band.cells[COLUMNS:]
    assert max(first) == TOP_LEVEL
    assert set(others) == {0}


def test_all_ranks_alike_are_all_rows() -> None:
    (band,) = _portrait("03-fpp-many-small-files").bands
    assert band.ranks == (TOP_LEVEL,) * 4


def test_layers_stand_from_the_call_to_the_disk() -> None:
    assert [b.layer for b in _portrait("39-heat2d-legacy").bands] == ["HDF5", "MPI-IO", "POSIX"]


def test_a_job_of_one_rank_has_one_row() -> None:
    portrait = _portrait("29-nonmpi-python")
    assert portrait.rows == 1
    assert all(b.cells is None or len(b.cells) == COLUMNS for b in portrait.bands)


def test_what_no_source_tells_is_not_drawn_as_nothing() -> None:
    document = document_named("39-heat2d-legacy")
    untold = portrait_of(replace(document, charts=replace(document.charts, activity=None, ranks=None)))
    assert untold is not None
    assert untold.in_use is None
    assert all(b.cells is None and b.ranks is None for b in untold.bands)


def test_without_layers_there_is_none() -> None:
    document = document_named("39-heat2d-legacy")
    assert portrait_of(replace(document, charts=replace(document.charts, layers=()))) is None


@pytest.mark.parametrize(
    "name", ["39-heat2d-legacy", "29-nonmpi-python", "lustre-ssf-one-stripe", "few-active-aggregators"]
)
def test_it_is_small_enough_for_a_list(name: str) -> None:
    adapter = TypeAdapter(Portrait | None)
    portrait = portrait_of(document_named(name))
    written = adapter.dump_json(portrait)
    assert len(written) < SMALL
    assert adapter.validate_json(written) == portrait
    for band in () if portrait is None else portrait.bands:
        for levels in (band.cells or (), band.ranks or ()):
            assert all(0 <= level <= TOP_LEVEL for level in levels)
