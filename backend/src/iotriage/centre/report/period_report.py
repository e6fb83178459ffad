"""The report of a day, a week or a month: every question, asked of its roll-ups and of those of four weeks before."""

from __future__ import annotations

import time
from calendar import monthrange
from collections.abc import Iterable, Sequence, Set
from contextlib import closing
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Final

import duckdb

from iotriage.centre.report.accounting import BadAccountingError, command_of
from iotriage.centre.report.answering import answer_question
from iotriage.centre.report.contacts import users_in_need
from iotriage.centre.report.coverage import (
    accounting_of,
    coverage,
    coverage_unknown,
    days_of_beginning,
    without_accounting,
)
from iotriage.centre.report.distributions import distributions, histograms
from iotriage.centre.report.effect import BESIDE, effects
from iotriage.centre.report.ingest_gaps import ingest_gap
from iotriage.centre.report.judged_apart import judged_apart
from iotriage.centre.report.no_more import lost_no_more
from iotriage.centre.report.questions import QUESTIONS
from iotriage.centre.report.rollup import rolled_up
from iotriage.centre.report.section import (
    THEMES,
    WEEKS_BEFORE,
    Choices,
    Contact,
    Period,
    PeriodKind,
    Report,
    ReportFilter,
    Section,
    Trend,
)
from iotriage.centre.report.slow_mounts import slow_mounts
from iotriage.centre.report.summary import UNSEEN, headline, summary
from iotriage.centre.report.tables import jobs_of, make_tables
from iotriage.centre.report.totals import ReportedPeriod, beside_period_before, totals
from iotriage.centre.report.trend import trend
from iotriage.centre.report.without_names import NOTE, OtherNames
from iotriage.centre.warehouse.literal import parquet_scan
from iotriage.centre.warehouse.manifest import days_in
from iotriage.centre.warehouse.reading import connected, count_of

MOST_CHOICES: Final = 200
_ALL_LOGS: Final = ReportFilter()
MOST_ROLLED_UP: Final = 62
"""Days that one trend makes the roll-ups of, where they are not there; `iotriage ingest` makes them all."""

_JOBS: Final = "SELECT count(DISTINCT job) FROM period"
"""A job whose logs are of several days is one."""

_CHOICES: Final = """
SELECT name FROM (SELECT {name} AS name FROM every WHERE outcome = 'read') WHERE name IS NOT NULL
GROUP BY name ORDER BY count(*) DESC, name LIMIT {most}
"""


def period_of(day: date, kind: PeriodKind = "day") -> Period:
    """The day, or the week from Monday on or the month that it is in."""
    match kind:
        case "day":
            return Period(kind, day, day)
        case "week":
            first = day - timedelta(days=day.weekday())
            return Period(kind, first, first + timedelta(days=6))
        case "month":
            return Period(kind, day.replace(day=1), day.replace(day=monthrange(day.year, day.month)[1]))


def report_of(
    root: Path,
    period: Period,
    filter: ReportFilter = _ALL_LOGS,
    contacts: Sequence[Contact] | None = (),
    accounting: Path | None = None,
    now: float | None = None,
    names: OtherNames | None = None,
) -> Report:
    """`contacts` are who was written to, None where nobody knows. With other `names` the report has none of those that
    logs and the accounting have. `accounting`, the text of `sacct -P` of the period, stands for those that the
    warehouse has. `now`, in seconds since 1970, is the clock's unless it is given. Raises `BadAccountingError` of the
    text, and `BadManifestError` where a day's files cannot be determined."""
    known = list(days_in(root))
    at = time.time() if now is None else now
    first = period.first - WEEKS_BEFORE
    days = [day for day in known if first <= day <= period.last]
    with rolled_up(root, days) as (rollups, _), closing(connected(root)) as connection:
        if not rollups.logs:
            shown = filter if names is None else names.filter(filter)
            return _empty(period, shown, ingest_gap(root, period, at))
        make_tables(connection, rollups, period, filter)
        went = trend(connection, rollups, filter, (first, period.last), period.first)
        sections = [
            users_in_need(connection, period, contacts),
            *(answer_question(connection, question, period) for question in QUESTIONS),
            _coverage(connection, root, period, accounting, known, datetime.fromtimestamp(at, UTC).date()),
            totals(went, period, count_of(connection, _JOBS)),
            slow_mounts(connection, period),
        ]
        if period.kind != "day":
            sections.append(_effects(connection, root, period, contacts, known))
            sections.append(lost_no_more(connection))
            sections.append(_beside_before(connection, root, period, filter, known, went))
        sections.sort(key=lambda section: list(THEMES).index(section.theme))
        choices = _choices(connection)
        if names is not None:
            sections, filter = [names.section(section) for section in sections], names.filter(filter)
            choices = names.choices(choices)
        by_id = {section.id: section for section in sections}
        unsaid = _sections_without_these_logs(filter)
        said = {id: section for id, section in by_id.items() if id not in unsaid}
        return Report(
            period=period,
            filter=filter,
            before=tuple(day for day in days if day < period.first),
            headline=headline(period, filter, went, by_id, count_of(connection, "SELECT count(*) FROM period")),
            summary=summary(period, went, said, ingest_gap(root, period, at), judged_apart(connection)),
            unseen=UNSEEN if names is None else f"{UNSEEN} {NOTE}",
            sections=tuple(sections),
            trend=went,
            histograms=histograms(connection),
            distributions=distributions(connection),
            choices=choices,
        )


