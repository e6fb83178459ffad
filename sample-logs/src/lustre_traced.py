"""A job whose every POSIX call was traced, on Lustre: the trace and the layouts together tell which OST is slow."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from darshan_writer import Counters, Dxt, DxtFile, Log, Lustre, LustreFile, Stripes, record_id
from lustre_jobs import ARCHER2, MIB, RANKS, Floats, Row, Sharing, job, timestamps, writes_of

RANKS_PER_NODE = 128
TABLE_READS = 2
TABLE_BYTES = 3 * MIB
TABLE_OSTS = (2, 3)
FIRST_S, STEP_S = 24.0, 5.0

Segment = tuple[float, ...]


@dataclass(frozen=True)
class TracedPosix:
    """256 ranks read a table of 3 MiB in two calls, which end within stripes; then in `steps` each writes 1 MiB of one
    shared file, aligned to its stripes of 1 MiB on `osts`. A write takes a quarter of a second, on `slow_ost`
    `times_slower` as long."""

    job_id: int
    steps: int
    osts: Sequence[int]
    slow_ost: int
    times_slower: float
    runtime_s: int

    def write_s(self) -> Floats:
        """Seconds of each write, shape (RANKS, steps)."""
        rank, step = np.indices((RANKS, self.steps))
        ost = np.array(self.osts)[(step * RANKS + rank) % len(self.osts)]
        uneven = 0.22 + 0.06 * ((rank * 7 + step * 13) % 11) / 10
        took: Floats = np.round(uneven * np.where(ost == self.slow_ost, self.times_slower, 1.0), 4)
        return took

    def log(self) -> Log:
        names = {record_id(name): name for name in (self.table_name, self.output_name)}
        table = LustreFile(record_id(self.table_name), (Stripes(MIB, TABLE_OSTS),), -1, ARCHER2.osts, ARCHER2.mdts)
        output = LustreFile(record_id(self.output_name), (Stripes(MIB, self.osts),), -1, ARCHER2.osts, ARCHER2.mdts)
        return Log(
            job=job(self.job_id, self.runtime_s, f"bin/plume steps={self.steps} io=posix"),
            names=names,
            modules=(
                Counters.of("POSIX", self.reading(), self.writing()),
                Lustre((table, output), version=1),
                Dxt("DXT_POSIX", tuple(self.trace()), version=1),
            ),
        )

    @property
    def table_name(self) -> str:
        return f"{ARCHER2.run}/in/plume.table.dat"

    @property
    def output_name(self) -> str:
        return f"{ARCHER2.run}/out/plume.state.dat"

    def reading(self) -> Row:
        each = TABLE_BYTES // TABLE_READS
        shared = Sharing(np.full(RANKS, float(TABLE_BYTES)), np.array([self.read_s(rank) for rank in range(RANKS)]))
        return {
            "id": record_id(self.table_name),
            "POSIX_OPENS": RANKS,
            "POSIX_READS": RANKS * TABLE_READS,
            "POSIX_BYTES_READ": RANKS * TABLE_BYTES,
            "POSIX_MAX_BYTE_READ": TABLE_BYTES - 1,
            "POSIX_MAX_BYTE_WRITTEN": -1,
            "POSIX_SEQ_READS": RANKS * (TABLE_READS - 1),
            "POSIX_CONSEC_READS": RANKS * (TABLE_READS - 1),
            "POSIX_FILE_NOT_ALIGNED": RANKS * (TABLE_READS - 1),
            "POSIX_SIZE_READ_1M_4M": RANKS * TABLE_READS,
            "POSIX_ACCESS1_ACCESS": each,
            "POSIX_ACCESS1_COUNT": RANKS * TABLE_READS,
            "POSIX_MAX_READ_TIME_SIZE": each,
            "POSIX_F_READ_TIME": round(float(shared.rank_seconds.sum()), 6),
            "POSIX_F_META_TIME": 0.002 * RANKS,
            "POSIX_F_MAX_READ_TIME": round(float(shared.rank_seconds.max()) / TABLE_READS, 6),
            "POSIX_F_OPEN_START_TIMESTAMP": 1.0,
            "POSIX_F_READ_START_TIMESTAMP": 2.0,
            "POSIX_F_READ_END_TIMESTAMP": 3.0,
            "POSIX_F_CLOSE_END_TIMESTAMP": 3.2,
            **shared.row("POSIX"),
        }

    def writing(self) -> Row:
        took, writes = self.write_s(), RANKS * self.steps
        shared = Sharing(np.full(RANKS, float(self.steps * MIB)), took.sum(axis=1))
        return {
            "id": record_id(self.output_name),
            "POSIX_OPENS": RANKS,
            "POSIX_BYTES_WRITTEN": writes * MIB,
            "POSIX_MAX_BYTE_WRITTEN": writes * MIB - 1,
            "POSIX_SEQ_WRITES": writes - RANKS,
            "POSIX_STRIDE1_STRIDE": (RANKS - 1) * MIB,
            "POSIX_STRIDE1_COUNT": writes - RANKS,
            **writes_of(writes),
            "POSIX_F_WRITE_TIME": round(float(took.sum()), 6),
            "POSIX_F_META_TIME": 0.004 * RANKS,
            "POSIX_F_MAX_WRITE_TIME": round(float(took.max()), 6),
            **timestamps("POSIX", 20.0, FIRST_S, self.begins(self.steps - 1) + float(took.max())),
            **shared.row("POSIX"),
        }

    def begins(self, step: int) -> float:
        return FIRST_S + step * STEP_S

    @staticmethod
    def read_s(rank: int) -> float:
        return TABLE_READS * (0.08 + 0.0001 * (rank % 16))

    def trace(self) -> list[DxtFile]:
        took, each = self.write_s().tolist(), TABLE_BYTES // TABLE_READS
        found = []
        for rank in range(RANKS):
            host, one = f"nid00{1040 + rank // RANKS_PER_NODE}", self.read_s(rank) / TABLE_READS
            reads: list[Segment] = [
                (n * each, each, round(2.0 + 0.2 * n, 4), round(2.0 + 0.2 * n + one, 4)) for n in range(TABLE_READS)
            ]
            writes: list[Segment] = [
                ((step * RANKS + rank) * MIB, MIB, self.begins(step), round(self.begins(step) + seconds, 4))
                for step, seconds in enumerate(took[rank])
            ]
            found.append(DxtFile(record_id(self.table_name), rank, reads=reads, hostname=host))
            found.append(DxtFile(record_id(self.output_name), rank, writes=writes, hostname=host))
        return found

    def texts(self) -> dict[str, str]:
        return {}


TRACED = {
    "lustre-traced-slow-ost": TracedPosix(
        7_205_051, steps=36, osts=(4, 5, 6, 7, 8, 9, 10, 11, 0, 1, 2, 3), slow_ost=9, times_slower=6.0, runtime_s=236
    ),
}
