"""What sources beside Darshan and MPICH_MPIIO_STATS state of the job: its ranks, nodes and run time, with the lines.

The accounting of a scheduler and a profiler say what the run had; a job script says what was asked for.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

from iotriage.metrics.core.metric import Confidence, Where
from iotriage_parsers.evidence import (
    BenchmarkRun,
    CrayPatReport,
    DarshanSummary,
    DxtTrace,
    JobContext,
    Lines,
    MpiioStats,
    MpiioTimers,
    Part,
)
from iotriage_parsers.evidence.job_context import JobStep, Launch, program_steps
from iotriage_parsers.frozen import frozen

Parts = Sequence[tuple[int, Part]]


@frozen
class Stated:
    """A figure, and where a source states it."""

    value: int
    confidence: Confidence
    where: tuple[Where, ...]


def ranks_in_darshan_texts(parts: Parts) -> int | None:
    """nprocs in the head of Darshan's texts without records: totals, and DXT traces."""
    of_summaries = [p.job.nprocs for _, p in parts if isinstance(p, DarshanSummary) and p.job.nprocs is not None]
    traces = [p.job for _, p in parts if isinstance(p, DxtTrace) and p.job is not None]
    return max(of_summaries or [n for job in traces if (n := job.nprocs) is not None], default=None)


def stated_ranks(parts: Parts) -> Stated | None:
    """The ranks as the first of these has them: CrayPAT, a benchmark of one size, the scheduler's accounting, the
    script's largest launch, the script's request, the largest communicator of the MPICH_MPIIO_TIMERS blocks. None where
    statistics are of launches of several sizes: of which a file is no source says."""
    return None if sizes_of_launches(parts) else next(_ranks(parts), None)


def stated_nodes(parts: Parts, logged: int | None) -> Stated | None:
    """The nodes as the first of these has them: CrayPAT, a benchmark of one size, the scheduler's accounting, the
    script's largest launch, the script's request. None where statistics are of launches of several sizes. A script that
    starts another number of ranks than `logged` ones is of another program, or step, than the log."""
    return None if sizes_of_launches(parts) else next(_nodes(parts, logged), None)


def sizes_of_launches(parts: Parts) -> tuple[int, ...]:
    """The ranks of the launches that statistics of MPI-IO follow in a trace of the job's script, and of larger ones
    before them, which may run beside them; ascending. Empty where all that say theirs are of one size."""
    for source, job in _contexts(parts):
        if job.source != "trace" or len(job.launches) < 2:
            continue
        of_mpiio = (p for i, p in parts if i == source and isinstance(p, MpiioStats | MpiioTimers))
        blocks = sorted(p.lines.first for p in of_mpiio if p.trusted)
        starts = [launch.line for launch in job.launches]
        ends = [*starts[1:], math.inf]
        followed = [
            launch.all_ranks
            for launch, end in zip(job.launches, ends, strict=True)
            if any(launch.line < block < end for block in blocks)
        ]
        known = {ranks for ranks in followed if ranks is not None}
        before = [launch.all_ranks for launch in job.launches if blocks and launch.line < blocks[-1]]
        sizes = known.union(ranks for ranks in before if known and ranks is not None and ranks > max(known))
        if len(sizes) > 1:
            return tuple(sorted(sizes))
    return ()


def sizes_of_benchmarks(parts: Parts) -> tuple[int, ...]:
    """The ranks of the runs of a benchmark that was run with several numbers of them, ascending: none of these is the
    job's. Empty where all runs have as many."""
    sizes = {run.nprocs for _, run in _benchmarks(parts) if run.nprocs is not None}
    return tuple(sorted(sizes)) if len(sizes) > 1 else ()


