"""Runs of a few lines held against one another: what was changed, what may come from memory, what is no repeat."""

from __future__ import annotations

from dataclasses import replace

import pytest
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


def run_beside(*parts: Part, io_s: float = 40.0, stripes: int = 4) -> CaseDocument:
    """64 ranks that write a file of 8 GiB together, beside what else they do."""
    shared = Part("/lustre/run/all.dat", range(64), writes=128, write_s=10.0, osts=tuple(range(stripes)))
    log = log_of(Work((shared, *parts), nprocs=64, runtime_s=4 * io_s))
    return diagnose([ReadSource("job.darshan", f"{parts}", 1, Evidence("darshan_log", (log,)))])


LINES = Part("/lustre/run/log.{}", range(64), "STDIO", writes=20_000, size=80, syncs=20_000, write_s=30.0)
OWN = Part("/lustre/run/part.{}", range(64), writes=64, write_s=20.0)
DECK = Part("/lustre/in/mesh.bin", range(64), "STDIO", reads=4096, reach=2**30, read_s=60.0)


@pytest.mark.parametrize(
    ("before", "after", "changed"),
    [
        ((LINES,), (replace(LINES, syncs=0, write_s=0.1),), "flushes of streams 1,280,000 → 0"),
        (
            (replace(OWN, ranks=range(63)), Part("/lustre/run/part.63", range(63, 64), writes=20_000, write_s=60.0)),
            (OWN,),
            "bytes of the busiest rank over the mean",
        ),
        ((replace(OWN, path="/home/u/part.{}"),), (OWN,), "bytes moved on home 4.00 GiB → 0 B"),
        (
            (replace(OWN, osts=tuple(range(48)), meta_s=20.0),),
            (replace(OWN, osts=(0,)),),
            "stripes of part.# 48 stripes → 1 stripe",
        ),
    ],
    ids=["lines are flushed", "one rank has more", "on home", "files beside the largest are striped"],
)
def test_what_was_changed_beside_the_largest_file_is_seen(
    before: tuple[Part, ...], after: tuple[Part, ...], changed: str
) -> None:
    compared = of_two(run_beside(*before), run_beside(*after))
    assert compared.kind == "change"
    assert any(changed in words for words in compared.steps[0].changed), compared.steps[0].changed


def test_a_layout_set_for_all_files_is_one_change() -> None:
    few, many = (run_beside(replace(OWN, osts=tuple(range(n))), stripes=n) for n in (1, 8))
    compared = of_two(few, many)
    assert (compared.kind, compared.steps[0].changed) == ("striping", ("stripe count 1 stripe → 8 stripes",))


def test_a_stream_read_again_is_the_same_work() -> None:
    often, once = run_beside(DECK), run_beside(replace(DECK, reads=1024, read_s=5.0), io_s=15.0)
    step = of_two(often, once).steps[0]
    assert (step.basis, step.outcome) == ("time", "better"), step.sentence


def test_equal_runs_whose_opening_takes_longer_are_not_alike() -> None:
    compared = of_two(run_beside(replace(OWN, meta_s=40.0)), run_beside(replace(OWN, meta_s=0.1)))
    assert (compared.kind, compared.steps[0].outcome) == ("repeats", "better")
    assert [f.rule for f in compared.run_set if f.verdict == "triggered"] == ["jitter"]


def test_one_rank_of_more_that_writes_nearly_all_is_no_other_balance() -> None:
    def written(ranks: int) -> CaseDocument:
        most = Part("/lustre/run/part.0", range(1), writes=4096, write_s=20.0)
        parts = (most, Part("/lustre/run/part.{}", range(1, ranks), writes=1, write_s=0.1))
        log = log_of(Work(parts, nprocs=ranks, runtime_s=100.0))
        return diagnose([ReadSource("job.darshan", f"{ranks}", 1, Evidence("darshan_log", (log,)))])

    few, many = written(64), written(256)
    assert not any("busiest rank" in words for words in of_two(few, many).steps[0].changed)
