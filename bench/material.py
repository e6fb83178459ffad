"""The inputs that the bench measures on: `python bench/material.py FOLDER` makes them."""

from __future__ import annotations

import struct
import sys
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "parsers" / "tests"))
from darshan_writer import Counters, Job, Log, Raw, build

from iotriage_parsers.detect import read
from iotriage_parsers.evidence import CounterTable, DarshanLog, Failure

FILES = 100_000
TRACED_CALLS, TRACED_RANKS = 2_000_000, 512
SAMPLES = Path(__file__).resolve().parents[1] / "sample-logs" / "darshan_log"
REAL_LOGS = ("03-fpp-many-small-files", "12-subfile-per-node", "40-heat2d-tuned", "41-no-shared-reduction")
MODULES = {"POSIX": 4, "MPI-IO": 3}
"""Those that are written, and their versions."""
IOR = Path(__file__).resolve().parents[1] / "sample-logs" / "ior" / "ssf-collective" / "ior-ssf-collective.txt"
IOR_RANKS = 16_384
NOISE_LINE = b" step 000421  t= 3.31250E-02  dt= 1.25000E-04  |div u|= 4.1E-11  iterations= 17  residual= 8.8E-09\n"
STATS_BLOCK = b"""\
+--------------------------------------------------------+
| MPIIO write access patterns for out/plume.%04d.dat
|   independent writes      = 0
|   collective writes       = 16384
|   independent writers     = 0
|   aggregators             = 12
|   stripe count            = 12
|   stripe size             = 1048576
|   system writes           = 65536
|   stripe sized writes     = 65536
|   aggregators active      = 0,0,0,16384 (1, <= 6, > 6, 12)
|   total bytes for writes  = 68719476736 = 65536 MiB = 64 GiB
|   ave system write size   = 1048576
|   read-modify-write count = 0
|   read-modify-write bytes = 0
|   number of write gaps    = 0
|   ave write gap size      = NA
| See "Optimizing MPI I/O on Cray XE Systems" S-0013-20 for explanations.
+--------------------------------------------------------+
"""


def large_log() -> bytes:
    """A log of one job with 100,000 files, a POSIX and an MPI-IO record each; the same bytes on every run.

    The records are those of real logs of this project, as many times as needed: their counters are as often zero, and
    their times as little alike, as in any log. What a record holds decides how long inflating takes.
    """
    ids = np.arange(1, FILES + 1, dtype=np.uint64) * np.uint64(0x9E3779B97F4A7C15)
    modules = []
    for name, version in MODULES.items():
        found = [t for log in REAL_LOGS for t in tables(log, name)]
        ints, floats = np.concatenate([t.ints for t in found]), np.concatenate([t.floats for t in found])
        rows = np.arange(FILES) % len(ints)
        jitter = 1 + 1e-3 * np.random.default_rng(1).random((FILES, 1))
        modules.append(Counters(name, ids, np.arange(FILES) % 512, ints[rows], floats[rows] * jitter, version))
    names = {int(record): f"/lustre/run/out/part.{number:06d}" for number, record in enumerate(ids)}
    return build(Log(job=Job(nprocs=512), names=names, modules=modules))


def tables(log: str, module: str) -> list[CounterTable]:
    with (SAMPLES / log / f"{log}.darshan").open("rb") as source:
        found = read(source)
    if isinstance(found, Failure):
        raise SystemExit(found.message)
    logs = found.of(DarshanLog)
    tables = [log.posix if module == "POSIX" else log.mpiio for log in logs]
    return [table for table in tables if table is not None]


def large_trace() -> bytes:
    """A DXT log of 2 million POSIX calls of 512 ranks in 1,000 s: bursts in which all ranks write, and reads all the
    time."""
    calls = TRACED_CALLS // TRACED_RANKS
    random = np.random.default_rng(2)
    parts = []
    for rank in range(TRACED_RANKS):
        segments = np.zeros(calls, dtype=[("offset", "<i8"), ("length", "<i8"), ("start", "<f8"), ("end", "<f8")])
        segments["offset"] = (np.arange(calls) * TRACED_RANKS + rank) * 2**16
        segments["length"] = random.integers(1, 2**16, calls)
        begins = np.where(
            np.arange(calls) < calls // 2, random.integers(0, 20, calls) * 50.0, random.random(calls) * 950
        )
        segments["start"] = np.sort(begins + random.random(calls) * 10)
        segments["end"] = segments["start"] + random.exponential(0.02, calls)
        head = struct.pack("<Qqq64sqq", 1, rank, 0, f"nid{rank // 128:06d}".encode(), calls // 2, calls - calls // 2)
        parts += [head, segments.tobytes()]
    trace = Raw("DXT_POSIX", 1, b"".join(parts))
    # A segment beyond the end of the run is left out: begins are below 960 s, and calls take hundredths of one.
    job = Job(nprocs=TRACED_RANKS, end_s=Job.start_s + 1_000)
    return build(Log(job=job, names={1: "/lustre/run/out.dat"}, modules=[trace]))


def large_text() -> bytes:
    """100 MB of a program's own output with three STATS blocks in it: at the start, in the middle, at the end."""
    half = NOISE_LINE * (50_000_000 // len(NOISE_LINE))
    return half.join(STATS_BLOCK % number for number in range(3))


def long_line() -> bytes:
    """One line of 20 MB, a progress bar that never ends a line, and a STATS block after it."""
    return b"\r[#####     ] 50 %" * (20_000_000 // 18) + b"\n" + STATS_BLOCK % 0


def verbose_ior() -> bytes:
    """200 MB of IOR with -vv on 16,384 ranks: lines of every rank in its head and before each row."""
    head, first, rest = IOR.read_bytes().partition(b"write     ")
    row, _, end = (first + rest).partition(b"\n")
    banner, _, options = head.partition(b"Machine")
    names = b"".join(b"task %d on nid%06d\n" % (rank, rank // 64) for rank in range(IOR_RANKS))
    pairs = b"".join(b"%d: stonewalling pairs accessed: %d\n" % (rank, rank % 97) for rank in range(IOR_RANKS))
    failed = b"ior WARNING: fsync() failed, errno 5\n" * (IOR_RANKS // 2)
    before_a_row = pairs + failed
    rows = (before_a_row + row + b"\n") * (200_000_000 // len(before_a_row))
    return b"".join((banner, names, b"Machine", options, rows, end))


def main() -> None:
    folder = Path(sys.argv[1])
    (folder / "large.darshan").write_bytes(large_log())
    (folder / "large.stderr").write_bytes(large_text())
    (folder / "line.stderr").write_bytes(long_line())
    (folder / "ior.txt").write_bytes(verbose_ior())


if __name__ == "__main__":
    main()
