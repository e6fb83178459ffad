"""Jobs in shapes that the other tables have not: other modules, layouts, libraries, losses and traces. What a person
who knows them would name, and what must not be said of them, was written down before each was first diagnosed."""

from __future__ import annotations

import numpy as np
import pytest
from described import GIB, KIB, MIB, Part, Work, above_info, collective, document, osts, own, uneven

from iotriage.analysis.document import Finding
from iotriage.reports.sections.clear_rules import clear_rules
from iotriage.rules.core.advice import advice_text
from iotriage_parsers.evidence import Heatmap

Must = set[str]

STRIPING = {"ssf-understriped", "fpp-striped", "overstriped-small", "overstriped-shared", "ssf-stripe-size"}

E3SM_SUBFILES = Work(
    tuple(
        part
        for k in range(16)
        for part in (
            Part(
                f"/scratch/F_case.h0.nc.subfile_{k:02}",
                range(84 * k, 84 * k + 84),
                "MPI-IO",
                writes=28,
                size=40 * MIB,
                write_s=uneven(84, 290.0),
                collective=True,
            ),
            Part(
                f"/scratch/F_case.h0.nc.subfile_{k:02}",
                range(84 * k, 84 * k + 84, 11),
                writes=735,
                size=16 * MIB,
                write_s=uneven(8, 270.0),
                in_order=0.3,
                forward=0.9,
                osts=osts(8, 3 * k),
                stripe=16 * MIB,
            ),
        )
    ),
    nprocs=1344,
    runtime_s=900,
    nodes=14,
)

COLUMNS_OF_A_CHECKPOINT = Work(
    (
        *(
            p
            for k in range(3)
            for p in collective(f"/scratch/chk_{k}.h5", range(384), range(0, 384, 12), 13.0, osts(32))
        ),
        Part("/scratch/chk_2.h5", range(384), "MPI-IO", reads=24_000, size=8 * KIB, read_s=uneven(384, 260.0)),
        Part(
            "/scratch/chk_2.h5",
            range(384),
            reads=24_000,
            size=8 * KIB,
            read_s=uneven(384, 256.0),
            in_order=0.0,
            forward=1.0,
            aligned=False,
            reach=80 * GIB,
        ),
    ),
    nprocs=384,
    runtime_s=500,
    nodes=6,
)

