"""Jobs that people run, and what must, or must not, be said of them: on each of these some rule was once wrong."""

from __future__ import annotations

import pytest
from described import GIB, KIB, MIB, Part, Work, above_info, document, uneven

IO_SERVERS = Work(
    (
        Part("/scratch/run/namelist", range(1024), "STDIO", reads=20, size=4096, read_s=0.05, reach=80 * KIB),
        Part(
            "/scratch/run/out.nc", range(1008, 1024), "MPI-IO", writes=400, size=16 * MIB, write_s=300, collective=True
        ),
        Part("/scratch/run/out.nc", range(1008, 1024), writes=6400, write_s=270, in_order=0.0, osts=tuple(range(16))),
    ),
    nprocs=1024,
    runtime_s=3600,
)
MANY_SMALL_INPUTS = Work(
    tuple(
        Part(f"/scratch/in/r{{}}/s{k}.fastq", range(16), reads=5, size=4096, read_s=0.01, meta_s=0.35, stats=2)
        for k in range(100)
    ),
    nprocs=16,
    runtime_s=100,
)
STAT_STORM = Work(
    (Part("/scratch/run/flag", range(64), reads=1, size=64, meta_s=50.0, opens=1, stats=4000),),
    nprocs=64,
    runtime_s=100,
)
STEPS_WITH_ANOTHER_SLOW_RANK_EACH = Work(
    tuple(
        Part(
            f"/scratch/run/step{k:03}.dat",
            range(64),
            writes=16,
            size=4 * MIB,
            write_s=tuple(4.0 if r == k * 7 % 64 else 0.5 for r in range(64)),
            osts=tuple((k + i) % 48 for i in range(8)),
        )
        for k in range(32)
    ),
    nprocs=64,
    runtime_s=200,
)
MESH_READ_TWO_BYTES_AT_A_TIME = Work(
    (
        Part("/scratch/run/mesh.txt", range(1), "STDIO", reads=14_600_000, size=2, read_s=92),
        Part("/scratch/run/out.dat", range(128), "MPI-IO", writes=16, write_s=4, collective=True),
        Part("/scratch/run/out.dat", range(0, 128, 8), writes=128, write_s=3, in_order=0.0, osts=tuple(range(16))),
    ),
    nprocs=128,
    runtime_s=200,
)
READ_BACK_BY_THE_NEXT_RANK = Work(
    tuple(
        part
        for r in range(32)
        for part in (
            Part(f"/scratch/run/part.{r:03}", range(r, r + 1), writes=512, write_s=10.0, osts=(r,)),
            Part(f"/scratch/run/part.{r:03}", range((r + 8) % 32, (r + 8) % 32 + 1), reads=512, read_s=3.0, osts=(r,)),
        )
    ),
    nprocs=32,
    runtime_s=60,
)
UPDATED_HERE_AND_THERE = Work(
    (
        Part(
            "/scratch/run/index.db",
            range(64),
            writes=2000,
            reads=2000,
            size=4096,
            write_s=uneven(64, 60),
            read_s=uneven(64, 60),
            in_order=0.0,
            aligned=False,
            reach=400 * GIB,
            osts=tuple(range(16)),
            reads_first=True,
        ),
    ),
    nprocs=64,
    runtime_s=600,
)
WRITTEN_WITH_HOLES = Work(
    (
        Part(
            "/scratch/run/field.dat",
            range(64),
            writes=10_000,
            size=256,
            write_s=uneven(64, 60),
            in_order=0.0,
            aligned=False,
            reach=40 * GIB,
            osts=tuple(range(16)),
        ),
    ),
    nprocs=64,
    runtime_s=600,
)
FEW_METADATA_READS_BESIDE_LARGE_ONES = Work(
    (
        Part("/scratch/in.h5", range(256), "MPI-IO", reads=32, size=128 * MIB, read_s=60, collective=True),
        Part("/scratch/in.h5", range(256), "MPI-IO", reads=300, size=512, read_s=0.5),
        Part("/scratch/in.h5", range(256), reads=32, size=128 * MIB, read_s=55, osts=tuple(range(16))),
        Part("/scratch/in.h5", range(256), reads=300, size=512, read_s=0.5, in_order=0.0),
    ),
    nprocs=256,
    runtime_s=400,
)

SHARDS_OF_A_DATA_SET = Work(
    tuple(
        Part(f"/scratch/data/shard{k:02}.rec", range(16), reads=160, read_s=8.0, osts=(k,), in_order=0.9)
        for k in range(20)
    ),
    nprocs=16,
    runtime_s=600,
)
STEPS_ON_ONE_STRIPE = Work(
    tuple(
        Part(f"/scratch/run/s{k}.dat", range(16), writes=160, write_s=8.0, osts=(k,), begins_s=1 + 20.0 * k)
        for k in range(20)
    ),
    nprocs=16,
    runtime_s=600,
)
MANY_OF_MY_FILES_ON_ONE_OST = Work(
    tuple(
        Part(f"/scratch/run/part.{r:03}", range(r, r + 1), writes=2048, write_s=s, osts=(ost,))
        for r, s, ost in ((r, 40.0, 5) if r < 24 else (r, 8.0, r % 48) for r in range(64))
    ),
    nprocs=64,
    runtime_s=100,
)

