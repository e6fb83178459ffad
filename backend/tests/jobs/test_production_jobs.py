"""Jobs of production programs: what a person who knows them would name, and what must not be said of them.

Each was written down with its answer before it was first diagnosed.
"""

from __future__ import annotations

import pytest
from described import GIB, KIB, MIB, Part, Work, above_info, document, osts, uneven

RESTART_OF_A_CLIMATE_MODEL = Work(
    (
        Part("/scratch/run/namelist.atm", range(2000), "STDIO", reads=20, size=4096, read_s=0.05, reach=80 * KIB),
        Part(
            "/scratch/run/rst.nc", range(0, 2000, 125), "MPI-IO", writes=640, size=4 * MIB, write_s=240, collective=True
        ),
        Part("/scratch/run/rst.nc", range(0, 2000, 125), writes=2560, write_s=225, in_order=0.3, osts=osts(16)),
    ),
    nprocs=2000,
    runtime_s=3600,
    nodes=16,
)
LAMMPS_DUMP = Work(
    (
        Part("/scratch/run/in.lammps", range(1), "STDIO", reads=10, size=4096, read_s=0.01),
        Part("/scratch/run/log.lammps", range(1), "STDIO", writes=2000, size=80, write_s=0.02),
        *(
            Part(f"/scratch/run/dump.{k}00.lammpstrj", range(1), "STDIO", writes=25_000, size=4 * KIB, write_s=8.0)
            for k in range(20)
        ),
    ),
    nprocs=256,
    runtime_s=600,
    nodes=2,
)
FOAM_UNCOLLATED = Work(
    tuple(
        Part(
            f"/scratch/case/processor{{}}/{time}/{field}", range(128), writes=4, size=64 * KIB, write_s=0.08, meta_s=1.2
        )
        for time in range(5)
        for field in ("U", "p", "k", "phi")
    ),
    nprocs=128,
    runtime_s=120,
)
FOAM_COLLATED = Work(
    tuple(
        Part(f"/scratch/case/processors512/{time}/U", range(1), writes=2048, size=MIB, write_s=4.5, osts=(time,))
        for time in range(20)
    ),
    nprocs=512,
    runtime_s=300,
)
GROMACS_LOG = Work(
    (
        Part("/scratch/md/md.log", range(1), "STDIO", writes=40_000, size=90, write_s=80.5, syncs=40_000, meta_s=0.01),
        Part("/scratch/md/traj.xtc", range(1), writes=400, size=2 * MIB, write_s=2.0, osts=(3,)),
    ),
    nprocs=64,
    runtime_s=300,
)
VASP_WAVECAR = Work(
    (
        Part(
            "/scratch/vasp/WAVECAR", range(1), reads=40_000, size=64 * KIB, read_s=60.0, reach=int(2.5 * GIB), osts=(7,)
        ),
        Part("/scratch/vasp/OUTCAR", range(1), "STDIO", writes=20_000, size=100, write_s=1.0),
        Part("/scratch/vasp/CHGCAR", range(1), "STDIO", writes=20_000, size=KIB, write_s=3.0),
    ),
    nprocs=128,
    runtime_s=200,
)
IMAGES_OF_A_DATA_SET = Work(
    tuple(
        Part(
            f"/scratch/imagenet/train/n{k:04}/img_{{}}.JPEG",
            range(32),
            reads=2,
            size=55 * KIB,
            read_s=0.12,
            meta_s=0.05,
        )
        for k in range(300)
    ),
    nprocs=32,
    runtime_s=400,
    nodes=4,
)
RECORDS_OF_A_DATA_SET = Work(
    tuple(
        Part(
            f"/scratch/tf/train-{k:05}-of-00064",
            range(k % 32, k % 32 + 1),
            reads=600,
            size=256 * KIB,
            read_s=1.0,
            osts=(k % 48,),
        )
        for k in range(64)
    ),
    nprocs=32,
    runtime_s=300,
)
SPARK = Work(
    tuple(
        Part(f"/scratch/spark/part-{k:05}.parquet", range(1), reads=300, size=64 * KIB, read_s=0.2, meta_s=0.02)
        for k in range(200)
    ),
    nprocs=1,
    runtime_s=120,
    program="/usr/lib/jvm/java-17/bin/java",
)
BLAST_BY_MMAP = Work(
    (
        Part("/scratch/blast/nt.00.nsq", range(16), reads=2, size=4096, read_s=0.01, meta_s=0.05, reach=4 * GIB),
        Part("/scratch/blast/out.{}.tsv", range(16), "STDIO", writes=500, size=4096, write_s=0.2),
    ),
    nprocs=16,
    runtime_s=1800,
)
SAMTOOLS = Work(
    (
        Part("/scratch/bam/in.bam", range(1), reads=160_000, size=64 * KIB, read_s=40.0, osts=(5,)),
        Part("/scratch/bam/out.bam", range(1), writes=150_000, size=64 * KIB, write_s=30.0, osts=(9,)),
    ),
    nprocs=1,
    runtime_s=900,
)
FORTRAN_RECORDS = Work(
    (
        Part(
            "/scratch/run/fort.{}",
            range(128),
            writes=30_000,
            size=8 * KIB,
            write_s=12.0,
            osts=tuple(r % 48 for r in range(128)),
        ),
    ),
    nprocs=128,
    runtime_s=100,
)
ESPRESSO_SCRATCH = Work(
    (
        Part(
            "/scratch/qe/tmp/pwscf.wfc{}",
            range(128),
            writes=400,
            reads=8000,
            size=4 * MIB,
            write_s=10.0,
            read_s=120.0,
            reach=400 * 4 * MIB,
            osts=tuple(r % 48 for r in range(128)),
        ),
    ),
    nprocs=128,
    runtime_s=400,
)
WRF_SPLIT = Work(
    (
        Part(
            "/scratch/wrf/wrfout_d01_{}",
            range(512),
            writes=200,
            size=MIB,
            write_s=2.0,
            meta_s=0.4,
            osts=tuple(r % 48 for r in range(512)),
        ),
    ),
    nprocs=512,
    runtime_s=60,
)
ADIOS_BP4 = Work(
    (
        *(
            Part(
                f"/scratch/sim.bp/data.{k}",
                range(k * 64, k * 64 + 1),
                writes=600,
                size=16 * MIB,
                write_s=6.0,
                osts=osts(1, k),
            )
            for k in range(16)
        ),
        Part("/scratch/sim.bp/md.idx", range(1), writes=100, size=64, write_s=0.1),
        Part("/scratch/sim.bp/md.0", range(1), writes=100, size=64 * KIB, write_s=0.2),
    ),
    nprocs=1024,
    runtime_s=60,
    nodes=16,
)
HDF5_SUBFILES = Work(
    tuple(
        Part(
            f"/scratch/out.h5.subfile_7_{k + 1}_of_8",
            range(k * 32, k * 32 + 1),
            writes=2000,
            size=8 * MIB,
            write_s=20.0,
            osts=osts(1, k),
        )
        for k in range(8)
    ),
    nprocs=256,
    runtime_s=100,
    nodes=8,
)
ONE_RANK_A_NODE = Work(
    tuple(
        Part(
            f"/scratch/ckpt/node{k:03}.ckpt",
            range(k * 64, k * 64 + 1),
            writes=1024,
            size=16 * MIB,
            write_s=18.0,
            osts=osts(1, k),
        )
        for k in range(32)
    ),
    nprocs=2048,
    runtime_s=100,
    nodes=32,
)
READS_BEHIND_COMPRESSION = Work(
    (Part("/scratch/in.nc", range(64), reads=200, size=MIB, read_s=0.5, osts=osts(8)),),
    nprocs=64,
    runtime_s=600,
)
ON_THE_NODE = Work(
    (Part("/tmp/work.{}", range(64), writes=20_000, reads=20_000, size=64 * KIB, write_s=30.0, read_s=10.0),),
    nprocs=64,
    runtime_s=100,
    nodes=2,
)
IN_MEMORY = Work(
    (Part("/dev/shm/scratch.{}", range(64), writes=40_000, size=4 * KIB, write_s=20.0),),
    nprocs=64,
    runtime_s=60,
    mounts=(("/scratch", "lustre"), ("/dev/shm", "tmpfs")),
)
INPUT_FROM_HOME = Work(
    (
        Part("/home/u/model/params.bin", range(256), reads=64, size=MIB, read_s=45.0),
        Part("/scratch/out.dat", range(256), "MPI-IO", writes=16, size=4 * MIB, write_s=3.0, collective=True),
        Part("/scratch/out.dat", range(0, 256, 16), writes=1024, write_s=2.5, osts=osts(16)),
    ),
    nprocs=256,
    runtime_s=120,
)
KILLED = Work(
    (Part("/scratch/run/out.{}", range(64), writes=500, size=MIB, write_s=3.0, osts=tuple(r % 48 for r in range(64))),),
    nprocs=64,
    runtime_s=None,
    partial=("POSIX",),
)
VERY_MANY_RANKS = Work(
    (
        Part("/scratch/big.h5", range(20_000), "MPI-IO", writes=4, size=4 * MIB, write_s=80.0, collective=True),
        Part(
            "/scratch/big.h5",
            range(0, 20_000, 2000),
            writes=8000,
            size=MIB * 4,
            write_s=75.0,
            in_order=0.0,
            osts=osts(48),
            stripe=8 * MIB,
        ),
    ),
    nprocs=20_000,
    runtime_s=400,
)
HIDDEN_NAMES = Work(
    (
        Part(
            "2870473629",
            range(256),
            writes=10_000,
            size=3000,
            write_s=uneven(256, 50),
            aligned=False,
            in_order=0.0,
            osts=osts(8),
        ),
    ),
    nprocs=256,
    runtime_s=100,
)
FALSE_SHARING_ON_GPFS = Work(
    (
        Part("/gpfs/run/field.dat", range(128), "MPI-IO", writes=2000, size=20_000, write_s=uneven(128, 60)),
        Part(
            "/gpfs/run/field.dat",
            range(128),
            writes=2000,
            size=20_000,
            write_s=uneven(128, 59),
            aligned=False,
            in_order=0.0,
        ),
    ),
    nprocs=128,
    runtime_s=120,
    nodes=4,
    mounts=(("/gpfs", "gpfs"), ("/home", "nfs")),
)
STAGED_IN = Work(
    (
        Part("/scratch/input.tar", range(1), reads=20_000, size=4 * MIB, read_s=60.0, osts=osts(8)),
        Part("/mnt/bb/input.tar", range(1), writes=20_000, size=4 * MIB, write_s=50.0),
        Part("/mnt/bb/input.tar", range(1, 128), reads=150, size=4 * MIB, read_s=2.0),
    ),
    nprocs=128,
    runtime_s=200,
    mounts=(("/scratch", "lustre"), ("/mnt/bb", "xfs"), ("/home", "nfs")),
)
ALL_IN_STREAMS = Work(
    (Part("/scratch/run/out.{}.txt", range(64), "STDIO", writes=400_000, size=100, write_s=40.0),),
    nprocs=64,
    runtime_s=100,
)
LARGE_STREAMS = Work(
    (Part("/scratch/run/out.{}.bin", range(64), "STDIO", writes=1000, size=4 * MIB, write_s=10.0),),
    nprocs=64,
    runtime_s=100,
)
POSIX_LOST = Work(
    (
        Part("/scratch/run/out.dat", range(64), "MPI-IO", writes=100, size=16 * MIB, write_s=60.0, collective=True),
        Part("/scratch/run/other.dat", range(1), writes=1, size=KIB, write_s=0.01),
    ),
    nprocs=64,
    runtime_s=100,
    partial=("POSIX",),
)
ALL_APPEND = Work(
    (
        Part(
            "/scratch/run/events.jsonl",
            range(256),
            writes=4000,
            size=600,
            write_s=uneven(256, 40),
            in_order=0.0,
            aligned=False,
            reach=256 * 4000 * 600,
            osts=(3,),
        ),
    ),
    nprocs=256,
    runtime_s=100,
)
PYTHON_ON_ONE_RANK = Work(
    (
        *(
            Part(f"/sw/env/lib/python3.11/site-packages/m{k}.py", range(1), reads=2, size=8192, meta_s=0.08, stats=6)
            for k in range(1000)
        ),
        Part("/scratch/out.dat", range(1, 2), writes=10, write_s=0.1, osts=(1,)),
    ),
    nprocs=64,
    runtime_s=200,
)
TWO_PHASES = (
    Work((Part("/scratch/pre.dat", range(1), writes=8000, size=MIB, write_s=30.0, osts=(1,)),), nprocs=1, runtime_s=60),
    Work(
        (
            Part("/scratch/main.dat", range(256), "MPI-IO", writes=160, size=MIB, write_s=5.0, collective=True),
            Part("/scratch/main.dat", range(0, 256, 16), writes=2560, write_s=4.5, osts=osts(16)),
        ),
        nprocs=256,
        runtime_s=600,
    ),
)
NONBLOCKING = Work(
    (
        Part("/scratch/n.dat", range(128), "MPI-IO", writes=64, size=4 * MIB, write_s=0.02, meta_s=0.1),
        Part("/scratch/n.dat", range(0, 128, 8), writes=512, size=4 * MIB, write_s=20.0, osts=osts(16)),
    ),
    nprocs=128,
    runtime_s=100,
)

