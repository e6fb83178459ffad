"""Jobs in pairs: one thing is different, and the opposite is right. What happened was written down first."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest
from described import GIB, KIB, MIB, Part, Work, above_info, collective, document, osts, own, uneven

Must = set[str]
RANKS = range(64)
SLOW = (5, 53)
"""Two ranks whose own files lie on OST 5."""


def headers(number: int, size: int, took_s: float, blocks: int, blocks_s: float) -> Work:
    """Own files with small writes beside large ones."""
    return Work(
        (
            Part("/scratch/o.{}", RANKS, writes=number, size=size, write_s=took_s, osts=own(64)),
            Part("/scratch/o.{}", RANKS, writes=blocks, size=8 * MIB, write_s=uneven(64, blocks_s), osts=own(64)),
        ),
        nprocs=64,
        runtime_s=200,
        nodes=2,
    )


def two_slow_ranks(elsewhere_s: float, second: str, lies_on: tuple[int, ...]) -> Work:
    """Each rank has two files; OST 5 has one of each of the slow ranks."""
    parts = []
    for r in RANKS:
        usual = 10.0 + 0.01 * r
        slow, other = (60.0, elsewhere_s) if r in SLOW else (usual, usual)
        parts += [
            Part(f"/scratch/o.{r:03}", range(r, r + 1), writes=512, write_s=slow, osts=(r % 48,)),
            Part(
                second.format(r),
                range(r, r + 1),
                writes=512,
                write_s=other,
                osts=tuple((r * 5 + 11 + i) % 48 for i in lies_on),
            ),
        ]
    return Work(tuple(parts), nprocs=64, runtime_s=300, nodes=8)


def aggregators(seconds: tuple[float, ...], *, named: bool = True, calls: tuple[int, ...] = (320,) * 32) -> Work:
    """Two on each of 16 nodes."""
    movers = range(0, 512, 16)
    return Work(
        (
            Part("/scratch/o.dat", range(512), "MPI-IO", writes=20, size=16 * MIB, write_s=66.0, collective=True),
            *(
                Part(
                    "/scratch/o.dat",
                    range(rank, rank + 1),
                    writes=n,
                    size=16 * MIB,
                    write_s=took,
                    in_order=0.2,
                    osts=osts(32),
                    stripe=16 * MIB,
                )
                for rank, took, n in zip(movers, seconds, calls, strict=True)
            ),
        ),
        nprocs=512,
        runtime_s=200,
        nodes=16,
        named=named,
    )


def checkpoints(slow_s: float, usual_s: float) -> Work:
    """20 files of each rank; making one of them takes `slow_s`."""
    return Work(
        tuple(
            Part(
                f"/scratch/ck/c{k:02}.{{}}",
                RANKS,
                writes=64,
                size=4 * MIB,
                write_s=0.6,
                meta_s=tuple(slow_s if (k, r) == (7, 13) else usual_s for r in RANKS),
                osts=own(64),
            )
            for k in range(20)
        ),
        nprocs=64,
        runtime_s=100,
        nodes=2,
    )


def small_files(slow_s: float, usual_s: float) -> Work:
    """2,000 of them, written by 20 processes; making one takes `slow_s`."""
    ranks = range(20)
    return Work(
        tuple(
            Part(
                f"/scratch/t/{k:03}.{{}}",
                ranks,
                writes=1,
                size=100 * KIB,
                write_s=0.005,
                meta_s=tuple(slow_s if (k, r) == (7, 3) else usual_s for r in ranks),
            )
            for k in range(100)
        ),
        nprocs=20,
        runtime_s=100,
        nodes=1,
    )


def at_home(one: Part) -> Work:
    output = collective("/scratch/o.dat", range(4096), range(0, 4096, 128), 10.0, osts(32))
    return Work((one, *output), nprocs=4096, runtime_s=200, nodes=32)


def config(path: str, **does: object) -> Work:
    return at_home(Part(path, range(4096), size=4096, **does))  # type: ignore[arg-type]


def read_ahead(size: int, took_s: float, in_order: float = 1.0) -> Work:
    return Work(
        (Part("/scratch/in.{}", RANKS, reads=200_000, size=size, read_s=took_s, in_order=in_order, osts=own(64)),),
        nprocs=64,
        runtime_s=120,
        nodes=2,
    )


def interleaved(nodes: int, size: int = 47008, **changes: object) -> Work:
    """As IOR's hard test writes."""
    does = {"in_order": 0.0, "forward": 1.0, "aligned": False} | changes
    one = Part("/scratch/hard", range(128), writes=40_000, size=size, write_s=uneven(128, 300), osts=osts(16), **does)  # type: ignore[arg-type]
    return Work((one,), nprocs=128, runtime_s=400, nodes=nodes)