ONE_LOG = Work(
    (
        Part(
            "/scratch/run/run.log",
            range(64),
            writes=5000,
            size=120,
            write_s=uneven(64, 60),
            in_order=0.05,
            aligned=False,
            reach=64 * 5000 * 120,
            osts=(1,),
        ),
    ),
    nprocs=64,
    runtime_s=600,
)

JOBS = {
    "I/O servers of a climate model": (IO_SERVERS, set(), {"serial-io", "straggler-rank", "single-aggregator"}),
    "thousands of small inputs": (MANY_SMALL_INPUTS, {"many-small-files"}, set()),
    "every rank asks again and again": (STAT_STORM, {"metadata-bound"}, set()),
    "in each step another rank is slow": (STEPS_WITH_ANOTHER_SLOW_RANK_EACH, set(), {"straggler-rank", "serial-io"}),
    "a mesh read two bytes at a time": (MESH_READ_TWO_BYTES_AT_A_TIME, {"serial-io"}, {"straggler-rank"}),
    "files read back by another rank": (READ_BACK_BY_THE_NEXT_RANK, set(), {"subfile", "ssf-understriped"}),
    "a large file updated here and there": (UPDATED_HERE_AND_THERE, set(), {"sparse-layout"}),
    "a file written with holes": (WRITTEN_WITH_HOLES, {"sparse-layout"}, set()),
    "shards that are read at once, each on its OST": (SHARDS_OF_A_DATA_SET, set(), {"ssf-understriped"}),
    "a file for each step, on one OST": (STEPS_ON_ONE_STRIPE, {"ssf-understriped"}, set()),
    "many files on one OST that is not slow": (MANY_OF_MY_FILES_ON_ONE_OST, {"crowded-ost"}, {"slow-ost"}),
    "one log that all ranks add to": (ONE_LOG, {"shared-log"}, {"random-access", "ssf-understriped"}),
    "a few of HDF5's own reads": (FEW_METADATA_READS_BESIDE_LARGE_ONES, set(), {"hdf5-independent-metadata"}),
}


@pytest.mark.parametrize(("work", "must", "must_not"), JOBS.values(), ids=JOBS)
def test_what_is_said_of_a_job(work: Work, must: set[str], must_not: set[str]) -> None:
    said = above_info(document(work))
    assert must <= set(said)
    assert not must_not & set(said)


def test_io_bound_and_as_fast_as_documented_is_neither_green_nor_a_fault() -> None:
    """512 processes write 80 GiB over all OSTs of ARCHER, at three quarters of what its document has for them."""
    one = Part("/fs3/z01/run/out.dat", range(512), "MPI-IO", writes=160, write_s=10.6, collective=True)
    layout = {"osts": tuple(range(48)), "stripe": 8 * MIB}
    below = Part(
        "/fs3/z01/run/out.dat", range(0, 512, 16), writes=320, size=8 * MIB, write_s=7.9, in_order=0.0, **layout
    )
    fast = document(Work((one, below), nprocs=512, runtime_s=30, mounts=(("/fs3", "lustre"),), site="archer"))
    assert "as fast as documented" in fast.headline.sentence
    assert (fast.headline.severity, fast.headline.rule) == ("info", "as-documented")


def first_advice(work: Work, rule: str) -> str:
    finding = next(f for f in document(work).findings if f.rule == rule and f.verdict == "triggered")
    return finding.advice[0].text


def test_a_job_that_reads_is_not_told_to_write_fewer_files() -> None:
    assert "pack them" in first_advice(MANY_SMALL_INPUTS, "many-small-files")
    assert "Let one rank ask" in first_advice(STAT_STORM, "metadata-bound")


def headline(work: Work) -> str:
    return document(work).headline.sentence


def test_ranks_that_print_are_told_to_print_less() -> None:
    printing = Part("<STDOUT>", range(64), "STDIO", writes=200_000, size=80, write_s=uneven(64, 30))
    work = Work((printing,), nprocs=64, runtime_s=100)
    assert "standard output" in headline(work)
    assert "Let one rank print" in first_advice(work, "stdio-heavy")


def test_several_busy_ranks_are_not_called_one() -> None:
    heavy = Part("/scratch/plt.{}", range(4), writes=2500, write_s=30, osts=(0, 1, 2, 3))
    light = Part("/scratch/plt.{}", range(4, 128), writes=100, write_s=2, osts=tuple(k % 48 for k in range(124)))
    assert headline(Work((heavy, light), nprocs=128, runtime_s=100)).startswith("4 ranks move far more data")


