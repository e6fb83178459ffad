"""Jobs as centres have them every day, of climate, chemistry, engineering, data and learning: what a person who knows
them would name, and what must not be said of them. Each was written down with its answer before it was first
diagnosed."""

from __future__ import annotations

from dataclasses import replace

import pytest
from described import GIB, KIB, MIB, Part, Work, above_info, collective, document, osts, own, uneven

Must = set[str]
STRIPING = {"ssf-understriped", "fpp-striped", "overstriped-small", "overstriped-shared", "ssf-stripe-size"}

XIOS = Work(
    (
        Part("/scratch/run/iodef.xml", range(2048), "STDIO", reads=10, size=4096, read_s=0.05, reach=40 * KIB),
        *collective("/scratch/run/nemo_1h.nc", range(2032, 2048), range(2032, 2048), 90.0, osts(16)),
    ),
    nprocs=2048,
    runtime_s=1800,
    nodes=32,
)
CDO = Work(
    (
        Part("/scratch/in/tas_1850-2100.nc", range(1), reads=120_000, size=MIB, read_s=160.0, osts=osts(8)),
        Part("/scratch/out/tas_mean.nc", range(1), writes=900, size=MIB, write_s=1.2, osts=osts(1)),
    ),
    nprocs=1,
    runtime_s=400,
)
NEMO_RESTARTS = Work(
    (Part("/scratch/nemo/restart_{}.nc", range(2048), writes=75, size=4 * MIB, write_s=4.0, osts=own(2048)),),
    nprocs=2048,
    runtime_s=200,
    nodes=32,
)
PNETCDF_QUILTING = Work(
    tuple(
        part
        for k in range(6)
        for part in collective(f"/scratch/wrf/wrfout_{k}", range(992, 1024), range(992, 1024), 8.0, osts(16, 3 * k))
    ),
    nprocs=1024,
    runtime_s=900,
    nodes=16,
)
POTCAR = Work(
    (Part("/scratch/vasp/POTCAR", range(512), "STDIO", reads=500, size=4096, read_s=0.06, reach=2 * MIB),),
    nprocs=512,
    runtime_s=600,
)
GAUSSIAN_LOCAL = Work(
    (
        Part(
            "/tmp/g16/Gau-1.rwf",
            range(1),
            writes=20_000,
            reads=60_000,
            size=MIB,
            write_s=30.0,
            read_s=60.0,
            in_order=0.3,
            reach=20 * GIB,
        ),
    ),
    nprocs=1,
    runtime_s=900,
)
GAUSSIAN_ON_LUSTRE = Work(
    (
        Part(
            "/scratch/g16/Gau-1.rwf",
            range(1),
            writes=20_000,
            reads=400_000,
            size=MIB,
            write_s=30.0,
            read_s=500.0,
            reach=20 * GIB,
            osts=osts(1),
        ),
    ),
    nprocs=1,
    runtime_s=900,
)
AMREX = Work(
    tuple(
        Part(
            f"/scratch/plt00{step}/Level_0/Cell_D_{k:05}",
            range(8 * k, 8 * k + 8),
            writes=40,
            size=8 * MIB,
            write_s=uneven(8, 1.5),
            in_order=0.8,
            osts=osts(1, k),
        )
        for step in range(4)
        for k in range(64)
    ),
    nprocs=512,
    runtime_s=100,
    nodes=8,
)
LMDB = Work(
    (Part("/scratch/train/data.mdb", range(8), reads=2, size=4096, mmaps=1, read_s=0.001, meta_s=0.02),),
    nprocs=8,
    runtime_s=3600,
)
CHUNK_CACHE = Work(
    (Part("/scratch/era5.h5", range(16), reads=32_000, size=MIB, read_s=120.0, in_order=0.1, reach=16 * GIB),),
    nprocs=16,
    runtime_s=300,
)
SNAKEMAKE = Work(
    tuple(
        Part(f"/scratch/work/{k:05}/sample.txt", range(1), reads=1, writes=1, size=2 * KIB, meta_s=0.03, stats=12)
        for k in range(3000)
    ),
    nprocs=1,
    runtime_s=180,
    program="/sw/bin/python3 snakemake",
)
ABAQUS_AT_HOME = Work(
    (
        Part("/home/u/job/job.odb", range(1), writes=150_000, size=16 * KIB, write_s=200.0, in_order=0.6),
        Part("/home/u/job/job.stt", range(1), writes=20_000, reads=20_000, size=64 * KIB, write_s=60.0, read_s=20.0),
    ),
    nprocs=1,
    runtime_s=600,
)
FLUENT = Work(
    (
        Part("/scratch/cfd/wing.cas.h5", range(1), reads=20_000, size=MIB, read_s=40.0, osts=osts(4)),
        Part("/scratch/cfd/wing.dat.h5", range(1), writes=60_000, size=MIB, write_s=150.0, osts=osts(4, 8)),
    ),
    nprocs=256,
    runtime_s=500,
    nodes=4,
)
SCR = Work(
    (
        Part("/dev/shm/scr/ckpt.{}", range(256), writes=128, size=8 * MIB, write_s=1.0),
        *(
            Part(
                f"/scratch/scr/ckpt.node{n:03}",
                range(32 * n, 32 * n + 1),
                writes=4096,
                size=8 * MIB,
                write_s=24.0,
                osts=osts(1, n),
            )
            for n in range(8)
        ),
    ),
    nprocs=256,
    runtime_s=100,
    nodes=8,
    mounts=(("/scratch", "lustre"), ("/dev/shm", "tmpfs"), ("/home", "nfs")),
)
VELOC = Work(
    (Part("/local/veloc/ckpt.{}", range(128), writes=256, size=16 * MIB, write_s=12.0),),
    nprocs=128,
    runtime_s=60,
    nodes=4,
    mounts=(("/scratch", "lustre"), ("/local", "xfs"), ("/home", "nfs")),
)
ZARR = Work(
    tuple(
        Part(f"/scratch/a.zarr/c/{k // 100}/{k % 100}", range(1), writes=1, size=90 * KIB, write_s=0.004, meta_s=0.02)
        for k in range(4000)
    ),
    nprocs=1,
    runtime_s=150,
    program="/sw/bin/python3 -m distributed.cli.dask_worker",
)
ROOT = Work(
    tuple(
        Part(
            f"/scratch/cms/nano_{k:03}.root",
            range(1),
            reads=2000,
            size=30 * KIB,
            read_s=3.0,
            in_order=0.1,
            forward=0.95,
            reach=2 * GIB,
            osts=osts(1, k),
        )
        for k in range(40)
    ),
    nprocs=1,
    runtime_s=200,
)
LOCKAHEAD = Work(
    (
        Part("/scratch/o.dat", range(64), "MPI-IO", writes=256, size=8 * MIB, write_s=uneven(64, 20.0)),
        Part(
            "/scratch/o.dat",
            range(64),
            writes=256,
            size=8 * MIB,
            write_s=uneven(64, 19.5),
            in_order=0.0,
            forward=1.0,
            osts=osts(16),
            stripe=8 * MIB,
        ),
    ),
    nprocs=64,
    runtime_s=60,
    nodes=16,
)
DFUSE = Work(
    (Part("/daos/pool/cont/o.dat", range(256), writes=256, size=4 * MIB, write_s=uneven(256, 15.0)),),
    nprocs=256,
    runtime_s=60,
    nodes=8,
    mounts=(("/daos", "fuse.daos"), ("/home", "nfs")),
)
GPFS_BLOCK = Work(
    (Part("/gpfs/run/o.{}", range(128), writes=16_000, size=64 * KIB, write_s=20.0),),
    nprocs=128,
    runtime_s=100,
    nodes=4,
    mounts=(("/gpfs", "gpfs"), ("/home", "nfs")),
)
BEEGFS = Work(
    collective("/beegfs/run/o.h5", range(256), range(0, 256, 32), 25.0, ()),
    nprocs=256,
    runtime_s=60,
    nodes=8,
    mounts=(("/beegfs", "beegfs"), ("/home", "nfs")),
)
DATAWARP = Work(
    (Part("/var/opt/cray/dws/mounts/batch/ck.{}", range(512), writes=128, size=8 * MIB, write_s=3.0),),
    nprocs=512,
    runtime_s=20,
    nodes=16,
    mounts=(("/scratch", "lustre"), ("/var/opt/cray/dws/mounts/batch", "dvs"), ("/home", "nfs")),
)
SPILL = Work(
    (
        Part(
            "/tmp/sort.{}",
            range(16),
            writes=4000,
            reads=4000,
            size=4 * MIB,
            write_s=30.0,
            read_s=25.0,
            reach=4000 * 4 * MIB,
        ),
    ),
    nprocs=16,
    runtime_s=200,
    nodes=1,
)
CORE_DUMPS = Work(
    (Part("/scratch/run/core.{}", range(64), writes=512, size=4 * MIB, write_s=uneven(64, 30.0), osts=own(64)),),
    nprocs=64,
    runtime_s=60,
    nodes=2,
)
ONE_NETCDF = Work(
    (
        Part(
            "/scratch/in/forcing.nc",
            range(512),
            reads=512,
            size=4 * MIB,
            read_s=uneven(512, 60.0),
            reach=2 * GIB,
            osts=osts(4),
        ),
    ),
    nprocs=512,
    runtime_s=300,
    nodes=16,
)
OTHER_RANK_COUNT = Work(
    tuple(
        Part(f"/scratch/rst/part.{k:04}", range(k // 4, k // 4 + 1), reads=50, size=4 * MIB, read_s=1.5, osts=(k % 48,))
        for k in range(1024)
    ),
    nprocs=256,
    runtime_s=60,
    nodes=8,
)
LOG_OF_EACH_RANK = Work(
    (Part("/scratch/run/log.{}", range(128), "STDIO", writes=30_000, size=90, write_s=41.0, syncs=30_000, meta_s=0.0),),
    nprocs=128,
    runtime_s=200,
)
ALIGNMENT_1 = Work(
    (
        Part("/scratch/o.h5", range(128), "MPI-IO", writes=200, size=MIB, write_s=uneven(128, 40.0)),
        Part(
            "/scratch/o.h5",
            range(128),
            writes=200,
            size=MIB,
            write_s=uneven(128, 39.0),
            in_order=0.0,
            forward=1.0,
            aligned=False,
            osts=osts(16),
        ),
    ),
    nprocs=128,
    runtime_s=100,
    nodes=4,
)
FLASH = Work(
    collective("/scratch/flash_hdf5_chk_0001", range(1024), range(0, 1024, 21), 40.0, osts(48)),
    nprocs=1024,
    runtime_s=200,
    nodes=32,
)
LAMMPS_BY_NODE = Work(
    tuple(
        Part(f"/scratch/md/dump.{k}.bin", range(16 * k, 16 * k + 1), "STDIO", writes=4000, size=MIB, write_s=10.0)
        for k in range(16)
    ),
    nprocs=256,
    runtime_s=100,
    nodes=16,
)
MOLECULES = Work(
    tuple(
        Part(
            f"/scratch/dock/lig_{{}}_{k:03}.pdbqt", range(64), "STDIO", writes=20, size=400, write_s=0.001, meta_s=0.06
        )
        for k in range(150)
    ),
    nprocs=64,
    runtime_s=60,
)
ON_NVME = Work(
    (Part("/mnt/lustre/a2fs-nvme/p/o.{}", range(2048), writes=32, size=16 * MIB, write_s=100.0, osts=own(2048)),),
    nprocs=2048,
    runtime_s=300,
    nodes=32,
    site="archer2",
    mounts=(("/mnt/lustre/a2fs-nvme", "lustre"),),
)
"""The documents have 150 GiB/s by 2,048 processes with a file each, and none of a few."""
BY_SOME_ON_NVME = replace(
    ON_NVME, parts=(replace(ON_NVME.parts[0], ranks=range(0, 2048, 16), writes=512, osts=own(128)),)
)

JOBS: dict[str, tuple[Work, Must, Must]] = {
    "XIOS, 16 servers of 2,048 ranks": (XIOS, set(), {"serial-io", "straggler-rank", "single-aggregator"}),
    "CDO reads once and reduces": (CDO, set(), {"serial-io", "straggler-rank", "redundant-reads"}),
    "NEMO's restart of each rank": (NEMO_RESTARTS, set(), {"serial-io", "metadata-bound", "small-io"}),
    "WRF with PnetCDF on its servers": (PNETCDF_QUILTING, set(), {"serial-io", "straggler-rank", "single-aggregator"}),
    "POTCAR read by all": (POTCAR, set(), {"redundant-reads", "stdio-heavy", "serial-io"}),
    "Gaussian's scratch on the node": (GAUSSIAN_LOCAL, set(), {"wrong-filesystem", "serial-io", *STRIPING}),
    "Gaussian's scratch on Lustre": (GAUSSIAN_ON_LUSTRE, {"redundant-reads"}, {"serial-io", "small-io"}),
    "AMReX, eight ranks in turn a file": (
        AMREX,
        set(),
        {"serial-io", "straggler-rank", "small-io", "ssf-understriped"},
    ),
    "LMDB mapped": (LMDB, set(), {"small-io", "random-access", "redundant-reads"}),
    "chunks that the cache does not hold": (CHUNK_CACHE, {"redundant-reads"}, {"serial-io", "straggler-rank"}),
    "Snakemake's folders": (SNAKEMAKE, {"metadata-bound"}, {"serial-io", "straggler-rank"}),
    "Abaqus at home": (ABAQUS_AT_HOME, {"wrong-filesystem"}, {"serial-io", *STRIPING}),
    "Fluent, by rank 0": (FLUENT, {"serial-io"}, {"straggler-rank", "redundant-reads", "metadata-bound"}),
    "SCR, flushed by one rank a node": (SCR, set(), {"serial-io", "straggler-rank", "wrong-filesystem"}),
    "VeloC on the node's disk": (VELOC, set(), {"wrong-filesystem", "serial-io", *STRIPING}),
    "Zarr by a worker of Dask": (ZARR, {"many-small-files"}, {"serial-io", "small-io"}),
    "ROOT reads some branches": (ROOT, set(), {"serial-io", "redundant-reads", "straggler-rank"}),
    "whole stripes under lockahead": (LOCKAHEAD, set(), {"misaligned-io", "small-io", "random-access"}),
    "DAOS through dfuse": (DFUSE, set(), {"wrong-filesystem", "lock-contention", *STRIPING}),
    "a file each on GPFS": (GPFS_BLOCK, set(), {"serial-io", "straggler-rank", *STRIPING}),
    "collective on BeeGFS": (BEEGFS, set(), {"serial-io", "single-aggregator", "straggler-rank"}),
    "DataWarp": (DATAWARP, set(), {"wrong-filesystem", "serial-io", "straggler-rank", *STRIPING}),
    "sorted on the node's disk": (SPILL, set(), {"redundant-reads", "wrong-filesystem", "serial-io", *STRIPING}),
    "core dumps": (CORE_DUMPS, set(), {"serial-io", "straggler-rank", "small-io"}),
    "one NetCDF file read by all": (ONE_NETCDF, {"redundant-reads"}, {"serial-io", "straggler-rank", "random-access"}),
    "a restart by another number of ranks": (OTHER_RANK_COUNT, set(), {"redundant-reads", "serial-io", "small-io"}),
    "a flushed log of each rank": (LOG_OF_EACH_RANK, {"sync-heavy"}, {"serial-io", "straggler-rank", "metadata-bound"}),
    "HDF5 with alignment 1": (ALIGNMENT_1, {"misaligned-io"}, {"small-io", "random-access", "serial-io"}),
    "FLASH, collective on all OSTs": (FLASH, set(), {"few-aggregators", "serial-io", "collective-disabled"}),
    "LAMMPS, a file a node": (LAMMPS_BY_NODE, set(), {"serial-io", "straggler-rank", "stdio-heavy"}),
    "slower than documented on NVMe": (ON_NVME, {"below-expectation"}, {"serial-io"}),
    "as fast as its 128 writers are": (BY_SOME_ON_NVME, set(), {"below-expectation"}),
    "thousands of molecules": (MOLECULES, {"many-small-files"}, {"serial-io", "straggler-rank"}),
}


@pytest.mark.parametrize(("work", "must", "must_not"), JOBS.values(), ids=JOBS)
def test_what_is_said_and_what_is_not(work: Work, must: Must, must_not: Must) -> None:
    said = above_info(document(work))
    assert must <= set(said)
    assert not must_not & set(said)


def test_what_one_rank_does_alone_is_seen_beside_a_log_of_each_rank() -> None:
    """Rank 0 writes the output in 250 s, and each rank a log in 200 s, as much as the others."""
    logs = Part("/scratch/run/log.{}", range(64), "STDIO", writes=20_000, size=90, write_s=200.0)
    output = Part("/scratch/run/state.dat", range(1), writes=4000, size=MIB, write_s=250.0, osts=osts(8))
    assert "serial-io" in above_info(document(Work((output, logs), nprocs=64, runtime_s=600)))


def test_imports_take_no_seconds_of_the_reads_of_data() -> None:
    modules = (
        Part(f"/sw/env/lib/python3.11/site-packages/m{k}.py", range(64), reads=2, size=8192, meta_s=0.25, stats=6)
        for k in range(400)
    )
    mesh = Part("/scratch/mesh.bin", range(64), reads=2000, size=MIB, read_s=40.0, reach=2000 * MIB, osts=osts(4))
    found = document(Work((*modules, mesh), nprocs=64, runtime_s=300)).findings
    again = next(f for f in found if f.rule == "redundant-reads" and "mesh" in f.scope.label)
    assert found[0].rule == "import-storm"
    assert (again.takes_s or 0) > 39
