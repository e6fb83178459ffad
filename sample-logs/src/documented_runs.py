"""Jobs on ARCHER, whose documents say what its file system gave to such jobs: for `make_lustre_samples.py`.

Their bandwidths are chosen: one is that of the document's own run, one is far below it, one is that of a cache.
"""

from __future__ import annotations

from dataclasses import dataclass

from darshan_writer import Counters, Job, Log, Lustre, LustreFile, Stripes, record_id

MIB = 1 << 20
START = 1_478_000_000
OSTS = 48
RUN = "/fs3/z01/z01/auser/channel"
MOUNTS = (("/fs3", "lustre"), ("/home", "nfs"), ("/tmp", "tmpfs"), ("/", "rootfs"))


@dataclass(frozen=True)
class ArcherRun:
    """`ranks` write one file collectively, `steps` times 16 MiB each, through `aggregators`; the slowest spends
    `write_s` in it."""

    job_id: int
    ranks: int
    steps: int
    stripes: int
    stripe_bytes: int
    aggregators: int
    write_s: float
    runtime_s: int

    @property
    def total(self) -> int:
        return self.ranks * self.steps * 16 * MIB

    def log(self) -> Log:
        name = f"{RUN}/out/channel.0400.dat"
        file, calls, writes = record_id(name), self.ranks * self.steps, self.total // self.stripe_bytes
        size = {MIB: "100K_1M", 8 * MIB: "4M_10M"}[self.stripe_bytes]
        each = self.total / self.aggregators
        variance = self.aggregators * each**2 / self.ranks - (self.total / self.ranks) ** 2
        ends = self.runtime_s - 20.0
        mpiio = {
            "id": file,
            "MPIIO_COLL_OPENS": self.ranks,
            "MPIIO_COLL_WRITES": calls,
            "MPIIO_VIEWS": self.ranks,
            "MPIIO_MODE": 9,
            "MPIIO_BYTES_WRITTEN": self.total,
            "MPIIO_SIZE_WRITE_AGG_10M_100M": calls,
            "MPIIO_ACCESS1_ACCESS": 16 * MIB,
            "MPIIO_ACCESS1_COUNT": calls,
            "MPIIO_SLOWEST_RANK_BYTES": self.total // self.ranks,
            "MPIIO_FASTEST_RANK_BYTES": self.total // self.ranks,
            "MPIIO_F_WRITE_TIME": round(self.write_s * self.ranks, 6),
            "MPIIO_F_SLOWEST_RANK_TIME": self.write_s,
            "MPIIO_F_FASTEST_RANK_TIME": round(0.98 * self.write_s, 6),
            "MPIIO_F_OPEN_START_TIMESTAMP": 10.0,
            "MPIIO_F_WRITE_START_TIMESTAMP": round(ends - 1.2 * self.write_s, 6),
            "MPIIO_F_WRITE_END_TIMESTAMP": ends,
            "MPIIO_F_CLOSE_END_TIMESTAMP": ends + 0.01,
        }
        posix = {
            "id": file,
            "POSIX_OPENS": self.ranks,
            "POSIX_WRITES": writes,
            "POSIX_BYTES_WRITTEN": self.total,
            "POSIX_MAX_BYTE_WRITTEN": self.total - 1,
            "POSIX_SEQ_WRITES": writes - self.aggregators,
            f"POSIX_SIZE_WRITE_{size}": writes,
            "POSIX_ACCESS1_ACCESS": self.stripe_bytes,
            "POSIX_ACCESS1_COUNT": writes,
            "POSIX_MODE": 0o100644,
            "POSIX_MEM_ALIGNMENT": 8,
            "POSIX_FILE_ALIGNMENT": MIB,
            "POSIX_SLOWEST_RANK_BYTES": int(each),
            "POSIX_F_WRITE_TIME": round(0.85 * self.write_s * self.aggregators, 6),
            "POSIX_F_SLOWEST_RANK_TIME": round(0.85 * self.write_s, 6),
            "POSIX_F_VARIANCE_RANK_BYTES": variance,
            "POSIX_F_OPEN_START_TIMESTAMP": 10.0,
            "POSIX_F_WRITE_START_TIMESTAMP": round(ends - 1.2 * self.write_s, 6),
            "POSIX_F_WRITE_END_TIMESTAMP": ends,
            "POSIX_F_CLOSE_END_TIMESTAMP": ends + 0.01,
        }
        osts = tuple((11 + n) % OSTS for n in range(self.stripes))
        layout = LustreFile(file, (Stripes(self.stripe_bytes, osts),), osts_in_fs=OSTS, mdts_in_fs=1)
        job = Job(
            uid=20417,
            start_s=START,
            end_s=START + self.runtime_s,
            nprocs=self.ranks,
            job_id=self.job_id,
            exe=f"{RUN}/bin/channel steps=400",
            mounts=MOUNTS,
            metadata=(("lib_ver", "3.1.4"),),
        )
        modules = (Counters.of("POSIX", posix), Counters.of("MPI-IO", mpiio), Lustre((layout,), version=1))
        return Log(job=job, names={file: name}, modules=modules)

    def texts(self) -> dict[str, str]:
        """Nothing came with the log."""
        return {}


RUNS = {
    "lustre-archer-four-stripes": ArcherRun(4_108_221, 384, 8, 4, MIB, 4, 8 * 384 * 16 / 881, 260),
    "lustre-archer-many-stripes": ArcherRun(4_108_290, 48, 80, 48, 8 * MIB, 48, 80 * 48 * 16 / 1487, 260),
    "lustre-archer-slow": ArcherRun(4_108_377, 384, 40, 48, 8 * MIB, 48, 40 * 384 * 16 / 1720, 1060),
    "lustre-archer-cached": ArcherRun(4_108_402, 24, 8, 1, MIB, 1, 0.62, 96),
}
