"""Samples about where files lie and who shares them: files of one rank each, and files shared without MPI-IO."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from darshan_writer import Counters, Log, Lustre, LustreFile, Stripes, record_id
from lustre_jobs import ARCHER2, GIB, MIB, RANKS, Row, Sharing, System, job, timestamps, writes_of

SHARED_SCRIPT = """\
#!/bin/bash
#SBATCH --job-name=plume
#SBATCH --nodes=2
#SBATCH --ntasks-per-node=128
#SBATCH --time=01:00:00
#SBATCH --account=z19

srun --nodes=2 --ntasks=256 ./bin/plume steps=64 out=out/plume.state.dat io=posix
"""

SIZE_BIN = {
    120: "POSIX_SIZE_WRITE_100_1K",
    256: "POSIX_SIZE_WRITE_100_1K",
    47_008: "POSIX_SIZE_WRITE_10K_100K",
    4 * MIB: "POSIX_SIZE_WRITE_1M_4M",
}
"""The bin of Darshan's histogram that each size of a record is in."""


@dataclass(frozen=True)
class OwnFiles:
    """Each rank writes `files` files of `size`, 1 MiB a write, and reads them again with `read_back`. `rank_s` is the
    seconds that a rank writes a file on average; the slowest needs a quarter more (not with `even`), and `times_slower`
    as long where the file is on `slow_ost`. Files begin on `first_ost`, or go round the OSTs, but for the first
    `crowded`, which lie on `slow_ost` too. With `reopened_s` a rank opens and closes its file for each write, that many
    seconds in all. Of the files of a rank each of its `threads` writes one after another. With `in_turn_s` a rank
    begins so many seconds after the one before it has written its file. Of `writers`, evenly spread, each writes for
    the ranks up to the next."""

    job_id: int
    runtime_s: int
    rank_s: float
    stripes: int = 1
    size: int = GIB
    ranks: int = RANKS
    files: int = 1
    first_ost: int | None = None
    slow_ost: int | None = None
    times_slower: float = 1.0
    crowded: int = 0
    read_back: bool = False
    reopened_s: float | None = None
    even: bool = False
    threads: int = 1
    in_turn_s: float | None = None
    writers: int | None = None
    layouts: bool = True
    system: System = ARCHER2
    script: str | None = None

    def names(self) -> list[tuple[int, str]]:
        """The rank of each file and its path."""
        run = self.system.run
        if self.files > 1:
            every = ((rank, n) for rank in range(self.ranks) for n in range(self.files))
            return [(rank, f"{run}/state/plume.{rank:03d}.{n:03d}") for rank, n in every]
        folder = "scratch/plume.tmp" if self.read_back else "ckpt/plume.ckpt"
        step = self.ranks // (self.writers or self.ranks)
        return [(rank, f"{run}/{folder}.{rank:04d}") for rank in range(0, self.ranks, step)]

    def osts(self, n: int) -> tuple[int, ...]:
        if n < self.crowded and self.slow_ost is not None:
            return (self.slow_ost,)
        first = 5 * n if self.first_ost is None else self.first_ost
        return tuple((first + stripe) % self.system.osts for stripe in range(self.stripes))

    def log(self) -> Log:
        names = self.names()
        rows = [self.row(n, rank, name) for n, (rank, name) in enumerate(names)]
        layouts = tuple(
            LustreFile(record_id(name), (Stripes(MIB, self.osts(n)),), rank=rank)
            for n, (rank, name) in enumerate(names)
        )
        return Log(
            job=job(self.job_id, self.runtime_s, "bin/plume steps=64 ckpt=per-process", self.system, self.ranks),
            names={record_id(name): name for _, name in names},
            modules=(Counters.of("POSIX", *rows), *((Lustre(layouts, version=2),) if self.layouts else ())),
        )

    def row(self, n: int, rank: int, name: str) -> Row:
        slower = self.times_slower if self.slow_ost in self.osts(n) else 1.0
        seconds = self.seconds(rank) * slower
        writes = self.size // MIB
        turn, thread = divmod(n % self.files, self.threads)
        begin = round(20.0 + turn * (seconds + 0.2) + thread * 0.013, 6)
        if self.in_turn_s is not None:
            before = sum(self.seconds(n) for n in range(rank))
            begin = round(20.0 + before + rank * self.in_turn_s, 6)
        row: Row = {
            "id": record_id(name),
            "rank": rank,
            "POSIX_OPENS": 1,
            "POSIX_BYTES_WRITTEN": self.size,
            "POSIX_MAX_BYTE_WRITTEN": self.size - 1,
            "POSIX_SEQ_WRITES": writes - 1,
            "POSIX_CONSEC_WRITES": writes - 1,
            "POSIX_F_WRITE_TIME": round(seconds, 6),
            "POSIX_F_META_TIME": round(0.002 * self.stripes, 6),
            "POSIX_F_MAX_WRITE_TIME": round(seconds * min(8 * MIB / self.size, 0.4), 6),
            **writes_of(writes),
            **timestamps("POSIX", begin, begin + 0.1, round(begin + 0.1 + seconds, 6)),
        }
        if self.reopened_s is not None:
            end = round(20.1 + seconds + self.reopened_s, 6)
            row |= {"POSIX_OPENS": writes, "POSIX_F_META_TIME": self.reopened_s}
            row |= timestamps("POSIX", 20.0, 20.1, end)
        return row | self.reads(writes, seconds) if self.read_back else row

    def seconds(self, rank: int) -> float:
        """What the rank writes a file in, where its OST is as fast as the others."""
        return self.rank_s * (1.0 if self.even else 0.75 + 0.5 * (rank * 37 % self.ranks) / (self.ranks - 1))

    def reads(self, count: int, seconds: float) -> Row:
        """The same accesses again, as reads in half the time."""
        return {
            "POSIX_READS": count,
            "POSIX_BYTES_READ": self.size,
            "POSIX_MAX_BYTE_READ": self.size - 1,
            "POSIX_SEQ_READS": count - 1,
            "POSIX_CONSEC_READS": count - 1,
            "POSIX_RW_SWITCHES": 1,
            "POSIX_SIZE_READ_100K_1M": count,
            "POSIX_ACCESS1_COUNT": 2 * count,
            "POSIX_F_READ_TIME": round(seconds / 2, 6),
            "POSIX_F_READ_START_TIMESTAMP": round(20.1 + seconds, 6),
            "POSIX_F_READ_END_TIMESTAMP": round(20.1 + 1.5 * seconds, 6),
        }

    def texts(self) -> dict[str, str]:
        return {"plume.slurm": self.script} if self.script else {}


