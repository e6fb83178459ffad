"""Days beside one another: in a report's lines, and in its sentences."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from centre_logs import NOON, Run, put, taken

from iotriage.centre.report.forms.html_form import as_report_html
from iotriage.centre.report.period_report import period_of, report_of
from iotriage.centre.report.section import Report, Trend
from iotriage.centre.report.summary import headline, summary

GIB = 2.0**30
DAY = datetime.fromtimestamp(NOON, UTC).date()


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> Report:
    folder: Path = tmp_path_factory.mktemp("centre")
    put(folder / "logs", "one.darshan", Run(1).log())
    taken(folder / "logs", folder / "warehouse")
    return report_of(folder / "warehouse", period_of(DAY))


def of_days(report: Report, values: Sequence[float | None], id: str = "files") -> Trend:
    """The trend over as many days, the last of them the report's."""
    days = tuple(DAY - timedelta(days=len(values) - 1 - n) for n in range(len(values)))
    empty = (None,) * len(values)
    series = (replace(s, values=tuple(values) if s.id == id else empty) for s in report.trend.series)
    return replace(report.trend, days=days, series=tuple(series))


def test_the_share_in_i_o_is_of_logs_that_state_their_run_too(report: Report, tmp_path: Path) -> None:
    """A log that was not ended has seconds in I/O, and no run that they are a part of."""
    put(tmp_path / "logs", "one.darshan", Run(1).log())
    put(tmp_path / "logs", "cut.darshan", Run(2, job_id=7002).log(ended=False))
    taken(tmp_path / "logs", tmp_path / "warehouse")
    both = report_of(tmp_path / "warehouse", period_of(DAY))
    share, alone = (next(s.values[-1] for s in of.trend.series if s.id == "io-share") for of in (both, report))
    assert share == alone


@pytest.mark.parametrize(
    ("values", "ends", "dots"),
    [
        ([2, None, 2], "2", 2),
        ([1, 3, None, None, 5], "1 to 5", 1),
        ([0, 0], "0", 0),
        ([None, None], "no day has it", 0),
    ],
)
def test_a_day_alone_is_a_dot_and_figures_that_are_the_same_are_said_once(
    report: Report, values: Sequence[float | None], ends: str, dots: int
) -> None:
    page = as_report_html(replace(report, trend=of_days(report, values)))
    (line,) = re.findall(r'<tr><th scope="row">Files used</th>.*?</tr>', page)
    assert line.endswith(f"<td>{ends}</td></tr>")
    assert line.count("<circle") == dots


def test_the_headline_and_the_sentence_below_it_weigh_the_same(report: Report) -> None:
    """Less is written than on the day before, and far more read."""
    empty = of_days(report, [None, None])
    by_id = {"written": (4 * GIB, 2 * GIB), "read": (1 * GIB, 8 * GIB)}
    series = (replace(s, values=by_id[s.id], usual=by_id[s.id][0]) if s.id in by_id else s for s in empty.series)
    trend = replace(empty, series=tuple(series))
    sections = {s.id: s for s in report.sections}
    said = summary(report.period, trend, sections, None)
    assert headline(report.period, report.filter, trend, sections, 1).startswith("The day was heavier than usual")
    above = "together 100 % above the one day with logs of the 28 before."
    assert f"2.00 GiB were written and 8.00 GiB read, {above}" in said


@pytest.mark.parametrize(
    ("usual", "said"),
    [
        (1 * GIB, "together 9 times the one day with logs of the 28 before."),
        (3 * GIB, "together 3 times the one day with logs of the 28 before."),
        (4 * GIB, "together 125 % above the one day with logs of the 28 before."),
        (18 * GIB, "together 50 % below the one day with logs of the 28 before."),
    ],
)
def test_many_times_as_usual_is_said_as_that(report: Report, usual: float, said: str) -> None:
    by_id = dict.fromkeys(("written", "read"), (usual, 9 * GIB))
    empty = of_days(report, [None, None])
    series = (replace(s, values=by_id[s.id], usual=by_id[s.id][0]) if s.id in by_id else s for s in empty.series)
    trend = replace(empty, series=tuple(series))
    assert said in summary(report.period, trend, {s.id: s for s in report.sections}, None)


@pytest.mark.parametrize(
    ("before", "said"),
    [
        ((1 * GIB,) * 28, "above the median of the 28 days before."),
        ((None,) * 25 + (1 * GIB, None, 1 * GIB), "the median of the 2 days with logs of the 28 before."),
        ((None,) * 27 + (1 * GIB,), "the one day with logs of the 28 before."),
    ],
)
def test_what_is_usual_is_of_the_days_with_such_logs(
    report: Report, before: tuple[float | None, ...], said: str
) -> None:
    trend = of_days(report, (*before, 2 * GIB), "written")
    usual = {"written": 1 * GIB, "read": 0.0}
    series = (
        replace(s, usual=usual.get(s.id), values=(*before[:-1], before[-1], 0.0) if s.id == "read" else s.values)
        for s in trend.series
    )
    told = summary(report.period, replace(trend, series=tuple(series)), {s.id: s for s in report.sections}, None)
    assert said in told


