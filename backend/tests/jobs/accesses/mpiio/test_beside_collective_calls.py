"""Small independent calls in a file whose bytes collective calls move: each kind has its own seconds."""

from __future__ import annotations

import pytest
from described import GIB, KIB, MIB, Part, Work, above_info, document, osts, own, uneven

from iotriage.analysis.document import CaseDocument, Finding

RANKS = range(256)


def collective_part(path: str, seconds: float) -> tuple[Part, ...]:
    return (
        Part(path, RANKS, "MPI-IO", writes=40, size=16 * MIB, write_s=seconds, collective=True),
        Part(path, range(0, 256, 16), writes=640, size=16 * MIB, write_s=seconds * 0.95, in_order=0.2, osts=osts(16)),
    )


def independent_part(path: str, seconds: float, size: int) -> tuple[Part, ...]:
    above, below = uneven(256, seconds), uneven(256, seconds * 0.97)
    return (
        Part(path, RANKS, "MPI-IO", writes=4000, size=size, write_s=above),
        Part(path, RANKS, writes=4000, size=size, write_s=below, in_order=0.0, aligned=False, osts=osts(16)),
    )


def job(*parts: Part) -> Work:
    return Work(parts, nprocs=256, runtime_s=400)


def told(found: CaseDocument, rule: str) -> Finding:
    return next(f for f in found.findings if f.rule == rule and f.verdict == "triggered")


def test_small_independent_calls_take_nothing_of_the_waiting_in_collective_ones() -> None:
    found = document(job(*collective_part("/scratch/o.dat", 90), *independent_part("/scratch/o.dat", 30, 2 * KIB)))
    finding = told(found, "small-io")
    assert finding.says is not None
    assert finding.says.headline == (
        "Many small independent calls stand beside the collective ones that move most of the data."
    )
    # The aggregators' own seconds, 5 of the mean rank's, are writes too.
    assert finding.takes_s == pytest.approx(34, abs=1)
    assert found.unexplained is not None
    assert found.unexplained.seconds == pytest.approx(87, abs=4)
    assert not any("romio_cb" in (one.command or "") for one in finding.advice)


def test_where_all_calls_are_small_and_independent_they_take_all() -> None:
    found = document(job(*independent_part("/scratch/o.dat", 30, 2 * KIB)))
    assert sum(f.takes_s or 0.0 for f in found.findings if f.verdict == "triggered") == pytest.approx(33, abs=1)


def test_small_calls_that_are_collective_take_what_ranks_wait_in_them() -> None:
    calls = Part("/scratch/o.dat", RANKS, "MPI-IO", writes=8000, size=8 * KIB, write_s=60.0, collective=True)
    below = Part("/scratch/o.dat", RANKS, writes=8000, size=8 * KIB, write_s=40.0, in_order=0.0, osts=osts(16))
    found = document(job(calls, below))
    assert sum(f.takes_s or 0.0 for f in found.findings if f.verdict == "triggered") == pytest.approx(60, abs=1)


def test_metadata_of_hdf5_takes_no_more_than_its_ranks_wait_for_the_storage() -> None:
    found = document(job(*collective_part("/scratch/o.h5", 30), *independent_part("/scratch/o.h5", 90, 600)))
    assert found.headline.rule == "hdf5-independent-metadata"
    assert told(found, "hdf5-independent-metadata").takes_s == pytest.approx(90, abs=2)


def test_own_files_through_mpi_io_are_not_told_of_collective_calls() -> None:
    above = Part("/scratch/r.{}", range(64), "MPI-IO", reads=40_000, size=8 * KIB, read_s=uneven(64, 50))
    below = Part("/scratch/r.{}", range(64), reads=40_000, size=8 * KIB, read_s=uneven(64, 49), osts=own(64))
    finding = told(document(Work((above, below), nprocs=64, runtime_s=150)), "small-io")
    assert "blocks of 1 MiB" in finding.advice[0].text
    assert not any("collective" in one.text or "_all" in (one.command or "") for one in finding.advice)


def reads_headers(seconds: float) -> Work:
    """Every rank reads 60 pieces of 400 B in so many seconds; 32 of 2,048 read the data for all, in large calls."""
    name, ranks = "/scratch/in.h5", range(2048)
    return Work(
        (
            Part(name, ranks, "MPI-IO", reads=60, size=400, read_s=seconds, meta_s=2.0),
            Part(name, ranks, reads=60, size=400, read_s=seconds, meta_s=1.0, reach=10 * GIB, in_order=0.1),
            Part(name, ranks, "MPI-IO", reads=2, size=2 * MIB, read_s=14.0, collective=True),
            Part(name, range(0, 2048, 64), reads=256, read_s=12.0, in_order=0.5, reach=10 * GIB, osts=osts(16)),
        ),
        nprocs=2048,
        runtime_s=100,
        nodes=32,
    )


def test_ranks_that_are_long_in_the_storage_for_a_few_headers_are_not_told_that_these_cost_nothing() -> None:
    found = document(reads_headers(30.0))
    assert found.headline.rule == "hdf5-independent-metadata"
    assert told(found, "hdf5-independent-metadata").takes_s == pytest.approx(30, abs=2)
    assert "hdf5-independent-metadata" not in above_info(document(reads_headers(0.5)))
