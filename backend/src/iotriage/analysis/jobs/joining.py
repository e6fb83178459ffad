"""Decides whether two cases are of one job, by what the sources of each say about it.

A job id alone is not enough: several clusters use the same numbers, and numbering starts again. So the ids must agree,
and one more thing: the cluster, the times, a file that both name, or the job's Darshan log being written. Names of
programs or people decide nothing. A case that names no job is recognised by its files (`matching_files`).
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime

from iotriage.analysis.jobs.case_identity import CaseIdentity, LoggedRun
from iotriage.analysis.jobs.grouping import file_in, same_bytes
from iotriage.analysis.jobs.joinable import Joinable, NotJoinable
from iotriage.analysis.jobs.matching_files import match_by_files
from iotriage.analysis.jobs.source_identity import NamedFile, NamedJob, same_job
from iotriage.metrics.tables.records.own_traces import SAME_START_S


def match_cases(one: CaseIdentity, other: CaseIdentity) -> Joinable | NotJoinable | None:
    """Whether two cases are one job's; None where they have no job in common."""
    if one.several or other.several or _elsewhere(one, other):
        return None
    for job_id in sorted(one.ids & other.ids):
        pairs = [(a, b) for a in one.jobs for b in other.jobs if a.id == b.id == job_id]
        if pairs and not any(same_job(a, b) for a, b in pairs):
            continue
        if one.runs and other.runs and not _forms_of_one_run(one.runs, other.runs):
            same = any(_same_run(a, b) for a in one.runs for b in other.runs)
            what = "the same run" if same else "another step"
            return NotJoinable(f"each has a log of {what} of job {job_id}", differ=True)
        why = _grounds(job_id, pairs, one, other)
        if why is None:
            return NotJoinable(f"both name job {job_id}, and neither cluster, times nor files say that it is the same")
        return Joinable(why)
    return None if one.ids and other.ids else match_by_files(one, other)


def are_incompatible(one: CaseIdentity, other: CaseIdentity) -> bool:
    """Whether two cases cannot be of one job, although each may be of one job with a third."""
    match = match_cases(one, other)
    if match is None:
        return bool((one.ids and other.ids) or (one.runs and other.runs) or (one.results and other.results))
    return isinstance(match, NotJoinable) and match.differ


def _grounds(
    job_id: str, pairs: Sequence[tuple[NamedJob, NamedJob]], one: CaseIdentity, other: CaseIdentity
) -> str | None:
    agreeing = [(a, b) for a, b in pairs if same_job(a, b)]
    cluster = next((job.cluster for job in (*one.jobs, *other.jobs) if job.id == job_id and job.cluster), None)
    on = f" on cluster {cluster}" if cluster else ""
    for a, b in agreeing:
        if a.start is not None and b.start is not None:
            return f"both are of job {job_id}{on}, which began {_when(a if b.local else b)}"
    if any(a.cluster and a.cluster == b.cluster for a, b in agreeing):
        return f"both are of job {job_id}{on}"
    for text, log in ((one, other), (other, one)):
        if job_id in text.logs_written and log.runs:
            return f"one is the Darshan log of job {job_id}{on} that the other saw being written"
        path = _file_of_both(text, log)
        if path is not None:
            return f"both are of job {job_id}{on} and tell of {path}"
    return None


def _file_of_both(text: CaseIdentity, log: CaseIdentity) -> str | None:
    """A file of which both tell nothing that differs."""
    files = log.files or {}
    for path, named in (text.files or {}).items():
        of_log = file_in(path, named, files)
        if of_log is not None and (not _count_bytes(named, of_log) or same_bytes(named, of_log)):
            return path
    return next((path for path in text.layouts if path in files), None)


def _count_bytes(one: NamedFile, other: NamedFile) -> bool:
    ways = ((one.written, other.written), (one.read, other.read))
    return any(a is not None and b is not None for a, b in ways)


def _forms_of_one_run(one: Sequence[LoggedRun], other: Sequence[LoggedRun]) -> bool:
    """Whether all are of one run, and each has another form of it: its counters, and its trace as a text."""
    apart = {run.form for run in one}.isdisjoint(run.form for run in other)
    return apart and all(_same_run(a, b) for a in one for b in other)


def _same_run(one: LoggedRun, other: LoggedRun) -> bool:
    if one.start is None or other.start is None or abs(one.start - other.start) > SAME_START_S:
        return False
    return one.ranks is None or other.ranks is None or one.ranks == other.ranks


def _elsewhere(one: CaseIdentity, other: CaseIdentity) -> bool:
    """Whether the two cases' evidence names different centres."""
    return one.site is not None and other.site is not None and one.site != other.site


def _when(job: NamedJob) -> str:
    assert job.start is not None
    began = datetime.fromtimestamp(job.start, UTC).strftime("%Y-%m-%d %H:%M:%S")
    return f"at {began}" if job.local else f"at {began} UTC"
