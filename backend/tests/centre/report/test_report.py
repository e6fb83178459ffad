"""A day's report says what was planted in the day, each in its place, and nothing else."""

from __future__ import annotations

from datetime import date, timedelta
from pathlib import Path

import pytest
from centre_logs import Run, put, small_centre, taken

from iotriage.centre.report.accounting import BadAccountingError
from iotriage.centre.report.forms.html_form import as_report_html
from iotriage.centre.report.forms.json_form import REPORT, as_report_json
from iotriage.centre.report.forms.text_form import as_report_text
from iotriage.centre.report.period_report import period_of, report_of
from iotriage.centre.report.section import THEMES, Cell, Report

DAY = date(2026, 11, 21)


@pytest.fixture(scope="module")
def warehouse(tmp_path_factory: pytest.TempPathFactory) -> Path:
    logs, warehouse = tmp_path_factory.mktemp("logs"), tmp_path_factory.mktemp("warehouse")
    small_centre(logs)
    for uid in (501, 502):
        run = Run(20 + uid, job_id=8000 + uid, uid=uid, day=1)
        put(logs, f"{run.name}_100.darshan", run.log())
    taken(logs, warehouse)
    return warehouse


@pytest.fixture(scope="module")
def report(warehouse: Path) -> Report:
    return report_of(warehouse, period_of(DAY))


def section(report: Report, title: str) -> list[tuple[Cell, ...]]:
    (found,) = (s for s in report.sections if s.title == title)
    return list(found.rows)


def test_what_somebody_has_to_do_comes_first(report: Report) -> None:
    themes = list(dict.fromkeys(s.theme for s in report.sections))
    assert themes == [theme for theme in THEMES if theme in themes]
    assert themes[0] == "help"
    in_order = [s.title for theme in report.by_theme() for s in theme.sections]
    assert in_order == [s.title for s in report.sections]
    text, page = as_report_text(report), as_report_html(report)
    # On a phone a table is scrolled, and not the page.
    assert page.count("<table") == page.count('<div class="scroll"><table') > 0
    for form in (text, page):
        places = [form.index(THEMES[theme]) for theme in themes]
        assert places == sorted(places)


def test_completeness_counts_every_file(report: Report) -> None:
    assert section(report, "Completeness") == [
        ("files", 6),
        ("read", 6),
        ("of these: partial logs (not ended, or crashed)", 1),
        ("of these: lacking records (lower bounds)", 0),
        ("copies (cut ones too), and partial logs of runs that ended", 0),
        ("jobs", 4),
    ]
    assert section(report, "Coverage") == []


def test_totals_stand_beside_the_days_before(report: Report) -> None:
    totals = {row[0]: row[1:] for row in section(report, "Totals")}
    assert totals["Jobs with a log"] == (4, 4, 2, 2, 2)
    titles = [column.title for s in report.sections if s.id == "totals" for column in s.columns]
    assert titles[3:] == ["median of 7 days", "median of 28 days", "against 28 days"]
    assert totals["GiB written"][0] == pytest.approx((2 * 40_000 + 3 * 4_000) * 1000 / 2**30)
    assert ("mount /scratch", 4, 92_000_000.0) in section(report, "By interface and file system")


def test_who_moves_most(report: Report) -> None:
    top = section(report, "Who moves most")
    assert [(row[0], row[1]) for row in top] == [("20417", 2), ("501", 1), ("502", 1)]


def test_steps_of_a_job_are_one_row_of_its_time(report: Report) -> None:
    small = section(report, "Small accesses")
    assert {(row[1], row[4]) for row in small} == {("7002", 2), ("7004", 1), ("8501", 1), ("8502", 1)}
    (cause,) = section(report, "Time by cause")
    assert (*cause[:5], *cause[7:]) == ("shared-log", 4, 3, *[pytest.approx(5 * 80 / 3600)] * 2, None, None)


def test_nothing_is_said_of_what_is_not_there(report: Report) -> None:
    for title in ("Slow MPI-IO", "Could use collective I/O", "Buffered streams (STDIO)", "Slow OSTs", "Metadata"):
        assert section(report, title) == []
    assert section(report, "Slow file systems") == []


def test_a_day_without_logs_has_no_figures(warehouse: Path) -> None:
    empty = report_of(warehouse, period_of(date(2026, 11, 30)))
    assert section(empty, "Completeness")[0] == ("files", 0)
    assert section(empty, "Totals")[0][:2] == ("Jobs with a log", None)
    assert "no logs of 30 November 2026" in empty.headline
    before = report_of(warehouse, period_of(date(2020, 1, 1)))
    assert before.sections == ()


def coverage_note(report: Report) -> str:
    return next(one.note for one in report.sections if one.id == "coverage")


