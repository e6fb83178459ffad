"""A job's picture of a line's height, on samples of which the text of the log says who wrote when."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from pydantic import TypeAdapter
from sample_documents import document_named

from iotriage.analysis.document.charts.activity import RankTimeGrid
from iotriage.analysis.portrait import COLUMNS, TOP_LEVEL, Band, Portrait, length_s, portrait_of
from iotriage.analysis.views.pixels import packed

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


@pytest.mark.parametrize(("ranks", "bins"), [(4, 24), (5, 25), (6, 46), (7, 36), (64, 100), (3, 10), (2, 128)])
def test_ranks_that_move_the_same_all_the_time_are_one_level_everywhere(ranks: int, bins: int) -> None:
    band = _band_of(np.full((ranks, bins), 255), until_s=40.0, run_s=40.0)
    assert set(band.cells or ()) == {TOP_LEVEL}


def test_what_came_in_one_bin_stands_where_it_was_in_the_run() -> None:
    """Bins of 0.1 s reach beyond the end of a short run; files are closed after its last call."""
    levels = np.zeros((4, 4))
    levels[0, 3] = 255
    band = _band_of(levels, until_s=0.4, run_s=0.6)
    assert band.cells is not None
    assert [at for at, level in enumerate(band.cells) if level] == [12, 13, 14, 15]


def test_what_a_later_step_moved_stands_where_the_step_was_in_the_run() -> None:
    """Its log has times of its own, from its start; what moved all the time moved in the last third of this run."""
    band = _band_of(np.full((4, 8), 255), until_s=20.0, run_s=60.0, after_s=40.0)
    assert band.cells is not None
    assert [at for at, level in enumerate(band.cells[:COLUMNS]) if level] == list(range(16, 24))


def test_a_step_that_ends_beyond_the_files_that_are_known_has_room() -> None:
    band = _band_of(np.full((4, 8), 255), until_s=20.0, run_s=30.0, after_s=20.0)
    assert band.cells is not None
    assert [at for at, level in enumerate(band.cells[:COLUMNS]) if level] == list(range(12, 24))


def test_the_bands_and_the_time_that_files_were_in_use_end_alike() -> None:
    document = document_named("19-config-all-ranks-read")
    activity = document.charts.activity
    assert activity is not None
    assert (
        length_s(document)
        == max(activity.run_s, *(grid.after_s + grid.to_s for grid in activity.grids))
        > activity.run_s
    )
    assert (_portrait("19-config-all-ranks-read").in_use or ())[-1] == 0


def test_of_steps_that_each_have_times_none_stands_for_all() -> None:
    document = document_named("01-serial-gather")
    activity = document.charts.activity
    assert activity is not None
    grids = tuple(replace(grid, source=source) for source in (0, 1) for grid in activity.grids)
    portrait = portrait_of(replace(document, charts=replace(document.charts, activity=replace(activity, grids=grids))))
    assert portrait is not None
    assert all(band.cells is None and band.ranks is not None for band in portrait.bands)


def _band_of(levels: np.ndarray, until_s: float, run_s: float, after_s: float = 0.0) -> Band:
    """Of a POSIX grid of these levels in a job that is else that of a sample."""
    document = document_named("01-serial-gather")
    activity = document.charts.activity
    assert activity is not None
    grid = next(g for g in activity.grids if g.layer == "POSIX")
    rows, columns = levels.shape
    written, read = packed(levels, "uint8"), packed(np.zeros_like(levels), "uint8")
    shape = replace(grid, nprocs=rows, rows=rows, columns=columns, after_s=after_s, to_s=until_s)
    drawn: RankTimeGrid = replace(shape, read_levels=read, written_levels=written)
    made = replace(activity, grids=(drawn,), run_s=run_s)
    portrait = portrait_of(replace(document, charts=replace(document.charts, activity=made)))
    assert portrait is not None
    return next(band for band in portrait.bands if band.layer == "POSIX")


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
