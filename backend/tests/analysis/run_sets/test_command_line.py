"""The options and arguments that a command line gives a program, by name."""

from __future__ import annotations

import pytest

from iotriage.analysis.run_sets.command_line import arguments_of


@pytest.mark.parametrize(
    ("line", "arguments"),
    [
        ("a.out -b 1g -t 1m", {"b": "1g", "t": "1m"}),
        ("a.out --collective -b 1g in.nc", {"collective": "given", "b": "1g", "argument 1": "in.nc"}),
        ("a.out --collective in.nc out.nc", {"collective": "given", "argument 1": "in.nc", "argument 2": "out.nc"}),
        ("a.out --output-file out.nc", {"output-file": "out.nc"}),
        ("a.out --steps=10 -x 1 -x 2", {"steps": "10", "x": "1 2"}),
        ("a.out -1 2", {"argument 1": "-1", "argument 2": "2"}),
    ],
)
def test_an_option_has_its_name_wherever_it_stands(line: str, arguments: dict[str, str]) -> None:
    assert arguments_of(line) == arguments