def _ranks(parts: Parts) -> Iterator[Stated]:
    for i, report in craypat_reports(parts):
        if report.ranks is not None:
            line = report.line_of("Number of PEs (MPI ranks)")
            yield Stated(report.ranks, "measured", places_of(i, line, report.lines))
    runs = [(n, Where(i, run.lines)) for i, run in _benchmarks(parts) if (n := run.nprocs) is not None]
    if len({ranks for ranks, _ in runs}) == 1:
        yield Stated(runs[0][0], "measured", (runs[0][1],))
    for i, job in _contexts(parts):
        if job.source in ("sacct", "ipm") and job.ntasks is not None:
            yield Stated(job.ntasks, "measured", places_of(i, job.line_of("ntasks"), job.lines))
    for i, job in _contexts(parts):
        # What one process prepares is no part of the run that the others are of.
        launch = largest_launch(job)
        ranks = None if launch is None else job.ranks_of(launch)
        if launch is not None and ranks is not None:
            # A trace has the command as it was carried out.
            yield Stated(
                ranks, "measured" if job.source == "trace" else "inferred", places_of(i, launch.line, job.lines)
            )
    for i, job in _contexts(parts):
        if job.asked_ranks is not None and not _says_otherwise(job):
            line = job.line_of("ranks_per_node" if job.ntasks is None else "ntasks")
            yield Stated(job.asked_ranks, "inferred", places_of(i, line, job.lines))
    yield from _ranks_of_times(parts)


def _ranks_of_times(parts: Parts) -> Iterator[Stated]:
    """The largest communicator that opened a file: ranks that accessed it, and ranks that did not. Of several files
    that one rank each opened it says nothing: each rank may have its own."""
    blocks = [(i, p) for i, p in parts if isinstance(p, MpiioTimers) and p.trusted]
    sizes = [
        (p.active_ranks + p.idle_ranks, i, p)
        for i, p in blocks
        if p.active_ranks is not None and p.idle_ranks is not None
    ]
    if sizes:
        most, i, block = max(sizes, key=lambda found: found[0])
        if most == 1 and len({p.file for _, p in blocks}) > 1:
            return
        yield Stated(most, "inferred", (Where(i, block.lines),))


def _nodes(parts: Parts, logged: int | None) -> Iterator[Stated]:
    for i, report in craypat_reports(parts):
        if report.nodes is not None:
            yield Stated(
                report.nodes, "measured", places_of(i, report.line_of("Numbers of PEs per Node"), report.lines)
            )
    runs = [(n, Where(i, run.lines)) for i, run in _benchmarks(parts) if (n := run.nodes) is not None]
    if len({nodes for nodes, _ in runs}) == 1:
        yield Stated(runs[0][0], "measured", (runs[0][1],))
    for i, job in _contexts(parts):
        step = first_step(job)
        if job.source != "script" and step is not None and step.nnodes is not None:
            yield Stated(step.nnodes, "measured", places_of(i, step.line, job.lines))
        elif job.source != "script" and job.nnodes is not None:
            yield Stated(job.nnodes, "measured", places_of(i, job.line_of("nnodes"), job.lines))
    of_scripts = [(i, job) for i, job in _contexts(parts) if _started(job) in (None, logged) or logged is None]
    for i, job in of_scripts:
        # Those of a smaller launch are not the run's, nor are those of one of several alike.
        of_largest = {launch.all_nodes: launch.line for launch in largest_launches(job)}
        nodes, line = next(iter(of_largest.items()), (None, None))
        if nodes is not None and len(of_largest) == 1:
            yield Stated(nodes, "inferred", places_of(i, line, job.lines))
    for i, job in of_scripts:
        if job.nnodes is not None:
            yield Stated(job.nnodes, "inferred", places_of(i, job.line_of("nnodes"), job.lines))


A_FEW_RANKS = 1.5
"""Stands for a launch of unknown size: more than one rank, and fewer than any number that a launch states."""


def largest_launch(context: JobContext) -> Launch | None:
    """The launch of most ranks, the first of several alike."""
    return next(iter(largest_launches(context)), None)


def largest_launches(context: JobContext) -> list[Launch]:
    """The launches with most ranks. A launch that states no number has the number that the script requests. Where the
    script requests none either, it is taken for more than one process, and for fewer than any other number that is
    known; a launch whose number depends on a condition is taken for more. Among launches of equal size, one that
    contradicts the script comes last, since it may have had fewer."""
    asked = context.asked_ranks
    sizes = [
        context.ranks_of(launch) or asked or (math.inf if launch.undecided else A_FEW_RANKS)
        for launch in context.launches
    ]
    most = max(sizes, default=0)
    largest = (launch for launch, size in zip(context.launches, sizes, strict=True) if size == most)
    return sorted(largest, key=context.is_contradicted_by)