@pytest.mark.parametrize(
    ("written", "read", "began", "said"),
    [
        ((4 * GIB, 1 * GIB), (0.0, 0.0), "The day was lighter than usual", "nothing read, together 75 % below"),
        ((0.0, 0.0), (1 * GIB, 3 * GIB), "The day was heavier than usual", "nothing written, together 3 times"),
        ((0.0, 2 * GIB), (2 * GIB, 0.0), "The day was as usual", "nothing read, as usual."),
        ((0.0, 2 * GIB), (0.0, 0.0), "Nobody", "2.00 GiB were written and nothing read."),
    ],
)  # fmt: skip
def test_a_usual_day_may_have_nothing_of_one(
    report: Report, written: tuple[float, float], read: tuple[float, float], began: str, said: str
) -> None:
    by_id = {"written": written, "read": read}
    empty = of_days(report, [None, None])
    series = (replace(s, values=by_id[s.id], usual=by_id[s.id][0]) if s.id in by_id else s for s in empty.series)
    trend = replace(empty, series=tuple(series))
    sections = {s.id: s for s in report.sections}
    assert headline(report.period, report.filter, trend, sections, 1).startswith(began)
    assert said in summary(report.period, trend, sections, None)


@pytest.mark.parametrize(
    ("days", "began", "said"),
    [
        ((2, 9, 2, 40, 2, 1, 1), "The week was as usual", "on the median day as usual."),
        ((6, 9, 8, 40, 7, 1, 1), "The week was heavier than usual", "on the median day 3.5 times the median of the 28"),
    ],
)
def test_a_week_of_few_heavy_days_is_as_usual_where_each_has_them(
    report: Report, days: tuple[int, ...], began: str, said: str
) -> None:
    """In the mean a week is far above the median of its own days."""
    before = 4 * (2.0, 9.0, 2.0, 40.0, 2.0, 1.0, 1.0)
    week = period_of(DAY - timedelta(days=7), "week")
    start = week.first - timedelta(days=28)
    of_week = of_days(report, [GIB * value for value in (*before, *days)], "written")
    series = (
        replace(s, usual=2 * GIB) if s.id == "written" else replace(s, values=(0.0,) * 35, usual=0.0)
        for s in of_week.series
    )
    trend = replace(of_week, days=tuple(start + timedelta(days=n) for n in range(35)), series=tuple(series))
    sections = {s.id: s for s in report.sections}
    assert headline(week, report.filter, trend, sections, 1).startswith(began)
    assert said in summary(week, trend, sections, None)


@pytest.mark.parametrize(
    ("written", "read", "said"),
    [
        (2 * GIB, 0.0, "2.00 GiB were written and nothing read."),
        (0.0, 2 * GIB, "2.00 GiB were read and nothing written."),
        (0.0, 0.0, "Nothing was written or read."),
    ],
)
def test_nothing_is_no_quantity(report: Report, written: float, read: float, said: str) -> None:
    moved = {"written": (written,), "read": (read,)}
    one = of_days(report, [None])
    trend = replace(one, series=tuple(replace(s, values=moved.get(s.id, s.values), usual=None) for s in one.series))
    assert said in summary(report.period, trend, {s.id: s for s in report.sections}, None)


@pytest.mark.parametrize(
    ("values", "jobs", "said"),
    [
        ([0.0, 0.0], 9, "No job has a high finding."),
        ([0.25], 400, "25 % of the jobs have a high finding."),
        ([0.25, 0.75], 4, "On its median day 50 % of the jobs have a high finding."),
        ([0.25, 0.25, 1.0], 4, "On its median day 25 % of the jobs have a high finding."),
        ([0.0, 0.0, 1.0], 4, "On its median day no job has a high finding."),
        # Few are counted.
        ([0.4], 5, "2 of the 5 jobs have a high finding."),
        ([0.25], 4, "1 of the 4 jobs has a high finding."),
        ([1.0], 3, "All 3 jobs have a high finding."),
        ([1.0], 1, "The one job has a high finding."),
    ],
)
def test_how_many_have_a_high_finding_is_a_sentence(
    report: Report, values: Sequence[float], jobs: int, said: str
) -> None:
    period = replace(report.period, first=DAY - timedelta(days=len(values) - 1))
    sections = {s.id: s for s in report.sections}
    found = of_days(report, values, "high")
    all_jobs = (float(jobs),) * len(values)
    trend = replace(found, series=tuple(replace(s, values=all_jobs) if s.id == "jobs" else s for s in found.series))
    assert said in summary(period, trend, sections, None)
