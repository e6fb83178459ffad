"""The sample of a program in Python whose ranks all import the same modules."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from darshan_writer import Counters, Log, record_id
from lustre_jobs import ARCHER2, GIB, MIB, Row, Sharing, job, timestamps, writes_of

PACKAGES = ("numpy", "scipy", "h5py", "mpi4py", "plume")


@dataclass(frozen=True)
class Imports:
    """`ranks` ranks import `modules` modules of 6 KiB each, `rank_s` seconds a rank with their opens; then each writes
    a file of 1 GiB in `written_s`."""

    job_id: int
    ranks: int
    modules: int
    runtime_s: int
    rank_s: float
    written_s: float

    def names(self) -> list[str]:
        packages = f"{ARCHER2.run}/env/lib/python3.11/site-packages"
        suffix = ("py", "py", "py", "cpython-311-x86_64-linux-gnu.so")
        return [f"{packages}/{PACKAGES[n % 5]}/part{n:03d}.{suffix[n % 4]}" for n in range(self.modules)]

    def log(self) -> Log:
        names = {record_id(name): name for name in self.names()}
        own = {rank: f"{ARCHER2.run}/ckpt/plume.ckpt.{rank:04d}" for rank in range(self.ranks)}
        rows = [self.module(record) for record in names] + [self.output(rank, name) for rank, name in own.items()]
        return Log(
            job=job(self.job_id, self.runtime_s, "env/bin/python plume.py", ranks=self.ranks),
            names=names | {record_id(name): name for name in own.values()},
            modules=(Counters.of("POSIX", *rows),),
        )

    def module(self, record: int) -> Row:
        size, reads = 6 * 1024, 2 * self.ranks
        took = self.rank_s / self.modules * (0.9 + 0.2 * np.arange(self.ranks) / (self.ranks - 1))
        shared = Sharing(np.full(self.ranks, float(size)), took)
        return {
            "id": record,
            "POSIX_OPENS": self.ranks,
            "POSIX_STATS": 2 * self.ranks,
            "POSIX_READS": reads,
            "POSIX_SEQ_READS": reads // 2,
            "POSIX_CONSEC_READS": reads // 2,
            "POSIX_BYTES_READ": size * self.ranks,
            "POSIX_MAX_BYTE_READ": size - 1,
            "POSIX_SIZE_READ_1K_10K": reads // 2,
            "POSIX_SIZE_READ_0_100": reads // 2,
            "POSIX_ACCESS1_ACCESS": size,
            "POSIX_ACCESS1_COUNT": reads // 2,
            "POSIX_MODE": 0o100644,
            "POSIX_MEM_ALIGNMENT": 8,
            "POSIX_FILE_ALIGNMENT": MIB,
            "POSIX_F_META_TIME": round(0.9 * float(took.sum()), 6),
            "POSIX_F_READ_TIME": round(0.1 * float(took.sum()), 6),
            "POSIX_F_OPEN_START_TIMESTAMP": 1.0,
            "POSIX_F_OPEN_END_TIMESTAMP": 1.0 + self.rank_s,
            "POSIX_F_READ_START_TIMESTAMP": 1.1,
            "POSIX_F_READ_END_TIMESTAMP": 1.1 + self.rank_s,
            "POSIX_F_CLOSE_START_TIMESTAMP": 1.2,
            "POSIX_F_CLOSE_END_TIMESTAMP": 1.2 + self.rank_s,
            **shared.row("POSIX"),
        }

    def output(self, rank: int, name: str) -> Row:
        writes, begin = GIB // MIB, self.runtime_s - self.written_s - 10.0
        return {
            "id": record_id(name),
            "rank": rank,
            "POSIX_OPENS": 1,
            "POSIX_BYTES_WRITTEN": GIB,
            "POSIX_MAX_BYTE_WRITTEN": GIB - 1,
            "POSIX_SEQ_WRITES": writes - 1,
            "POSIX_CONSEC_WRITES": writes - 1,
            "POSIX_F_WRITE_TIME": self.written_s,
            "POSIX_F_META_TIME": 0.002,
            **writes_of(writes),
            **timestamps("POSIX", begin, begin + 0.1, begin + self.written_s),
        }

    def texts(self) -> Mapping[str, str]:
        return {}


IMPORTS = {
    "lustre-imports": Imports(7_205_041, ranks=512, modules=400, runtime_s=731, rank_s=228.0, written_s=24.0),
}
