"""Where metrics stand: each in the folder of its prefix, which imports from no other."""

from __future__ import annotations

import pytest
from program_modules import imported, modules_of

from iotriage.metrics import all_metrics

PACKAGE = "iotriage.metrics"
MODULES = modules_of(PACKAGE)


@pytest.mark.parametrize("id", all_metrics())
def test_a_metric_is_found_under_the_prefix_of_its_id(id: str) -> None:
    assert all_metrics()[id].compute.__module__.startswith(f"{PACKAGE}.{id.partition('.')[0]}.")


def test_a_formula_asks_the_selection_for_another_metric() -> None:
    """No module of one prefix imports from that of another: it would compute again what the selection knows."""
    shared = ("core", "tables")
    crossing = [
        (name, other)
        for name, path in MODULES.items()
        for other in imported(path, MODULES)
        if (mine := _folder(name)) not in shared and mine and _folder(other) not in (*shared, mine, "")
    ]
    assert crossing == []


def _folder(module: str) -> str:
    return module.removeprefix(PACKAGE).removeprefix(".").partition(".")[0]
