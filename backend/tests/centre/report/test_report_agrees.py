"""The tables of a report agree on a quantity that several of them have; what is not known is not 0 in any."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import UTC, date, datetime
from functools import cache
from pathlib import Path

import pytest
from centre_logs import rows
from report_cells import column, section
from reported_logs import reported_sample, write_logs

from iotriage.analysis.evaluation import THE_JOB
from iotriage.centre.log_files import LogFile
from iotriage.centre.log_rows import LogRead
from iotriage.centre.report.distributions import HISTOGRAMS
from iotriage.centre.report.forms.cell_text import cell_text
from iotriage.centre.report.forms.html_form import as_report_html
from iotriage.centre.report.forms.text_form import as_report_text
from iotriage.centre.report.period_report import period_of, report_of
from iotriage.centre.report.questions import AGGREGATORS, INDEPENDENT, METADATA, READ_MODIFY_WRITE, SMALL
from iotriage.centre.report.section import Cell, Report, ReportFilter

pytestmark = pytest.mark.fuzz
DAY = date(2026, 11, 20)
SAMPLE_OF_USER = {
    1: "06-shared-indep-1000b-unaligned",
    2: "lustre-ssf-one-stripe",
    3: "03-fpp-many-small-files",
    4: "lustre-shared-log",
    5: "14-balanced",
    6: "26-pnetcdf-indep-small",
}
RULES_OF_TABLE = {
    "independent": INDEPENDENT,
    "aggregators": AGGREGATORS,
    "read-modify-write": READ_MODIFY_WRITE,
    "metadata": METADATA,
    "small": SMALL,
}
NO_TIME, OF_THE_JOB, OF_LITTLE_I_O, NO_JOB = 20_001, 20_002, 20_004, 20_005


def logs() -> Iterator[LogRead]:
    """One log of each user."""
    for user, name in SAMPLE_OF_USER.items():
        start = datetime(DAY.year, DAY.month, DAY.day, 12, tzinfo=UTC).timestamp() + user
        yield replace(
            reported_sample(name), content=f"{user:064x}", uid=20_000 + user, job_id=f"{user}", start_time=start
        )


def as_planted(read: LogRead) -> LogRead:
    """Of one no time of a finding is known, of one they are about the whole job, in one no I/O matters enough for more
    than info, and one names no job."""
    if read.uid == NO_TIME:
        without = (
            replace(f, takes_s=None, could_save_s=None, could_save_at_least_s=None, severity="high")
            if f.rule in INDEPENDENT
            else f
            for f in read.findings
        )
        return replace(read, findings=tuple(without))
    if read.uid == OF_THE_JOB:
        return replace(read, findings=tuple(replace(f, scope_label=THE_JOB.label) for f in read.findings))
    if read.uid == OF_LITTLE_I_O:
        return replace(read, findings=tuple(replace(f, severity="info") for f in read.findings))
    return replace(read, job_id=None) if read.uid == NO_JOB else read


@pytest.fixture(scope="module")
def warehouse(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("warehouse")
    each = ((LogFile(f"/logs/{read.uid}.darshan", 1, 1, DAY), read) for read in map(as_planted, logs()))
    write_logs(root, tmp_path_factory.mktemp("scratch"), each)
    return root


@pytest.fixture(scope="module")
def report_for(warehouse: Path) -> Callable[[int | None], Report]:
    """The report of one user, or of all, made once."""
    return cache(lambda user: report_of(warehouse, period_of(DAY), ReportFilter(user=user and f"{user}")))


@pytest.fixture(scope="module")
def report(report_for: Callable[[int | None], Report]) -> Report:
    return report_for(None)


def added(cells: list[Cell]) -> float:
    return sum(cell for cell in cells if isinstance(cell, int | float))


@pytest.mark.parametrize("table", RULES_OF_TABLE)
def test_jobs_of_a_cause_add_up_to_the_time_by_cause(report: Report, table: str) -> None:
    causes = section(report, "causes")
    by_rule = dict(zip(column(causes, "rule"), column(causes, "process-hours"), strict=True))
    of_rules = added([by_rule.get(rule) for rule in RULES_OF_TABLE[table]])
    assert added(column(section(report, table), "process-hours")) == pytest.approx(of_rules)


def test_time_that_is_not_known_is_not_0(report: Report) -> None:
    for id in ("independent", "help"):
        hours = dict(
            zip(column(section(report, id), "user"), column(section(report, id), "process-hours"), strict=True)
        )
        assert hours[str(NO_TIME)] is None
        assert list(hours)[-1] == str(NO_TIME)
    assert column(section(report, "independent"), "rule")[-1] == "independent-shared"


@pytest.mark.parametrize("user", [None, *(20_000 + user for user in SAMPLE_OF_USER)])
def test_cures_save_no_more_of_a_log_than_its_time_in_i_o(
    report_for: Callable[[int | None], Report], user: int | None
) -> None:
    """Each of several findings may save nearly all of it, not one after the other."""
    report = report_for(user)
    of_day = {series.id: series.values[-1] or 0.0 for series in report.trend.series}
    assert of_day["could-save"] <= of_day["io-hours"] * (1 + 1e-9)
    assert added(column(section(report, "help"), "saves at most")) <= of_day["could-save"] * (1 + 1e-9)
    for saved in column(section(report, "causes"), "saves at most"):
        assert added([saved]) <= of_day["could-save"] * (1 + 1e-9)


def test_jobs_are_as_many_wherever_they_are_counted(report: Report) -> None:
    of_logs = {row[0]: row[1] for row in section(report, "completeness").rows}["jobs"]
    totals = {row[0]: row[1] for row in section(report, "totals").rows}
    jobs = next(series for series in report.trend.series if series.id == "jobs")
    assert of_logs == totals["Jobs with a log"] == jobs.values[-1] == len(SAMPLE_OF_USER)


@pytest.mark.parametrize("user", [None, *(20_000 + user for user in SAMPLE_OF_USER)])
def test_the_line_of_days_has_the_middle_of_what_is_counted(
    report_for: Callable[[int | None], Report], user: int | None
) -> None:
    """A log that states no aggregators counts in neither, and not as one that has all of them."""
    report = report_for(user)
    (bars,) = (h for h in report.histograms if h.id == "aggregators")
    middle = next(s for s in report.trend.series if s.id == "aggregators").values[-1]
    counted = [at for at, bin in enumerate(bars.bins) for _ in range(bin.logs)]
    assert (middle is None) == (counted == [])
    if middle is not None:
        edges = (0.0, *next(h.edges for h in HISTOGRAMS if h.id == bars.id), 1.0)
        low, high = counted[(len(counted) - 1) // 2], counted[len(counted) // 2]
        assert edges[low] <= middle <= edges[high + 1]


def test_columns_that_have_one_thing_have_one_name(report: Report) -> None:
    """Whatever has the ids of rules is called so, and leads to them on the page."""
    assert column(section(report, "slow-mpi-io"), "rule") == ["single-aggregator"]
    titles = {c.title for s in report.sections for c in s.columns}
    assert [title for title in titles if re.search(r"MPI IO|aggregators possible", title)] == []


def test_files_of_a_finding_about_the_job_are_all_of_it(report: Report) -> None:
    assert column(section(report, "aggregators"), "files") == ["all of the job"]


def test_a_table_without_rows_says_what_that_means(report: Report) -> None:
    empty = [s for s in report.sections if not s.rows]
    without_rows = {"read-modify-write", "slow-osts", "slow-mounts", "coverage", "streams", "losing-projects"}
    assert without_rows == {s.id for s in empty}
    text, page = " ".join(as_report_text(report).split()), as_report_html(report)
    for one in empty:
        assert re.fullmatch(r"\S.+\.", one.none), one.id
        assert one.none in text
        assert f"<p>{one.none}</p>" in page


def test_hours_are_said_as_the_page_and_the_mail_say_them() -> None:
    assert cell_text(0.004, "process-hours") == "< 0.01"
    assert cell_text(0.0123, "node-hours") == "0.0123"
    assert cell_text(0.0, "process-hours") == "0"


def test_a_number_that_names_something_is_no_figure() -> None:
    assert (cell_text(1030, "number"), cell_text(1030, "count")) == ("1030", "1,030")


def test_a_row_says_of_one_log_what_it_leads_to(tmp_path: Path) -> None:
    """Of logs that take as long it is one, at each look the same, and what that lacks is not said of another."""
    read = reported_sample(SAMPLE_OF_USER[1])
    days = (DAY, date(2026, 11, 21))
    root, scratch = tmp_path / "warehouse", tmp_path / "scratch"
    scratch.mkdir()
    each = []
    for number, day in enumerate((*days, *days)):
        start = datetime(day.year, day.month, day.day, 12, tzinfo=UTC).timestamp()
        job = None if number < 2 else f"{number}"
        one = replace(read, content=f"{number:064x}", job_id=job, start_time=start, nprocs=8 if job is None else 4)
        each.append((LogFile(f"/logs/{number}.darshan", 1, 1, day), one))
    write_logs(root, scratch, each)
    jobs = dict(rows(root, 'SELECT "row", job_id FROM logs'))
    of_day = dict(rows(root, 'SELECT "row", day FROM logs'))
    first = min(str(row) for row, job in jobs.items() if job is None)
    for _ in range(3):
        report = report_of(root, period_of(DAY, "month"))
        help = section(report, "help")
        assert (column(help, "job with most"), [ref.log for ref in help.logs if ref]) == ([None], [first])
        for id in ("users", "applications", "causes", "independent"):
            led_to = [ref for ref in section(report, id).logs if ref is not None]
            assert led_to != []
            assert all(ref.day == of_day[ref.log] for ref in led_to)
        assert {ref.log for ref in section(report, "causes").logs if ref} == {first}
