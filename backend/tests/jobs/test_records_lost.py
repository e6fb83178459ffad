"""Jobs of whose records some are lost: the first sentence says so, whatever it names."""

from __future__ import annotations

from dataclasses import replace

from described import MIB, Part, Work, document, own

BY_ONE_RANK = Work(
    (
        Part("/scratch/o.dat", range(1), writes=60_000, size=MIB, write_s=200.0, osts=(1,)),
        Part("/scratch/in.dat", range(64), reads=10, size=MIB, read_s=0.1),
    ),
    nprocs=64,
    runtime_s=600,
    nodes=2,
)
MISSING = "; part of the evidence is missing."


def test_a_cause_is_named_with_what_is_missing() -> None:
    whole, cut = document(BY_ONE_RANK), document(replace(BY_ONE_RANK, partial=("POSIX",)))
    assert (whole.headline.rule, cut.headline.rule) == ("serial-io", "serial-io")
    assert MISSING not in whole.headline.sentence
    assert cut.headline.sentence == whole.headline.sentence.removesuffix(".") + MISSING


def test_where_nothing_else_is_said_it_is_said_once() -> None:
    short = Part("/scratch/o.{}", range(64), writes=10, size=MIB, write_s=0.3, osts=own(64))
    found = document(Work((short,), nprocs=64, runtime_s=3600, nodes=2, partial=("POSIX",)))
    assert found.headline.sentence == "Part of the evidence is missing: totals are lower bounds."
