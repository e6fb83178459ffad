"""A simulation of many ranks, and a step of one process that puts its files together."""

from __future__ import annotations

from dataclasses import replace

import pytest
from described import KIB, MIB, Part, Work, document, osts, own, uneven

from iotriage.analysis.document import Finding

RAN = Work(
    (Part("/scratch/q/f.{}", range(256), writes=64, size=4 * MIB, write_s=3.0, osts=own(256)),),
    nprocs=256,
    runtime_s=900.0,
    nodes=2,
)
READ = tuple(
    Part(f"/scratch/q/f.{k}", range(1), reads=64, size=4 * MIB, read_s=0.6, osts=(k % 48,)) for k in range(256)
)
MERGED = Part("/scratch/q/merged.dat", range(1), writes=16_384, size=4 * MIB, write_s=140.0, osts=(4,))


def test_the_process_of_a_later_step_is_not_called_one_of_the_ranks() -> None:
    after = Work((*READ, MERGED), nprocs=1, runtime_s=350.0, nodes=1, program="/sw/bin/merge")
    found = document(RAN, after)
    assert found.headline.rule == "serial-io"
    assert found.headline.sentence.startswith("A step of the job that runs as one process, or few,")
    (serial,) = (f for f in found.findings if f.rule == "serial-io")
    assert not any("MPI" in (one.command or "") for one in serial.advice)
    assert serial.advice[0].text.startswith("Run several processes side by side")


def test_one_rank_of_many_that_does_as_much_is() -> None:
    found = document(RAN, Work((*READ, MERGED), nprocs=256, runtime_s=350.0, nodes=2))
    assert found.headline.sentence.startswith("One of 256 ranks does the I/O of a step of the job.")


@pytest.mark.parametrize(
    "beside",
    [(Part("/scratch/p/o.{}", range(512), writes=1, size=8 * MIB, write_s=1.0, osts=own(512)),), ()],
    ids=["which write too", "which do no I/O"],
)
@pytest.mark.parametrize("first", [True, False])
def test_what_it_does_is_shared_out_among_the_ranks_of_its_step(beside: tuple[Part, ...], *, first: bool) -> None:
    alone = Part("/scratch/p/a.nc", range(1), writes=2000, size=4 * MIB, write_s=100.0, osts=osts(16))
    works = [Work((alone,), 64, 300.0, nodes=1), Work(beside, 512, 300.0, nodes=8)]
    found = document(*(works if first else reversed(works)))
    (serial,) = (f for f in found.findings if f.rule == "serial-io" and f.verdict == "triggered")
    assert serial.says is not None
    assert serial.says.impact is not None
    assert (serial.summary or "").startswith("The busiest of 64 ranks moved ")
    assert serial.says.impact.because.startswith("if all 64 ranks did an equal part at the same time.")
    assert serial.says.impact.most_share == 1 - 1 / 64
    assert "1.28 GiB/s" in serial.says.impact.because, "what ARCHER's guide has for 48 processes and more"


@pytest.mark.parametrize(
    ("program", "said"),
    [("/usr/bin/ncdump", "Send the output into a file"), ("/sw/bin/mine", "Let that rank print less")],
)
def test_what_it_prints_is_no_output_of_several(program: str, said: str) -> None:
    prints = Part("<STDOUT>", range(1), "STDIO", writes=2_000_000, size=80, write_s=160.0)
    found = document(RAN, Work((prints,), nprocs=1, runtime_s=200.0, nodes=1, program=program))
    assert found.headline.rule == "stdio-heavy"
    assert (found.headline.action or "").startswith(said)


@pytest.mark.parametrize("last", [True, False])
@pytest.mark.parametrize("pictures", [3000, 6000])
def test_small_files_of_such_a_step_are_not_put_into_one_for_each_node(pictures: int, *, last: bool) -> None:
    drawn = tuple(
        Part(f"/scratch/png/{k:05}.png", range(1), writes=3, size=30 * KIB, write_s=0.002, meta_s=0.02)
        for k in range(pictures)
    )
    plot = Work(drawn, nprocs=1, runtime_s=300.0, nodes=1, program="/sw/bin/plot")
    found = document(*((RAN, plot) if last else (plot, RAN)))
    assert found.headline.rule == "many-small-files"
    assert "and pack them into one archive at the end (tar)" in (found.headline.action or "")
    assert found.headline.command is None
    said = [one.text for f in found.findings if f.verdict == "triggered" for one in f.advice]
    assert sum(text.startswith("Write fewer pictures") for text in said) == 1, "metadata-bound is of the same process"


def steps(number: int, path: str = "/scratch/ref/genome.idx", *, first_writes: bool = False) -> tuple[Work, ...]:
    """Programs that follow one another, each of which reads an index of 30 GiB in 40 s, and writes its result."""
    found = []
    for k in range(number):
        index = Part(path.format(k), range(1), reads=7680, size=4 * MIB, read_s=40.0 + 0.1 * k, osts=(4, 5, 6, 7))
        if first_writes:
            index = replace(index, writes=7680 if k == 0 else 0, write_s=30.0)
        result = Part(f"/scratch/out/s{k:02}.bam", range(1), writes=800, size=4 * MIB, write_s=5.0, osts=(k,))
        found.append(Work((index, result), 1, 120.0, nodes=1, program="/sw/bin/align"))
    return tuple(found)


def again(*works: Work) -> list[Finding]:
    found = document(*works).findings
    return [f for f in found if f.rule == "redundant-reads" and f.verdict == "triggered" and f.severity != "info"]


def test_steps_that_each_read_the_same_file_are_told_to_read_a_copy() -> None:
    (said,) = again(*steps(20))
    assert (said.rule, said.scope.label) == ("redundant-reads", "genome.idx")
    assert said.headline == "The steps of the job read the same file again, each all of it."
    assert "20 times what the file holds" in (said.summary or "")
    assert "before the first step" in said.advice[0].text
    assert 700 < (said.takes_s or 0.0) < 800


RESTART = Part("/scratch/rst.h5", range(128), reads=100, size=8 * MIB, read_s=uneven(128, 40.0), osts=osts(16))
MPI_RUNS = (Work((RESTART,), 128, 200.0, nodes=2),) * 6


@pytest.mark.parametrize(
    "works",
    [steps(20, "/scratch/in/s{:02}.fq"), steps(3), steps(20, first_writes=True), MPI_RUNS],
    ids=["each its own", "a chain of three", "made by the first", "parts of many ranks"],
)
def test_steps_with_other_inputs_or_a_short_chain_are_not(works: tuple[Work, ...]) -> None:
    assert not again(*works)


def test_one_file_of_several_steps_is_one_and_tells_of_no_chosen_ost() -> None:
    found = document(*steps(20))
    assert found.metrics["file.count"].value == 21
    assert not any(f.rule == "fixed-ost-offset" and f.verdict == "triggered" for f in found.findings)
