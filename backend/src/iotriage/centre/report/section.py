"""What a report is: sections that answer a question each with a table, how days went, how figures are spread."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import date, timedelta
from typing import Final, Literal

from iotriage_parsers.frozen import frozen

ColumnUnit = Literal["text", "count", "number", "B", "B/s", "s", "share", "ratio", "process-hours", "node-hours"]
"""A `number` is what something is called, as an OST: no figure, and written without separators."""
ColumnText = Literal["words", "name", "date", "rule", "sentence"]
"""What a column of text holds: `name` is what a row is known by, or a log is found by elsewhere; `rule` is a rule's id,
`sentence` what a finding says."""
WhyEmpty = Literal["unknown", "none", "never", "no_days", "no_ratio"]
"""What a cell without a value means: no log says it; there is none; it never was; none of the days that it is of has a
figure; or one of the two that it compares has none, or is 0."""
Cell = str | int | float | None
PeriodKind = Literal["day", "week", "month"]
Theme = Literal["help", "totals", "machine", "causes", "collective", "who", "spread", "effect", "completeness"]
"""What a section is about: forms put sections of one theme together."""

THEMES: Final[Mapping[Theme, str]] = {
    "help": "Who loses most?",
    "totals": "How much was it?",
    "machine": "Is it the machine?",
    "causes": "Why is time lost?",
    "collective": "How is MPI-IO used?",
    "who": "Who moves what?",
    "spread": "How is it spread over the jobs?",
    "effect": "What became better?",
    "completeness": "How complete is this?",
}
"""The question that each theme answers, in the order of reading: first what somebody has to do something about."""


FIRST_DAY: Final = date(1900, 1, 1)
LAST_DAY: Final = date(9998, 12, 31)
"""Between these, weeks and months before and after a day are days of the calendar too."""

WEEKS_BEFORE: Final = timedelta(days=28)
"""So long before its period a report looks at the logs, too."""
NOT_AGAIN_WITHIN: Final = timedelta(days=7)
"""Who was written to is left alone for so long."""


@frozen
class Period:
    """Both days are of it."""

    kind: PeriodKind
    first: date
    last: date

    @property
    def days(self) -> int:
        return (self.last - self.first).days + 1

    @property
    def said(self) -> str:
        """In words: "21 November 2026", "the week from 16 November to 22 November 2026", "November 2026"."""
        match self.kind:
            case "day":
                return day_in_words(self.first)
            case "week":
                return f"the week from {day_in_words(self.first)} to {day_in_words(self.last)}"
            case "month":
                return f"{self.first:%B %Y}"


def mount_point(text: str | None) -> str | None:
    """As mount tables have it: people, and their shells, end a folder's name with a slash."""
    return None if text is None else text.rstrip("/") or text[:1]


@frozen
class ReportFilter:
    """Logs of one file system (its mount point), project, user or application alone; None is all."""

    file_system: str | None = None
    project: str | None = None
    user: str | None = None
    application: str | None = None

    def chosen(self) -> Iterator[tuple[str, str]]:
        """What is narrowed down, in words, and to what."""
        for name, value in (
            ("file system", self.file_system),
            ("project", self.project),
            ("user", self.user),
            ("application", self.application),
        ):
            if value is not None:
                yield name, value


@frozen
class Choices:
    """What the period's logs can be chosen by, those with most logs first."""

    file_systems: tuple[str, ...]
    projects: tuple[str, ...]
    users: tuple[str, ...]
    applications: tuple[str, ...]


@frozen
class Contact:
    """A ticket's user, by the name or number that the ticket has, was answered on `day`. `system` is the site of which
    the ticket is, where it is a known one: a number is one person's there."""

    person: str
    day: date
    ticket: str
    status: str
    system: str | None = None


@frozen
class Column:
    title: str
    unit: ColumnUnit
    holds: ColumnText = "words"
    empty: WhyEmpty = "unknown"


@frozen
class LogRef:
    """A log of the warehouse: the row's name, in the tables of its day."""

    day: date
    log: str


@frozen
class Section:
    """A cell that is None is not known. `note` says what the figures are and are not. `logs` has for each row the log
    in which most of it happened; it is empty where rows are of no log. `none` says what it means where there are no
    rows."""

    id: str
    theme: Theme
    title: str
    note: str
    columns: tuple[Column, ...]
    rows: tuple[tuple[Cell, ...], ...]
    logs: tuple[LogRef | None, ...] = ()
    none: str = ""


@frozen
class Series:
    """A figure for each day of the trend, None where there is none. `usual` is the median of the days before the
    period, and `low` and `high` hold their middle half."""

    id: str
    title: str
    note: str
    unit: ColumnUnit
    values: tuple[float | None, ...]
    usual: float | None
    low: float | None
    high: float | None


@frozen
class Trend:
    """`days` without a gap, oldest first. `unread` are days whose logs no roll-up has yet: they are left out."""

    days: tuple[date, ...]
    series: tuple[Series, ...]
    unread: tuple[date, ...] = ()


@frozen
class Bin:
    label: str
    logs: int
    process_hours: float | None


@frozen
class Histogram:
    """Of `of` logs that state the figure, among those that were read."""

    id: str
    theme: Theme
    title: str
    note: str
    bins: tuple[Bin, ...]
    of: int


@frozen
class Distribution:
    """How a figure is spread over jobs: `values` at the shares `at` of the jobs, ascending. `top_share` is what the
    hundredth part of the jobs with most has of all; None where there are fewer than 100 jobs."""

    id: str
    title: str
    note: str
    unit: ColumnUnit
    jobs: int
    at: tuple[float, ...]
    values: tuple[float, ...]
    top_share: float | None


@frozen
class Report:
    """`headline` and `summary` say what the period was like; `unseen` what logs cannot show. `before` are the days up
    to 28 before the period that have logs. `sections` stand in the order of their themes."""

    period: Period
    filter: ReportFilter
    before: tuple[date, ...]
    headline: str
    summary: str
    unseen: str
    sections: tuple[Section, ...]
    trend: Trend
    histograms: tuple[Histogram, ...]
    distributions: tuple[Distribution, ...]
    choices: Choices

    def by_theme(self) -> Iterator[ThemeOfReport]:
        """The themes of which the report has anything; of a period without a log, those with a row."""
        any_log = any(h.of for h in self.histograms) or any(d.jobs for d in self.distributions)
        for theme, question in THEMES.items():
            sections = tuple(s for s in self.sections if s.theme == theme)
            histograms = tuple(h for h in self.histograms if h.theme == theme)
            distributions = self.distributions if theme == "spread" else ()
            if any(s.rows for s in sections) or (any_log and (sections or histograms or distributions)):
                yield ThemeOfReport(question, sections, histograms, distributions)


@frozen
class ThemeOfReport:
    """What a report has on one question."""

    question: str
    sections: tuple[Section, ...]
    histograms: tuple[Histogram, ...]
    distributions: tuple[Distribution, ...]

    @property
    def only(self) -> Section | None:
        """The section that alone answers the question, and so needs no title of its own."""
        return self.sections[0] if len(self.sections) == 1 and not self.histograms and not self.distributions else None


def day_in_words(day: date) -> str:
    return f"{day.day} {day:%B %Y}"
