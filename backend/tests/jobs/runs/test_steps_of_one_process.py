"""A simulation of many ranks, and a step of one process that puts its files together."""

from __future__ import annotations

from described import KIB, MIB, Part, Work, document, own

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
    assert found.headline.sentence.startswith("One rank of 256 does the I/O of the whole job.")


def test_small_files_of_such_a_step_are_not_put_into_one_for_each_node() -> None:
    pictures = tuple(
        Part(f"/scratch/png/{k:05}.png", range(1), writes=3, size=30 * KIB, write_s=0.002, meta_s=0.02)
        for k in range(6000)
    )
    found = document(RAN, Work(pictures, nprocs=1, runtime_s=300.0, nodes=1, program="/sw/bin/plot"))
    assert found.headline.rule == "many-small-files"
    assert (found.headline.action or "").startswith("Write fewer files: let the rank that writes them")
    assert found.headline.command is None
