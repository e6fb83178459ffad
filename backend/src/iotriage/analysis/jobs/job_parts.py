"""Selects, from sources that hold several jobs, what is of one job: from the output of a script that ran several
programs, or from accounting of many jobs. What names no job is kept as context of all."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

from iotriage.analysis.inputs import ReadSource
from iotriage.analysis.jobs.grouping import file_in, same_bytes
from iotriage.analysis.jobs.source_identity import NamedFile, darshan_log_of, files_of_part, plain_id
from iotriage_parsers.evidence import (
    AggregatorPlacement,
    Archive,
    BenchmarkRun,
    DarshanLog,
    DarshanSummary,
    DxtTrace,
    Evidence,
    Failure,
    JobContext,
    MpiioHints,
    MpiioStats,
    MpiioTimers,
    Part,
    Problem,
)

Files = Mapping[str, NamedFile]
Closes = Mapping[str, Sequence[MpiioStats]]
MOST_NAMED = 3
OfRun = DarshanLog | DarshanSummary | DxtTrace
OfFile = MpiioStats | MpiioTimers | MpiioHints | AggregatorPlacement | BenchmarkRun
Outcome = Evidence | Archive | Failure


def select_job_parts(given: Sequence[ReadSource], job_ids: Sequence[str | None]) -> list[ReadSource]:
    """The sources without what they say about other jobs; `job_ids` names for each the job it is given for, as
    `group_by_job` does, None where all of it is of the case. What is left out is said in its problems."""
    parts = [part for source in given for part in _parts_of(source.outcome)]
    own_logs = {job_id: _files_of_logs(parts, job_id) for job_id in set(job_ids) if job_id is not None}
    return [
        source if job_id is None else replace(source, outcome=_of_job(source.outcome, job_id, own_logs[job_id]))
        for source, job_id in zip(given, job_ids, strict=True)
    ]


def _parts_of(outcome: Evidence | Archive | Failure) -> Iterator[Part]:
    if isinstance(outcome, Archive):
        for member in outcome.members:
            yield from _parts_of(member.outcome)
    elif isinstance(outcome, Evidence):
        yield from outcome.parts


def _files_of_logs(parts: Iterable[Part], job_id: str) -> Files | None:
    """What the job's logs say about its files; None where it has no log."""
    logs = [p for p in parts if isinstance(p, DarshanLog) and _is_of(p, job_id)]
    return {path: file for log in logs for path, file in files_of_part(log)} if logs else None


def _of_job(outcome: Outcome, job_id: str, files: Files | None) -> Outcome:
    if isinstance(outcome, Archive):
        members = (replace(m, outcome=_evidence_of(m.outcome, job_id, files)) for m in outcome.members)
        return replace(outcome, members=tuple(members))
    return _evidence_of(outcome, job_id, files)


def _evidence_of(outcome: Evidence | Failure, job_id: str, files: Files | None) -> Evidence | Failure:
    if isinstance(outcome, Failure):
        return outcome
    closes = _closes(outcome.parts)
    listed = any(_is_account_of(context, job_id) for context in outcome.of(JobContext))
    logs = outcome.of(DarshanLog)
    # A binary log's traces name no job: they are of its own.
    traces = not logs or any(_is_of(log, job_id) for log in logs)
    own = [p for p in outcome.parts if _is_own(p, job_id, files, closes, listed, traces)]
    kept = {id(part) for part in own}
    others = [p for p in outcome.parts if id(p) not in kept]
    if not others:
        return outcome
    if not own and all(isinstance(p, OfRun) for p in others):
        # What could not be read of another run's log is that run's loss.
        return replace(outcome, parts=(), problems=(_left_out_whole(others, job_id),))
    listed_too = {plain_id(p.job_id) for p in others if isinstance(p, JobContext) and p.job_id is not None}
    problems = (p for p in outcome.problems if p.end is None or not p.end.job or plain_id(p.end.job) not in listed_too)
    return replace(outcome, parts=tuple(own), problems=(*problems, _left_out(others, job_id)))


def _is_own(part: Part, job_id: str, files: Files | None, closes: Closes, listed: bool, traces: bool) -> bool:
    match part:
        case DxtTrace(job=None):
            return traces
        case DarshanLog() | DarshanSummary() | DxtTrace():
            return _is_of(part, job_id)
        case JobContext():
            return not listed or part.job_id is None or _is_account_of(part, job_id)
        case MpiioStats() | MpiioTimers() | MpiioHints() | AggregatorPlacement() | BenchmarkRun() if part.file:
            return files is None or _is_file_of(part, job_id, files, closes)
        case _:
            return True


def _left_out(others: Sequence[Part], job_id: str) -> Problem:
    named = list(dict.fromkeys(p.file for p in others if isinstance(p, OfFile) and p.file))
    listed = named[:MOST_NAMED]
    if len(named) > MOST_NAMED:
        listed.append(f"and {len(named) - MOST_NAMED} more")
    of = f": {', '.join(listed)}" if listed else ""
    what = "1 part of it is" if len(others) == 1 else f"{len(others)} parts of it are"
    return Problem("other-job", f"{what} of other jobs than {job_id} and not counted here{of}.")


def _left_out_whole(runs: Sequence[Part], job_id: str) -> Problem:
    ids = (plain_id(p.job.job_id) for p in runs if isinstance(p, OfRun) and p.job is not None and p.job.job_id)
    jobs = list(dict.fromkeys(ids))
    named = f"job {jobs[0]}" if len(jobs) == 1 else f"jobs {', '.join(jobs)}"
    return Problem("other-job", f"it is of {named}, not of {job_id}, and nothing of it is counted here.")


def _is_of(run: OfRun, job_id: str) -> bool:
    return run.job is None or run.job.job_id is None or plain_id(run.job.job_id) == job_id


def _is_account_of(context: JobContext, job_id: str) -> bool:
    return job_id in {plain_id(name) for name in (context.job_id, context.job_id_raw) if name is not None}


def _closes(parts: Sequence[Part]) -> Closes:
    """The statistics of each file of a source, in the order of its closes."""
    found: dict[str, list[MpiioStats]] = {}
    for part in parts:
        if isinstance(part, MpiioStats) and part.trusted:
            found.setdefault(part.file, []).append(part)
    return found


def _is_file_of(part: OfFile, job_id: str, files: Files, closes: Closes) -> bool:
    """Whether the job's logs name the file, and where it was closed several times, whether this close moved the bytes
    that they count, unless all closes together did."""
    if isinstance(part, MpiioTimers) and part.file is None:
        return True
    path = part.file or ""
    log_written = darshan_log_of(path)
    if log_written is not None:
        return log_written == job_id
    file = next((file for _, file in files_of_part(part)), NamedFile())
    of_log = file_in(path, file, files)
    if of_log is None:
        return False
    if not isinstance(part, MpiioStats | MpiioTimers):
        return True
    same_way = [b for b in closes.get(path, ()) if b.direction == part.direction]
    if len(same_way) < 2 or same_bytes(_bytes_of_blocks(same_way), of_log):
        return True
    matching = [b for b in same_way if same_bytes(_bytes_of_blocks([b]), of_log)]
    return not matching or any(b.occurrence == part.occurrence for b in matching)


def _bytes_of_blocks(blocks: Sequence[MpiioStats]) -> NamedFile:
    total = sum(b.total_bytes or 0 for b in blocks)
    return NamedFile(None, total, None) if blocks[0].direction == "write" else NamedFile(None, None, total)