def on(file_system: str, nodes: int | None) -> Work:
    """The same where no source lists stripes."""
    one = Part(
        "/work/hard",
        range(128),
        writes=40_000,
        size=47008,
        write_s=uneven(128, 300),
        in_order=0.0,
        forward=1.0,
        aligned=False,
    )
    mounts = (("/work", file_system), ("/home", "nfs"))
    return Work((one,), nprocs=128, runtime_s=400, nodes=nodes, mounts=mounts)


def packed(runtime_s: float) -> Work:
    """64 processes that write small pieces for five minutes."""
    part = Part("/scratch/out.{}.gz", RANKS, writes=300_000, size=8 * KIB, write_s=300.0, osts=own(64))
    return Work((part,), nprocs=64, runtime_s=runtime_s, nodes=2)


def read_together(of_storage: int, reach: int) -> Work:
    """All ranks read a GiB each in collective calls; 8 of them fetch so many pieces of 16 MiB each."""
    return Work(
        (
            Part(
                "/scratch/in", range(256), "MPI-IO", reads=64, size=16 * MIB, read_s=12.0, collective=True, reach=reach
            ),
            Part(
                "/scratch/in",
                range(0, 256, 32),
                reads=of_storage,
                size=16 * MIB,
                read_s=11.0,
                reach=reach,
                osts=osts(16),
            ),
        ),
        nprocs=256,
        runtime_s=100,
        nodes=8,
    )


def headers_beside(name: str) -> Work:
    """Small reads of every rank on its own beside large collective writes."""
    return Work(
        (
            Part(name, range(256), "MPI-IO", writes=32, size=16 * MIB, write_s=20, collective=True),
            Part(name, range(256), "MPI-IO", reads=20_000, size=300, read_s=uneven(256, 80)),
            Part(name, range(0, 256, 16), writes=512, size=16 * MIB, write_s=18, osts=osts(16), in_order=0.1),
            Part(name, range(256), reads=20_000, size=300, read_s=uneven(256, 79), in_order=0.1),
        ),
        nprocs=256,
        runtime_s=200,
        nodes=8,
    )


def one_input(ranks: int, nodes: int, read_s: float, of: int = 48) -> Work:
    """A file of 4 GiB a rank on 4 OSTs."""
    part = Part(
        "/scratch/in.bin",
        range(ranks),
        reads=1024,
        size=4 * MIB,
        read_s=uneven(ranks, read_s),
        reach=ranks * 4 * GIB,
        osts=osts(4),
    )
    return Work((part,), nprocs=ranks, runtime_s=2 * read_s, nodes=nodes, osts_in_fs=of)


HALF = tuple(60.0 if i < 16 else 20.0 + 0.1 * (i % 3) for i in range(32))
NOISE = tuple(40.0 + i * 7 % 11 for i in range(32))

