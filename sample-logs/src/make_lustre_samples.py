"""Writes the four lustre-* samples: Darshan logs of jobs on a Lustre file system with 12 OSTs.

    python sample-logs/src/make_lustre_samples.py FOLDER

The real samples ran on a local file system, so none has Darshan's LUSTRE module. These are written by the project's own
log writer; their figures are chosen to be those of one plausible job each, and agree with one another: bytes, calls,
times and variances of a record belong to the same ranks. The same bytes come out on every run.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "parsers" / "tests"))
from darshan_writer import Counters, Job, Log, Lustre, LustreFile, Stripes, build, record_id

MIB = 1 << 20
GIB = 1 << 30
RANKS = 256
OSTS = 12
MDTS = 4
START = 1_752_656_400
RUN = "/mnt/lustre/a2fs-work2/work/z19/z19/auser/plume"
MOUNTS = (
    ("/mnt/lustre/a2fs-work2", "lustre"),
    ("/mnt/lustre/a2fs-nvme", "lustre"),
    ("/home", "nfs"),
    ("/tmp", "tmpfs"),
    ("/", "overlay"),
)

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


def job(job_id: int, runtime_s: int, command: str) -> Job:
    return Job(
        uid=20417,
        start_s=START,
        end_s=START + runtime_s,
        nprocs=RANKS,
        job_id=job_id,
        exe=f"{RUN}/{command}",
        mounts=MOUNTS,
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


def one_mib_writes(count: int, prefix: str = "POSIX") -> Row:
    """`count` writes of exactly 1 MiB, which Darshan counts in its bin of 100 KiB to 1 MiB."""
    return {
        f"{prefix}_WRITES": count,
        f"{prefix}_SIZE_WRITE_100K_1M": count,
        f"{prefix}_ACCESS1_ACCESS": MIB,
        f"{prefix}_ACCESS1_COUNT": count,
        f"{prefix}_MAX_WRITE_TIME_SIZE": MIB,
        f"{prefix}_MODE": 0o100644,
        f"{prefix}_MEM_ALIGNMENT": 8,
        f"{prefix}_FILE_ALIGNMENT": MIB,
        f"{prefix}_RENAMED_FROM": 0,
        f"{prefix}_FILENOS": 0,
        f"{prefix}_DUPS": 0,
    }


def shared_file(job_id: int, stripes: int, runtime_s: int, mpiio_s: float, posix_s: float) -> Log:
    """256 ranks write one file of 64 GiB in 64 collective steps of 4 MiB a rank. As Cray MPICH does by default, one
    aggregator a stripe writes, each to its own OST, in writes of one stripe. `mpiio_s` and `posix_s` are the
    seconds of the slowest rank at each layer."""
    name = f"{RUN}/out/plume.0064.dat"
    file, steps, step_bytes = record_id(name), 64, 4 * MIB
    calls, total = RANKS * steps, RANKS * steps * step_bytes
    writes = total // MIB

    aggregator_writes = np.zeros(RANKS)
    aggregators = np.arange(stripes) * RANKS // stripes
    aggregator_writes[aggregators] = [len(range(first, writes, stripes)) for first in range(stripes)]
    opening = 0.004 + 0.00001 * np.arange(RANKS)
    posix = Sharing(aggregator_writes * MIB, opening + posix_s * aggregator_writes / aggregator_writes.max())
    mpiio = Sharing(np.full(RANKS, total / RANKS), mpiio_s - 0.02 + 0.02 * np.arange(RANKS)[::-1] / (RANKS - 1))

    last = runtime_s - 60.0
    posix_row: Row = {
        "id": file,
        "POSIX_OPENS": RANKS + 1,
        "POSIX_BYTES_WRITTEN": total,
        "POSIX_MAX_BYTE_WRITTEN": total - 1,
        "POSIX_SEQ_WRITES": writes - stripes,
        "POSIX_CONSEC_WRITES": writes - 1 if stripes == 1 else 0,
        "POSIX_F_WRITE_TIME": round(posix_s * float((aggregator_writes / aggregator_writes.max()).sum()), 6),
        "POSIX_F_META_TIME": round(float(opening.sum()), 6),
        "POSIX_F_MAX_WRITE_TIME": round(8 * posix_s / float(aggregator_writes.max()), 6),
        **one_mib_writes(writes),
        **timestamps("POSIX", 12.1, 96.4, last),
        **posix.row("POSIX"),
    }
    if stripes > 1:
        posix_row |= {"POSIX_STRIDE1_STRIDE": (stripes - 1) * MIB, "POSIX_STRIDE1_COUNT": writes - stripes}
    mpiio_row: Row = {
        "id": file,
        "MPIIO_COLL_OPENS": RANKS,
        "MPIIO_COLL_WRITES": calls,
        "MPIIO_VIEWS": RANKS,
        "MPIIO_MODE": 9,
        "MPIIO_BYTES_WRITTEN": total,
        "MPIIO_SIZE_WRITE_AGG_1M_4M": calls,
        "MPIIO_ACCESS1_ACCESS": step_bytes,
        "MPIIO_ACCESS1_COUNT": calls,
        "MPIIO_MAX_WRITE_TIME_SIZE": step_bytes,
        "MPIIO_F_WRITE_TIME": round(float(mpiio.rank_seconds.sum()) - 0.05 * RANKS, 6),
        "MPIIO_F_META_TIME": 0.05 * RANKS,
        "MPIIO_F_MAX_WRITE_TIME": round(1.3 * mpiio_s / steps, 6),
        **timestamps("MPIIO", 12.0, 96.3, last),
        **mpiio.row("MPIIO"),
    }
    layout = LustreFile(
        file, (Stripes(MIB, tuple((7 + n) % OSTS for n in range(stripes))),), osts_in_fs=OSTS, mdts_in_fs=MDTS
    )
    return Log(
        job=job(job_id, runtime_s, "bin/plume steps=64 out=out/plume.0064.dat"),
        names={file: name},
        modules=(Counters.of("POSIX", posix_row), Counters.of("MPI-IO", mpiio_row), Lustre((layout,), version=1)),
    )


def file_per_process(job_id: int, stripes: int, runtime_s: int, rank_s: float) -> Log:
    """256 ranks write a file of 1 GiB each, 1 MiB a write. `rank_s` is the seconds that a rank writes on average; the
    slowest needs a quarter more."""
    names = [f"{RUN}/ckpt/plume.ckpt.{rank:04d}" for rank in range(RANKS)]
    rows = []
    for rank, name in enumerate(names):
        seconds = rank_s * (0.75 + 0.5 * (rank * 37 % RANKS) / (RANKS - 1))
        row: Row = {
            "id": record_id(name),
            "rank": rank,
            "POSIX_OPENS": 1,
            "POSIX_BYTES_WRITTEN": GIB,
            "POSIX_MAX_BYTE_WRITTEN": GIB - 1,
            "POSIX_SEQ_WRITES": GIB // MIB - 1,
            "POSIX_CONSEC_WRITES": GIB // MIB - 1,
            "POSIX_F_WRITE_TIME": round(seconds, 6),
            "POSIX_F_META_TIME": round(0.002 * stripes, 6),
            "POSIX_F_MAX_WRITE_TIME": round(8 * seconds / (GIB // MIB), 6),
            **one_mib_writes(GIB // MIB),
            **timestamps("POSIX", 20.0, 20.1, round(20.1 + seconds, 6)),
        }
        rows.append(row)
    layouts = tuple(
        LustreFile(record_id(name), (Stripes(MIB, tuple((5 * rank + n) % OSTS for n in range(stripes))),), rank=rank)
        for rank, name in enumerate(names)
    )
    return Log(
        job=job(job_id, runtime_s, "bin/plume steps=64 ckpt=per-process"),
        names={record_id(name): name for name in names},
        modules=(Counters.of("POSIX", *rows), Lustre(layouts, version=2)),
    )


SAMPLES = {
    "lustre-ssf-one-stripe": shared_file(7_204_411, stripes=1, runtime_s=7200, mpiio_s=2160.0, posix_s=139.3),
    "lustre-ssf-striped": shared_file(7_204_598, stripes=12, runtime_s=5066, mpiio_s=23.7, posix_s=12.9),
    "lustre-fpp-striped": file_per_process(7_204_733, stripes=8, runtime_s=2410, rank_s=336.0),
    "lustre-fpp-one-stripe": file_per_process(7_204_790, stripes=1, runtime_s=2098, rank_s=24.0),
}


def main() -> None:
    for name, log in SAMPLES.items():
        folder = Path(sys.argv[1]) / name
        folder.mkdir(parents=True, exist_ok=True)
        (folder / f"{name}.darshan").write_bytes(build(log))


if __name__ == "__main__":
    main()
