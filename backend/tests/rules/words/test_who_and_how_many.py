"""Words and advice whose figure lies just below, at and just above the one from which they are others."""

from __future__ import annotations

from collections.abc import Mapping

import pytest
from declared import context

from iotriage.analysis.decision.evidence_headlines import lines_to_add
from iotriage.rules import all_rules
from iotriage.rules.access.picked_pieces import picks_pieces
from iotriage.sites import all_sites

OF_64 = {"job.nprocs": 64, "file.imported": 100, "file.imported_time": 1.0}


@pytest.mark.parametrize(
    ("figures", "who"),
    [
        ({"job.nprocs": 1}, "the process opens"),
        ({}, "every rank opens"),
        ({"file.importing_ranks": 1}, "one rank opens"),
        ({"file.importing_ranks": 2}, "2 of 64 ranks open"),
        ({"file.importing_ranks": 63}, "63 of 64 ranks open"),
        ({"file.importing_ranks": 64}, "every rank opens"),
        # Half of what all ranks spend in them, a second each.
        ({"file.importing_ranks": 64, "file.imported_time_beyond": 32.0}, "every rank opens"),
        ({"file.importing_ranks": 64, "file.imported_time_beyond": 32.1}, "one rank opens"),
        # Of another step: those that ran beside them count.
        ({"file.importing_ranks": 16, "file.importing_ranks_of": 16}, "every rank opens"),
        ({"file.importing_ranks_of": 1}, "the process opens"),
    ],
)
def test_who_imports(figures: Mapping[str, float], who: str) -> None:
    said = all_rules()["import-storm"].says(context(OF_64 | figures)).headline
    assert said == f"To start the program, {who} 100 modules and shared libraries."


@pytest.mark.parametrize(
    ("of_busiest", "part", "every"), [(16, 1.0, "16 of them, every 16"), (16, 0.5, "32 of them, every 8")]
)
def test_how_many_ranks_lie_on_the_nodes_that_move(of_busiest: float, part: float, every: str) -> None:
    """Of 256, as many on each node as on the busiest."""
    figures = {
        "balance.moved_by": "program",
        "balance.ranks_per_moving_node": of_busiest,
        "balance.busiest_node_fraction": part,
        "balance.moving_step_ranks": 256,
        "balance.moving_step_nodes": 16,
    }
    assert any(f"{every}th rank" in one.text for one in all_rules()["few-nodes"].advise(context(figures)))


@pytest.mark.parametrize(("movers", "unit_first"), [(0.79, True), (0.8, False), (None, False)])
def test_where_few_ranks_write_for_all_the_library_is_told_where_stripes_end(movers: float, unit_first: bool) -> None:
    figures = {"io.pattern": "shared-collective", "io.layer": "MPI-IO", "posix.block_size": 2**20}
    known = figures if movers is None else figures | {"mpiio.effective_share": movers}
    first, *_ = all_rules()["misaligned-io"].advise(context(known, api="MPI-IO"))
    assert first.text.startswith("Tell the library the stripe size") is unit_first


@pytest.mark.parametrize(
    ("at_once", "how"),
    [(None, "one after the other"), (1.9, "one after the other"), (2, "in turns, about 2 ranks at a time")],
)
def test_how_many_ranks_take_a_turn(at_once: float | None, how: str) -> None:
    known = {} if at_once is None else {"balance.turns_at_once": at_once}
    said = all_rules()["ranks-in-turn"].says(context({"balance.turns_time": 60.0, "job.runtime": 90.0} | known))
    assert how in said.headline


@pytest.mark.parametrize(
    ("site", "library", "alone", "printed"),
    [
        (None, "cray-mpich", False, True),
        (None, "cray-mpich", True, False),
        (None, "openmpi", False, False),
        ("archer2", None, False, True),
        ("archer2", None, True, False),
        ("archer2", "openmpi", False, False),
    ],
)
def test_who_is_told_to_have_statistics_printed(
    site: str | None, library: str | None, alone: bool, printed: bool
) -> None:
    _, statistics = lines_to_add(None if site is None else all_sites()[site], library, alone=alone)
    assert bool(statistics) is printed


PICKED = {
    "posix.times_read": 0.01,
    "posix.consecutive_read_fraction": 0.1,
    "io.layer": "POSIX",
    "io.pattern": "serial",
    "io.bytes_read": 1000,
}


@pytest.mark.parametrize(
    ("figures", "picks"),
    [
        ({}, True),
        ({"io.bytes_written": 100}, True),
        ({"io.bytes_written": 101}, False),
        ({"posix.times_read": 0.124}, True),
        ({"posix.times_read": 0.125}, False),
        ({"posix.times_read": 0.0}, False),
        ({"posix.consecutive_read_fraction": 0.5}, False),
        ({"io.layer": "MPI-IO"}, False),
        ({"io.pattern": "shared-independent"}, True),
        ({"io.pattern": "shared-collective"}, False),
        ({"io.pattern": "shared-collective", "job.nprocs": 1}, True),
    ],
)
def test_who_picks_pieces_out_of_a_file(figures: Mapping[str, float | str], picks: bool) -> None:
    assert picks_pieces(context(PICKED | figures, file="/scratch/era5.grib")) is picks
