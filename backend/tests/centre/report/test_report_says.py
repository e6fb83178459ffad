"""What `iotriage report` and `iotriage warehouse` say where something is not there, and how mails are worded."""

from __future__ import annotations

import csv
import errno
import io
import os
import re
import shutil
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from pathlib import Path

import duckdb
import pytest
from centre_logs import Run, put, small_centre, taken
from samples import SAMPLE_LOGS

from iotriage.centre.last_runs import last_runs, last_tries, write_last_run, write_last_try
from iotriage.centre.mail.messages import mails_to_users
from iotriage.centre.mail.settings import MailSettings
from iotriage.centre.report.answering import number_of
from iotriage.centre.report.contacts import NOT_CALLED, WORTH_A_CALL, users_to_call
from iotriage.centre.report.forms.cell_text import cell_text
from iotriage.centre.report.forms.csv_form import as_report_csv
from iotriage.centre.report.forms.html_form import as_report_html
from iotriage.centre.report.forms.json_form import as_report_json
from iotriage.centre.report.forms.text_form import as_report_text
from iotriage.centre.report.period_report import period_of, report_of
from iotriage.centre.report.questions import MOST_FIRST
from iotriage.centre.report.section import Cell, LogRef, Report, ReportFilter, Section, mount_point
from iotriage.centre.report.summary import headline, summary
from iotriage.centre.warehouse.manifest import days_in
from iotriage.centre.warehouse.reading import opened
from iotriage.cli import main
from iotriage.reports.wrapped import wrapped

DAY = date(2026, 11, 21)
LATER = datetime(2027, 1, 1, tzinfo=UTC).timestamp()


@pytest.fixture(scope="module")
def warehouse(tmp_path_factory: pytest.TempPathFactory) -> Path:
    logs, warehouse = tmp_path_factory.mktemp("logs"), tmp_path_factory.mktemp("warehouse")
    small_centre(logs)
    run = Run(31, job_id=0, uid=507, day=1)
    put(logs, "renamed.darshan", run.log())
    taken(logs, warehouse)
    return warehouse


def said(capsys: pytest.CaptureFixture[str], *arguments: str | Path) -> tuple[object, str]:
    with pytest.raises(SystemExit) as ended:
        main([str(a) for a in arguments])
    return ended.value.code, capsys.readouterr().err