RESTART_IN_48_KIB = Work(
    tuple(
        Part(
            f"/scratch/rst/state.{k:05}",
            range(k // 6, k // 6 + 1),
            reads=4096,
            size=48 * KIB,
            read_s=5.0,
            osts=(k % 48,),
        )
        for k in range(1536)
    ),
    nprocs=256,
    runtime_s=60,
    nodes=4,
)

EPOCHS = Work(
    (
        Part(
            "/scratch/train/samples.h5",
            range(16),
            reads=52_000,
            size=150 * KIB,
            read_s=uneven(16, 1500.0),
            in_order=0.0,
            forward=0.5,
            reach=40 * GIB,
            osts=osts(8),
        ),
        *(
            Part(f"/sw/env/lib/python3.11/site-packages/m{k}.py", range(16), reads=2, size=8192, meta_s=0.005, stats=4)
            for k in range(600)
        ),
    ),
    nprocs=16,
    runtime_s=3600,
    nodes=16,
    program="/sw/bin/python3 train.py",
)

ALIGNED_READS_OF_A_GENOME = Work(
    (
        Part("/scratch/wgs/s1_R1.fastq.gz", range(1), "STDIO", reads=800_000, size=64 * KIB, read_s=90.0),
        Part("/scratch/wgs/s1.sam", range(1), "STDIO", writes=350_000_000, size=300, write_s=700.0),
    ),
    nprocs=1,
    runtime_s=5000,
    program="/sw/bin/bwa mem",
)

NETCDF4_BY_RANK_0 = Work(
    tuple(
        Part(
            f"/scratch/out/hist_{k:02}.nc",
            range(1),
            writes=9000,
            size=512 * KIB,
            write_s=30.0,
            seeks=12,
            osts=osts(1, k),
        )
        for k in range(20)
    ),
    nprocs=300,
    runtime_s=2400,
    nodes=5,
)

OUT_OF_CORE_STREAMS = Work(
    (
        Part(
            "/scratch/ooc/int2e.{}",
            range(128),
            "STDIO",
            writes=12_288,
            reads=25 * 12_288,
            size=512 * KIB,
            write_s=15.0,
            read_s=350.0,
            reach=12_288 * 512 * KIB,
        ),
    ),
    nprocs=128,
    runtime_s=800,
    nodes=2,
)

_MOVED = np.zeros((64, 80), dtype=np.int64)

_MOVED[0] = 512 * MIB

HEATMAP_ALONE = Work(
    (), nprocs=64, runtime_s=80, heat=(Heatmap("POSIX", 1.0, np.arange(64), np.zeros_like(_MOVED), _MOVED),)
)

MPIIO_ALONE = Work(
    (Part("/scratch/in/field.dat", range(256), "MPI-IO", reads=18_000, size=4 * KIB, read_s=uneven(256, 100.0)),),
    nprocs=256,
    runtime_s=200,
    nodes=4,
)

STREAMS_LOST = Work(
    (
        Part("/scratch/dump.bin", range(1), writes=26_000, size=4 * MIB, write_s=200.0, osts=osts(4)),
        Part("/scratch/log.{}", range(64), "STDIO", writes=500, size=80, write_s=0.1),
    ),
    nprocs=64,
    runtime_s=400,
    partial=("STDIO",),
)

THREADS = Work(
    (Part("/scratch/fc/shard.{}", range(4), reads=80_000, size=256 * KIB, read_s=1280.0, osts=own(4)),),
    nprocs=4,
    runtime_s=100,
    nodes=4,
)

TWELVE_HOURS = Work(
    (
        Part("/scratch/md/energy.log", range(1), "STDIO", writes=60_000, size=80, write_s=31.0, syncs=60_000),
        Part("/scratch/md/state.{}", range(512), writes=64, size=2 * KIB, write_s=2.4, syncs=64, meta_s=0.1),
    ),
    nprocs=512,
    runtime_s=43_200,
    nodes=8,
)


DATASETS_BY_RANK_0 = Work(
    (
        *collective("/scratch/snap.h5", range(256), range(0, 256, 16), 12.0, osts(16)),
        Part("/scratch/snap.h5", range(1), "MPI-IO", writes=60_000, size=700, write_s=80.0),
        Part("/scratch/snap.h5", range(1), writes=60_000, size=700, write_s=79.0, in_order=0.2, aligned=False),
    ),
    nprocs=256,
    runtime_s=120,
    nodes=4,
)


COLLECTIVE_READS_UNBUFFERED = Work(
    (
        Part(
            "/scratch/in.nc",
            range(128),
            "MPI-IO",
            reads=30_000,
            size=2 * KIB,
            read_s=uneven(128, 120.0),
            collective=True,
        ),
        Part(
            "/scratch/in.nc",
            range(128),
            reads=30_000,
            size=2 * KIB,
            read_s=uneven(128, 118.0),
            in_order=0.0,
            forward=1.0,
            aligned=False,
            osts=osts(8),
        ),
    ),
    nprocs=128,
    runtime_s=300,
    nodes=2,
)

MANY_COLLECTIVE_CALLS = Work(
    (
        Part("/scratch/c.h5", range(256), "MPI-IO", writes=2000, size=64 * KIB, write_s=60.0, collective=True),
        Part("/scratch/c.h5", range(0, 256, 16), writes=2000, write_s=3.0, in_order=0.9, osts=osts(16)),
    ),
    nprocs=256,
    runtime_s=150,
    nodes=4,
)

RECORD_VARIABLES = Work(
    (
        Part("/scratch/r.nc", range(512), "MPI-IO", writes=700, size=24 * KIB, write_s=200.0, collective=True),
        Part(
            "/scratch/r.nc",
            range(0, 512, 32),
            writes=700,
            reads=690,
            size=MIB,
            write_s=80.0,
            read_s=90.0,
            reads_first=True,
            in_order=0.1,
            osts=osts(16),
        ),
    ),
    nprocs=512,
    runtime_s=400,
    nodes=8,
)


JOBS: dict[str, tuple[Work, Must, Must]] = {
    "E3SM's subfiles by PnetCDF": (
        E3SM_SUBFILES,
        set(),
        {"subfile", "single-aggregator", "serial-io", "straggler-rank", "few-aggregators", *STRIPING},
    ),
    "columns of a good checkpoint": (
        COLUMNS_OF_A_CHECKPOINT,
        {"independent-shared"},
        {"collective-disabled", "straggler-rank", "redundant-reads", "serial-io"},
    ),
    "a restart in pieces of 48 KiB, in order": (
        RESTART_IN_48_KIB,
        set(),
        {"serial-io", "straggler-rank", "redundant-reads", "random-access", "metadata-bound"},
    ),
    "three epochs at random": (EPOCHS, {"random-access"}, {"import-storm", "serial-io", "independent-shared"}),
    "reads of a genome aligned": (
        ALIGNED_READS_OF_A_GENOME,
        set(),
        {"serial-io", "straggler-rank", "small-io", "redundant-reads"},
    ),
    "netCDF-4 by rank 0": (NETCDF4_BY_RANK_0, {"serial-io"}, {"straggler-rank", "hdf5-independent-metadata"}),
    "out of core through streams": (
        OUT_OF_CORE_STREAMS,
        {"stdio-reread"},
        {"serial-io", "wrong-filesystem", "stdio-heavy"},
    ),
    "nothing but MPI-IO": (MPIIO_ALONE, {"small-io"}, {"collective-disabled", "read-modify-write"}),
    "streams lost beside a writer": (STREAMS_LOST, {"serial-io"}, {"straggler-rank"}),
    "threads read": (THREADS, set(), {"redundant-reads", "serial-io", "small-io", "straggler-rank"}),
    "datasets made by rank 0": (
        DATASETS_BY_RANK_0,
        {"hdf5-independent-metadata"},
        {"straggler-rank", "collective-disabled"},
    ),
    "collective reads, not buffered": (
        COLLECTIVE_READS_UNBUFFERED,
        {"collective-disabled"},
        {"serial-io", "redundant-reads"},
    ),
    "many collective calls": (
        MANY_COLLECTIVE_CALLS,
        {"collective-overhead"},
        {"straggler-rank", "ssf-understriped", "serial-io"},
    ),
    "record variables with holes": (
        RECORD_VARIABLES,
        {"read-modify-write"},
        {"collective-disabled", "redundant-reads"},
    ),
}


@pytest.mark.parametrize(("work", "must", "must_not"), JOBS.values(), ids=JOBS)
def test_what_is_said_and_what_is_not(work: Work, must: Must, must_not: Must) -> None:
    said = above_info(document(work))
    assert must <= set(said)
    assert not must_not & set(said)


@pytest.mark.parametrize("work", [HEATMAP_ALONE, TWELVE_HOURS], ids=["a heatmap alone", "twelve hours"])
def test_what_names_nothing(work: Work) -> None:
    assert above_info(document(work)) == {}


def the(rule: str, work: Work) -> Finding:
    return next(f for f in document(work).findings if f.rule == rule and f.verdict == "triggered")


def advised(rule: str, work: Work) -> str:
    return " ".join(f"{one.text} {one.command or ''}" for one in the(rule, work).advice)


def test_bytes_that_only_a_heatmap_shows_are_io_of_which_no_time_is_known() -> None:
    found = document(HEATMAP_ALONE)
    assert found.metrics["io.bytes_written"].value == 80 * 512 * MIB
    assert found.metrics["job.io_time"].value is None
    assert found.headline.severity == "unknown"
    assert "has a heatmap and no records: it shows when" in found.headline.sentence
    assert "ranks moved at least 40.0 GiB" in found.headline.sentence
    assert "Add a Darshan log" not in (found.headline.action or "")
    assert "unset DARSHAN_MOD_DISABLE" in (found.headline.command or "")


def test_times_that_cannot_be_make_no_rate() -> None:
    assert document(THREADS).metrics["io.bandwidth"].value is None


def test_of_what_is_read_the_code_reads() -> None:
    assert "H5Dread" in advised("independent-shared", COLUMNS_OF_A_CHECKPOINT)
    assert "write" not in advised("independent-shared", COLUMNS_OF_A_CHECKPOINT)


def test_a_file_of_a_library_is_opened_by_the_library() -> None:
    assert "nc_create_par" in advised("serial-io", NETCDF4_BY_RANK_0)
    assert "MPI_File" not in advised("serial-io", NETCDF4_BY_RANK_0)


def test_many_calls_at_even_bytes_are_no_slow_server() -> None:
    """Rank 0 writes 60,000 small pieces beside the 40 large ones that each aggregator writes."""
    said = the("straggler-rank", DATASETS_BY_RANK_0)
    assert said.headline == "One rank makes far more calls than the others, which wait for it."
    assert "1,501 times as many" in said.summary
    assert "coll_metadata_write" in advised("straggler-rank", DATASETS_BY_RANK_0)


def test_who_waits_for_the_writers_is_not_told_that_the_library_takes_the_time() -> None:
    action = document(E3SM_SUBFILES).headline.action or ""
    assert "the others wait for them" in action
    assert "come late" not in action


def test_who_has_one_rank_write_is_not_told_that_ranks_share_the_io() -> None:
    assert "share the I/O evenly" not in (clear_rules(document(NETCDF4_BY_RANK_0).findings) or "")


def test_calls_of_posix_are_not_given_a_buffer_of_streams() -> None:
    assert "setvbuf" not in advised("small-io", RESTART_IN_48_KIB)


def test_variables_of_cray_are_said_to_be_so_where_nobody_names_the_library() -> None:
    texts = [advice_text(one) for one in the("collective-overhead", MANY_COLLECTIVE_CALLS).advice]
    assert any("Where the MPI library is Cray's" in text for text in texts)
