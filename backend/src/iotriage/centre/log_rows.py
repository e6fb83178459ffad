"""The data stored about one log, in the form in which the confined process that read it hands it over, before it
becomes columns."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from iotriage.metrics.tables.account.cells import Cells
from iotriage_parsers.frozen import frozen


@frozen
class MetricCells:
    """Metrics by their ids: those with a number, those with a word, and by reason the ids of those that are `absent`.
    `lower` names the numbers that are lower bounds. Of hundreds of metrics most are absent for one of a few reasons, so
    each reason is passed on and written once."""

    numbers: Mapping[str, float]
    words: Mapping[str, str]
    lower: tuple[str, ...]
    absent: Mapping[str, tuple[str, ...]]


@frozen
class Saving:
    """What a cure of a rule's finding could save of the seconds that it takes (`iotriage.rules.core.rule.Impact`)."""

    rule: str
    most_share: float
    least_share: float
    stays_s: float


@frozen
class GroupOfFiles:
    """Files that are used alike. `metrics` are those that rules look at; `cells` are its seconds, `position` its place
    among the groups of the log, from 0."""

    id: str
    position: int
    label: str
    files: int
    largest_file: str
    pattern: str | None
    mount: str | None
    metrics: MetricCells
    cells: Cells | None
    savings: tuple[Saving, ...]


@frozen
class FindingOfLog:
    """A rule's answer, where the rule applies; `position` is its place in the document's order, from 0."""

    rule: str
    scope: str
    scope_label: str
    verdict: str
    severity: str
    explained_by: str | None
    takes_s: float | None
    could_save_at_least_s: float | None
    could_save_s: float | None
    position: int
    headline: str | None


@frozen
class ModuleOfLog:
    name: str
    partial: bool


@frozen
class LogRead:
    """`content` is the digest of what the log holds, however it is compressed. `program` is what the executable runs
    (`iotriage.centre.program_name`). Times in seconds since the epoch, UTC. `losses` are codes of problems that lose
    data; `account_basis` is the source of the seconds in `cells`, and `account_partial` says whether they lack some.
    `document` is the case document as JSON where a finding is above info."""

    content: str
    job_id: str | None
    uid: int | None
    executable: str | None
    program: str | None
    nprocs: int | None
    nnodes: int | None
    start_time: float | None
    end_time: float | None
    runtime_s: float | None
    site: str
    losses: tuple[str, ...]
    modules: tuple[ModuleOfLog, ...]
    headline: str
    headline_severity: str
    headline_rule: str | None
    cells: Cells | None
    account_basis: str | None
    account_partial: bool | None
    savings: tuple[Saving, ...]
    unexplained_s: float | None
    metrics: MetricCells
    groups: tuple[GroupOfFiles, ...]
    findings: tuple[FindingOfLog, ...]
    document: str | None


@frozen
class LogUnread:
    """Why nothing could be read: the code of a `Failure`, or `deadline` or `crashed`; and a sentence."""

    content: str
    code: str
    message: str


TRIED_AGAIN: Final = ("unreadable", "deadline")
"""Codes of failures that are not the log's fault: every run tries these logs again."""

LogOutcome = LogRead | LogUnread
