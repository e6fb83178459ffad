"""What the report of a month says that no day's does: what was and is over, what one user has of all, what runs every
hour. The logs are samples, diagnosed; whose they are, when they ran and how fast is invented."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from pathlib import Path

import pytest
from report_cells import column, section
from reported_logs import reported_sample, write_logs

from iotriage.centre.log_files import LogFile
from iotriage.centre.log_rows import LogRead
from iotriage.centre.report.contacts import users_to_call
from iotriage.centre.report.period_report import period_of, report_of
from iotriage.centre.report.section import Report, ReportFilter
from iotriage.centre.report.summary import headline, summary

MONTH = date(2026, 11, 1)
SLOW = (date(2026, 11, 9), date(2026, 11, 12))
MENDED, STILL, MANY_SMALL = 20_011, 20_012, 20_013
HIGH = "06-shared-indep-1000b-unaligned"
HOURS = 3600.0


def of_user(name: str, uid: int, program: str, takes_s: float | None = None, severity: str = "high") -> LogRead:
    """The sample; with `takes_s` its first finding takes so much of one process, and no other holds."""
    read = replace(reported_sample(name), uid=uid, program=program, runtime_s=2 * HOURS, nprocs=1, site="archer2")
    if takes_s is None:
        return read
    first = next(f for f in read.findings if f.verdict == "triggered" and f.severity == "high")
    found = replace(first, takes_s=takes_s, could_save_s=takes_s, severity=severity, explained_by=None)
    return replace(read, findings=(found,))


def fast(read: LogRead, factor: float) -> LogRead:
    numbers = {**read.metrics.numbers, "io.bandwidth": 2.0**30 * factor}
    return replace(read, metrics=replace(read.metrics, numbers=numbers), findings=())


def runs() -> Iterator[tuple[date, LogRead]]:
    for n in range(-5, 25):
        day = MONTH + timedelta(days=n)
        for uid in (20_001, 20_002, 20_003):
            slow = SLOW[0] <= day <= SLOW[1]
            yield day, fast(of_user("lustre-fpp-slow-ost", uid, "plume"), 0.3 if slow else 1.0)
    for n in range(10):
        day = MONTH + timedelta(days=n)
        yield day, of_user(*((HIGH, MENDED, "mended", 1.5 * HOURS) if n < 4 else ("14-balanced", MENDED, "mended")))
        yield day, of_user(HIGH, STILL, "still", HOURS)
        for _ in range(8):
            yield day, of_user(HIGH, MANY_SMALL, "sweep", HOURS, "medium")


@pytest.fixture(scope="module")
def warehouse(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return warehouse_of(tmp_path_factory, ((f"{number}", day, read) for number, (day, read) in enumerate(runs())))


def warehouse_of(tmp_path_factory: pytest.TempPathFactory, runs: Iterable[tuple[str, date, LogRead]]) -> Path:
    """Of runs with their jobs."""
    root = tmp_path_factory.mktemp("warehouse")
    logs = []
    for number, (job, day, read) in enumerate(runs):
        start = datetime(day.year, day.month, day.day, 12, tzinfo=UTC).timestamp() + number
        named = replace(read, content=f"{number:064x}", job_id=job, start_time=start, end_time=None)
        logs.append((LogFile(f"/logs/{number}.darshan", 1, 1, day), named))
    write_logs(root, tmp_path_factory.mktemp("spool"), logs)
    return root


@pytest.fixture(scope="module")
def report(warehouse: Path) -> Report:
    return report_of(warehouse, period_of(MONTH, "month"))


def test_days_on_which_a_file_system_was_slow_are_named_when_they_are_over(report: Report) -> None:
    slow = section(report, "slow-mounts")
    assert (column(slow, "began"), column(slow, "ended")) == (["2026-11-09"], ["2026-11-12"])
    assert column(slow, "users") == [3]
    assert "was slow for several users from 9 to 12 November 2026" in report.headline


def test_a_file_system_that_comes_and_goes_is_one_clause(report: Report) -> None:
    times = [("/work", 3, 0.4, f"2026-11-{day:02}", f"2026-11-{day:02}", "archer2") for day in (21, 2, 9)]
    often = replace(section(report, "slow-mounts"), rows=tuple(times))
    sections = {s.id: s for s in report.sections} | {"slow-mounts": often}
    said = headline(report.period, report.filter, report.trend, sections, 1)
    assert "; /work was slow 3 times for several users from 2 to 21 November 2026; " in said


def test_one_that_is_still_slow_has_no_end_yet(report: Report) -> None:
    assert [c.empty for c in section(report, "slow-mounts").columns if c.title == "ended"] == ["none"]


def test_who_has_stopped_is_not_called_and_is_named(report: Report) -> None:
    no_more = section(report, "no-more")
    assert no_more.rows == ((6.0, f"{MENDED}", "mended", "independent-shared", "2026-11-01", "2026-11-04", 6, 6),)
    need = section(report, "help")
    assert column(need, "user") == [f"{STILL}", f"{MENDED}"]
    assert column(need, "days since") == [0, 6]
    assert users_to_call(need, report.period) == (f"{STILL}",)


def test_who_alone_has_much_of_all_is_named_whatever_the_severity(report: Report) -> None:
    said = f"User {MANY_SMALL} alone has 83 % of the process-hours that findings take (80 of 96), most by "
    assert said in report.summary
    assert "no finding of it is of high severity" in report.summary


def test_that_none_is_of_high_severity_is_not_said_of_a_list_that_was_cut(report: Report) -> None:
    need = section(report, "help")
    cut = replace(need, rows=(need.rows * 10)[:20], logs=())
    sections = {s.id: s for s in report.sections}
    said = summary(report.period, report.trend, sections | {"help": cut}, None)
    assert f"User {MANY_SMALL} alone has 83 %" in said
    assert "high severity" not in said


def test_that_one_alone_has_all_is_not_said_of_the_logs_of_one_user(warehouse: Path) -> None:
    of_one = report_of(warehouse, period_of(MONTH, "month"), ReportFilter(user=f"{MANY_SMALL}"))
    assert column(section(of_one, "losing-users"), "user") == [f"{MANY_SMALL}"]
    assert "alone has" not in of_one.summary


def test_what_runs_every_hour_is_not_all_of_a_list(report: Report) -> None:
    assert column(section(report, "independent"), "program").count("sweep") == 3
    assert {"mended", "still"} < set(column(section(report, "independent"), "program"))


def test_a_job_of_several_programs_is_listed_with_the_one_that_loses_most(
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    steps = [of_user(HIGH, STILL, *of) for of in (("prepare", 60.0), ("solve", HOURS), ("plot", 30.0))]
    root = warehouse_of(tmp_path_factory, (("4711", MONTH, step) for step in steps))
    of_day = section(report_of(root, period_of(MONTH)), "independent")
    assert (column(of_day, "program"), column(of_day, "steps")) == (["solve"], [3])


def test_ten_tenths_of_a_process_hour_are_one(tmp_path_factory: pytest.TempPathFactory) -> None:
    tenths = [(MONTH, of_user(HIGH, MENDED, "mended", HOURS / 10)) for _ in range(10)]
    later = [(MONTH + timedelta(days=n), of_user("14-balanced", MENDED, "mended")) for n in (1, 2, 3)]
    runs = ((f"{number}", day, read) for number, (day, read) in enumerate([*tenths, *later]))
    root = warehouse_of(tmp_path_factory, runs)
    assert column(section(report_of(root, period_of(MONTH, "month")), "no-more"), "process-hours") == [1.0]