def test_who_works_alone_is_named_beside_what_all_do() -> None:
    """Every rank imports for 60 s; then rank 0 alone writes for 30 s, and the others have nothing to do."""
    modules = (
        Part(f"/sw/env/lib/python3.11/site-packages/m{k}.py", range(64), reads=2, size=4096, meta_s=0.6)
        for k in range(100)
    )
    alone = Part("/scratch/run/state.dat", range(1), writes=4000, write_s=30.0, osts=(1,))
    both = Work((*modules, alone), nprocs=64, runtime_s=150)
    assert set(above_info(document(both))) >= {"import-storm", "serial-io"}


def test_what_is_imported_takes_no_seconds_of_other_calls() -> None:
    """Imports of 6 s beside 60 s of collective writing: MPI-IO's records count as I/O too."""
    modules = tuple(
        Part(f"/sw/env/lib/python3.11/site-packages/m{k}.py", range(64), reads=2, size=4096, meta_s=0.06)
        for k in range(100)
    )
    out = Part("/scratch/run/o.dat", range(64), "MPI-IO", writes=64, write_s=60.0, collective=True)
    below = Part("/scratch/run/o.dat", range(0, 64, 16), writes=1024, write_s=58.0, osts=tuple(range(16)))
    assert "import-storm" not in above_info(document(Work((*modules, out, below), nprocs=64, runtime_s=150)))


def own_files(ranks: int, seconds: tuple[float, ...]) -> tuple[Part, ...]:
    osts = tuple(rank * 7 % 64 for rank in range(ranks))
    return (Part("/scratch/o.{}", range(ranks), writes=512, write_s=seconds, osts=osts),)


def test_the_node_whose_ranks_are_slow_is_named() -> None:
    slow = tuple(80.0 if 16 <= rank < 24 else 10.0 for rank in range(64))
    on_nodes = Work(own_files(64, slow), nprocs=64, runtime_s=200, nodes=8)
    assert headline(on_nodes).startswith("The ranks of one node, nid000002, spend up to 4.27 times the mean")
    assert "without that node" in first_advice(on_nodes, "straggler-rank")
    nodes_unknown = Work(own_files(64, slow), nprocs=64, runtime_s=200)
    assert headline(nodes_unknown).startswith("8 ranks spend up to 4.27 times the mean")
    spread = tuple(80.0 if rank % 8 == 0 else 10.0 for rank in range(64))
    assert headline(Work(own_files(64, spread), nprocs=64, runtime_s=200, nodes=8)).startswith("8 ranks spend")


def test_several_slow_osts_are_not_called_one() -> None:
    osts = tuple(rank % 24 for rank in range(72))
    seconds = tuple(60.0 if ost in (3, 17) else 6.0 for ost in osts)
    part = Part("/scratch/o.{}", range(72), writes=512, write_s=seconds, osts=osts)
    assert headline(Work((part,), nprocs=72, runtime_s=200)).startswith("2 OSTs take 10 times as long")


def test_many_small_calls_are_gathered_before_they_become_collective() -> None:
    many = Part("/scratch/a.dat", range(64), "MPI-IO", writes=20_000, size=200, write_s=uneven(64, 20))
    below = Part(
        "/scratch/a.dat", range(64), writes=20_000, size=200, write_s=uneven(64, 19), in_order=0.0, aligned=False
    )
    found = document(Work((many, below), nprocs=64, runtime_s=60)).findings
    advice = next(f for f in found if f.rule == "independent-shared").advice
    assert any("not one of each of the 20,000" in a.text for a in advice)


def test_calls_of_two_bytes_are_to_become_larger_before_they_are_shared_out() -> None:
    assert document(MESH_READ_TWO_BYTES_AT_A_TIME).headline.rule == "serial-io"
    assert "blocks of 1 MiB" in first_advice(MESH_READ_TWO_BYTES_AT_A_TIME, "serial-io")


def test_who_writes_a_file_alone_owns_it_whoever_reads_it_back() -> None:
    assert {file.pattern for file in document(READ_BACK_BY_THE_NEXT_RANK).files} == {"file-per-process"}


def test_a_server_at_half_speed_is_named_where_it_stands_apart() -> None:
    """Twice as long on one OST of 24: with the layout the OST is named, without it the ranks; of noise neither."""
    osts = tuple(rank % 24 for rank in range(240))
    noise = tuple(40.0 + rank * 17 % 11 / 4 for rank in range(240))
    slow = tuple(took * (2 if ost == 7 else 1) for took, ost in zip(noise, osts, strict=True))
    with_layout = Part("/scratch/o.{}", range(240), writes=512, write_s=slow, osts=osts)
    assert headline(Work((with_layout,), nprocs=240, runtime_s=200)).startswith("OST 7 takes 1.9")
    without = Part("/scratch/o.{}", range(240), writes=512, write_s=slow)
    assert headline(Work((without,), nprocs=240, runtime_s=200)).startswith("10 ranks spend up to")
    wide = tuple(20.0 + rank * 17 % 61 for rank in range(240))
    for scattered in (noise, wide):
        even = Part("/scratch/o.{}", range(240), writes=512, write_s=scattered, osts=osts)
        assert not above_info(document(Work((even,), nprocs=240, runtime_s=200)))