JOBS: dict[str, tuple[Work, Must, Must]] = {
    "tiny headers beside large blocks": (headers(40_000, 64, 0.4, 800, 60.0), set(), {"small-io"}),
    "small records beside a few blocks": (headers(40_000, 4 * KIB, 60.0, 20, 1.0), {"small-io"}, set()),
    "two ranks slow on every OST": (
        two_slow_ranks(60.0, "/scratch/p.{:03}", (0,)),
        {"straggler-rank"},
        {"slow-ost", "crowded-ost"},
    ),
    "two ranks slow on striped files too": (
        two_slow_ranks(60.0, "/scratch/p.{:03}", (0, 1, 2, 3)),
        {"straggler-rank"},
        {"slow-ost", "crowded-ost"},
    ),
    "two ranks slow on their nodes' disks too": (
        two_slow_ranks(40.0, "/tmp/p.{:03}", ()),
        {"straggler-rank"},
        {"slow-ost", "crowded-ost"},
    ),
    "two ranks slow on one OST": (two_slow_ranks(10.0, "/scratch/p.{:03}", (0,)), {"slow-ost"}, {"straggler-rank"}),
    "two ranks slow on one OST, and quick on striped files": (
        two_slow_ranks(10.0, "/scratch/p.{:03}", (0, 1, 2, 3)),
        {"slow-ost"},
        {"straggler-rank"},
    ),
    "half of the aggregators slow": (aggregators(HALF), {"straggler-rank"}, set()),
    "the same, nodes not named": (aggregators(HALF, named=False), {"straggler-rank"}, set()),
    "aggregators of one kind": (aggregators(NOISE), set(), {"straggler-rank"}),
    "half of the aggregators have more calls": (
        aggregators(HALF, calls=tuple(640 if i < 16 else 320 for i in range(32))),
        set(),
        {"straggler-rank"},
    ),
    "one slow create": (checkpoints(40.0, 0.002), {"straggler-rank"}, {"metadata-bound"}),
    "slow creates": (checkpoints(2.0, 2.0), {"metadata-bound"}, {"straggler-rank"}),
    "one slow create among small files": (small_files(20.0, 0.004), {"straggler-rank"}, {"many-small-files"}),
    "slow creates of small files": (small_files(0.2, 0.2), {"many-small-files"}, {"straggler-rank"}),
    "a configuration that all open at home": (
        config("/home/u/p.xml", reads=1, read_s=0.5, meta_s=uneven(4096, 30), reach=4096),
        {"metadata-bound"},
        {"wrong-filesystem"},
    ),
    "a mesh that all open at home, each for a part": (
        config("/home/u/m.h5", reads=1, read_s=0.5, meta_s=uneven(4096, 30), reach=64 * GIB),
        {"metadata-bound"},
        {"wrong-filesystem"},
    ),
    "own files at home": (
        config("/home/u/in.{}", reads=20, read_s=uneven(4096, 25), meta_s=5.0),
        {"wrong-filesystem"},
        {"redundant-reads"},
    ),
    "small reads that are read ahead": (read_ahead(64 * KIB, 50.0), set(), {"small-io"}),
    "small reads that are not": (read_ahead(4 * KIB, 80.0), {"small-io"}, set()),
    "as fast, but back and forth": (read_ahead(64 * KIB, 50.0, in_order=0.0), {"random-access"}, set()),
    "interleaved pieces of four nodes": (interleaved(4), {"lock-contention"}, {"small-io"}),
    "interleaved pieces of one node": (interleaved(1), set(), {"lock-contention"}),
    "large blocks of four nodes, in turn": (
        interleaved(4, size=4 * MIB, aligned=True),
        set(),
        {"lock-contention", "small-io"},
    ),
    "interleaved pieces on Spectrum Scale": (on("gpfs", 4), {"lock-contention"}, {"small-io"}),
    "interleaved pieces on Lustre, stripes unknown": (on("lustre", 4), {"lock-contention"}, {"small-io"}),
    "interleaved pieces of nobody knows how many nodes": (
        on("gpfs", None),
        {"independent-shared"},
        {"lock-contention", "small-io"},
    ),
    "interleaved pieces of one node, stripes unknown": (
        on("lustre", 1),
        {"small-io"},
        {"lock-contention", "independent-shared"},
    ),
    "interleaved pieces on NFS, of nobody knows how many nodes": (
        on("nfs", None),
        {"small-io"},
        {"lock-contention", "independent-shared"},
    ),
    "interleaved pieces on NFS, which has no such locks": (on("nfs", 4), {"small-io"}, {"lock-contention"}),
    "headers of HDF5 that each rank reads": (
        headers_beside("/scratch/o.h5"),
        {"hdf5-independent-metadata"},
        {"small-io"},
    ),
    "a huge input on four busy OSTs": (one_input(512, 16, 300.0), {"ssf-understriped"}, set()),
    "one for as many nodes as stripes": (one_input(128, 4, 300.0), set(), {"ssf-understriped"}),
    "one on four OSTs that work": (one_input(512, 16, 3000.0), {"ssf-understriped"}, set()),
    "one on four OSTs that wait": (one_input(512, 16, 9000.0), set(), {"ssf-understriped"}),
    "one on all four OSTs": (one_input(512, 16, 300.0, of=4), set(), {"ssf-understriped"}),
}


