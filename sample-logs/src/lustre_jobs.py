"""What the lustre-* samples have in common: the systems their jobs ran on, and counters that belong together."""

from __future__ import annotations

import sys
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "parsers" / "tests"))
from darshan_writer import Job

MIB = 1 << 20
GIB = 1 << 30
RANKS = 256
START = 1_752_656_400


@dataclass(frozen=True)
class System:
    """Where a job ran: its working folder, the mounts that Darshan saw, and the servers of the file system."""

    run: str
    mounts: tuple[tuple[str, str], ...]
    osts: int
    mdts: int


ARCHER2 = System(
    "/mnt/lustre/a2fs-work2/work/z19/z19/auser/plume",
    (
        ("/mnt/lustre/a2fs-work2", "lustre"),
        ("/mnt/lustre/a2fs-nvme", "lustre"),
        ("/home", "nfs"),
        ("/tmp", "tmpfs"),
        ("/", "overlay"),
    ),
    osts=12,
    mdts=4,
)
THETA = System(
    "/lus/theta-fs0/projects/plume/run",
    (("/lus/theta-fs0", "lustre"), ("/home", "nfs"), ("/tmp", "tmpfs"), ("/", "rootfs")),
    osts=56,
    mdts=4,
)

HOME = replace(ARCHER2, run="/home/z19/z19/auser/plume")

Floats = NDArray[np.float64]
Row = dict[str, int | float]


@dataclass(frozen=True)
class Sharing:
    """Who did what in one record shared by all ranks: bytes and seconds by rank, both of shape (RANKS,)."""

    rank_bytes: Floats
    rank_seconds: Floats

    def row(self, prefix: str) -> Row:
        """The counters of the fastest and slowest rank, and the population variances over all ranks."""
        fastest, slowest = int(self.rank_seconds.argmin()), int(self.rank_seconds.argmax())
        return {
            f"{prefix}_FASTEST_RANK": fastest,
            f"{prefix}_FASTEST_RANK_BYTES": int(self.rank_bytes[fastest]),
            f"{prefix}_SLOWEST_RANK": slowest,
            f"{prefix}_SLOWEST_RANK_BYTES": int(self.rank_bytes[slowest]),
            f"{prefix}_F_FASTEST_RANK_TIME": round(float(self.rank_seconds[fastest]), 6),
            f"{prefix}_F_SLOWEST_RANK_TIME": round(float(self.rank_seconds[slowest]), 6),
            f"{prefix}_F_VARIANCE_RANK_TIME": round(float(self.rank_seconds.var()), 9),
            f"{prefix}_F_VARIANCE_RANK_BYTES": float(self.rank_bytes.var()),
        }


def job(job_id: int, runtime_s: int, command: str, system: System = ARCHER2, ranks: int = RANKS) -> Job:
    return Job(
        uid=20417,
        start_s=START,
        end_s=START + runtime_s,
        nprocs=ranks,
        job_id=job_id,
        exe=f"{system.run}/{command}",
        mounts=system.mounts,
        metadata=(("lib_ver", "3.4.4"), ("h", "romio_no_indep_rw=true;cb_nodes=4")),
    )


def timestamps(prefix: str, opened: float, first: float, last: float) -> Row:
    return {
        f"{prefix}_F_OPEN_START_TIMESTAMP": opened,
        f"{prefix}_F_OPEN_END_TIMESTAMP": opened + 0.03,
        f"{prefix}_F_WRITE_START_TIMESTAMP": first,
        f"{prefix}_F_WRITE_END_TIMESTAMP": last,
        f"{prefix}_F_CLOSE_START_TIMESTAMP": last + 0.01,
        f"{prefix}_F_CLOSE_END_TIMESTAMP": last + 0.05,
    }


def writes_of(count: int, size: int = MIB) -> Row:
    """`count` writes of `size`, 1 or 8 MiB; exactly 1 MiB is in Darshan's bin of 100 KiB to 1 MiB."""
    return {
        "POSIX_WRITES": count,
        "POSIX_SIZE_WRITE_100K_1M" if size == MIB else "POSIX_SIZE_WRITE_4M_10M": count,
        "POSIX_ACCESS1_ACCESS": size,
        "POSIX_ACCESS1_COUNT": count,
        "POSIX_MAX_WRITE_TIME_SIZE": size,
        "POSIX_MODE": 0o100644,
        "POSIX_MEM_ALIGNMENT": 8,
        "POSIX_FILE_ALIGNMENT": MIB,
        "POSIX_RENAMED_FROM": 0,
        "POSIX_FILENOS": 0,
        "POSIX_DUPS": 0,
    }