def _started(context: JobContext) -> int | None:
    """The ranks of its largest launch, or those that it asks for; None where it does not say."""
    launch = largest_launch(context)
    launched = None if launch is None else context.ranks_of(launch)
    asked = None if _says_otherwise(context) else context.asked_ranks
    return asked if launched is None else launched


def _says_otherwise(context: JobContext) -> bool:
    """Whether its largest launch leaves open which ranks hold, its own or those that the script asks for."""
    launch = largest_launch(context)
    return launch is not None and context.is_contradicted_by(launch)


def stated_runtime(parts: Parts) -> tuple[float, tuple[Where, ...]] | None:
    """Seconds that the program ran, by the first of: CrayPAT's mean over the ranks, the steps that ran it, the job,
    `time` before its launch; of what had not ended none."""
    for i, report in craypat_reports(parts):
        if report.process_time_average_s is not None:
            return report.process_time_average_s, places_of(i, report.process_time_line, report.lines)
    for i, job in sorted(_contexts(parts), key=lambda one: one[1].source == "time"):
        step, took = first_step(job), time_in_steps(job)
        if step is not None and took is not None:
            return took, places_of(i, step.line, job.lines)
        if job.took_s is not None:
            return job.took_s, places_of(i, job.line_of("elapsed_s"), job.lines)
    return None


def stated_io_time(parts: Parts) -> tuple[float, tuple[Where, ...]] | None:
    """Seconds of the slowest rank in I/O, as IPM counts them; None of several runs."""
    banners = [(i, job) for i, job in _contexts(parts) if job.source == "ipm"]
    if len(banners) != 1:
        return None
    ((i, job),) = banners
    return (
        None if job.io_slowest_s is None else (job.io_slowest_s, places_of(i, job.line_of("io_slowest_s"), job.lines))
    )


def first_step(job: JobContext) -> JobStep | None:
    """The first of the steps that ran the program, which have one size; None where the source lists none."""
    return next(iter(program_steps(job.steps)), None)


def time_in_steps(job: JobContext) -> float | None:
    """Seconds that the program ran in its steps, one after the other; None where they ran side by side, or a time is
    not known."""
    times = [step.took_s for step in program_steps(job.steps)]
    known = [time for time in times if time is not None]
    longest = math.inf if job.elapsed_s is None or len(times) == 1 else job.elapsed_s
    return sum(known) if times and len(known) == len(times) and sum(known) <= longest else None


def program_of(report: CrayPatReport) -> str | None:
    """The program that was instrumented: pat_build names its copy of it `+pat`."""
    return report.executable.removesuffix("+pat") if report.executable else None


def launched_program(context: JobContext) -> str | None:
    """The program of the largest launch, else of the first that names one."""
    largest = largest_launch(context)
    if largest is not None and largest.program is not None:
        return largest.program
    return next((launch.program for launch in context.launches if launch.program is not None), None)


def craypat_reports(parts: Parts) -> Iterator[tuple[int, CrayPatReport]]:
    return ((i, p) for i, p in parts if isinstance(p, CrayPatReport))


def _benchmarks(parts: Parts) -> Iterator[tuple[int, BenchmarkRun]]:
    """Those of the job: statistics of MPI-IO that are of other files than a benchmark's are of another run than it."""
    closed = [p.file or "" for _, p in parts if isinstance(p, MpiioStats | MpiioTimers) and p.trusted]
    return ((i, p) for i, p in parts if isinstance(p, BenchmarkRun) and (not closed or _may_have_closed(p, closed)))


def _may_have_closed(run: BenchmarkRun, files: Sequence[str]) -> bool:
    named = [name for name in (run.file, *(result.file for result in run.results)) if name]
    return not named or any(_last(name) in _last(file) for name in named for file in files)


def _last(path: str) -> str:
    """The name of a file without its directory."""
    return path.rpartition("/")[2]


def _contexts(parts: Parts) -> Iterator[tuple[int, JobContext]]:
    return ((i, p) for i, p in parts if isinstance(p, JobContext))


def places_of(source: int, line: int | None, lines: Lines) -> tuple[Where, ...]:
    """The line, or all lines of the part where the figure has none of its own."""
    return (Where(source, lines if line is None else Lines(line, line)),)