Must = set[str]
JOBS: dict[str, tuple[Work, Must, Must]] = {
    "restart of a climate model by 16 I/O servers": (
        RESTART_OF_A_CLIMATE_MODEL,
        set(),
        {"serial-io", "straggler-rank", "single-aggregator", "few-aggregators"},
    ),
    "LAMMPS dumps by rank 0": (LAMMPS_DUMP, {"serial-io"}, {"straggler-rank", "metadata-bound", "redundant-reads"}),
    "OpenFOAM, a file of each field, rank and time": (
        FOAM_UNCOLLATED,
        {"many-small-files"},
        {"serial-io", "straggler-rank"},
    ),
    "OpenFOAM collated": (FOAM_COLLATED, {"serial-io"}, {"metadata-bound", "straggler-rank"}),
    "GROMACS flushes its log": (GROMACS_LOG, {"sync-heavy"}, {"straggler-rank", "metadata-bound"}),
    "VASP reads its WAVECAR on rank 0": (VASP_WAVECAR, {"serial-io"}, {"redundant-reads", "straggler-rank"}),
    "images of a data set": (
        IMAGES_OF_A_DATA_SET,
        {"many-small-files"},
        {"small-io", "serial-io", "ssf-understriped", "redundant-reads"},
    ),
    "records of a data set": (
        RECORDS_OF_A_DATA_SET,
        set(),
        {"small-io", "random-access", "serial-io", "straggler-rank"},
    ),
    "Spark in one process": (SPARK, set(), {"serial-io", "independent-shared", "straggler-rank"}),
    "BLAST maps its database": (
        BLAST_BY_MMAP,
        set(),
        {"small-io", "redundant-reads", "random-access", "straggler-rank"},
    ),
    "samtools": (SAMTOOLS, set(), {"serial-io", "straggler-rank", "single-aggregator"}),
    "Fortran records of each rank": (FORTRAN_RECORDS, set(), {"independent-shared", "serial-io", "straggler-rank"}),
    "Quantum ESPRESSO's scratch": (ESPRESSO_SCRATCH, {"redundant-reads"}, {"serial-io", "straggler-rank", "small-io"}),
    "WRF, a file a rank": (WRF_SPLIT, set(), {"serial-io", "straggler-rank", "small-io"}),
    "ADIOS with 16 aggregators": (ADIOS_BP4, set(), {"serial-io", "straggler-rank", "small-io", "single-aggregator"}),
    "HDF5's subfiles": (HDF5_SUBFILES, set(), {"serial-io", "straggler-rank", "ssf-understriped", "subfile"}),
    "a checkpoint by one rank a node": (ONE_RANK_A_NODE, set(), {"serial-io", "straggler-rank", "subfile"}),
    "reads behind decompression": (READS_BEHIND_COMPRESSION, set(), {"redundant-reads", "below-expectation"}),
    "files on the disks of the nodes": (
        ON_THE_NODE,
        set(),
        {"ssf-understriped", "fpp-striped", "wrong-filesystem", "lock-contention"},
    ),
    "files in memory": (IN_MEMORY, set(), {"ssf-understriped", "fpp-striped", "wrong-filesystem"}),
    "input read from home": (INPUT_FROM_HOME, {"wrong-filesystem"}, {"single-aggregator", "serial-io"}),
    "killed": (KILLED, set(), {"serial-io", "straggler-rank"}),
    "20,000 ranks": (
        VERY_MANY_RANKS,
        set(),
        {"serial-io", "collective-disabled", "straggler-rank", "single-aggregator"},
    ),
    "hidden names": (HIDDEN_NAMES, set(), {"wrong-filesystem"}),
    "false sharing on GPFS": (FALSE_SHARING_ON_GPFS, {"independent-shared"}, {"ssf-understriped", "straggler-rank"}),
    "staged in by rank 0": (STAGED_IN, {"serial-io"}, {"redundant-reads", "metadata-bound"}),
    "all in small writes to streams": (ALL_IN_STREAMS, {"stdio-heavy"}, {"serial-io", "straggler-rank"}),
    "streams in large pieces": (LARGE_STREAMS, set(), {"stdio-heavy", "small-io", "serial-io"}),
    "MPI-IO whole, POSIX lost": (POSIX_LOST, set(), {"collective-overhead", "single-aggregator"}),
    "all append to one file": (ALL_APPEND, {"shared-log"}, {"random-access", "ssf-understriped"}),
    "Python starts on one rank": (PYTHON_ON_ONE_RANK, set(), {"redundant-reads"}),
    "nonblocking writes": (NONBLOCKING, set(), {"serial-io", "independent-shared"}),
}


