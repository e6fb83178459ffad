"""Drops the accounts of several jobs where nothing tells which of them the run is: the time and the nodes of the first
that a scheduler lists are not those of a program whose output lies beside the list. Nor is a job that an account is of
the one whose end its output tells with another number.

What a log, a file's name or the word of its end names is told before (`grouping`, `job_parts`).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Final

from iotriage.analysis.jobs.source_identity import ACCOUNTS, ended_jobs, plain_id
from iotriage.metrics.core.listing import first_named
from iotriage_parsers.evidence import DarshanLog, DarshanSummary, Evidence, JobContext, Part, Problem
from iotriage_parsers.frozen import frozen

MOST_NAMED: Final = 3


@frozen
class OtherJobs:
    """Jobs that a source lists besides, or instead of, the job that is diagnosed: the note about them, and their
    numbers."""

    problem: Problem
    ids: frozenset[str] = frozenset()

    def without_ends(self, problems: Iterable[Problem]) -> tuple[Problem, ...]:
        """As they were, but that how another job ended is not how this one did."""
        return tuple(
            replace(p, end=None) if p.end is not None and p.end.job and plain_id(p.end.job) in self.ids else p
            for p in problems
        )


def drop_other_accounting(
    parts: Sequence[tuple[int, Part]], evidence: Sequence[tuple[int, Evidence]]
) -> tuple[list[tuple[int, Part]], dict[int, OtherJobs]]:
    """The parts without accounts, where these are of several jobs, and what that is of their sources; of those that a
    log's number is of, these stay."""
    accounts = [(i, p, ids) for i, p in parts if isinstance(p, JobContext) and (ids := _ids(p))]
    ended = _ended_otherwise(accounts, evidence)
    jobs = _jobs_apart([*(ids for _, _, ids in accounts), *(frozenset((job,)) for _, job in ended)])
    if len(jobs) < 2:
        return [*parts], {}
    logged = {
        plain_id(p.job.job_id)
        for _, p in parts
        if isinstance(p, DarshanLog | DarshanSummary) and p.job.job_id is not None
    }
    own = [ids for ids in jobs if ids & (logged or {job for _, job in ended})]
    kept = own[0] if len(own) == 1 else frozenset()
    dropped = {id(p): i for i, p, ids in accounts if not ids & kept}
    told_in = [*dropped.values(), *(i for i, job in ended if job not in kept)]
    of_jobs = [min(ids, key=len) for ids in jobs if not ids & kept]
    left = [(i, p) for i, p in parts if id(p) not in dropped]
    others = OtherJobs(_problem(of_jobs, kept), frozenset().union(*jobs) - kept)
    return left, dict.fromkeys(told_in, others)


def _ended_otherwise(
    accounts: Sequence[tuple[int, JobContext, frozenset[str]]], evidence: Sequence[tuple[int, Evidence]]
) -> list[tuple[int, str]]:
    """The jobs whose ends an output tells, where accounts are of others and each has the one number of its job: a task
    of an array, and what was asked for together, ends with a number that its account may not have."""
    numbers = frozenset().union(*(ids for _, _, ids in accounts))
    plain = all((p.job_id or "").isdecimal() or p.job_id_raw is not None for _, p, _ in accounts)
    if not (accounts and plain):
        return []
    ends = [(i, plain_id(job)) for i, e in evidence for job in ended_jobs(e)]
    return [] if any(job in numbers for _, job in ends) else ends


def _ids(part: JobContext) -> frozenset[str]:
    """The numbers that an account has for its job: a task of an array has two."""
    named = (part.job_id, part.job_id_raw) if part.source in ACCOUNTS else ()
    return frozenset(plain_id(name) for name in named if name is not None)


def _jobs_apart(accounts: Sequence[frozenset[str]]) -> list[frozenset[str]]:
    """The jobs that they are of, each with its numbers."""
    jobs: list[frozenset[str]] = []
    for ids in accounts:
        alike = [job for job in jobs if job & ids]
        jobs = [*(job for job in jobs if not job & ids), ids.union(*alike)]
    return jobs


def _problem(jobs: Sequence[str], kept: frozenset[str]) -> Problem:
    named = first_named(jobs, MOST_NAMED)
    if kept:
        return Problem("other-job", f"it tells of other jobs ({named}), and nothing of these is counted here.")
    return Problem(
        "other-job",
        f"it lists several jobs ({named}), and nothing says which of them this run is: no time, node or task of theirs "
        "is counted here. Give the lines of that job alone, or choose it by its number.",
    )
