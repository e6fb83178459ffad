"""Jobs: what a scientist would say of a program's I/O, and the program that does it.

A job computes for some steps; at each it writes its output, and perhaps a log. It reads its input first. Everything is
a value, so that the same job without a fault is the same value with one part replaced.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Literal

import numpy as np

from .calls import Calls, Ints, Layer, Op, calls, joined
from .laws import HOME, KiB, Laws, MiB
from .programs import File, Hints, Phase, Program, Switch, Weather

WORK, AT_HOME = 0, 1
Pattern = Literal["own", "shared", "collective", "serial", "subfile"]


@dataclass(frozen=True)
class Output:
    """What is written at each step. `piece` > 0: collective calls go through a view of pieces of so many bytes,
    `hole` more bytes apart than the ranks fill."""

    pattern: Pattern
    bytes_per_rank: int
    transfer: int
    stripes: int = 1
    stripe_size: int = MiB
    name: str = "state"
    extension: str = "dat"
    system: int = WORK
    interleaved: bool = False
    shift: int = 0
    piece: int = 0
    hole: int = 0
    buffering: Switch = "enable"
    aggregators: int = 0
    mpi: bool = False
    first_rank_factor: int = 1
    sync_each: bool = False
    reopen_each: bool = False
    metadata_reads: int = 0
    """Small independent reads of each rank at each step, as a library's metadata is read."""


@dataclass(frozen=True)
class Input:
    """What is read before the first step: each rank its part, or all ranks everything."""

    total_bytes: int
    transfer: int = 4 * MiB
    stripes: int = 8
    everybody: bool = False
    passes: int = 1
    random: bool = False
    by_stdio: bool = False
    name: str = "mesh.bin"


@dataclass(frozen=True)
class SmallFiles:
    """Files of each rank, written when the steps are over, or read by all before them where `shared`; each opened, used
    and closed `rounds` times."""

    per_rank: int
    size: int = 8 * KiB
    stripes: int = 1
    system: int = WORK
    shared: bool = False
    rounds: int = 1
    stats_each: int = 0
    name: str = "part"
    extension: str = "bin"


@dataclass(frozen=True)
class TextLog:
    lines_per_step: int
    flushed: bool = False
    line_bytes: int = 80


