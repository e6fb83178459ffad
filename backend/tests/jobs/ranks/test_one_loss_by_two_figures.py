"""Where two figures tell of one loss, its seconds are those of the larger, and not of both together."""

from __future__ import annotations

import pytest
from described import MIB, Part, Work, document, osts


def takes(work: Work, rule: str) -> tuple[float, float | None]:
    found = next(f for f in document(work).findings if f.rule == rule and f.verdict == "triggered")
    return found.takes_s or 0.0, found.could_save_s


def sieved(asked: int, fetched: int, held: int) -> Work:
    """A file of `held` MiB for each of 64 ranks, of which each asks for so many, and for which so many are read."""
    return Work(
        (
            Part("/scratch/in.dat", range(64), "MPI-IO", reads=asked, read_s=100.0, collective=True),
            Part("/scratch/in.dat", range(64), reads=fetched, read_s=95.0, reach=64 * held * MIB, osts=osts(16)),
        ),
        nprocs=64,
        runtime_s=200,
        nodes=4,
    )


@pytest.mark.parametrize(
    ("asked", "fetched", "held", "part"),
    [(1000, 4000, 1000, 3 / 4), (1000, 2500, 1000, 3 / 5), (2000, 8000, 1000, 7 / 8), (1000, 4000, 4000, 3 / 4)],
    ids=["all, in holes", "less", "all, twice", "a quarter of it"],
)
def test_holes_that_are_fetched_and_bytes_that_are_read_again(asked, fetched, held, part):
    took, saved = takes(sieved(asked, fetched, held), "redundant-reads")
    assert took == pytest.approx(part * 95.0, rel=0.01)
    assert saved is None or saved <= took / 0.9 + 0.01


def aggregated(slow: range, slow_s: float) -> Work:
    """64 of 512 ranks move the bytes of collective calls, of which those of some are slow."""
    below = [
        Part(
            "/scratch/o.dat",
            range(r, r + 1),
            writes=160,
            size=16 * MIB,
            write_s=slow_s if r in slow else 25 + 0.01 * r,
            in_order=0.2,
            osts=osts(32),
            stripe=16 * MIB,
        )
        for r in range(0, 512, 8)
    ]
    above = Part("/scratch/o.dat", range(512), "MPI-IO", writes=20, size=16 * MIB, write_s=100.0, collective=True)
    return Work((above, *below), nprocs=512, runtime_s=300, nodes=4)


@pytest.mark.parametrize(
    ("slow", "slow_s"), [(range(128, 256), 90.0), (range(128, 256), 95.0), (range(384, 512), 92.0)]
)
def test_waiting_for_the_slowest_is_waiting_for_the_slow_ones(slow, slow_s):
    work = aggregated(slow, slow_s)
    figures = [document(work).metrics[f"balance.storage_{of}"].value for of in ("waiting_within", "apart_time")]
    assert all(isinstance(n, float) and n > 40 for n in figures)
    assert takes(work, "straggler-rank")[0] == pytest.approx(max(figures))


@pytest.mark.parametrize(("files", "slow_s"), [(8, 25.0), (2, 40.0), (3, 10.0)])
def test_in_several_shared_files_a_layer_takes_no_longer_than_the_io(files, slow_s):
    parts = [
        part
        for i in range(files)
        for part in (
            Part(
                f"/scratch/o.{i}",
                range(64),
                "MPI-IO",
                writes=200,
                write_s=tuple(slow_s if rank == i else 1.0 for rank in range(64)),
                collective=True,
            ),
            Part(f"/scratch/o.{i}", range(64), writes=200, write_s=0.5, osts=osts(8)),
        )
    ]
    metrics = document(Work(tuple(parts), nprocs=64, runtime_s=500, nodes=4)).metrics
    io_s, mpiio_s, posix_s, beyond_s, moved, rate = (
        float(metrics[name].value)
        for name in ("job.io_time", "mpiio.time", "posix.time", "mpiio.time_excess", "io.bytes", "mpiio.bandwidth")
    )
    assert mpiio_s == pytest.approx(io_s)
    assert beyond_s == pytest.approx(mpiio_s - posix_s)
    assert rate == pytest.approx(moved / mpiio_s)
