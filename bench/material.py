"""The inputs that the bench measures on: `python bench/material.py FOLDER` makes them."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "parsers" / "tests"))
from darshan_writer import SHAPES, Counters, Job, Log, build

FILES = 100_000
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
    """A log of one job with 100,000 files, a POSIX and an MPI-IO record each; the same bytes on every run."""
    random = np.random.default_rng(1)
    ids = np.arange(1, FILES + 1, dtype=np.uint64) * np.uint64(0x9E3779B97F4A7C15)
    modules = []
    for name, version in (("POSIX", 4), ("MPI-IO", 3)):
        int_names, float_names = SHAPES[name, version]
        ints = random.integers(0, 1 << 20, (FILES, len(int_names)))
        floats = random.random((FILES, len(float_names)))
        modules.append(Counters(name, ids, np.arange(FILES) % 512, ints, floats, version))
    names = {int(record): f"/lustre/run/out/part.{number:06d}" for number, record in enumerate(ids)}
    return build(Log(job=Job(nprocs=512), names=names, modules=modules))


def large_text() -> bytes:
    """100 MB of a program's own output with three STATS blocks in it: at the start, in the middle, at the end."""
    half = NOISE_LINE * (50_000_000 // len(NOISE_LINE))
    return half.join(STATS_BLOCK % number for number in range(3))


def long_line() -> bytes:
    """One line of 20 MB, a progress bar that never ends a line, and a STATS block after it."""
    return b"\r[#####     ] 50 %" * (20_000_000 // 18) + b"\n" + STATS_BLOCK % 0


def main() -> None:
    folder = Path(sys.argv[1])
    (folder / "large.darshan").write_bytes(large_log())
    (folder / "large.stderr").write_bytes(large_text())
    (folder / "line.stderr").write_bytes(long_line())


if __name__ == "__main__":
    main()
