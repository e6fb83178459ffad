"""The inputs that the bench measures on, made once into a folder."""

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


def large_log(folder: Path) -> Path:
    """A log of one job with 100,000 files, a POSIX and an MPI-IO record each; the same bytes on every run."""
    path = folder / "large.darshan"
    if not path.exists():
        random = np.random.default_rng(1)
        ids = np.arange(1, FILES + 1, dtype=np.uint64) * np.uint64(0x9E3779B97F4A7C15)
        modules = []
        for name, version in (("POSIX", 4), ("MPI-IO", 3)):
            ints, floats = (len(names) for names in SHAPES[name, version])
            modules.append(
                Counters(
                    name,
                    ids,
                    np.arange(FILES) % 512,
                    random.integers(0, 1 << 20, (FILES, ints)),
                    random.random((FILES, floats)),
                    version,
                )
            )
        names = {int(record): f"/lustre/run/out/part.{number:06d}" for number, record in enumerate(ids)}
        path.write_bytes(build(Log(job=Job(nprocs=512), names=names, modules=modules)))
    return path


def large_text(folder: Path) -> Path:
    """100 MB of a program's own output with three STATS blocks in it: at the start, in the middle, at the end."""
    path = folder / "large.stderr"
    if not path.exists():
        half = NOISE_LINE * (50_000_000 // len(NOISE_LINE))
        path.write_bytes(half.join(STATS_BLOCK % number for number in range(3)))
    return path


def long_line(folder: Path) -> Path:
    """One line of 20 MB, a progress bar that never ends a line, and a STATS block after it."""
    path = folder / "line.stderr"
    if not path.exists():
        path.write_bytes(b"\r[#####     ] 50 %" * (20_000_000 // 18) + b"\n" + STATS_BLOCK % 0)
    return path
