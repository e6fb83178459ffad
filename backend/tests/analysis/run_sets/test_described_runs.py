"""Runs of a few lines held against one another: what was changed, what may come from memory, what is no repeat."""

from __future__ import annotations

from dataclasses import replace

from described import Part, Work, log_of

from iotriage.analysis.document import CaseDocument
from iotriage.analysis.engine import diagnose
from iotriage.analysis.inputs import ReadSource
from iotriage.analysis.run_sets.comparison import Comparison, compare
from iotriage_parsers.evidence import Evidence


def run_of(
    io_s: float, *, command: str = "/sw/app in.nc 8 16", name: str = "out.dat", **of_part: object
) -> CaseDocument:
    """4 ranks that write 64 MiB each to one file in `io_s` seconds."""
    part = Part(**({"path": f"/scratch/{name}", "ranks": range(4), "writes": 64, "write_s": io_s} | of_part))
    log = log_of(Work((part,), nprocs=4, runtime_s=max(10.0, 2 * io_s)))
    log = replace(log, job=replace(log.job, command_line=command))
    return diagnose([ReadSource("job.darshan", f"{io_s}{command}{name}", 1, Evidence("darshan_log", (log,)))])


def an_hour_later(of: CaseDocument) -> CaseDocument:
    return replace(of, job=replace(of.job, start_time=(of.job.start_time or 0.0) + 3600))


def of_two(one: CaseDocument, other: CaseDocument) -> Comparison:
    return compare([("A", one), ("B", other)])


def cured(command: str) -> Comparison:
    """Short writes to a log, each synced, against whole blocks."""
    before = run_of(8.0, command="/sw/app --out 1", writes=67_000, size=1000, meta_s=6.0, syncs=16_000)
    return of_two(before, run_of(4.0, command=command, meta_s=0.1))


def test_what_one_change_cured_together_is_confirmed() -> None:
    compared = cured("/sw/app --out 2")
    (step,) = compared.steps
    assert len(step.causes) > 1
    assert {c.answer for c in step.causes} == {"confirmed"}
    assert all("by the one setting that was changed" in c.because for c in step.causes)
    (step,) = cured("/sw/app --out 2 --flush 9").steps
    assert {c.answer for c in step.causes} == {"undecided"}


def test_one_traced_run_beside_one_that_was_not_is_told() -> None:
    plain = run_of(4.0)
    traced = replace(plain, metrics=plain.metrics | {"io.traced": replace(plain.metrics["io.traced"], value="yes")})
    traced = an_hour_later(traced)
    assert "B was traced by DXT and A was not" in (of_two(plain, traced).note or "")
    assert "traced" not in (of_two(traced, an_hour_later(traced)).note or "")


def test_one_option_more_is_one_change() -> None:
    (step,) = of_two(run_of(4.0), run_of(2.0, command="/sw/app --collective in.nc 8 16")).steps
    assert step.changed == ("collective not set → given",)


def test_runs_that_are_not_the_same_again_are_no_repeats() -> None:
    assert of_two(run_of(4.0), run_of(2.0)).kind == "repeats"
    assert of_two(run_of(4.0), run_of(2.0, name="sieved.dat")).kind == "change"
    assert of_two(run_of(4.0), run_of(2.0, syncs=64)).kind == "change"
    assert of_two(run_of(4.0), run_of(2.0, reach=2**40)).kind == "change"


def test_a_run_that_takes_twice_as_long_is_not_better_by_its_findings() -> None:
    small = {"size": 256, "in_order": 0.0, "reach": 2**31}
    bad, good = run_of(0.26, **(small | {"writes": 4096})), run_of(0.50, writes=1)
    (step,) = of_two(bad, good).steps
    assert (step.gone != (), step.outcome) == (True, "mixed"), step
    assert "against what the findings say" in step.sentence


def test_reading_that_may_come_from_memory_is_said() -> None:
    slow, fast = (run_of(4.0, reads=64, read_s=seconds) for seconds in (5.0, 0.25))
    (step,) = of_two(slow, fast).steps
    assert "the memory of nodes" in (step.note or "")
    (step,) = of_two(slow, slow).steps
    assert step.note is None


def test_far_apart_is_not_called_the_usual_spread() -> None:
    assert "outside the program" in of_two(run_of(4.0), run_of(200.0)).sentence


def test_what_memory_spared_slows_no_writing() -> None:
    slow, fast = (run_of(4.0, reads=64, read_s=seconds, write_s=seconds) for seconds in (5.0, 0.25))
    (step,) = of_two(slow, fast).steps
    assert "the memory of nodes" not in (step.note or "")
