"""Few stripes for many aggregators, or for very many bytes: more are named where documents ask for them."""

from dataclasses import replace

import pytest
from described import KIB, MIB, Part, Work, above_info, document, osts

RANKS = range(2048)


def collective(movers: int, stripes: int, nodes: int, below_s: float = 190.0) -> Work:
    """160 GiB in 200 s, at 205 MiB/s or less of each OST."""
    below = Part(
        "/scratch/e/o.nc", RANKS[:: 2048 // movers], writes=20 * 2048 // movers, size=4 * MIB, write_s=below_s,
        in_order=0.3, osts=osts(stripes),
    )  # fmt: skip
    calls = Part("/scratch/e/o.nc", RANKS, "MPI-IO", writes=20, size=4 * MIB, write_s=200.0, collective=True)
    return Work((calls, below), nprocs=2048, runtime_s=900.0, nodes=nodes)


@pytest.mark.parametrize(
    ("work", "named"),
    [
        (collective(64, 4, 32), True),
        (collective(32, 4, 32), True),
        (collective(16, 16, 32), False),
        (collective(64, 16, 32), False),
        (collective(64, 4, 1), False),
        (collective(64, 4, 32, below_s=20.0), False),
    ],
    ids=["16 on each", "8 on each", "1 on each", "on a third of the OSTs", "of one node", "the library takes it"],
)
def test_where_many_write_each_stripe_and_most_osts_are_idle_there_are_too_few(work: Work, named: bool) -> None:
    assert ("ssf-understriped" in above_info(document(work))) == named


@pytest.mark.parametrize(
    ("size", "in_order", "first"),
    [(8 * KIB, 0.0, "small-io"), (8 * KIB, 1.0, "ssf-understriped"), (4 * MIB, 0.0, "ssf-understriped")],
    ids=["traces of a record each", "in order, which is read ahead", "large pieces"],
)
def test_small_reads_in_turn_are_gathered_before_their_file_is_copied(size: int, in_order: float, first: str) -> None:
    reads = 240 * 2**30 // 512 // size
    part = Part(
        "/scratch/s/shots.segy", range(512), reads=reads, size=size, read_s=240.0, in_order=in_order, forward=1.0,
        aligned=False, osts=osts(8),
    )  # fmt: skip
    assert document(Work((part,), 512, 500.0, nodes=32, osts_in_fs=96)).headline.rule == first


@pytest.mark.parametrize("way", ["read", "write"])
def test_who_reads_waits_for_no_lock_of_others(way: str) -> None:
    parts = collective(64, 4, 32).parts
    if way == "read":
        parts = tuple(replace(p, writes=0, write_s=0.0, reads=p.writes, read_s=p.write_s) for p in parts)
    found = document(Work(parts, nprocs=2048, runtime_s=900.0, nodes=32))
    (few,) = (f for f in found.findings if f.rule == "ssf-understriped" and f.verdict == "triggered")
    assert "16 of the ranks that move the bytes share each stripe" in (few.summary or "")
    assert ("can have the lock" in (few.summary or "")) == (way == "write")


def very_large(*, gib: int, stripes: int, nodes: int, write_s: float) -> Work:
    """Of independent calls, on a file system of which no source says how many OSTs it has, with a file on the 47th."""
    writes = gib * 64 // len(RANKS)
    part = Part("/scratch/e/o.bin", RANKS, writes=writes, size=16 * MIB, write_s=write_s, osts=osts(stripes))
    other = Part("/scratch/e/log", range(1), "STDIO", writes=10, size=100, osts=(46,))
    return Work((part, other), nprocs=2048, runtime_s=4 * write_s, nodes=nodes, osts_in_fs=None)


@pytest.mark.parametrize(
    ("work", "named"),
    [
        (very_large(gib=256, stripes=8, nodes=32, write_s=200.0), True),
        (very_large(gib=256, stripes=12, nodes=32, write_s=150.0), False),
        (very_large(gib=64, stripes=8, nodes=32, write_s=50.0), False),
        (very_large(gib=256, stripes=8, nodes=8, write_s=200.0), False),
        (very_large(gib=256, stripes=8, nodes=32, write_s=2000.0), False),
    ],
    ids=["8 for 256 GiB", "12 for them", "8 for 64 GiB", "as many as nodes", "they wait for something else"],
)
def test_a_handful_is_too_few_for_a_very_large_file(work: Work, named: bool) -> None:
    assert ("ssf-understriped" in above_info(document(work))) == named


def ensemble(*, members: int, gib: int = 64, write_s: float = 300.0) -> Work:
    """Each member's ranks write its file at once, of which Lustre put each on an OST of its own; there are 48."""
    each = len(RANKS) // members
    parts = (
        Part(
            f"/scratch/ens/mem{m:02}.nc", range(m * each, (m + 1) * each), writes=gib * 64 // each, size=16 * MIB,
            write_s=write_s, osts=osts(1, m),
        )
        for m in range(members)
    )  # fmt: skip
    return Work(tuple(parts), nprocs=2048, runtime_s=4 * write_s, nodes=32)


def test_of_members_that_write_at_once_each_on_one_ost_all_have_few() -> None:
    found = document(ensemble(members=8))
    finding = next(f for f in found.findings if f.rule == found.headline.rule)
    assert finding.rule == "ssf-understriped"
    assert "8 of these files are in use at a time; each of their OSTs moved 218 MiB/s." in finding.summary
    assert found.headline.command == "lfs setstripe -c 6 -S 1M /scratch/ens"


@pytest.mark.parametrize(
    "work",
    [ensemble(members=32, gib=32), ensemble(members=8, gib=8), ensemble(members=8, write_s=2000.0)],
    ids=["they have most OSTs", "of 8 GiB each", "the OSTs wait for something else"],
)
def test_others_have_enough(work: Work) -> None:
    assert "ssf-understriped" not in above_info(document(work))


def read_by_all(*, whole: bool) -> Work:
    """24 shards on an OST each, one after the other: each rank reads all of them, or its part."""
    ranks, of_all = 16, 1 if whole else 16
    parts = (
        Part(
            f"/scratch/ds/s{k:02}.bin", range(ranks), reads=1600 // of_all, size=4 * MIB, read_s=50.0,
            begins_s=60.0 * k, reach=1600 * 4 * MIB, osts=osts(1, k),
        )
        for k in range(24)
    )  # fmt: skip
    return Work(tuple(parts), nprocs=ranks, runtime_s=2000.0, nodes=4)


@pytest.mark.parametrize(("whole", "named"), [(True, "redundant-reads"), (False, "ssf-understriped")])
def test_where_each_rank_reads_all_it_is_no_matter_where_the_files_lie(whole: bool, named: str) -> None:
    assert set(above_info(document(read_by_all(whole=whole)))) == {named}


def subfiles_of_nodes(*, movers: int = 1, nodes: int = 3) -> Work:
    """96 ranks write three subfiles of 32 GiB at once, on an OST each of 48, which `movers` ranks of each gather."""
    parts: list[Part] = []
    for k in range(3):
        ranks, path = range(k * 32, (k + 1) * 32), f"/scratch/run/state.{k:05}"
        parts += [
            Part(path, ranks, "MPI-IO", writes=64, size=16 * MIB, write_s=45.0, collective=True),
            Part(
                path,
                ranks[:movers],
                writes=64 * 32 // movers,
                size=16 * MIB,
                write_s=40.0,
                in_order=0.2,
                osts=osts(1, k),
            ),
        ]
    return Work(tuple(parts), nprocs=96, runtime_s=200.0, nodes=nodes)


@pytest.mark.parametrize(
    ("work", "named"),
    [
        (subfiles_of_nodes(), False),
        (subfiles_of_nodes(movers=4), True),
        (subfiles_of_nodes(nodes=6), True),
    ],
    ids=["one writes each", "four write each", "each is of two nodes"],
)
def test_a_nodes_file_that_one_rank_writes_has_enough_with_one(work: Work, named: bool) -> None:
    assert ("ssf-understriped" in above_info(document(work))) == named


def on_their_own(
    name: str, *, ranks: int, nodes: int, stripes: int, layer: str = "MPI-IO", size: int = 8 * MIB
) -> Work:
    """A part of each rank, as H5Part and SWIFT write them to one file by parallel HDF5: large, and on no block."""
    calls = Part(name, range(ranks), layer, writes=8, size=size - 4096, write_s=300.0)
    below = Part(
        name, range(ranks), writes=8, size=size - 4096, write_s=298.0, in_order=0.0, forward=1.0, aligned=False,
        osts=osts(stripes),
    )  # fmt: skip
    return Work((calls, below) if layer == "MPI-IO" else (below,), nprocs=ranks, runtime_s=500.0, nodes=nodes)


PARTICLES = on_their_own("/scratch/v/part.h5", ranks=8000, nodes=2000, stripes=48)
SNAPSHOT = on_their_own("/scratch/s/snap.hdf5", ranks=64, nodes=32, stripes=8, size=200 * MIB)


@pytest.mark.parametrize(
    ("work", "asked"),
    [
        (PARTICLES, True),
        (SNAPSHOT, True),
        (on_their_own("/scratch/s/a.h5", ranks=64, nodes=8, stripes=8, size=200 * MIB), False),
        (on_their_own("/scratch/s/a.h5", ranks=64, nodes=32, stripes=8, size=200 * MIB, layer="POSIX"), False),
    ],
    ids=["H5Part", "SWIFT", "a stripe for each node", "without MPI-IO"],
)
def test_where_nodes_share_stripes_collective_calls_are_tried_before_a_trace(work: Work, asked: bool) -> None:
    left = document(work).unexplained
    assert left is not None
    assert ("Write it once with collective calls" in (left.experiment or "")) == asked
    assert ("objects on the boundaries of stripes" in (left.experiment or "")) == asked
