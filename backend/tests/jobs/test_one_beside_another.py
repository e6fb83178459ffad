"""Jobs with one fault beside another, or beside what is as it should be: each is named for its own files. Each was
written down with its answer before it was first diagnosed."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from described import GIB, KIB, MIB, Part, Work, above_info, collective, document, osts, own, seconds_of, uneven

from iotriage_parsers.evidence import Heatmap

Must = set[str]
MODULES = tuple(
    Part(f"/sw/env/lib/python3.11/site-packages/m{k}.py", range(64), reads=2, size=8192, meta_s=0.4, stats=6)
    for k in range(50)
)


def aggregators(slower: float) -> tuple[Part, Part]:
    """16 aggregators write as much, one of them `slower` times as long."""
    times = tuple(30.0 * (slower if i == 5 else 1.0 + 0.02 * (i % 3)) for i in range(16))
    return (
        Part("/scratch/o.dat", range(512), "MPI-IO", writes=20, size=16 * MIB, write_s=max(times), collective=True),
        Part(
            "/scratch/o.dat",
            range(0, 512, 32),
            writes=640,
            size=16 * MIB,
            write_s=times,
            in_order=0.2,
            osts=osts(16),
            stripe=16 * MIB,
        ),
    )


STORM_BESIDE_IMPORTS = Work(
    (
        *MODULES,
        *(
            Part(f"/scratch/w/t_{{}}_{k:03}.npy", range(64), writes=1, size=4 * KIB, write_s=0.001, meta_s=1.5)
            for k in range(20)
        ),
    ),
    nprocs=64,
    runtime_s=120,
    nodes=2,
)
MESH_BESIDE_IMPORTS = Work(
    (
        *MODULES,
        Part("/scratch/mesh.bin", range(64), reads=1000, size=MIB, read_s=12.0, reach=1000 * MIB, osts=osts(4)),
    ),
    nprocs=64,
    runtime_s=120,
)
PIECES_BESIDE_HOME = Work(
    (
        Part("/home/u/in.{}", range(64), reads=500, size=MIB, read_s=40.0),
        Part("/scratch/o.dat", range(64), "MPI-IO", writes=20_000, size=8000, write_s=uneven(64, 60.0)),
        Part(
            "/scratch/o.dat",
            range(64),
            writes=20_000,
            size=8000,
            write_s=uneven(64, 59.0),
            aligned=False,
            in_order=0.0,
            forward=1.0,
            osts=osts(8),
        ),
    ),
    nprocs=64,
    runtime_s=200,
    nodes=2,
)
REOPENED_BESIDE_READS = Work(
    (
        Part(
            "/scratch/o.{}", range(128), writes=400, size=64 * KIB, write_s=0.2, meta_s=15.0, opens=400, osts=own(128)
        ),
        Part("/scratch/in.bin", range(128), reads=4000, size=MIB, read_s=30.0, reach=4000 * MIB, osts=osts(4)),
    ),
    nprocs=128,
    runtime_s=100,
    nodes=4,
)
POLLED = Work(
    (
        Part("/scratch/run/STOP", range(256), stats=8000, meta_s=uneven(256, 40.0), opens=0),
        Part("/scratch/run/out.{}", range(256), writes=40, size=4 * MIB, write_s=1.0, osts=own(256)),
    ),
    nprocs=256,
    runtime_s=150,
    nodes=8,
)
FLUSHED_BESIDE_STREAMS = Work(
    (
        Part("/scratch/run/md.log", range(64), "STDIO", writes=400, size=90, write_s=12.5, syncs=400, meta_s=0.01),
        Part("/scratch/run/out.{}.txt", range(64), "STDIO", writes=400_000, size=100, write_s=40.0),
    ),
    nprocs=64,
    runtime_s=120,
)
READ_WHOLE = Work(
    (
        Part(
            "/scratch/rst/chk.bin",
            range(512),
            reads=1024,
            size=8 * MIB,
            read_s=uneven(512, 80.0),
            reach=1024 * 8 * MIB,
            osts=osts(8),
        ),
    ),
    nprocs=512,
    runtime_s=200,
    nodes=16,
)
READ_IN_PARTS = Work(
    (
        Part(
            "/scratch/rst/chk.bin",
            range(512),
            reads=128,
            size=8 * MIB,
            read_s=uneven(512, 12.0),
            reach=512 * 128 * 8 * MIB,
            osts=osts(48),
            stripe=8 * MIB,
        ),
    ),
    nprocs=512,
    runtime_s=60,
    nodes=16,
)
ONE_WRITER = Work(
    (Part("/scratch/out.h5", range(1), writes=40_000, size=256 * KIB, write_s=90.0, in_order=0.9, osts=osts(1)),),
    nprocs=64,
    runtime_s=200,
    nodes=2,
)


def files_each(slow: dict[int, float], lies_on: tuple[int, ...]) -> Work:
    times = tuple(slow.get(rank % 48, 6.0 + 0.01 * rank) for rank in range(96))
    return Work(
        (Part("/scratch/o.{}", range(96), writes=200, size=8 * MIB, write_s=times, osts=lies_on),),
        nprocs=96,
        runtime_s=150,
        nodes=3,
    )


JOBS: dict[str, tuple[Work, Must, Must]] = {
    "a storm of own files beside imports": (STORM_BESIDE_IMPORTS, {"import-storm", "many-small-files"}, {"serial-io"}),
    "a mesh read by all beside imports": (MESH_BESIDE_IMPORTS, {"import-storm", "redundant-reads"}, {"metadata-bound"}),
    "small pieces beside reads from home": (PIECES_BESIDE_HOME, {"wrong-filesystem", "independent-shared"}, set()),
    "files opened again beside reads": (REOPENED_BESIDE_READS, {"reopened-files", "redundant-reads"}, {"serial-io"}),
    "a flushed log beside other streams": (FLUSHED_BESIDE_STREAMS, {"sync-heavy", "stdio-heavy"}, {"serial-io"}),
    "a file that all ranks poll": (POLLED, {"metadata-bound"}, {"small-io", "straggler-rank"}),
    "one aggregator 2.6 times as slow": (
        Work(aggregators(2.6), nprocs=512, runtime_s=200, nodes=16),
        {"straggler-rank"},
        {"serial-io", "single-aggregator", "few-aggregators", "ssf-understriped"},
    ),
    "one aggregator 1.4 times as slow": (
        Work(aggregators(1.4), nprocs=512, runtime_s=200, nodes=16),
        set(),
        {"serial-io", "straggler-rank", "single-aggregator", "few-aggregators"},
    ),
    "a restart read whole by all": (READ_WHOLE, {"redundant-reads"}, {"serial-io", "straggler-rank", "small-io"}),
    "a restart read in parts": (READ_IN_PARTS, set(), {"redundant-reads", "serial-io", "independent-shared"}),
    "h5py in one rank": (ONE_WRITER, {"serial-io"}, {"straggler-rank", "small-io"}),
    "a slow OST": (files_each({7: 60.0}, own(96)), {"slow-ost"}, {"straggler-rank", "serial-io"}),
    "a slow OST, and no layouts": (files_each({7: 60.0}, ()), {"straggler-rank"}, {"slow-ost", "serial-io"}),
    "all OSTs busy": (files_each(dict.fromkeys(range(48), 60.0), own(96)), set(), {"slow-ost", "straggler-rank"}),
    "one stripe for 2,048 ranks": (
        Work(collective("/scratch/b", range(2048), range(0, 2048, 32), 200.0, osts(1)), nprocs=2048, runtime_s=400),
        {"ssf-understriped"},
        {"serial-io", "straggler-rank", "single-aggregator"},
    ),
}


@pytest.mark.parametrize(("work", "must", "must_not"), JOBS.values(), ids=JOBS)
def test_what_is_said_and_what_is_not(work: Work, must: Must, must_not: Must) -> None:
    said = above_info(document(work))
    assert must <= set(said)
    assert not must_not & set(said)


def test_what_they_wait_for_a_slow_aggregator_is_its_own_however_bad_the_calls_are() -> None:
    """Holes in the calls make the library read what it writes: all of that time would be theirs."""
    calls, below = aggregators(3.0)
    calls = replace(calls, write_s=100.0)
    read_first = Part("/scratch/o.dat", below.ranks, reads=600, size=16 * MIB, read_s=10.0)
    found = document(Work((calls, below, read_first), nprocs=512, runtime_s=300, nodes=16)).findings
    takes = {f.rule: f.takes_s for f in found if f.verdict == "triggered" and f.severity != "info"}
    assert 50 < (takes["straggler-rank"] or 0) < 60
    assert (takes["read-modify-write"] or 0) > 20


def advised(rule: str, work: Work) -> str:
    found = next(f for f in document(work).findings if f.rule == rule and f.verdict == "triggered")
    return " ".join(f"{one.text} {one.command or ''}" for one in found.advice)


def test_one_rank_with_thousands_of_small_files_is_told_of_their_number() -> None:
    files = tuple(
        Part(f"/scratch/o/p{k:04}.vtk", range(1), writes=2, size=4 * KIB, write_s=0.005, meta_s=0.045)
        for k in range(4000)
    )
    work = Work(files, nprocs=128, runtime_s=300, nodes=2)
    found = document(work)
    takes = {f.rule: f.takes_s or 0.0 for f in found.findings if f.verdict == "triggered" and f.severity != "info"}
    assert found.headline.rule == "many-small-files"
    assert takes["many-small-files"] == pytest.approx(180, rel=0.01)
    assert takes["serial-io"] == pytest.approx(20, rel=0.05)
    assert "Write fewer files: let the rank that writes them put" in advised("many-small-files", work)
    assert "blocks of 1 MiB" not in advised("serial-io", work)


def test_one_rank_that_opens_one_file_again_and_again_is_told_of_the_opens() -> None:
    state = Part("/scratch/o/state.bin", range(1), writes=5000, size=4 * KIB, write_s=5.0, meta_s=90.0, opens=5000)
    assert document(Work((state,), nprocs=128, runtime_s=200, nodes=2)).headline.rule == "reopened-files"


@pytest.mark.parametrize(
    ("layer", "reads", "code"),
    [("POSIX", False, "write(file, block"), ("POSIX", True, "read(file, block"), ("STDIO", False, "setvbuf")],
)
def test_small_accesses_of_one_rank_are_put_together_in_their_layer(layer: str, reads: bool, code: str) -> None:
    way = {"reads": 200_000, "read_s": 60.0} if reads else {"writes": 200_000, "write_s": 60.0}
    one = Part("/scratch/run/res.dat", range(1), layer, size=2 * KIB, **way)
    said = advised("serial-io", Work((one,), nprocs=64, runtime_s=100, nodes=2))
    assert code in said
    assert (layer == "STDIO") == ("setvbuf" in said)


def few(movers: int, *, nodes: int | None = 16, stripes: int = 16, heat: bool = False) -> Work:
    """512 ranks write 32 GiB through so many of them; a heatmap tells which where all open the file below MPI-IO."""
    moving = range(0, 512, 512 // movers)
    calls = 2048 // movers
    parts = [
        Part("/scratch/f.h5", range(512), "MPI-IO", writes=4, size=16 * MIB, write_s=100.0, collective=True),
        Part("/scratch/f.h5", moving, writes=calls, size=16 * MIB, write_s=90.0, in_order=0.2, osts=osts(stripes)),
    ]
    moved = np.zeros((512, 10), dtype=np.int64)
    if heat:
        idle = range(512)
        parts.append(Part("/scratch/f.h5", idle, osts=osts(stripes)))
        moved[list(moving), :] = calls * 16 * MIB // 10
    maps = (Heatmap("POSIX", 10.0, np.arange(512), np.zeros_like(moved), moved),) if heat else ()
    return Work(tuple(parts), nprocs=512, runtime_s=200, nodes=nodes, heat=maps)


def verdict(rule: str, work: Work) -> set[str]:
    return {f.verdict for f in document(work).findings if f.rule == rule}


def test_darshan_alone_says_whether_aggregators_are_few() -> None:
    for heat in (False, True):
        assert verdict("few-aggregators", few(4, heat=heat)) == {"triggered"}
        assert verdict("few-aggregators", few(16, heat=heat)) == {"clear"}
        assert verdict("few-aggregators", few(8, nodes=8, heat=heat)) == {"clear"}
    assert "cb_nodes=16" in advised("few-aggregators", few(4))
    assert verdict("few-aggregators", few(4, nodes=None)) == {"unknown"}
    assert verdict("few-aggregators", few(4, nodes=None, stripes=4)) == {"clear"}


def test_the_header_of_a_netcdf_file_is_not_told_of_property_lists_of_hdf5() -> None:
    header = {"writes": 50_000, "size": 400}
    parts = (
        *collective("/scratch/o/hist.nc", range(256), range(0, 256, 16), 12.0, osts(16)),
        Part("/scratch/o/hist.nc", range(1), "MPI-IO", write_s=70.0, **header),
        Part("/scratch/o/hist.nc", range(1), write_s=69.0, in_order=0.1, aligned=False, **header),
    )
    said = advised("straggler-rank", Work(parts, nprocs=256, runtime_s=120, nodes=4))
    assert "ncmpi_enddef" in said
    assert "H5P" not in said


OPENED_EACH_STEP = Work(
    (
        Part(
            "/scratch/o/d.h5",
            range(32),
            "MPI-IO",
            writes=2000,
            size=64 * KIB,
            write_s=20.0,
            meta_s=100.0,
            opens=2000,
            collective=True,
        ),
        Part("/scratch/o/d.h5", range(0, 32, 8), writes=500, write_s=8.0, meta_s=80.0, opens=2000, osts=osts(4)),
    ),
    nprocs=32,
    runtime_s=300,
    nodes=4,
)


def test_ranks_that_wait_in_the_opens_of_mpi_io_wait_for_the_opens() -> None:
    """Four ranks open the file below MPI-IO, and in MPI_File_open and MPI_File_close all others wait for them."""
    found = document(OPENED_EACH_STEP)
    assert found.headline.rule == "reopened-files"
    takes = {f.rule: f.takes_s or 0.0 for f in found.findings if f.verdict == "triggered"}
    assert takes["reopened-files"] > 90


def test_calls_that_are_gathered_already_are_not_told_to_be() -> None:
    said = advised("small-io", OPENED_EACH_STEP)
    assert said.startswith("Make fewer calls")
    assert "romio_cb_write" not in said


def test_the_journal_of_a_data_base_is_opened_by_the_data_base() -> None:
    journal = Part(
        "/scratch/s/a.db-journal", range(1), writes=60_000, size=512, write_s=20.0, meta_s=60.0, opens=15_000
    )
    for rule in ("reopened-files", "metadata-bound"):
        said = advised(rule, Work((journal,), nprocs=1, runtime_s=200))
        assert "transaction" in said
        assert "once" not in said


def test_a_burst_buffer_that_is_mounted_through_dvs_is_no_forwarding_node() -> None:
    path = "/var/opt/cray/dws/mounts/batch/1/ss"
    shared = Part(
        f"{path}/f.dat", range(256), writes=8000, size=30_000, write_s=uneven(256, 80.0), in_order=0.0, forward=1.0
    )
    mounts = ((path, "dvs"), ("/scratch", "lustre"))
    found = document(Work((shared,), nprocs=256, runtime_s=150, nodes=8, mounts=mounts))
    said = above_info(found)
    assert "small-io-on-dvs" not in said
    assert {"independent-shared", "small-io"} & set(said)
    assert not any("lfs " in (a.command or "") for f in found.findings for a in f.advice)


def test_opens_through_dvs_are_told_to_be_fewer_and_not_to_be_larger() -> None:
    opened = tuple(Part(f"/proj/in{k}.dat", range(64), reads=2, read_s=0.01, meta_s=0.4) for k in range(50))
    said = advised("small-io-on-dvs", Work(opened, nprocs=64, runtime_s=100, nodes=2, mounts=(("/proj", "dvs"),)))
    assert "Open less" in said
    assert "blocks" not in said


def test_many_files_of_one_rank_are_shared_out_and_not_one_of_them_parted() -> None:
    files = (
        Part(f"/scratch/g/{k:03}.grib", range(1), "STDIO", reads=4800, size=64 * KIB, read_s=1.2) for k in range(200)
    )
    said = advised("serial-io", Work(tuple(files), nprocs=256, runtime_s=300, nodes=2))
    assert "Read 200 files such as 000.grib in blocks" in said
    assert "Share 200 files such as 000.grib out among the ranks" in said
    assert "write_all" not in said


def test_small_files_take_the_time_of_their_reads_beside_that_of_their_opens() -> None:
    images = tuple(
        Part(f"/scratch/img/{i}.jpg", range(1), reads=2, size=50_000, read_s=0.15, meta_s=0.08) for i in range(2000)
    )
    found = seconds_of(Work(images, 1, 1000.0, program="/usr/bin/python3", nodes=1))
    assert found == {"many-small-files": 460.0}


def test_two_seconds_of_a_long_run_are_a_note_beside_the_minutes_of_others() -> None:
    files = tuple(
        Part(f"/scratch/d/{i:05}.vtk", range(1), writes=1, size=2000, write_s=0.001, meta_s=0.075) for i in range(2000)
    )
    assert seconds_of(Work(files, 512, 1000.0, nodes=4)) == {"many-small-files": 150.0}


def test_what_all_open_and_who_moves_more_take_their_own_seconds() -> None:
    parts = (
        Part("/scratch/o.{}", range(500), writes=100, write_s=20.0, osts=own(500)),
        Part("/scratch/o.{}", range(500, 512), writes=1000, write_s=170.0, osts=own(12)),
        Part("/scratch/run.cfg", range(512), reads=1, size=2048, meta_s=100.0, reach=2048, osts=(1,)),
    )
    work = Work(parts, 512, 1000.0, nodes=4)
    assert seconds_of(work) == {"straggler-rank": 146.5, "metadata-bound": 100.0}
    (opens,) = (f for f in document(work).findings if f.rule == "metadata-bound")
    assert opens.advice[0].text == "Let one rank read run.cfg and send it to all."


def heavy_rank(seconds: float) -> tuple[Part, ...]:
    """Of 128 ranks with a file each, the first has ten times the data, and takes so long for it."""
    others = Part("/scratch/o/f.{}", range(1, 128), writes=100, size=8 * MIB, write_s=10.0, osts=own(127))
    return others, Part("/scratch/o/f.0", range(1), writes=1000, size=8 * MIB, write_s=seconds, osts=osts(1))


STREAMS_READ_AGAIN = Part(
    "/scratch/in/in.{}", range(128), "STDIO", reads=9 * 16_384, size=64 * KIB, read_s=200.0, reach=GIB, osts=own(128)
)


def test_who_has_more_of_some_files_is_named_beside_what_all_read_alike() -> None:
    """Over the whole job bytes and time are even: what all read hides it."""
    found = document(Work((*heavy_rank(60.0), STREAMS_READ_AGAIN), 128, 500.0, nodes=4))
    assert (found.headline.rule, set(above_info(found))) == ("stdio-reread", {"stdio-reread", "uneven-files"})
    uneven_files = next(f for f in found.findings if f.rule == "uneven-files")
    assert uneven_files.takes_s == pytest.approx(50.0, rel=0.02)


def test_alone_it_is_the_whole_jobs() -> None:
    found = document(Work(heavy_rank(60.0), 128, 200.0, nodes=4))
    assert list(above_info(found)) == ["straggler-rank"]
    assert next(f for f in found.findings if f.rule == "uneven-files").explained_by == "straggler-rank"


def test_who_has_more_and_is_done_with_the_others_costs_nothing() -> None:
    found = document(Work((*heavy_rank(11.0), STREAMS_READ_AGAIN), 128, 500.0, nodes=4))
    assert list(above_info(found)) == ["stdio-reread"]


def test_asking_about_files_that_all_read_is_no_reading_of_them_again() -> None:
    """A million stats of four small files, beside streams that take longer."""
    asked = {"meta_s": 15.0, "stats": 2000, "reach": 64 * KIB}
    locks = tuple(
        Part(f"/scratch/run/lock{k}", range(128), reads=1, size=64 * KIB, read_s=0.02, **asked) for k in range(4)
    )
    found = document(Work((*locks, STREAMS_READ_AGAIN), 128, 500.0, nodes=4))
    assert (found.headline.rule, set(above_info(found))) == ("stdio-reread", {"stdio-reread", "metadata-bound"})


def test_streams_of_all_have_nothing_of_what_one_rank_takes_longer_in_other_files() -> None:
    small = Part("/scratch/r/l.{}", range(64), "STDIO", writes=5_000_000, size=80, write_s=60.0, osts=own(64))
    longer = tuple(90.0 if r == 5 else 40.0 + 0.1 * (r % 9) for r in range(64))
    data = Part("/scratch/r/o.{}", range(64), writes=400, size=4 * MIB, write_s=longer)

    assert seconds_of(Work((small, data), 64, 400.0, nodes=2)) == {"stdio-heavy": pytest.approx(60.0, abs=0.5)}


def in_small_pieces(path: str, seconds: float) -> tuple[Part, Part]:
    pieces = Part(
        path, range(64), writes=2000, size=4 * KIB, write_s=seconds, in_order=0.0, aligned=False, osts=osts(4)
    )
    return replace(pieces, layer="MPI-IO", osts=()), pieces


def test_a_fault_in_two_groups_of_files_is_as_grave_as_in_one_that_takes_as_long() -> None:
    """Each group takes 4.5 % of the run."""
    one = Work(in_small_pieces("/scratch/run/fluxes.dat", 90.0), 64, 1000.0, nodes=4)
    two = Work((*in_small_pieces("/scratch/run/a.dat", 45.0), *in_small_pieces("/scratch/run/b.dat", 45.0)), 64, 1000.0)
    assert above_info(document(one)) == above_info(document(replace(two, nodes=4))) == {"independent-shared": "medium"}