@pytest.mark.parametrize(("work", "must", "must_not"), JOBS.values(), ids=JOBS)
def test_what_is_said_and_what_is_not(work: Work, must: Must, must_not: Must) -> None:
    said = above_info(document(work))
    assert must <= set(said)
    assert not must_not & set(said)


def test_ranks_that_are_slow_everywhere_are_so_in_a_later_step_too() -> None:
    before = Work(
        (Part("/scratch/mesh.bin", RANKS, reads=1000, read_s=12.0, reach=1000 * MIB, osts=osts(4)),),
        nprocs=64,
        runtime_s=60,
        nodes=8,
    )
    said = above_info(document(before, two_slow_ranks(60.0, "/scratch/p.{:03}", (0, 1, 2, 3))))
    assert "straggler-rank" in said
    assert not {"slow-ost", "crowded-ost"} & set(said)


def test_one_slow_create_is_not_what_the_opens_of_a_shared_file_take() -> None:
    alone = checkpoints(5.0, 0.002)
    shared = Part("/scratch/shared.dat", RANKS, writes=4, meta_s=uneven(64, 30.0), opens=400)
    beside = replace(alone, parts=(*alone.parts, shared))
    mostly = [document(work).metrics["posix.metadata_mostly"].value for work in (alone, beside)]
    assert mostly == ["a few calls", "unknown"]


def takes(work: Work, rule: str) -> float | None:
    return next(f.takes_s for f in document(work).findings if f.rule == rule and f.verdict == "triggered")


def test_they_take_the_seconds_that_they_took() -> None:
    assert takes(aggregators(HALF), "straggler-rank") == pytest.approx(40.0, abs=0.5)
    assert takes(checkpoints(40.0, 0.002), "straggler-rank") == pytest.approx(39.4, abs=0.5)
    small = takes(headers(40_000, 4 * KIB, 60.0, 20, 1.0), "small-io")
    assert small == pytest.approx(60.0, rel=0.2)


def test_the_nodes_of_slow_aggregators_are_named() -> None:
    sentence = document(aggregators(HALF)).headline.sentence
    assert sentence.startswith("The ranks that move the bytes on 8 of 16 nodes, nid000000, nid000001, nid000002 and 5 ")
    assert "8 of 16 nodes take" in document(aggregators(HALF, named=False)).headline.sentence


def severity(work: Work, rule: str) -> str:
    return next(f.severity for f in document(work).findings if f.rule == rule and f.verdict == "triggered")


def test_what_takes_a_twentieth_of_a_run_is_less_grave_than_what_takes_a_third() -> None:
    assert severity(packed(900.0), "small-io") == "medium"
    assert severity(packed(6000.0), "small-io") == "low"


def experiment(work: Work) -> str:
    left = document(work).unexplained
    return "" if left is None else left.experiment or ""


def test_what_is_read_once_for_all_ranks_keeps_no_server_busy() -> None:
    assert "OSTs in use are busy" not in experiment(read_together(8, GIB))
    assert "OSTs in use are busy" in experiment(read_together(64 * 32, 256 * GIB))


def test_small_independent_reads_beside_collective_writes_are_to_become_collective() -> None:
    found = document(headers_beside("/scratch/o.nc")).findings
    advice = next(f for f in found if f.rule == "small-io" and f.verdict == "triggered").advice
    assert advice[0].text.startswith("Use the collective routines")


