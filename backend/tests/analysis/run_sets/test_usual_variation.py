"""By how much equal runs of a site differ: what was measured with about as many processes says so."""

from __future__ import annotations

from dataclasses import replace

import pytest

from iotriage.analysis.run_sets.variation import usual_factor_by
from iotriage.sites import all_sites

MEASURED = ((32, 1.1), (256, 2.0), (2048, 4.0))
"""A small job varies less than one that fills the machine."""


@pytest.mark.parametrize(
    ("processes", "factor"), [(16, 1.1), (64, 1.1), (200, 2.0), (1500, 4.0), (2048, 4.0), (None, 1.1)]
)
def test_the_quartiles_are_those_of_about_as_many_processes(processes: int | None, factor: float) -> None:
    site = all_sites()["archer2"]
    table = next(t for t in site.rates if t.statistic == "quartiles")
    row = next(row for row in table.rows if row.lower_quartile)
    rows = tuple(replace(row, processes=n, lower_quartile=10.0, upper_quartile=10.0 * times) for n, times in MEASURED)
    found = usual_factor_by(site.title, (replace(table, rows=rows[1:]), replace(table, rows=rows[:1])), processes)
    assert found is not None
    assert found.factor == pytest.approx(factor if processes is not None else 2.0)


def test_without_a_table_the_site_says_nothing() -> None:
    assert usual_factor_by("A site", (), 64) is None