@dataclass(frozen=True)
class Job:
    laws: Laws
    ranks: int
    per_node: int
    steps: int
    compute_s: float
    output: Output
    input: Input | None = None
    small: SmallFiles | None = None
    log: TextLog | None = None
    weather: Weather = field(default_factory=Weather)
    late_s: float = 0.0
    """One rank in ten computes so much longer at each step."""
    seed: int = 0
    with_heatmap: bool = True
    with_layouts: bool = True

    @property
    def nodes(self) -> int:
        return -(-self.ranks // self.per_node)


def program_of(job: Job) -> Program:
    """The job as calls."""
    files: list[File] = []
    ranks = np.arange(job.ranks)
    phases: list[Phase] = []
    rng = np.random.default_rng([job.seed, 1])
    if job.input is not None:
        phases.append(Phase(_input(job, job.input, ranks, _add(files, _input_files(job.input, rng, job)), rng)))
    if job.small is not None and job.small.shared:
        phases.append(Phase(_small(job.small, ranks, _add(files, _small_files(job, job.small, rng)))))
    output = _add(files, _output_files(job, rng))
    logs = _add(
        files,
        [File(f"/lustre/run/log.{r:05d}", WORK, 1, MiB, int(r) % job.laws.osts, 4 * MiB) for r in ranks]
        if job.log
        else [],
    )
    late = np.where(rng.permutation(job.ranks) < job.ranks // 10, job.late_s, 0.0) if job.late_s else ()
    if job.output.pattern != "serial":
        phases.append(Phase(_open(job, ranks, output)))
    for step in range(job.steps):
        if job.log is not None:
            phases.append(Phase(_lines(job.log, step, ranks, logs), barrier=False))
        phases.append(Phase(joined([]), job.compute_s, tuple(late), barrier=False))
        phases.extend(Phase(part) for part in _step(job, step, ranks, output))
    phases.append(Phase(_close(job, ranks, output)))
    if job.small is not None and not job.small.shared:
        phases.append(Phase(_small(job.small, ranks, _add(files, _small_files(job, job.small, rng)))))
    hints = {int(file): _hints(job, index) for index, file in enumerate(output)}
    hdf5 = tuple(int(f) for f in output) if job.output.extension == "h5" else ()
    return Program(
        job.ranks,
        job.per_node,
        (job.laws, HOME),
        files,
        phases,
        hints,
        job.weather,
        job.seed,
        with_heatmap=job.with_heatmap,
        with_layouts=job.with_layouts,
        hdf5=hdf5,
    )


def _add(files: list[File], more: Sequence[File]) -> Ints:
    """The indices of files that are added."""
    first = len(files)
    files.extend(more)
    return np.arange(first, len(files))


def _output_files(job: Job, rng: np.random.Generator) -> list[File]:
    """Lustre deals the files of one directory to the OSTs in turn, each file's stripes after the last one's."""
    given = job.output
    number = {"own": job.ranks, "subfile": job.nodes}.get(given.pattern, 1)
    names = [f"{given.name}.{given.extension}"] if number == 1 else [f"{given.name}.{i:05d}" for i in range(number)]
    folder = "/home/auser/run" if given.system == AT_HOME else "/lustre/run"
    first = int(rng.integers(job.laws.osts))
    return [
        File(
            f"{folder}/{name}",
            given.system,
            given.stripes,
            given.stripe_size,
            (first + i * given.stripes) % job.laws.osts,
        )
        for i, name in enumerate(names)
    ]


def _input_files(given: Input, rng: np.random.Generator, job: Job) -> list[File]:
    return [File(f"/lustre/input/{given.name}", WORK, given.stripes, MiB, int(rng.integers(job.laws.osts)), 4 * MiB)]


def _small_files(job: Job, given: SmallFiles, rng: np.random.Generator) -> list[File]:
    number = given.per_rank if given.shared else given.per_rank * job.ranks
    folder = "/home/auser/run" if given.system == AT_HOME else "/lustre/run"
    first = int(rng.integers(job.laws.osts)) + np.arange(number) * given.stripes
    return [
        File(f"{folder}/{given.name}.{i:06d}.{given.extension}", given.system, given.stripes, MiB, int(at))
        for i, at in enumerate(first % job.laws.osts)
    ]


def _hints(job: Job, index: int) -> Hints:
    given = job.output
    if given.pattern == "subfile":
        return Hints(given.buffering, given.buffering, aggregators=(index * job.per_node,), given=True)
    number = _matching(given.aggregators or min(job.nodes, given.stripes), given.stripes)
    # Spread over the nodes, and over the ranks of a node where there are more.
    places = [(i % job.nodes) * job.per_node + i // job.nodes for i in range(min(number, job.ranks))]
    return Hints(given.buffering, given.buffering, aggregators=sorted(places), given=True)


def _matching(number: int, stripes: int) -> int:
    """Lustre's drivers take a divisor or a multiple of the stripes, so that few aggregators meet on an OST."""
    if number >= stripes:
        return number // stripes * stripes
    return next(divisor for divisor in range(number, 0, -1) if stripes % divisor == 0)


def _mpi(given: Output) -> bool:
    return given.mpi or given.pattern in ("collective", "subfile")


def _open(job: Job, ranks: Ints, files: Ints) -> Calls:
    layer = Layer.MPIIO if _mpi(job.output) else Layer.POSIX
    return calls(layer, Op.CREATE, ranks, _of_rank(job, ranks, files))


def _close(job: Job, ranks: Ints, files: Ints) -> Calls:
    if job.output.pattern == "serial":
        return calls(Layer.POSIX, Op.CLOSE, 0, files[0])
    return calls(Layer.MPIIO if _mpi(job.output) else Layer.POSIX, Op.CLOSE, ranks, _of_rank(job, ranks, files))


def _of_rank(job: Job, ranks: Ints, files: Ints) -> Ints:
    if job.output.pattern == "own":
        return files[ranks]
    return files[ranks // job.per_node] if job.output.pattern == "subfile" else np.full(len(ranks), files[0])


def _step(job: Job, step: int, ranks: Ints, files: Ints) -> list[Calls]:
    given = job.output
    parts: list[Calls] = []
    if given.metadata_reads:
        at = np.arange(len(ranks)) * 0 + 2048
        parts.append(calls(Layer.MPIIO, Op.READ, ranks, files[0], at, 512, count=given.metadata_reads, step=544))
    if given.pattern == "serial":
        opened = [calls(Layer.POSIX, Op.CREATE, 0, files[0])] if step == 0 else []
        size = given.bytes_per_rank * job.ranks
        return [
            joined(
                [
                    *opened,
                    calls(
                        Layer.POSIX, Op.WRITE, 0, files[0], step * size, given.transfer, count=size // given.transfer
                    ),
                ]
            )
        ]
    if given.pattern in ("collective", "subfile"):
        return [*parts, _collective(job, step, ranks, files)]
    layer = Layer.MPIIO if given.mpi else Layer.POSIX
    file = _of_rank(job, ranks, files)
    written = _independent(job, step, ranks, file, layer)
    if given.reopen_each or given.sync_each:
        return [*parts, _piecemeal(given, written, layer)]
    return [*parts, written]


def _independent(job: Job, step: int, ranks: Ints, file: Ints, layer: Layer) -> Calls:
    given = job.output
    times = np.full(job.ranks, max(1, given.bytes_per_rank // given.transfer))
    times[0] *= given.first_rank_factor
    if given.pattern == "own":
        return calls(layer, Op.WRITE, ranks, file, step * times * given.transfer, given.transfer, count=times)
    before = np.cumsum(times) - times
    base = given.shift + step * int(times.sum()) * given.transfer
    if given.interleaved:
        return calls(
            layer,
            Op.WRITE,
            ranks,
            file,
            base + ranks * given.transfer,
            given.transfer,
            count=times,
            step=job.ranks * given.transfer,
        )
    return calls(layer, Op.WRITE, ranks, file, base + before * given.transfer, given.transfer, count=times)


def _piecemeal(given: Output, written: Calls, layer: Layer) -> Calls:
    """Each write by itself, with a sync behind it, or an open before and a close."""
    times = int(written.count.max())
    parts: list[Calls] = []
    for turn in range(times):
        one = written.take(written.count > turn)
        write = calls(layer, Op.WRITE, one.rank, one.file, one.offset + turn * one.step, one.size)
        around = [calls(layer, op, one.rank, one.file) for op in (Op.OPEN, Op.SYNC, Op.CLOSE)]
        parts.extend([around[0], write, around[2]] if given.reopen_each else [write, around[1]])
    return joined(parts)


def _collective(job: Job, step: int, ranks: Ints, files: Ints) -> Calls:
    given = job.output
    sharing = job.per_node if given.pattern == "subfile" else job.ranks
    place = ranks % sharing
    file = _of_rank(job, ranks, files)
    turns = max(1, given.bytes_per_rank // given.transfer)
    call = np.repeat(step * turns + np.arange(turns), job.ranks)
    rank, file, place = (np.tile(column, turns) for column in (ranks, file, place))
    if not given.piece:
        at = given.shift + (call * sharing + place) * given.transfer
        return calls(Layer.MPIIO, Op.WRITE_ALL, rank, file, at, given.transfer)
    pieces = given.transfer // given.piece
    gap = sharing * given.piece + given.hole
    at = given.shift + call * pieces * gap + place * given.piece
    return calls(Layer.MPIIO, Op.WRITE_ALL, rank, file, at, given.transfer, pieces=pieces, gap=gap)


def _input(job: Job, given: Input, ranks: Ints, files: Ints, rng: np.random.Generator) -> Calls:
    file = files[0]
    layer = Layer.STDIO if given.by_stdio else Layer.POSIX
    share = given.total_bytes if given.everybody else given.total_bytes // job.ranks
    count = max(1, share // given.transfer)
    opened, closed = calls(layer, Op.OPEN, ranks, file), calls(layer, Op.CLOSE, ranks, file)
    start = 0 * ranks if given.everybody else ranks * share
    if given.random:
        places = (
            rng.integers(0, max(1, given.total_bytes // given.transfer - 1), size=(count, job.ranks)) * given.transfer
        )
        reads = calls(layer, Op.READ, np.tile(ranks, count), file, places.reshape(-1), given.transfer)
        return joined([opened, reads, closed])
    one = calls(layer, Op.READ, ranks, file, start, given.transfer, count=count)
    again = calls(layer, Op.SEEK, ranks, file)
    return joined([opened, *([one, again] * given.passes), closed])


def _small(given: SmallFiles, ranks: Ints, files: Ints) -> Calls:
    if given.shared:
        rank, file = np.tile(ranks, len(files)), np.repeat(files, len(ranks))
        ops = [Op.STAT, Op.OPEN, Op.READ, Op.CLOSE]
    else:
        rank, file = np.repeat(ranks, given.per_rank), files
        ops = [Op.CREATE, Op.WRITE, Op.CLOSE]
    sizes = {Op.READ: given.size, Op.WRITE: given.size}
    parts = [calls(Layer.POSIX, op, rank, file, 0, sizes.get(op, 0), count=given.rounds) for op in ops]
    if given.stats_each:
        parts.append(calls(Layer.POSIX, Op.STAT, rank, file, count=given.stats_each))
    order = np.argsort(np.concatenate([np.arange(len(rank))] * len(parts)), kind="stable")
    return joined(parts).take(order)


def _lines(given: TextLog, step: int, ranks: Ints, files: Ints) -> Calls:
    op = Op.FLUSHED_WRITE if given.flushed else Op.WRITE
    at = step * given.lines_per_step * given.line_bytes
    written = calls(Layer.STDIO, op, ranks, files, at, given.line_bytes, count=given.lines_per_step)
    return joined([calls(Layer.STDIO, Op.CREATE, ranks, files), written]) if step == 0 else written


def with_output(job: Job, **changes: object) -> Job:
    return replace(job, output=replace(job.output, **changes))  # type: ignore[arg-type]
