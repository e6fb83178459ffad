"""Documented measurements, described as programs: what the model says beside what was measured."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from .calls import Layer, Op, calls, joined
from .jobs import Job, Output, program_of
from .laws import DISK, GiB, KiB, MiB
from .programs import File, Phase, Program, Weather
from .running import run

FPP_MIB_S = {24: 5929, 48: 12261, 96: 13262, 192: 12532, 384: 12048, 768: 12741, 1536: 11930}
SSF_ALL_MIB_S = {24: 662, 48: 1311, 96: 2270, 192: 3791, 384: 5396, 768: 5775, 1536: 5945}
SSF_FOUR_MIB_S = {24: 862, 48: 1313, 96: 1292, 192: 1585, 384: 881, 768: 924, 1536: 822}
"""ARCHER Best Practice Guide, tables of file-per-process (1024 MiB a process, one stripe) and of a shared file written
collectively (16 MiB a process; all stripes, and four), by processes, 24 on a node."""
ARCHER_FACTOR = 2.2
CACHE_DEMO_S = {1: 157.1, 8: 28.0}
"""Seconds that the mean of 64 ranks spent writing 64 GiB in four files, by stripes: POSIX_F_WRITE_TIME of the two logs
over the ranks."""
CACHE_DEMO_FACTOR = 1.5
SMALL_FILES_S = {48: 7200.0, 1: 360.0}
"""Reading 36,000 small files one after another on all stripes and on one (epcc, slide 9)."""
SMALL_FILES_FACTOR = 2.0
INTERLEAVED_MIB_S = {8: 5.9, 64: 2.4}
"""Independent writes of pieces of one shared file by 8 and 64 processes (epcc, slide 16); pieces of 8 KiB taken."""
INTERLEAVED_FACTOR = 3.0


@dataclass(frozen=True)
class Comparison:
    what: str
    measured: float
    modelled: float
    unit: str
    factor: float
    """How far apart they may lie."""

    @property
    def apart(self) -> float:
        return max(self.measured / self.modelled, self.modelled / self.measured)


def comparisons() -> list[Comparison]:
    return [*archer(), *cache_demo(), *small_files(), *interleaved()]


def archer() -> list[Comparison]:
    made: list[Comparison] = []
    tables = (
        ("file per process", FPP_MIB_S, _own),
        ("shared, all stripes", SSF_ALL_MIB_S, _shared_all),
        ("shared, 4 stripes", SSF_FOUR_MIB_S, _shared_four),
    )
    for what, table, output in tables:
        for ranks, measured in table.items():
            job = Job(DISK, ranks, 24, 1, 0.0, output())
            moved = job.output.bytes_per_rank * ranks / MiB
            rate = moved / _writing_s(job)
            made.append(Comparison(f"{what}, {ranks} processes", measured, rate, "MiB/s", ARCHER_FACTOR))
    return made


def _own() -> Output:
    return Output("own", GiB, MiB)


def _shared_all() -> Output:
    return Output("collective", 16 * MiB, 16 * MiB, stripes=48)


def _shared_four() -> Output:
    return Output("collective", 16 * MiB, 16 * MiB, stripes=4)


def _writing_s(job: Job) -> float:
    """Seconds from the start of the first write to the end of the last."""
    ran = run(program_of(job))
    writing = ran.trace.calls.among((Op.WRITE, Op.WRITE_ALL))
    return float(ran.trace.end[writing].max() - ran.trace.start[writing].min())


def cache_demo() -> list[Comparison]:
    """Cori's OSTs gave about 420 MB/s each then; 64 ranks on 2 nodes, four files of 16 GiB, blocks of 16 MiB."""
    laws = replace(DISK, ost_write=440e6)
    made: list[Comparison] = []
    for stripes, measured in CACHE_DEMO_S.items():
        ranks = np.arange(64)
        phases: list[Phase] = []
        for file in range(4):
            parts = [
                calls(Layer.POSIX, Op.WRITE, ranks, file, block * GiB + ranks * 16 * MiB, MiB, count=16)
                for block in range(16)
            ]
            phases.append(Phase(joined([*parts, calls(Layer.POSIX, Op.SYNC, ranks, file)])))
        files = [File(f"/lustre/testFile{i}", stripes=stripes, first_ost=7 * i) for i in range(4)]
        ran = run(Program(64, 32, (laws,), files, phases))
        mean = float(ran.trace.inside[ran.trace.calls.among((Op.WRITE, Op.SYNC))].sum() / 64)
        made.append(Comparison(f"cache_demo, {stripes} stripes", measured, mean, "s", CACHE_DEMO_FACTOR))
    return made


def small_files(number: int = 3600) -> list[Comparison]:
    """A tenth of the files, ten times the seconds."""
    made: list[Comparison] = []
    for stripes, measured in SMALL_FILES_S.items():
        files = [File(f"/lustre/small.{i}", stripes=stripes, first_ost=i % 48) for i in range(number)]
        each = np.arange(number)
        ops = [
            calls(Layer.POSIX, op, 0, each, 0, 8 * KiB if op == Op.READ else 0)
            for op in (Op.STAT, Op.OPEN, Op.READ, Op.CLOSE)
        ]
        ran = run(Program(1, 1, (DISK,), files, [Phase(joined(ops))]))
        made.append(
            Comparison(
                f"36,000 small files, {stripes} stripes",
                measured,
                float(ran.trace.inside.sum()) * 36000 / number,
                "s",
                SMALL_FILES_FACTOR,
            )
        )
    return made


def interleaved() -> list[Comparison]:
    made: list[Comparison] = []
    for ranks, measured in INTERLEAVED_MIB_S.items():
        output = Output("shared", 8 * MiB, 8 * KiB, interleaved=True, stripes=1)
        job = Job(DISK, ranks, max(1, ranks // 4), 1, 0.0, output, weather=Weather())
        rate = 8 * ranks / _writing_s(job)
        made.append(Comparison(f"interleaved pieces, {ranks} processes", measured, rate, "MiB/s", INTERLEAVED_FACTOR))
    return made


def report(made: Sequence[Comparison]) -> str:
    return "\n".join(f"  {c.what:42} {c.measured:9.1f} {c.modelled:9.1f} {c.unit:6} × {c.apart:.2f}" for c in made)