@pytest.mark.parametrize("day", ["0001-01-01", "1899-12-31", "9999-12-31"])
def test_a_day_at_an_end_of_the_calendar(day: str, warehouse: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, words = said(capsys, "report", "--date", day, "--period", "week", "--warehouse", warehouse)
    assert (code, words) == (2, f"iotriage report: {day}: days are from 1900-01-01 to 9998-12-31\n")


def test_a_report_needs_no_home_that_may_be_looked_into(
    warehouse: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    # As a service has none (systemd's ProtectHome): what lies in it cannot even be asked for.
    cannot_be_looked_at(lambda path: path.name == "iotriage.sqlite3", monkeypatch)
    assert said(capsys, "report", "--date", f"{DAY}", "--warehouse", warehouse) == (0, "")


def test_an_accounting_that_may_not_be_looked_at_is_said(
    copied_warehouse: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    closed = copied_warehouse / "accounting"
    cannot_be_looked_at(lambda path: path.parent == closed, monkeypatch)
    report = report_of(copied_warehouse, period_of(DAY))
    (coverage,) = (section for section in report.sections if section.id == "coverage")
    assert f"{closed}/{DAY}.txt: " in coverage.note


def cannot_be_looked_at(closed: Callable[[Path], bool], monkeypatch: pytest.MonkeyPatch) -> None:
    """As for somebody who may not: the superuser, who runs tests in a container, may."""
    looked_at = Path.stat

    def stat(self: Path, *, follow_symlinks: bool = True) -> os.stat_result:
        if closed(self):
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), str(self))
        return looked_at(self, follow_symlinks=follow_symlinks)

    monkeypatch.setattr(Path, "stat", stat)


@pytest.mark.parametrize(
    ("typed", "meant"), [("/scratch/", "/scratch"), ("/scratch", "/scratch"), ("/", "/"), (None, None)]
)
def test_a_mount_point_may_end_with_a_slash(typed: str | None, meant: str | None) -> None:
    assert mount_point(typed) == meant


def test_a_warehouse_whose_name_is_none(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    code, words = said(capsys, "report", "--warehouse", tmp_path / os.fsdecode(b"\xff"))
    assert code == 2
    assert "is not UTF-8" in words
    monkeypatch.setenv("IOTRIAGE_WAREHOUSE", "")
    code, words = said(capsys, "report")
    assert code == 2
    assert "required: --warehouse" in words


COMMANDS = (
    ("report", "--date", "2026-11-21"),
    ("warehouse", "export", "jobs"),
    ("warehouse", "drop", "--keep-days", "3"),
)


@pytest.mark.parametrize("command", COMMANDS, ids=" ".join)
@pytest.mark.parametrize(
    ("there", "words"),
    [
        ("nothing", "there is no warehouse {}: iotriage ingest makes"),
        ("file", "{} is not a folder, so not"),
        ("folder", "{} is not a warehouse, or an empty one: iotriage ingest fills it"),
        ("closed", "{} cannot be listed: Permission denied; whoever runs this must be able to read the warehouse"),
    ],
)
def test_a_warehouse_that_is_none(
    command: tuple[str, ...],
    there: str,
    words: str,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    root = tmp_path / "w"
    if there == "file":
        root.touch()
    elif there != "nothing":
        root.mkdir()
    if there == "closed":
        listed = os.scandir

        def refused(path: Path | int) -> object:
            if path == root:
                raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), str(path))
            return listed(path)

        monkeypatch.setattr(os, "scandir", refused)
    code, told = said(capsys, *command, "--warehouse", root)
    assert code == 2
    assert words.format(root) in told


def test_days_that_the_warehouse_has_not(warehouse: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, told = said(capsys, "report", "--date", "2026-11-25", "--warehouse", warehouse)
    assert code == 3
    assert "there are no logs of 25 November 2026; the nearest that the warehouse has is 2026-11-21" in told
    code, told = said(capsys, "warehouse", "export", "jobs", "--since", "2027-01-01", "--warehouse", warehouse)
    assert code == 3
    assert "has no day from 2027-01-01 on; it has 2026-11-20 to 2026-11-21" in told
    span = ("--since", "2026-11-21", "--until", "2026-11-20")
    code, told = said(capsys, "warehouse", "export", "jobs", *span, "--warehouse", warehouse)
    assert code == 2
    assert "--since is the earlier one" in told


@pytest.mark.parametrize(
    ("given", "words"),
    [
        (("--dry-run",), "--dry-run is of mails: give --mail with it"),
        (("--mail-users",), "--mail-users is of mails: give --mail with it"),
        (("--mail", "--format", "csv"), "leave out --format and -o, or --mail"),
    ],
)
def test_what_would_not_be_done_is_refused(
    given: tuple[str, ...], words: str, warehouse: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    code, told = said(capsys, "report", "--warehouse", warehouse, *given)
    assert code == 2
    assert words in told


def test_documents_go_with_their_day(warehouse: Path, capsys: pytest.CaptureFixture[str]) -> None:
    keep = ("--keep-days", "20", "--keep-documents-days", "50", "--dry-run")
    code, told = said(capsys, "warehouse", "drop", *keep, "--warehouse", warehouse)
    assert code == 2
    assert "--keep-documents-days is at most --keep-days" in told


def test_whose_logs_there_are_none_of_is_said(warehouse: Path) -> None:
    of_nobody = report_of(warehouse, period_of(DAY), ReportFilter(user="nosuch"))
    assert of_nobody.headline == "There are no logs of 21 November 2026 of the user nosuch that could be read."


@pytest.mark.parametrize("form", [as_report_text, as_report_html])
def test_of_a_day_without_logs_only_what_has_a_row_is_said(form: Callable[[Report], str], warehouse: Path) -> None:
    (*_, last) = days_in(warehouse)
    after = form(report_of(warehouse, period_of(last + timedelta(days=3))))
    assert "There are no logs of" in after
    assert "How complete is this?" in after
    assert "How much was it?" in after
    assert "Why is time lost?" not in after
    assert "Why is time lost?" in form(report_of(warehouse, period_of(last)))


def test_a_week_counts_a_job_once_and_says_which_accounting_lacks(warehouse: Path) -> None:
    week = report_of(warehouse, period_of(DAY, "week"))
    sections = {s.id: s for s in week.sections}
    jobs = {row[0]: row[1] for row in sections["completeness"].rows}["jobs"]
    assert {row[0]: row[1] for row in sections["totals"].rows}["Jobs with a log"] == jobs
    assert "accounting of 7 days from 2026-11-16 on" in sections["coverage"].note
    day = report_of(warehouse, period_of(DAY))
    of_the_day = next(s.note for s in day.sections if s.id == "coverage")
    assert "accounting of 2026-11-21 to compare" in of_the_day
    assert "TZ=UTC sacct -a -X -P -S 2026-11-21 -E 2026-11-22 -o JobIDRaw" in of_the_day


def test_an_export_has_the_jobs_that_the_report_counts(warehouse: Path) -> None:
    report = report_of(warehouse, period_of(DAY))
    counted = {row[0]: row[1] for s in report.sections if s.id == "completeness" for row in s.rows}["jobs"]
    connection = opened(warehouse, [DAY], {})
    found = connection.execute("SELECT count(*) FROM jobs").fetchone()
    connection.close()
    assert found == (counted,)


def in_need(hours: float | None, saved: float | None) -> Section:
    row: tuple[Cell, ...] = (
        hours,
        saved,
        "erin",
        "plume",
        "small-io",
        "It writes in small pieces.",
        3,
        "71",
        1,
        f"{DAY}",
    )
    return Section("help", "help", "Who loses most", "", (), ((*row, None, None, None),), (LogRef(DAY, "1"),))


def mail_to_user(report: Report, hours: float | None, saved: float | None) -> str:
    settings = MailSettings(users="{user}@example.org")
    told = replace(report, sections=(in_need(hours, saved),))
    (mail,) = mails_to_users(told, settings)
    return " ".join(mail.message.get_content().split())


def test_a_user_is_told_of_the_hours_of_all_findings_and_of_none_that_nobody_knows(warehouse: Path) -> None:
    report = report_of(warehouse, period_of(DAY))
    known = mail_to_user(report, 89.2, 62.3)
    assert known.startswith("3 jobs of yours ran plume on 21 November 2026")
    assert "than need be, as job 71 shows. What takes most: It writes in small pieces." in known
    together = (
        "All findings of high severity together took 89.2 process-hours of waiting, of which cures could save at most"
    )
    assert f"{together} 62.3 process-hours." in known
    assert "could save less than 0.01 process-hours." in mail_to_user(report, 2.0, 0.001)
    assert "process-hours" not in mail_to_user(report, None, None)


def test_who_lost_less_than_a_process_hour_is_not_written_to(warehouse: Path) -> None:
    report = report_of(warehouse, period_of(DAY))
    settings = MailSettings(users="{user}@example.org")
    for hours, mails in ((WORTH_A_CALL - 0.01, 0), (WORTH_A_CALL, 1), (None, 1)):
        of_user = in_need(hours, None)
        assert len(users_to_call(of_user, report.period)) == mails
        assert len(list(mails_to_users(replace(report, sections=(of_user,)), settings))) == mails


@pytest.mark.parametrize("order", [(1, -1), (-1, 1)])
def test_who_lost_as_much_is_called_alike_however_it_is_added_up(order: tuple[int, int]) -> None:
    """A tenth ten times is less than one in floating point, and sums of the same numbers differ by their order."""
    of_user = in_need(0.1, None)
    hours = (0.2, *(0.1,) * 8)
    rows = [(taken, *row[1:2], who, *row[3:]) for row in of_user.rows for who, at in zip("ab", order, strict=True)
            for taken in hours[::at]]  # fmt: skip
    assert sum(hours) < WORTH_A_CALL
    assert users_to_call(replace(of_user, rows=tuple(rows)), period_of(DAY)) == ("a", "b")
    assert number_of(0.1 + 0.2) == number_of(0.3) == 0.3
    assert number_of(2.0**50 + 1) == 2**50 + 1
    with duckdb.connect() as connection:
        sums = "SELECT * FROM (VALUES ('b', 0.1::DOUBLE + 0.2), ('a', 0.3), ('c', NULL), ('d', 0.4)) t(who, taken)"
        found = connection.execute(f"{sums} ORDER BY {MOST_FIRST}, who").fetchall()
    assert [who for who, _ in found] == ["d", "a", "b", "c"]


@pytest.mark.parametrize("application", [None, "=1+1,"])
def test_a_report_as_csv_is_one_table_that_gives_all_of_it_back(warehouse: Path, application: str | None) -> None:
    """Whole numbers are written as such."""
    report = report_of(warehouse, period_of(DAY), ReportFilter(application=application))
    written = as_report_csv(report)
    head, *records = csv.reader(io.StringIO(written))
    assert {len(record) for record in records} == {len(head)}
    assert not re.search(r"\d\.0(,|$)|\d\.\d{15}", written, re.MULTILINE)
    cells = {(of, row, column): value for of, row, column, _, value, _, _ in records}
    assert len(cells) == len(records)
    for section in report.sections:
        assert {row for of, row, _ in cells if of == section.id} == {f"{n + 1}" for n in range(len(section.rows))}
        for at, row in enumerate(section.rows, 1):
            for column, cell in zip(section.columns, row, strict=True):
                found = cells[section.id, f"{at}", column.title]
                said = found if cell is None or isinstance(cell, str) else float(found)
                assert said == ("" if cell is None else cell)
    whole = {column: value for (of, _, column), value in cells.items() if of == "report"}
    assert (whole["first day"], whole["headline"]) == (f"{DAY}", report.headline)
    assert whole.get("application") == (None if application is None else f"'{application}")
    assert [column for of, _, column in cells if of == "trend"].count("day") == len(report.trend.days)


def test_a_month_of_bytes_is_whole_in_every_form(warehouse: Path) -> None:
    report = report_of(warehouse, period_of(DAY, "month"))
    moved = 13_676_589_580_712.0
    planted = tuple(
        replace(s, rows=tuple((r[0], r[1], moved, *r[3:]) for r in s.rows)) if s.id == "users" else s
        for s in report.sections
    )
    records = csv.DictReader(io.StringIO(as_report_csv(replace(report, sections=planted))))
    assert {r["value"] for r in records if (r["section"], r["column"]) == ("users", "written")} == {"13676589580712"}
    figures = [cell for s in report.sections for row in s.rows for cell in row if isinstance(cell, float)]
    assert figures == [number_of(figure) for figure in figures]


def test_where_nobody_is_to_be_called_those_who_need_help_are_not_passed_over(warehouse: Path) -> None:
    report = report_of(warehouse, period_of(DAY))
    for hours, calls, because in (
        (WORTH_A_CALL, "one user deserves a call.", "Call, those who lose most first: erin."),
        (WORTH_A_CALL / 2, "nobody needs a call.", f"1 user has findings of high severity. {NOT_CALLED}"),
    ):
        need = in_need(hours, None)
        sections = {s.id: s for s in (*report.sections, need)}
        assert headline(report.period, report.filter, report.trend, sections, 3).lower().endswith(calls)
        assert because in summary(report.period, report.trend, sections, None)
        assert NOT_CALLED not in summary(report.period, report.trend, sections | {"help": replace(need, rows=())}, None)


def test_a_line_ends_neither_within_a_figure_nor_a_word(warehouse: Path) -> None:
    for width in range(20, 40):
        for line in wrapped("5.47 TiB were written by many-small-files, 157 % above the 12.5 process-hours", width):
            assert not line[-1].isdecimal(), line
            assert not line.endswith("-")
    text = as_report_text(report_of(warehouse, period_of(DAY)), 40)
    lines = text.splitlines()
    at = next(i for i, line in enumerate(lines) if line.startswith("  Jobs with a log"))
    # What has no room beside stands below, and what is not known nowhere.
    assert lines[at].split() == ["Jobs", "with", "a", "log"]
    assert lines[at + 1].strip().startswith("in all: 3; a day: 3")
    assert ": -" not in text


def test_every_form_says_how_figures_are_spread(warehouse: Path) -> None:
    report = report_of(warehouse, period_of(DAY))
    text, page, table = as_report_text(report), as_report_html(report), as_report_csv(report)
    assert report.distributions
    assert report.histograms
    for of in report.distributions:
        for form in (text, page):
            assert of.title in form
            assert cell_text(of.values[of.at.index(0.5)], of.unit) in form
        assert re.search(rf"^distribution,\d+,figure,text,{re.escape(of.title)},,$", table, re.MULTILINE)
        assert f"of the jobs have at most,{of.unit},{of.values[0]:.12g},,\n" in table
    for histogram in report.histograms:
        for form in (text, page, table):
            assert histogram.title in form
        for bin in histogram.bins:
            assert f",bin,text,{bin.label},,\n" in table
            assert not histogram.of or f"{bin.label}: {bin.logs}" in " ".join(text.split())
    # Of few jobs nobody is the hundredth.
    assert "99 %  " not in text


def test_a_histogram_that_no_log_states_says_so_and_has_no_bars(warehouse: Path) -> None:
    report = report_of(warehouse, period_of(DAY))
    (aggregators,) = (h for h in report.histograms if not h.of and h.id == "read-to-write")
    page = as_report_html(replace(report, histograms=(aggregators,)))
    assert "No log states it." in page
    assert "<rect" not in page


def test_what_was_not_taken_in_since_is_said_first(small_warehouse: Path, tmp_path: Path) -> None:
    root = shutil.copytree(small_warehouse, tmp_path / "warehouse")
    (run,) = last_runs(root)
    for file in root.glob("last-run-*.json"):
        file.unlink()
    said_without = report_of(root, period_of(DAY), now=LATER).summary
    assert said_without.startswith("No run of iotriage ingest into this warehouse has come to its end")

    def at(folder: str, shard: str, when: datetime) -> None:
        write_last_run(root, replace(run, folder=folder, shard=shard, ended=when.timestamp()))

    at("/logs", "0-of-1", datetime(2026, 11, 22, 5, tzinfo=UTC))
    assert "taken in" not in report_of(root, period_of(DAY), now=LATER).summary
    assert report_of(root, period_of(DAY, "week"), now=LATER).summary.startswith(
        "The logs of /logs were last taken in on 22 November 2026 at 05:00 UTC, before the week had ended, and no run "
        "of iotriage ingest has come to its end since: what came later may be missing."
    )
    at("/logs", "0-of-1", datetime(2026, 11, 21, 5, 4, tzinfo=UTC))
    late = report_of(root, period_of(DAY), now=LATER)
    for form in (as_report_text(late), as_report_html(late)):
        assert "on 21 November 2026 at 05:04" in " ".join(form.split())
    empty = report_of(root, period_of(date(2026, 11, 24)), now=LATER)
    assert empty.summary.startswith("The logs of /logs were last taken in on 21 November")
    run = replace(run, unlisted=2, first_unlisted="/logs/2026/11/24")
    at("/logs", "0-of-1", datetime(2026, 11, 25, 5, tzinfo=UTC))
    blind = "2 folders, such as /logs/2026/11/24, could not be listed when the logs were taken in"
    assert report_of(root, period_of(DAY), now=LATER).summary.startswith(f"{blind}: logs in there are missing here. ")
    assert "could not be listed" not in report_of(root, period_of(date(2026, 11, 1)), now=LATER).summary
    for shard in ("0-of-2", "1-of-2"):
        at("/logs", shard, datetime(2026, 11, 25, 6, tzinfo=UTC))
    assert report_of(root, period_of(DAY), now=LATER).summary.startswith(blind)
    for file in root.glob("last-run-*.json"):
        file.unlink()
    run = replace(run, unlisted=0, first_unlisted=None)
    at("/logs", "0-of-1", datetime(2026, 11, 25, 5, tzinfo=UTC))
    idle = report_of(root, period_of(date(2026, 11, 24)), now=LATER)
    assert idle.summary.startswith(
        "All was taken in since the day ended, and no log of it was there; the last ones before are of 21 November "
        "2026. Either nothing ran"
    )


def test_a_period_that_has_not_ended_is_not_late(small_warehouse: Path, tmp_path: Path) -> None:
    root = shutil.copytree(small_warehouse, tmp_path / "warehouse")
    (run,) = last_runs(root)
    for file in root.glob("last-run-*.json"):
        file.unlink()
    write_last_run(root, replace(run, folder="/logs", ended=datetime(2026, 11, 22, 5, tzinfo=UTC).timestamp()))
    month, today = period_of(DAY, "month"), datetime(2026, 11, 22, 9, tzinfo=UTC).timestamp()
    assert report_of(root, month, now=today).summary.startswith(
        "The logs of /logs were last taken in on 22 November 2026 at 05:00 UTC. The month has not ended: what comes "
        "until then is not here yet. "
    )
    ended = datetime(2026, 12, 1, tzinfo=UTC).timestamp()
    assert "has come to its end since" in report_of(root, month, now=ended).summary


def test_why_the_last_ingest_failed_is_said_in_every_form(
    small_warehouse: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    root = shutil.copytree(small_warehouse, tmp_path / "warehouse")
    (run,) = last_runs(root)
    logs = tmp_path / "logs"
    with pytest.raises(SystemExit) as ended:
        main(["ingest", str(logs), "--warehouse", str(root)])
    assert ended.value.code == 2
    told = capsys.readouterr().err
    before = datetime(2026, 11, 21, 5, tzinfo=UTC).timestamp()
    (begun,) = (t for t in last_tries(root) if t.folder == f"{logs}")
    assert begun.why is not None
    assert begun.why in told
    for file in root.glob("last-run-*.json"):
        file.unlink()
    write_last_run(root, replace(run, folder=f"{logs}", ended=before))
    found = report_of(root, period_of(DAY), now=LATER)
    for form in (as_report_text(found), as_report_html(found), as_report_csv(found), as_report_json(found)):
        assert f"failed: there is no folder {logs}:" in " ".join(form.split())
    for why, said in ((None, "A run that began on"), ("the disk is full.", "failed: the disk is full. ")):
        write_last_try(root, replace(begun, why=why))
        assert said in report_of(root, period_of(DAY), now=LATER).summary
    write_last_try(root, replace(begun, began=before - 60))
    assert "failed" not in report_of(root, period_of(DAY), now=LATER).summary


def test_who_is_known_by_a_number_is_called_a_user(tmp_path: Path) -> None:
    logs = tmp_path / "logs"
    logs.mkdir()
    (log,) = (SAMPLE_LOGS / "darshan_log/lustre-ssf-one-stripe").glob("*.darshan")
    shutil.copy(log, logs)
    taken(logs, tmp_path / "warehouse")
    (day,) = days_in(tmp_path / "warehouse")
    summary = report_of(tmp_path / "warehouse", period_of(day)).summary
    assert re.search(r"those who lose most first: user \d+\. ", summary)


def test_one_shard_that_failed_is_said_and_what_is_no_longer_taken_in_is_not(
    small_warehouse: Path, tmp_path: Path
) -> None:
    root = shutil.copytree(small_warehouse, tmp_path / "warehouse")
    (run,) = last_runs(root)
    for file in root.glob("last-run-*.json"):
        file.unlink()
    ends = {
        ("/logs", "0-of-2"): datetime(2026, 11, 22, 5, tzinfo=UTC),
        ("/logs", "1-of-2"): datetime(2026, 11, 21, 5, tzinfo=UTC),
        ("/logs", "0-of-1"): datetime(2026, 11, 20, 5, tzinfo=UTC),
        ("/old", "0-of-1"): datetime(2026, 10, 2, 5, tzinfo=UTC),
    }
    for (folder, shard), when in ends.items():
        write_last_run(root, replace(run, folder=folder, shard=shard, ended=when.timestamp()))
    summary = report_of(root, period_of(DAY), now=LATER).summary
    assert summary.startswith("The logs of /logs (shard 1/2) were last taken in on 21 November 2026")
