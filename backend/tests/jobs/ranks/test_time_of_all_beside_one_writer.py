"""One rank moves nearly all bytes, and what all ranks do takes its own time: for a few bytes."""

from __future__ import annotations

import pytest
from described import KIB, MIB, Part, Work, document, osts, own, seconds_of

RANKS = range(256)


def dump(seconds: float) -> Part:
    return Part("/scratch/run/all.bin", range(1), writes=int(seconds * 100), size=MIB, write_s=seconds, osts=(1,))


def series(seconds: float) -> tuple[Part, ...]:
    """A few bytes of each rank and step by collective calls."""
    calls = int(seconds * 60)
    return (
        Part("/scratch/run/ts.nc", RANKS, "MPI-IO", writes=calls, size=8, write_s=seconds, collective=True),
        Part("/scratch/run/ts.nc", range(0, 256, 32), writes=calls, size=256, write_s=seconds / 15, osts=osts(4)),
    )


def log(seconds: float) -> tuple[Part, ...]:
    name, calls = "/scratch/run/all.log", int(seconds * 20)
    return (Part(name, RANKS, writes=calls, size=KIB, write_s=seconds, in_order=0.0, forward=1.0, aligned=False),)


def records(seconds: float) -> tuple[Part, ...]:
    name, calls = "/scratch/run/r.{}", int(seconds * 1000)
    return (Part(name, RANKS, writes=calls, size=20, write_s=seconds, osts=own(256)),)


def job(*parts: Part) -> Work:
    return Work(parts, nprocs=256, runtime_s=800, nodes=8)


KINDS = {"collective-overhead": series, "shared-log": log, "small-io": records}


@pytest.mark.parametrize("rule", KINDS)
@pytest.mark.parametrize(("alone_s", "of_all_s"), [(150.0, 50.0), (50.0, 150.0)])
def test_each_has_its_seconds(rule: str, alone_s: float, of_all_s: float) -> None:
    work = job(dump(alone_s), *KINDS[rule](of_all_s))
    taken = seconds_of(work)

    assert document(work).headline.rule == ("serial-io" if alone_s > of_all_s else rule)
    assert taken["serial-io"] == pytest.approx(alone_s, abs=12)
    assert taken[rule] == pytest.approx(of_all_s, abs=12)


def test_ranks_that_wait_in_the_close_of_what_one_writes_wait_for_it() -> None:
    work = job(
        Part("/scratch/run/all.h5", range(1, 256), "MPI-IO", meta_s=100.0),
        Part("/scratch/run/all.h5", range(1), "MPI-IO", writes=10_000, write_s=100.0),
        Part("/scratch/run/all.h5", range(1), writes=10_000, write_s=99.0, osts=osts(4)),
    )

    assert seconds_of(work) == {"serial-io": pytest.approx(100, abs=1)}
