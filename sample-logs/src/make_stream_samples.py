"""Writes the streams-*, dvs-*, iobuf-* and tar-* samples: streams that are read again, a file system behind DVS, Cray's
IOBUF, and tar with large blocks, of which we have no logs.

    python sample-logs/src/make_stream_samples.py FOLDER

Written by the project's own log writer; the figures are chosen to be those of one plausible job each, and agree with
one another: bytes, calls, times and variances of a record belong to the same ranks. The same bytes come out on every
run.
"""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
from lustre_jobs import ARCHER2, GIB, MIB, Row, Sharing, System, job, timestamps, writes_of

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "parsers" / "tests"))
from darshan_writer import Counters, Log, build, record_id

TABLE_BYTES = 40 * MIB
LINE_BYTES = 80
STREAM_RANKS = 64
DVS_RANKS = 32
DVS = System(
    "/project/plume/run",
    (("/project", "dvs"), ("/home", "dvs"), ("/tmp", "tmpfs"), ("/", "overlay")),
    osts=0,
    mdts=0,
)
SCRIPT = """\
#!/bin/bash
#SBATCH --job-name=plume
#SBATCH --nodes=1
#SBATCH --ntasks-per-node=32
#SBATCH --time=01:00:00

module load iobuf
export IOBUF_PARAMS="{patterns}"

srun --nodes=1 --ntasks=32 ./bin/plume steps=64 log=per-process
"""


def read_again(passes: int, rank_s: float) -> Log:
    """Every rank reads a table line by line through a stream, `passes` times."""
    name = f"{ARCHER2.run}/tables/opacity.tab"
    ranks = np.arange(STREAM_RANKS)
    each = TABLE_BYTES * passes
    sharing = Sharing(np.full(STREAM_RANKS, float(each)), rank_s * (0.94 + 0.06 * ranks / (STREAM_RANKS - 1)))
    row: Row = {
        "id": record_id(name),
        "STDIO_OPENS": STREAM_RANKS,
        "STDIO_READS": each // LINE_BYTES * STREAM_RANKS,
        "STDIO_SEEKS": (passes - 1) * STREAM_RANKS,
        "STDIO_BYTES_READ": each * STREAM_RANKS,
        "STDIO_MAX_BYTE_READ": TABLE_BYTES - 1,
        "STDIO_F_READ_TIME": round(float(sharing.rank_seconds.sum()), 6),
        **reading("STDIO", 4.0, round(4.1 + 1.2 * rank_s, 6)),
        **sharing.row("STDIO"),
    }
    made = job(7_205_201, 1800, "bin/plume steps=12 tables=each-step", ranks=STREAM_RANKS)
    return Log(job=made, names={row_id(row): name}, modules=(Counters.of("STDIO", row),))


def read_once() -> Log:
    """Rank 0 reads the same table once, and sends it to the others."""
    name = f"{ARCHER2.run}/tables/opacity.tab"
    row: Row = {
        "id": record_id(name),
        "rank": 0,
        "STDIO_OPENS": 1,
        "STDIO_READS": TABLE_BYTES // LINE_BYTES,
        "STDIO_BYTES_READ": TABLE_BYTES,
        "STDIO_MAX_BYTE_READ": TABLE_BYTES - 1,
        "STDIO_F_READ_TIME": 1.9,
        **reading("STDIO", 4.0, 6.1),
    }
    made = job(7_205_214, 1391, "bin/plume steps=12 tables=once", ranks=STREAM_RANKS)
    return Log(job=made, names={row_id(row): name}, modules=(Counters.of("STDIO", row),))


def through_dvs(job_id: int, size: int, rank_s: float, runtime_s: int) -> Log:
    """32 ranks write a file of 256 MiB each, in accesses of `size`: 4 KiB or 8 MiB."""
    names = [f"{DVS.run}/state/plume.state.{rank:04d}" for rank in range(DVS_RANKS)]
    count = 256 * MIB // size
    rows = []
    for rank, name in enumerate(names):
        seconds = round(rank_s * (0.9 + 0.1 * rank / (DVS_RANKS - 1)), 6)
        row: Row = {
            "id": record_id(name),
            "rank": rank,
            "POSIX_OPENS": 1,
            "POSIX_BYTES_WRITTEN": 256 * MIB,
            "POSIX_MAX_BYTE_WRITTEN": 256 * MIB - 1,
            "POSIX_SEQ_WRITES": count - 1,
            "POSIX_CONSEC_WRITES": count - 1,
            "POSIX_F_WRITE_TIME": seconds,
            "POSIX_F_META_TIME": 0.004,
            **blocks(count, size),
            **timestamps("POSIX", 8.0, 8.2, round(8.2 + 1.5 * seconds, 6)),
        }
        rows.append(row)
    command = f"bin/plume steps=64 block={size}"
    return Log(
        job=job(job_id, runtime_s, command, DVS, DVS_RANKS),
        names={record_id(name): name for name in names},
        modules=(Counters.of("POSIX", *rows),),
    )