@pytest.mark.parametrize(("work", "must", "must_not"), JOBS.values(), ids=JOBS)
def test_what_is_said_of_a_production_job(work: Work, must: Must, must_not: Must) -> None:
    said = above_info(document(work))
    assert must <= set(said)
    assert not must_not & set(said)


def first(work: Work) -> str | None:
    return document(work).headline.rule


def test_a_flush_after_each_line_is_the_cause_and_not_that_one_rank_writes_the_log() -> None:
    assert first(GROMACS_LOG) == "sync-heavy"


def test_one_rank_that_imports_is_not_called_every_rank() -> None:
    assert document(PYTHON_ON_ONE_RANK).headline.sentence.endswith("one rank opens 1,000 modules and shared libraries.")
    assert first(PYTHON_ON_ONE_RANK) == "import-storm"


def test_what_others_took_all_the_time_of_is_a_note() -> None:
    """The streams of the dumps are all of one rank's time: small calls beside that are no second fault."""
    found = {f.rule: f for f in document(LAMMPS_DUMP).findings if f.verdict == "triggered"}
    assert (found["serial-io"].severity, found["stdio-heavy"].severity) == ("high", "info")


def test_several_steps_of_a_job_are_judged_together() -> None:
    assert document(*TWO_PHASES).headline.severity == "info"


def test_small_records_in_a_file_that_is_named_no_log_are_to_be_written_together() -> None:
    hidden, log = document(HIDDEN_NAMES), document(ALL_APPEND)
    assert (hidden.headline.rule, log.headline.rule) == ("shared-log", "shared-log")
    assert "collective call" in (hidden.headline.action or "")
    assert "a log of its own" in (log.headline.action or "")
