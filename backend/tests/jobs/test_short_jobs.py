"""Short runs, of which start-up is much; and what is little beside what nobody explains: said, and not as grave."""

from __future__ import annotations

import pytest
from described import KIB, MIB, Part, Work, document, osts

from iotriage.analysis.document import Finding


def imports(ranks: int, seconds: float) -> tuple[Part, ...]:
    """600 modules that every rank reads."""
    each = seconds / 600
    name = "/sw/python/lib/python3.11/site-packages/pkg/m{:03}.py"
    return tuple(
        Part(name.format(k), range(ranks), reads=2, size=4 * KIB, read_s=0.3 * each, meta_s=0.7 * each, stats=2)
        for k in range(600)
    )


def found(rule: str, *parts: Part, ranks: int, runtime_s: float) -> Finding:
    case = document(Work(parts, nprocs=ranks, runtime_s=runtime_s, program="/sw/bin/python3 run.py"))
    return next(f for f in case.findings if isinstance(f, Finding) and f.rule == rule and f.verdict == "triggered")


@pytest.mark.parametrize(("ranks", "seconds"), [(8, 3.0), (64, 300.0)])
def test_start_up_is_paid_once_a_run_and_is_not_grave(ranks: int, seconds: float) -> None:
    said = found("import-storm", *imports(ranks, seconds), ranks=ranks, runtime_s=2 * seconds)
    assert (said.severity, said.takes_s) == ("medium", pytest.approx(seconds, rel=0.01))


@pytest.mark.parametrize(("lookups_s", "leads"), [(0.4, False), (3.0, True)])
def test_what_takes_little_of_it_does_not_speak_for_time_that_nobody_explains(lookups_s: float, leads: bool) -> None:
    lookups = Part("/scratch/in/{}.dat", range(16), reads=500, size=400, read_s=lookups_s, in_order=0.0)
    data = Part("/scratch/o.dat", range(16), writes=8, size=4 * MIB, write_s=3.0, osts=osts(16))
    case = document(Work((lookups, data), nprocs=16, runtime_s=8.0))
    assert (case.headline.rule is not None) == leads
    if not leads:
        assert "88 % of that time has no known cause" in case.headline.sentence


def test_the_program_of_several_steps_is_that_whose_ranks_are_shown() -> None:
    steps = [
        Work((Part(f"/scratch/{name}", range(ranks), writes=64, write_s=2.0),), ranks, seconds, program=f"/sw/{name}")
        for name, ranks, seconds in (("prepare", 4, 30.0), ("solve", 512, 300.0), ("plot", 1, 40.0))
    ]
    job = document(*steps).job
    assert (job.executable, job.nprocs, job.runtime_s) == ("/sw/solve", 512, 370.0)
