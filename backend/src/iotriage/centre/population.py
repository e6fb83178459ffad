"""Types for what is said about a threshold and a centre's jobs, separate from their computation so that using them does
not import DuckDB."""

from __future__ import annotations

from datetime import date
from typing import Literal

from iotriage_parsers.frozen import frozen


@frozen
class FigureBin:
    """Logs whose quantity is from `low` (included) to `high`."""

    low: float
    high: float
    logs: int


@frozen
class SiteValue:
    site: str
    value: float


@frozen
class Population:
    """Of the logs of the days, those that the rule would flag under some number of the threshold: `bins` by the figure
    that decides, `always` those that it flags under every number. `values` are the numbers in force at the sites of
    these logs. Logs of the days in `lacking` were taken in before the figures were there."""

    rule: str
    threshold: str
    metrics: tuple[str, ...]
    direction: Literal["above", "below"]
    scale: Literal["linear", "log"]
    logs: int
    deciding: int
    always: int
    low: float
    high: float
    bins: tuple[FigureBin, ...]
    values: tuple[SiteValue, ...]
    lacking: tuple[date, ...]


@frozen
class Counts:
    """What is flagged. `node_hours` are those of logs that state their nodes, `helped` and `did_not_help` the jobs that
    the helpdesk has an outcome of for the rule."""

    logs: int
    jobs: int
    users: int
    node_hours: float
    logs_without_nodes: int
    helped: int
    did_not_help: int


@frozen
class FlaggedLog:
    """A log by its name in the tables of its day."""

    day: date
    log: str
    job_id: str | None
    user: int | None
    executable: str | None
    figure: float | None


@frozen
class MovedThreshold:
    """What the numbers `in_force` flag, and what `value` would at every site. Of the logs that appear or drop out the
    ones nearest to the threshold."""

    value: float
    in_force: Counts
    moved: Counts
    appearing: int
    dropping: int
    appear: tuple[FlaggedLog, ...]
    drop: tuple[FlaggedLog, ...]


@frozen
class JobOutcome:
    """What became of a rule's advice in a job."""

    job_id: str
    helped: bool


@frozen
class Standing:
    """How findings of a rule come out when all of a log's are settled: `alone` are those that no other explains, which
    `high` to `low` count by severity, `leading` those that are the first of their log. `takes_s` are seconds of the
    jobs."""

    findings: int
    alone: int
    high: int
    medium: int
    low: int
    leading: int
    takes_s: float


@frozen
class RuleSettled:
    rule: str
    in_force: Standing
    moved: Standing


@frozen
class SettledThreshold:
    """All findings of the days by the numbers in force, and with `value` at every site: the rule's own, and of other
    rules those that come out otherwise. `logs` are those with a finding of the rule that comes, goes or takes other
    seconds, `led_by_another` those of them whose first finding is of another rule then. The days in `unjudged` are left
    out: they have not been judged by the rules of today."""

    value: float
    logs: int
    led_by_another: int
    rules: tuple[RuleSettled, ...]
    unjudged: tuple[date, ...]
