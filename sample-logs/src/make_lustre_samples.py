"""Writes the lustre-* samples: Darshan logs of jobs on Lustre, some with the job's stderr or its script.

    python sample-logs/src/make_lustre_samples.py FOLDER

The real samples ran on a local file system, so none has Darshan's LUSTRE module. These are written by the project's own
log writer; their figures are chosen to be those of one plausible job each, and agree with one another: bytes, calls,
times and variances of a record belong to the same ranks. The same bytes come out on every run.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "parsers" / "tests"))
from cray_mpich_text import default_hints, hints_block, stats_block
from darshan_writer import Counters, Dxt, DxtFile, Log, Lustre, LustreFile, Stripes, build, record_id
from documented_runs import RUNS
from lustre_imports import IMPORTS
from lustre_jobs import ARCHER2, GIB, HOME, MIB, RANKS, THETA, Floats, Row, Sharing, System, job, timestamps, writes_of
from lustre_placement import OwnFiles, SharedPosix
from lustre_traced import TRACED

RANKS_PER_NODE = 128
STEP_BYTES = 4 * MIB
OUTPUT = "out/plume.0064.dat"
SCRIPT = """\
#!/bin/bash
#SBATCH --job-name=plume
#SBATCH --nodes=2
#SBATCH --ntasks-per-node=128
#SBATCH --time=02:00:00
#SBATCH --account=z19

export MPICH_MPIIO_STATS=1
export MPICH_MPIIO_HINTS_DISPLAY=1
export FI_OFI_RXM_SAR_LIMIT=64K
export MPICH_MPIIO_HINTS="*:cray_cb_write_lock_mode=2,*:cray_cb_nodes_multiplier=4"

srun --nodes=2 --ntasks=256 ./bin/plume steps=640 out=out/plume.0064.dat
"""
FIXED_OST_SCRIPT = """\
#!/bin/bash
#SBATCH --job-name=plume
#SBATCH --nodes=2
#SBATCH --ntasks-per-node=128
#SBATCH --time=01:00:00
#SBATCH --account=z19

mkdir -p ckpt
lfs setstripe -c 1 -i 3 ckpt

