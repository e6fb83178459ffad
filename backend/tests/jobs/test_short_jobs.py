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


def test_start_up_of_a_short_run_is_said_quietly() -> None:
    said = found("import-storm", *imports(8, 3.0), ranks=8, runtime_s=6.0)
    assert (said.severity, said.takes_s) == ("low", pytest.approx(3, rel=0.01))


def test_minutes_of_it_are_grave() -> None:
    assert found("import-storm", *imports(64, 300.0), ranks=64, runtime_s=600.0).severity == "high"


@pytest.mark.parametrize(("seconds", "severity"), [(9.0, "low"), (11.0, "high")])
def test_no_finding_of_a_few_seconds_is_grave(seconds: float, severity: str) -> None:
    log = Part("/scratch/o.log", range(1), writes=3000, size=120, write_s=seconds, syncs=3000)
    assert found("sync-heavy", log, ranks=1, runtime_s=20.0).severity == severity


def test_ranks_that_take_turns_are_short_at_it_and_the_run_is_not() -> None:
    turns = (
        Part(f"/scratch/o.{r:03}", range(r, r + 1), writes=128, size=8 * MIB, write_s=5.0, begins_s=1 + 5.1 * (r % 8))
        for r in range(64)
    )
    assert found("ranks-in-turn", *turns, ranks=64, runtime_s=50.0).severity == "medium"


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