def test_who_has_no_osts_is_not_told_of_them() -> None:
    advised = next(f for f in document(on("gpfs", 4)).findings if f.rule == "lock-contention").advice
    assert not [one.text for one in advised if "OST" in one.text and one.withheld is None]
    assert any("OST" in one.text for one in document(interleaved(4)).findings[0].advice)


def pieces(size: int, *, header: bool) -> Work:
    """128 ranks write a shared file independently, off its stripes; the first writes a header before."""
    parts = []
    for layer in ("MPI-IO", "POSIX"):
        every = Part("/scratch/o.dat", range(128), layer, writes=4000, size=size, write_s=uneven(128, 120.0))
        parts.append(replace(every, in_order=0.0, forward=1.0, aligned=False, osts=osts(16)))
        if header:
            parts.append(Part("/scratch/o.dat", range(1), layer, writes=1, size=96, write_s=1e-5, osts=osts(16)))
    return Work(tuple(parts), nprocs=128, runtime_s=300, nodes=4)


@pytest.mark.parametrize("size", [8 * MIB, 256 * KIB, 64 * KIB])
def test_a_header_makes_no_small_pieces_of_those_that_follow(size: int) -> None:
    alone, after = (document(pieces(size, header=header)) for header in (False, True))
    assert above_info(after) == above_info(alone)
    assert after.headline.rule == alone.headline.rule


def alone(size: int, *, header: bool) -> Work:
    """One of 64 ranks writes a file in pieces, and a header before."""
    data = Part("/scratch/o.dat", range(1), writes=20_000, size=size, write_s=200.0)
    first = Part("/scratch/o.dat", range(1), writes=1, size=96, opens=0)
    return Work((data, first) if header else (data,), nprocs=64, runtime_s=300.0)


def some_beside(size: int, *, header: bool) -> Work:
    """Two of 256 ranks write files in pieces, and a header before, beside more bytes of all."""
    two = range(0, 256, 128)
    data = Part("/scratch/q/big.{}", two, writes=100_000, size=size, write_s=200.0)
    first = Part("/scratch/q/big.{}", two, writes=1, size=96, opens=0)
    of_all = Part("/scratch/g/t.{}", range(256), writes=512, size=16 * MIB, write_s=20.0)
    return Work((data, first, of_all) if header else (data, of_all), nprocs=256, runtime_s=600.0, nodes=4)


def read_here_and_there(size: int, *, header: bool) -> Work:
    """Samples of a file of HDF5, and its superblock."""
    data = Part("/scratch/s.h5", range(1), reads=40_000, size=size, read_s=200.0, in_order=0.0, forward=0.0)
    first = Part("/scratch/s.h5", range(1), reads=1, size=96, opens=0)
    return Work((data, first) if header else (data,), nprocs=1, runtime_s=300.0)


def together(size: int, *, header: bool) -> Work:
    """All ranks write their pieces by collective calls, which take ten times what the file system does."""
    calls = Part("/scratch/o.dat", RANKS, "MPI-IO", writes=4000, size=size, write_s=120.0, collective=True)
    first = Part("/scratch/o.dat", RANKS, "MPI-IO", writes=1, size=96, collective=True, opens=0)
    below = Part("/scratch/o.dat", range(0, 64, 16), writes=4000, size=16 * size, write_s=12.0, osts=osts(8))
    return Work((calls, first, below) if header else (calls, below), nprocs=64, runtime_s=300.0, nodes=4)


@pytest.mark.parametrize("size", [MIB, 256 * KIB, 64 * KIB, 16 * KIB])
@pytest.mark.parametrize("job", [alone, some_beside, read_here_and_there, together])
def test_a_header_changes_nothing_of_what_is_advised(job: Callable[..., Work], size: int) -> None:
    without, after = (document(job(size, header=header)) for header in (False, True))
    assert after.headline.rule == without.headline.rule
    assert after.headline.action == without.headline.action