srun --nodes=2 --ntasks=256 ./bin/plume steps=64 ckpt=per-process
"""


@dataclass(frozen=True)
class SharedFile:
    """256 ranks write one file in collective steps of `step_bytes` a rank, 4 or 8 MiB. Aggregators write in pieces of
    one stripe, and the stripes go round them. `mpiio_s` and `posix_s` are the seconds of the slowest rank at each
    layer, of which one aggregator's are `slowest_times` those of the others; `active` are the steps in which one, at
    most half, more than half, or all of the aggregators had something to write. `hints` are those displayed that are
    not the default."""

    job_id: int
    stripes: int
    aggregators: int
    steps: int
    runtime_s: int
    mpiio_s: float
    posix_s: float
    stripe_bytes: int = MIB
    active: tuple[int, int, int, int] | None = None
    hints: Mapping[str, object] | None = None
    script: str | None = None
    traced: bool = False
    system: System = ARCHER2
    step_bytes: int = STEP_BYTES
    views: int = RANKS
    slowest_times: float = 1.0

    @property
    def calls(self) -> int:
        return RANKS * self.steps

    @property
    def total(self) -> int:
        return self.calls * self.step_bytes

    @property
    def writes(self) -> int:
        return self.total // self.stripe_bytes

    def aggregator_writes(self) -> Floats:
        """The writes of each aggregator: with more stripes than aggregators each serves several stripes, with more
        aggregators than stripes several share one in turn."""
        of_stripe = np.arange(self.writes) % self.stripes
        turn = np.arange(self.writes) // self.stripes * self.stripes if self.aggregators > self.stripes else 0
        return np.bincount((of_stripe + turn) % self.aggregators, minlength=self.aggregators).astype(np.float64)

    def log(self) -> Log:
        name = f"{self.system.run}/{OUTPUT}"
        file, last = record_id(name), self.runtime_s - 60.0
        share = np.zeros(RANKS)
        share[np.arange(self.aggregators) * RANKS // self.aggregators] = self.aggregator_writes()
        opening = 0.004 + 0.00001 * np.arange(RANKS)
        busy = self.posix_s * share / share.max()
        busy[1:] /= self.slowest_times
        posix = Sharing(share * self.stripe_bytes, opening + busy)
        late = 0.02 * np.arange(RANKS)[::-1] / (RANKS - 1)
        mpiio = Sharing(np.full(RANKS, self.total / RANKS), self.mpiio_s - 0.02 + late)
        posix_row: Row = {
            "id": file,
            "POSIX_OPENS": RANKS + 1,
            "POSIX_BYTES_WRITTEN": self.total,
            "POSIX_MAX_BYTE_WRITTEN": self.total - 1,
            "POSIX_SEQ_WRITES": self.writes - self.aggregators,
            "POSIX_CONSEC_WRITES": self.writes - 1 if self.aggregators == 1 else 0,
            "POSIX_F_WRITE_TIME": round(float(busy.sum()), 6),
            "POSIX_F_META_TIME": round(float(opening.sum()), 6),
            "POSIX_F_MAX_WRITE_TIME": round(8 * self.posix_s / float(share.max()), 6),
            **writes_of(self.writes, self.stripe_bytes),
            **timestamps("POSIX", 12.1, 96.4, last),
            **posix.row("POSIX"),
        }
        if self.aggregators > 1:
            stride, times = (self.aggregators - 1) * self.stripe_bytes, self.writes - self.aggregators
            posix_row |= {"POSIX_STRIDE1_STRIDE": stride, "POSIX_STRIDE1_COUNT": times}
        mpiio_row: Row = {
            "id": file,
            "MPIIO_COLL_OPENS": RANKS,
            "MPIIO_COLL_WRITES": self.calls,
            "MPIIO_VIEWS": self.views,
            "MPIIO_MODE": 9,
            "MPIIO_BYTES_WRITTEN": self.total,
            f"MPIIO_SIZE_WRITE_AGG_{'1M_4M' if self.step_bytes == STEP_BYTES else '4M_10M'}": self.calls,
            "MPIIO_ACCESS1_ACCESS": self.step_bytes,
            "MPIIO_ACCESS1_COUNT": self.calls,
            "MPIIO_MAX_WRITE_TIME_SIZE": self.step_bytes,
            "MPIIO_F_WRITE_TIME": round(float(mpiio.rank_seconds.sum()) - 0.05 * RANKS, 6),
            "MPIIO_F_META_TIME": 0.05 * RANKS,
            "MPIIO_F_MAX_WRITE_TIME": round(1.3 * self.mpiio_s / self.steps, 6),
            **timestamps("MPIIO", 12.0, 96.3, last),
            **mpiio.row("MPIIO"),
        }
        osts = tuple((7 + n) % self.system.osts for n in range(self.stripes))
        stripes = Stripes(self.stripe_bytes, osts)
        layout = LustreFile(file, (stripes,), osts_in_fs=self.system.osts, mdts_in_fs=self.system.mdts)
        return Log(
            job=job(self.job_id, self.runtime_s, f"bin/plume steps={self.steps} out={OUTPUT}", self.system),
            names={file: name},
            modules=(
                Counters.of("POSIX", posix_row),
                Counters.of("MPI-IO", mpiio_row),
                Lustre((layout,), version=1),
                *((self.trace(file),) if self.traced else ()),
            ),
        )

    def trace(self, file: int) -> Dxt:
        """Every MPI-IO call, as with DXT_ENABLE_IO_TRACE=1 and DARSHAN_MOD_DISABLE=DXT_POSIX; it names the nodes."""
        between, took = (self.runtime_s - 60.0 - 96.3) / self.steps, round(self.mpiio_s / self.steps, 3)
        starts = [round(96.3 + step * between, 3) for step in range(self.steps)]
        ranks = (
            DxtFile(
                file,
                rank,
                writes=[
                    ((step * RANKS + rank) * self.step_bytes, self.step_bytes, start, round(start + took, 3))
                    for step, start in enumerate(starts)
                ],
                hostname=f"nid00{1040 + rank // RANKS_PER_NODE}",
            )
            for rank in range(RANKS)
        )
        return Dxt("DXT_MPIIO", tuple(ranks), version=2)

    def texts(self) -> dict[str, str]:
        """The other sources of the case by file name: what MPICH printed to stderr, and the job script."""
        displayed = self.hints is not None and default_hints(self.stripes, self.stripe_bytes, **self.hints)
        printed = (
            f" plume 1.9  {RANKS} ranks\n"
            f"{hints_block(OUTPUT, displayed) if displayed else ''}"
            f" writing {OUTPUT}: {self.steps} collective steps of 4 MiB a rank\n"
            f"{stats_block(OUTPUT, self.statistics(self.active)) if self.active else ''}"
            " plume: done\n"
        )
        given = {f"plume-{self.job_id}.stderr.txt": printed} if displayed or self.active else {}
        return given | ({"plume.slurm": self.script} if self.script else {})

    def statistics(self, active: tuple[int, int, int, int]) -> dict[str, object]:
        half, bins = self.aggregators // 2, ",".join(str(RANKS * steps) for steps in active)
        return {
            "independent writes": 0,
            "collective writes": self.calls,
            "independent writers": 0,
            "aggregators": self.aggregators,
            "stripe count": self.stripes,
            "stripe size": self.stripe_bytes,
            "system writes": self.writes,
            "stripe sized writes": self.writes,
            "aggregators active": f"{bins} (1, <= {half}, > {half}, {self.aggregators})",
            "total bytes for writes": f"{self.total} = {self.total // MIB} MiB = {self.total // GIB} GiB",
            "ave system write size": self.stripe_bytes,
            "read-modify-write count": 0,
            "read-modify-write bytes": 0,
            "number of write gaps": 0,
            "ave write gap size": "NA",
        }


SHARED = {
    "lustre-ssf-one-stripe": SharedFile(7_204_411, 1, 1, steps=64, runtime_s=7200, mpiio_s=2160.0, posix_s=139.3),
    "lustre-ssf-striped": SharedFile(
        7_204_598, 12, 12, steps=64, runtime_s=5066, mpiio_s=23.7, posix_s=12.9, traced=True
    ),
    "lustre-ssf-few-aggregators": SharedFile(
        7_204_633, 12, 4, steps=640, runtime_s=2901, mpiio_s=412.0, posix_s=355.0, active=(0, 0, 0, 640)
    ),
    "lustre-ssf-idle-aggregators": SharedFile(
        7_204_641, 12, 12, steps=640, runtime_s=2762, mpiio_s=273.0, posix_s=119.0, active=(40, 600, 0, 0)
    ),
    "lustre-ssf-archer2-settings": SharedFile(
        7_204_655,
        12,
        48,
        steps=640,
        runtime_s=2571,
        mpiio_s=81.0,
        posix_s=60.2,
        active=(0, 0, 0, 640),
        hints={"cb_nodes": 48, "cray_cb_nodes_multiplier": 4, "cray_cb_write_lock_mode": 2},
        script=SCRIPT,
    ),
    "lustre-ssf-shared-lock": SharedFile(
        7_204_662,
        12,
        12,
        steps=640,
        runtime_s=2640,
        mpiio_s=149.0,
        posix_s=118.0,
        active=(0, 0, 0, 640),
        hints={"cb_nodes": 24, "cray_cb_nodes_multiplier": 2, "cray_cb_write_lock_mode": 1},
    ),
    "lustre-ssf-slow-aggregator": SharedFile(
        7_204_671, 12, 12, steps=640, runtime_s=3010, mpiio_s=526.0, posix_s=520.0, slowest_times=20.0
    ),
    "lustre-ssf-slow-exchange": SharedFile(7_204_684, 12, 12, steps=640, runtime_s=2894, mpiio_s=404.0, posix_s=21.0),
    "lustre-theta-1m-stripes": SharedFile(
        418_377, 48, 48, steps=640, runtime_s=2720, mpiio_s=224.0, posix_s=171.0, system=THETA
    ),
    "lustre-theta-8m-stripes": SharedFile(
        418_402, 48, 48, steps=640, runtime_s=2584, mpiio_s=88.0, posix_s=52.0, stripe_bytes=8 * MIB, system=THETA
    ),
    "lustre-theta-large-transfers": SharedFile(
        418_436,
        48,
        48,
        steps=320,
        runtime_s=2702,
        mpiio_s=206.0,
        posix_s=158.0,
        system=THETA,
        step_bytes=8 * MIB,
        views=0,
    ),
}
OWN_FILES = {
    "lustre-fpp-striped": OwnFiles(7_204_733, stripes=8, runtime_s=2410, rank_s=336.0),
    "lustre-fpp-one-stripe": OwnFiles(7_204_790, runtime_s=2098, rank_s=24.0),
    "lustre-small-overstriped": OwnFiles(7_204_811, stripes=12, runtime_s=431, rank_s=72.0, size=4 * MIB),
    "lustre-fpp-slow-ost": OwnFiles(7_204_926, runtime_s=2690, rank_s=24.0, slow_ost=5, times_slower=20.0),
    "lustre-fpp-mild-ost": OwnFiles(7_204_929, runtime_s=2130, rank_s=24.0, slow_ost=5, times_slower=1.83),
    "lustre-fpp-crowded-ost": OwnFiles(
        7_204_931, runtime_s=240, rank_s=12.0, ranks=48, slow_ost=5, times_slower=4.0, crowded=12
    ),
    "lustre-fpp-fixed-ost": OwnFiles(7_204_938, runtime_s=2470, rank_s=288.0, first_ost=3, script=FIXED_OST_SCRIPT),
    "lustre-fpp-many-files": OwnFiles(7_204_951, runtime_s=1140, rank_s=96.0, size=64 * MIB, ranks=4096, even=True),
    "lustre-one-directory": OwnFiles(
        7_204_967, runtime_s=620, rank_s=0.5, size=8 * MIB, ranks=64, files=170, even=True, layouts=False
    ),
    "lustre-scratch-read-back": OwnFiles(7_204_974, runtime_s=1260, rank_s=96.0, size=2 * GIB, read_back=True),
    "lustre-reopened": OwnFiles(
        7_204_978, runtime_s=910, rank_s=24.0, size=512 * MIB, reopened_s=312.0, even=True, layouts=False
    ),
    "lustre-threads-waiting": OwnFiles(
        7_204_981, runtime_s=124, rank_s=118.0, size=MIB, ranks=1, files=8, even=True, threads=8, layouts=False
    ),
    "lustre-threads": OwnFiles(
        7_204_986, runtime_s=600, rank_s=0.4, size=8 * MIB, ranks=1, files=400, even=True, threads=8
    ),
    "lustre-fpp-in-turn": OwnFiles(7_205_047, runtime_s=830, rank_s=2.1, in_turn_s=0.06),
    "lustre-fpp-few-writers": OwnFiles(
        7_205_061, runtime_s=1420, rank_s=420.0, size=128 * GIB, ranks=2048, writers=4, even=True
    ),
    "lustre-fpp-enough-writers": OwnFiles(
        7_205_068, runtime_s=1030, rank_s=26.0, size=8 * GIB, ranks=2048, writers=64, even=True
    ),
    "lustre-home-output": OwnFiles(7_204_988, runtime_s=1930, rank_s=640.0, size=256 * MIB, system=HOME, layouts=False),
}
SHARED_POSIX = {
    "lustre-shared-interleaved": SharedPosix(
        7_205_012, 47_008, 1024, stripes=1, runtime_s=2350, rank_s=912.0, with_script=True
    ),
    "lustre-shared-segments": SharedPosix(
        7_205_027, 4 * MIB, 64, stripes=12, runtime_s=231, rank_s=31.0, apart=True, with_script=True
    ),
    "lustre-shared-one-stripe": SharedPosix(
        7_205_030, 4 * MIB, 256, stripes=1, runtime_s=203, rank_s=110.0, apart=True, ranks=64
    ),
    "lustre-shared-log": SharedPosix(7_205_039, 120, 10_000, stripes=1, runtime_s=640, rank_s=240.0),
    "lustre-shared-sparse": SharedPosix(
        7_205_036, 256, 2560, stripes=12, runtime_s=702, rank_s=540.0, apart_bytes=64 * 1024
    ),
    "lustre-shared-misaligned": SharedPosix(
        7_205_033, 4 * MIB, 64, stripes=12, runtime_s=264, rank_s=64.0, apart=True, header=4096, with_script=True
    ),
    "lustre-slow-moment": SharedPosix(
        7_205_041,
        4 * MIB,
        64,
        stripes=12,
        runtime_s=1960,
        rank_s=31.0,
        apart=True,
        checkpoints_s=(31.2, 30.4, 31.9, 30.8, 32.3, 31.1, 30.6, 141.7, 34.8, 31.5, 30.9, 31.4),
    ),
    "lustre-slower-and-slower": SharedPosix(
        7_205_044,
        4 * MIB,
        64,
        stripes=12,
        runtime_s=2010,
        rank_s=31.0,
        apart=True,
        checkpoints_s=(12.1, 13.9, 21.4, 26.8, 33.0, 40.2, 49.5, 55.1, 66.8, 71.9, 83.4, 90.7),
    ),
}


def main() -> None:
    for name, made in (SHARED | OWN_FILES | SHARED_POSIX | IMPORTS | TRACED | RUNS).items():
        folder = Path(sys.argv[1]) / name
        folder.mkdir(parents=True, exist_ok=True)
        (folder / f"{name}.darshan").write_bytes(build(made.log()))
        for file, text in made.texts().items():
            (folder / file).write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
