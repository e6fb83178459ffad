"""Which job it was, as the sources state it: Darshan's job record first, then CrayPAT, the scheduler, and the job
script. For a job of several steps these are the facts of the step whose ranks are taken as the job's."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from iotriage.analysis.document import JobFacts
from iotriage.metrics.core.metric import Metric
from iotriage.metrics.core.text_statements import launched_program, program_of
from iotriage.metrics.job.program import largest_first
from iotriage_parsers.evidence import CrayPatReport, DarshanLog, DarshanSummary, DxtTrace, Job, JobContext, Part


def facts_of(parts: Sequence[tuple[int, Part]], metrics: Mapping[str, Metric]) -> JobFacts:
    """Ranks, nodes and run time are those of the metrics."""
    job = next(_jobs(parts), Job())
    ranks, nodes, run = (metrics[m].value for m in ("job.nprocs", "job.nnodes", "job.runtime"))
    return JobFacts(
        job_id=job.job_id or next(_job_ids(parts), None),
        uid=job.uid,
        executable=job.executable or next(_programs(parts), None),
        command_line=job.command_line or next(_command_lines(parts), None),
        nprocs=int(ranks) if isinstance(ranks, int) else None,
        nnodes=int(nodes) if isinstance(nodes, int) else None,
        start_time=job.start_time,
        end_time=job.end_time,
        runtime_s=float(run) if isinstance(run, int | float) else None,
    )


def _jobs(parts: Sequence[tuple[int, Part]]) -> Iterator[Job]:
    yield from largest_first(p.job for _, p in parts if isinstance(p, DarshanLog))
    yield from largest_first(p.job for _, p in parts if isinstance(p, DarshanSummary))
    yield from (p.job for _, p in parts if isinstance(p, DxtTrace) and p.job is not None)


def _job_ids(parts: Sequence[tuple[int, Part]]) -> Iterator[str]:
    return (p.job_id for _, p in parts if isinstance(p, JobContext) and p.job_id is not None)


def _programs(parts: Sequence[tuple[int, Part]]) -> Iterator[str]:
    yield from (name for _, p in parts if isinstance(p, CrayPatReport) and (name := program_of(p)))
    yield from (name for _, p in parts if isinstance(p, JobContext) and (name := launched_program(p)))


def _command_lines(parts: Sequence[tuple[int, Part]]) -> Iterator[str]:
    return (p.command_line for _, p in parts if isinstance(p, CrayPatReport) and p.command_line)