def shared_and_own(job_id: int) -> Log:
    """32 ranks write a field of 4 GiB together with collective calls, and a log each through a stream."""
    field = f"{DVS.run}/out/plume.field.dat"
    logs = [f"{DVS.run}/log/plume.{rank:04d}.log" for rank in range(DVS_RANKS)]
    ranks = np.arange(DVS_RANKS)
    calls, total = 32 * DVS_RANKS, 4 * GIB
    share = np.zeros(DVS_RANKS)
    writers = ranks % 8 == 0
    share[writers] = total / 4
    above = Sharing(np.full(DVS_RANKS, total / DVS_RANKS), 8.0 + 0.2 * ranks / (DVS_RANKS - 1))
    below = Sharing(share, np.where(writers, 7.1, 0.004))
    mpiio: Row = {
        "id": record_id(field),
        "MPIIO_COLL_OPENS": DVS_RANKS,
        "MPIIO_COLL_WRITES": calls,
        "MPIIO_VIEWS": DVS_RANKS,
        "MPIIO_MODE": 9,
        "MPIIO_BYTES_WRITTEN": total,
        "MPIIO_SIZE_WRITE_AGG_4M_10M": calls,
        "MPIIO_ACCESS1_ACCESS": total // calls,
        "MPIIO_ACCESS1_COUNT": calls,
        "MPIIO_F_WRITE_TIME": round(float(above.rank_seconds.sum()), 6),
        **timestamps("MPIIO", 9.0, 21.0, 58.0),
        **above.row("MPIIO"),
    }
    posix: Row = {
        "id": record_id(field),
        "POSIX_OPENS": DVS_RANKS,
        "POSIX_BYTES_WRITTEN": total,
        "POSIX_MAX_BYTE_WRITTEN": total - 1,
        "POSIX_SEQ_WRITES": total // (8 * MIB) - 4,
        "POSIX_F_WRITE_TIME": round(4 * 7.096, 6),
        "POSIX_F_META_TIME": round(0.004 * DVS_RANKS, 6),
        **blocks(total // (8 * MIB), 8 * MIB),
        **timestamps("POSIX", 9.1, 21.1, 57.9),
        **below.row("POSIX"),
    }
    streams: list[Row] = [
        {
            "id": record_id(name),
            "rank": rank,
            "STDIO_OPENS": 1,
            "STDIO_WRITES": 640,
            "STDIO_BYTES_WRITTEN": 640 * LINE_BYTES,
            "STDIO_MAX_BYTE_WRITTEN": 640 * LINE_BYTES - 1,
            "STDIO_F_WRITE_TIME": 0.011,
            **timestamps("STDIO", 7.0, 7.1, 60.0),
        }
        for rank, name in enumerate(logs)
    ]
    return Log(
        job=job(job_id, 74, "bin/plume steps=64 log=per-process", DVS, DVS_RANKS),
        names={record_id(name): name for name in (field, *logs)},
        modules=(Counters.of("POSIX", posix), Counters.of("MPI-IO", mpiio), Counters.of("STDIO", *streams)),
    )


def tar_of(size: int) -> Log:
    """tar -b 2048 packs `size` bytes: one process, blocks of 1 MiB."""
    name = f"{ARCHER2.run}/run.tar"
    row: Row = {
        "id": record_id(name),
        "rank": 0,
        "POSIX_OPENS": 1,
        "POSIX_BYTES_WRITTEN": size,
        "POSIX_MAX_BYTE_WRITTEN": size - 1,
        "POSIX_SEQ_WRITES": size // MIB - 1,
        "POSIX_CONSEC_WRITES": size // MIB - 1,
        "POSIX_F_WRITE_TIME": 11.4,
        "POSIX_F_META_TIME": 0.003,
        **writes_of(size // MIB),
        **timestamps("POSIX", 0.1, 0.2, 61.0),
    }
    packing = replace(job(7_205_262, 62, "", ranks=1), exe="/usr/bin/tar -b 2048 -c -f run.tar parts")
    return Log(job=packing, names={row_id(row): name}, modules=(Counters.of("POSIX", row),))


def reading(prefix: str, opened: float, last: float) -> Row:
    return {key.replace("WRITE", "READ"): when for key, when in timestamps(prefix, opened, opened + 0.1, last).items()}


def blocks(count: int, size: int) -> Row:
    """`count` writes of `size`, 4 KiB or 8 MiB."""
    made = writes_of(count, size)
    if size < MIB:
        made["POSIX_SIZE_WRITE_1K_10K"] = made.pop("POSIX_SIZE_WRITE_4M_10M")
    return made


def row_id(row: Row) -> int:
    return int(row["id"])


LOGS = {
    "streams-reread": read_again(passes=12, rank_s=412.0),
    "streams-read-once": read_once(),
    "dvs-small-records": through_dvs(7_205_231, 4096, rank_s=214.0, runtime_s=702),
    "dvs-large-blocks": through_dvs(7_205_236, 8 * MIB, rank_s=2.6, runtime_s=391),
    "iobuf-shared-file": shared_and_own(7_205_244),
    "iobuf-own-streams": shared_and_own(7_205_251),
    "tar-blocks-of-1-mib": tar_of(4 * GIB),
}
SCRIPTS = {"iobuf-shared-file": "*:count=4:size=8M", "iobuf-own-streams": "*.log:count=1:size=1M"}


def main() -> None:
    for name, log in LOGS.items():
        folder = Path(sys.argv[1]) / name
        folder.mkdir(parents=True, exist_ok=True)
        (folder / f"{name}.darshan").write_bytes(build(log))
        if name in SCRIPTS:
            (folder / "plume.slurm").write_text(SCRIPT.format(patterns=SCRIPTS[name]), encoding="utf-8")


if __name__ == "__main__":
    main()
