"""What is shown of one log of the warehouse."""

from __future__ import annotations

from datetime import date

from iotriage_parsers.frozen import frozen


@frozen
class FindingOfRow:
    rule: str
    scope_label: str
    severity: str
    explained_by: str | None
    takes_s: float | None
    headline: str | None


@frozen
class StepOfJob:
    """Another log of the same job on the same day."""

    log: str
    start_time: float | None
    runtime_s: float | None
    headline: str | None
    headline_severity: str | None


@frozen
class RowOfLog:
    """What the warehouse has of the log; `has_document` is whether what was said about it then is kept, `failure` why
    it could not be read. `person` is the user's name where the accounting has it, as the day's report says, else their
    number. Times in seconds since the epoch."""

    has_document: bool
    failure: str | None
    partial_log: bool
    job_id: str | None
    user: int | None
    executable: str | None
    nprocs: int | None
    nnodes: int | None
    start_time: float | None
    runtime_s: float | None
    site: str | None
    headline: str | None
    headline_severity: str | None
    person: str | None


@frozen
class CentreLog:
    """`gone` says why the log cannot be read again, None where it can. `findings` are those that were triggered, in
    their order; `steps` the job's other logs, `more_steps` how many of those are left out."""

    day: date
    log: str
    path: str
    size_bytes: int
    gone: str | None
    row: RowOfLog
    findings: tuple[FindingOfRow, ...]
    steps: tuple[StepOfJob, ...]
    more_steps: int
