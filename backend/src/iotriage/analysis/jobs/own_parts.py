"""Of sources that hold parts of several jobs, the parts of one: the output of a script that ran several programs, an
account of many jobs. What no job can be told from is context of all.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from iotriage.analysis.jobs.gathering import file_in, same_bytes
from iotriage.analysis.jobs.identity import FileSaid, darshan_log_of, files_of_part, plain_id
from iotriage_parsers.evidence import (
    AggregatorPlacement,
    BenchmarkRun,
    DarshanLog,
    DarshanSummary,
    DxtTrace,
    JobContext,
    MpiioHints,
    MpiioStats,
    MpiioTimers,
    Part,
)

Parts = Sequence[tuple[int, Part]]
OfFile = MpiioStats | MpiioTimers | MpiioHints | AggregatorPlacement | BenchmarkRun


def own_parts(parts: Parts, job_id: str) -> tuple[list[tuple[int, Part]], list[tuple[int, Part]]]:
    """The parts of the job and its context, and the parts that are of others."""
    logs = [p for _, p in parts if isinstance(p, DarshanLog) and _is_of(p, job_id)]
    files = {path: said for log in logs for path, said in files_of_part(log)}
    closes = _closes(parts)
    own: list[tuple[int, Part]] = []
    others: list[tuple[int, Part]] = []
    accounts = {i for i, p in parts if isinstance(p, JobContext) and _is_account_of(p, job_id)}
    for i, part in parts:
        match part:
            case DarshanLog() | DarshanSummary() | DxtTrace():
                mine = _is_of(part, job_id)
            case JobContext():
                mine = i not in accounts or part.job_id is None or _is_account_of(part, job_id)
            case MpiioStats() | MpiioTimers() | MpiioHints() | AggregatorPlacement() | BenchmarkRun() if part.file:
                mine = not logs or _is_file_of(i, part, job_id, files, closes)
            case _:
                mine = True
        (own if mine else others).append((i, part))
    return own, others


def _is_of(run: DarshanLog | DarshanSummary | DxtTrace, job_id: str) -> bool:
    return run.job is None or run.job.job_id is None or plain_id(run.job.job_id) == job_id


def _is_account_of(context: JobContext, job_id: str) -> bool:
    return job_id in {plain_id(name) for name in (context.job_id, context.job_id_raw) if name is not None}


Closes = Mapping[tuple[int, str], Sequence[MpiioStats]]


def _closes(parts: Parts) -> Closes:
    """The statistics of each file of a source, in the order of its closes."""
    found: dict[tuple[int, str], list[MpiioStats]] = {}
    for i, part in parts:
        if isinstance(part, MpiioStats) and part.trusted:
            found.setdefault((i, part.file), []).append(part)
    return found


def _is_file_of(source: int, part: OfFile, job_id: str, files: Mapping[str, FileSaid], closes: Closes) -> bool:
    """Whether the job's logs name the file, and where it was closed several times, whether this close moved the bytes
    that they count, unless all closes together did."""
    path = part.file or ""
    log_written = darshan_log_of(path)
    if log_written is not None:
        return log_written == job_id
    said = next((said for _, said in files_of_part(part)), FileSaid())
    of_log = file_in(path, said, files)
    if of_log is None:
        return False
    if not isinstance(part, MpiioStats | MpiioTimers):
        return True
    same_way = [b for b in closes.get((source, path), ()) if b.direction == part.direction]
    if len(same_way) < 2 or same_bytes(_together(same_way), of_log):
        return True
    matching = [b for b in same_way if same_bytes(_together([b]), of_log)]
    return not matching or any(b.occurrence == part.occurrence for b in matching)


def _together(blocks: Sequence[MpiioStats]) -> FileSaid:
    total = sum(b.total_bytes or 0 for b in blocks)
    return FileSaid(None, total, None) if blocks[0].direction == "write" else FileSaid(None, None, total)