@dataclass(frozen=True)
class SharedPosix:
    """256 ranks on two nodes, or as many as `ranks`, write one file with `pwrite`: `count` records of `record` bytes
    each after `header` bytes, `apart_bytes` from one to the next where that is more. The ranks' records take turns in
    the file, or with `apart` each rank has a part. `checkpoints_s` are the seconds that a rank
    takes in each of several such files."""

    job_id: int
    record: int
    count: int
    stripes: int
    runtime_s: int
    rank_s: float
    apart: bool = False
    header: int = 0
    ranks: int = RANKS
    apart_bytes: int = 0
    checkpoints_s: tuple[float, ...] = ()
    with_script: bool = False

    def log(self) -> Log:
        run, steps = f"{ARCHER2.run}/out", self.checkpoints_s
        names = [f"{run}/plume.ckpt.{n:04d}" for n in range(len(steps))] or [f"{run}/plume.state.dat"]
        began = [96.3 + 150.0 * n for n in range(len(names))]
        rows = [self.row(*one) for one in zip(names, steps or (self.rank_s,), began, strict=True)]
        stripes = Stripes(MIB, tuple((7 + n) % ARCHER2.osts for n in range(self.stripes)))
        layouts = tuple(
            LustreFile(record_id(name), (stripes,), osts_in_fs=ARCHER2.osts, mdts_in_fs=ARCHER2.mdts) for name in names
        )
        return Log(
            job=job(
                self.job_id,
                self.runtime_s,
                "bin/plume steps=64 " + ("ckpt=shared" if steps else "out=out/plume.state.dat") + " io=posix",
                ranks=self.ranks,
            ),
            names={record_id(name): name for name in names},
            modules=(Counters.of("POSIX", *rows), Lustre(layouts, version=1)),
        )

    def row(self, name: str, rank_s: float, began: float) -> Row:
        writes = self.ranks * self.count
        step = max(self.record, self.apart_bytes)
        size = self.header + writes * step
        offsets = self.header + np.arange(writes, dtype=np.int64) * step
        own = np.full(self.ranks, float(self.count * self.record))
        shared = Sharing(own, rank_s * (0.97 + 0.03 * np.arange(self.ranks) / (self.ranks - 1)))
        row: Row = {
            "id": record_id(name),
            "POSIX_OPENS": self.ranks,
            "POSIX_BYTES_WRITTEN": writes * self.record,
            "POSIX_MAX_BYTE_WRITTEN": size - 1,
            "POSIX_SEQ_WRITES": writes - self.ranks,
            "POSIX_CONSEC_WRITES": writes - self.ranks if self.apart else 0,
            "POSIX_FILE_NOT_ALIGNED": int((offsets % MIB != 0).sum()),
            **writes_of(writes),
            "POSIX_SIZE_WRITE_100K_1M": 0,
            SIZE_BIN[self.record]: writes,
            "POSIX_ACCESS1_ACCESS": self.record,
            "POSIX_MAX_WRITE_TIME_SIZE": self.record,
            "POSIX_F_WRITE_TIME": round(float(shared.rank_seconds.sum()) - 0.01 * self.ranks, 6),
            "POSIX_F_META_TIME": 0.01 * self.ranks,
            "POSIX_F_MAX_WRITE_TIME": round(30 * rank_s / self.count / 20, 6),
            **timestamps("POSIX", began - 84.3, began, began + rank_s),
            **shared.row("POSIX"),
        }
        if not self.apart:
            row |= {"POSIX_STRIDE1_STRIDE": self.ranks * step - self.record, "POSIX_STRIDE1_COUNT": writes - self.ranks}
        return row

    def texts(self) -> dict[str, str]:
        return {"plume.slurm": SHARED_SCRIPT} if self.with_script else {}