def trend_of(root: Path, last: date, days: int, filter: ReportFilter) -> Trend:
    """How so many days until `last` went; what is usual, over those before it. Raises `BadManifestError`."""
    first = last - timedelta(days=days - 1)
    there = [day for day in days_in(root) if first <= day <= last]
    with rolled_up(root, there, MOST_ROLLED_UP) as (rollups, unread), closing(connected(root)) as connection:
        return trend(connection, rollups, filter, (first, last), last, unread)


def _coverage(
    connection: duckdb.DuckDBPyConnection,
    root: Path,
    period: Period,
    accounting: Path | None,
    known: Iterable[date],
    today: date,
) -> Section:
    texts = [accounting] if accounting is not None else accounting_of(root, period, today)
    if not texts:
        lacking = without_accounting(root, period, today)
        why = "There is no accounting of {} to compare the logs with"
        if len(lacking) == 1:
            return coverage_unknown(why.format(lacking[0]), command_of(lacking[0]))
        return coverage_unknown(why.format(f"{len(lacking)} days from {lacking[0]} on"))
    first, last = days_of_beginning(period)
    with rolled_up(root, [day for day in known if first <= day <= last]) as (rollups, _):
        try:
            return coverage(connection, texts, parquet_scan(rollups.logs), period)
        except BadAccountingError as bad:
            if accounting is not None:
                raise
            return coverage_unknown(f"{bad}")


def _effects(
    connection: duckdb.DuckDBPyConnection,
    root: Path,
    period: Period,
    contacts: Sequence[Contact] | None,
    known: Iterable[date],
) -> Section:
    first = period.last - 3 * BESIDE
    days = [day for day in known if first <= day <= period.last] if contacts else []
    with rolled_up(root, days) as (rollups, _):
        return effects(connection, rollups, contacts, period.last)


def _beside_before(
    connection: duckdb.DuckDBPyConnection,
    root: Path,
    period: Period,
    filter: ReportFilter,
    known: Iterable[date],
    went: Trend,
) -> Section:
    before = period_of(period.first - timedelta(days=1), period.kind)
    days = [day for day in known if before.first <= day <= before.last]
    with rolled_up(root, days) as (rollups, _):
        jobs = jobs_of(connection, rollups, filter) if rollups.logs else 0
        as_before = trend(connection, rollups, filter, (before.first, before.last), before.first)
    return beside_period_before(
        ReportedPeriod(period, went, count_of(connection, _JOBS)), ReportedPeriod(before, as_before, jobs)
    )


def _sections_without_these_logs(filter: ReportFilter) -> Set[str]:
    """Sections that tell nothing of these logs: how much of the machine has logs is not what is said of some user's,
    and that one user has all of it not of one user's."""
    if filter.user is not None:
        return {"coverage", "losing-users"}
    return {"coverage"} if any(filter.chosen()) else set()


def _choices(connection: duckdb.DuckDBPyConnection) -> Choices:
    names = ("unnest(mounts)", "project", "person", "program")
    return Choices(*(_choices_of(connection, name) for name in names))


def _choices_of(connection: duckdb.DuckDBPyConnection, name: str) -> tuple[str, ...]:
    return tuple(row[0] for row in connection.execute(_CHOICES.format(name=name, most=MOST_CHOICES)).fetchall())


def _empty(period: Period, filter: ReportFilter, lacking: str | None) -> Report:
    nothing = Trend((), ())
    words = headline(period, filter, nothing, {}, 0)
    return Report(
        period=period,
        filter=filter,
        before=(),
        headline=words,
        summary=lacking or "",
        unseen=UNSEEN,
        sections=(),
        trend=nothing,
        histograms=(),
        distributions=(),
        choices=Choices((), (), (), ()),
    )