def test_coverage_counts_allocations_and_node_hours(warehouse: Path, tmp_path: Path) -> None:
    accounting = tmp_path / "sacct.txt"
    accounting.write_text(
        "JobIDRaw|NNodes|ElapsedRaw|State\n7002|2|3600|COMPLETED\n7002.batch|1|3600|COMPLETED\n"
        "9|6|3600|FAILED\n10|4|0|CANCELLED\n",
        encoding="utf-8",
    )
    covered = report_of(warehouse, period_of(DAY), accounting=accounting)
    assert section(covered, "Coverage") == [("jobs", 2, 1, 0.5), ("node-hours", 8.0, 2.0, 0.25)]
    assert "The accounting does not say when jobs ended" in coverage_note(covered)
    accounting.write_text("JobID  State\n", encoding="utf-8")
    with pytest.raises(BadAccountingError, match="ElapsedRaw"):
        report_of(warehouse, period_of(DAY), accounting=accounting)


def test_a_job_of_several_days_counts_for_the_day_on_which_it_ended(warehouse: Path, tmp_path: Path) -> None:
    """It left its log then, under the day on which it began. One that still waits has not run."""
    accounting = tmp_path / "sacct.txt"
    header, next_day = "JobIDRaw|NNodes|ElapsedRaw|End", DAY + timedelta(days=1)
    of_a_day = [
        f"7002|2|180000|{DAY + timedelta(days=2)}T01:00:00",
        f"9|6|3600|{DAY}T23:59:59",
        f"10|4|3600|{next_day}T00:00:00",
        "11|4|3600|Unknown",
        "12|4|0|Unknown",
    ]
    accounting.write_text("\n".join([header, *of_a_day, ""]), encoding="utf-8")

    def coverage(day: date) -> tuple[list[tuple[object, ...]], str]:
        found = report_of(warehouse, period_of(day), accounting=accounting)
        return section(found, "Coverage"), coverage_note(found)

    rows, note = coverage(DAY)
    assert rows == [("jobs", 1, 0, 0.0), ("node-hours", 6.0, 0.0, 0.0)]
    assert note.endswith("3 jobs of the day that ended later, or still run, are left out.")
    rows, note = coverage(DAY + timedelta(days=2))
    assert rows == [("jobs", 1, 1, 1.0), ("node-hours", 100.0, 100.0, 1.0)]
    assert note.endswith("1 job of the day that ended later, or still runs, is left out.")
    assert "does not say when jobs ended" not in note


@pytest.mark.parametrize(
    ("rows", "said"),
    [
        ("9|6|3600\n10|4|0\n", None),
        ("9|6|3600\n10|4", "1 job of it, whose nodes or time cannot be read, is left out."),
        ("9|6|3600\n10|a|4|60\n11||60\n12|4|-9\n", "3 jobs of it, whose nodes or time cannot be read, are left out."),
    ],
    ids=["all can be read", "cut off", "a bar in a name, no nodes, less than no time"],
)
def test_jobs_of_the_accounting_that_cannot_be_read_are_said_to_be_left_out(
    warehouse: Path, tmp_path: Path, rows: str, said: str | None
) -> None:
    accounting = tmp_path / "sacct.txt"
    accounting.write_text(f"JobIDRaw|NNodes|ElapsedRaw\n7002|2|3600\n{rows}", encoding="utf-8")
    covered = report_of(warehouse, period_of(DAY), accounting=accounting)
    assert section(covered, "Coverage") == [("jobs", 2, 1, 0.5), ("node-hours", 8.0, 2.0, 0.25)]
    (note,) = (one.note for one in covered.sections if one.id == "coverage")
    assert ("left out" in note) == (said is not None)
    assert said is None or note.endswith(said)


def test_text_and_json_say_the_same(report: Report) -> None:
    assert REPORT.validate_json(as_report_json(report)) == report
    text = as_report_text(report)
    assert text.startswith("I/O of 21 November 2026")
    assert "\nHow complete is this?\n=====================\nCompleteness\n" in text
    (read,) = (line for line in text.splitlines() if line.startswith("  read "))
    assert read.split() == ["read", "6"]


def test_a_week_stands_beside_the_one_before(warehouse: Path) -> None:
    later = report_of(warehouse, period_of(date(2026, 11, 25), "week"))
    before = {row[0]: row[1:] for row in section(later, "Beside the week before")}
    assert before["Jobs with a log"] == (None, 6, None, 3, None)
    (note,) = (s.note for s in later.sections if s.id == "period-before")
    assert note.startswith("Logs are of 0 of the 7 days of the week from 23 November 2026")
    assert "and of 2 of the 7 days of the week from 16 November 2026" in note
