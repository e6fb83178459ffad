"""The options and arguments that a command line gives a program, by name."""

from __future__ import annotations

import pytest

from iotriage.analysis.run_sets.command_line import arguments_of, script_of


@pytest.mark.parametrize(
    ("line", "arguments"),
    [
        ("a.out -b 1g -t 1m", {"b": "1g", "t": "1m"}),
        ("a.out --collective -b 1g in.nc", {"collective": "given", "b": "1g", "argument 1": "in.nc"}),
        ("a.out --collective in.nc out.nc", {"collective": "given", "argument 1": "in.nc", "argument 2": "out.nc"}),
        ("a.out --output-file out.nc", {"output-file": "out.nc"}),
        ("a.out --steps=10 -x 1 -x 2", {"steps": "10", "x": "1 2"}),
        ("a.out -1 2", {"argument 1": "-1", "argument 2": "2"}),
        ("python3.11 -u -W ignore train.py --n 3 in.nc", {"n": "3", "argument 1": "in.nc"}),
        ("julia -t 8 solve.jl in.nc", {"argument 1": "in.nc"}),
    ],
)
def test_an_option_has_its_name_wherever_it_stands(line: str, arguments: dict[str, str]) -> None:
    assert arguments_of(line) == arguments


@pytest.mark.parametrize(
    ("line", "script"),
    [
        ("/usr/bin/python3 -u run/a.py --n 3", "run/a.py"),
        ("python -m train.main a.py", "train.main"),
        ("julia --project=. solve.jl", "solve.jl"),
        ("julia -t 8 --project=. -p 2 solve.jl", "solve.jl"),
        ("julia -e 'using A'", None),
        ("python3 -E -m mpi4py a.py --n 3", "a.py"),
        ("python -m", None),
        ("java -Xmx4g -cp a.jar:b.jar org.Main", "org.Main"),
        ("java -Xmx4g -jar app.jar", "app.jar"),
        ("perl -I lib a.pl", "a.pl"),
        ("R CMD BATCH --vanilla a.R", "a.R"),
        ("Rscript -e 1", None),
        ("matlab -nodisplay -r main", None),
        ("octave --eval main", None),
        ("python -c pass", None),
        ("python", None),
        ("/sw/app a.py", None),
        (None, None),
    ],
)
def test_what_an_interpreter_runs_is_its_script(line: str | None, script: str | None) -> None:
    assert script_of(line) == script
