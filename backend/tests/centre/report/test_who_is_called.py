"""Who a report's users are, by number and by name, and that all who are to be called are named, in their order."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date
from pathlib import Path

import pytest
from centre_logs import NOON, put, taken
from darshan_writer import Counters, Job, Log, build, record_id

from iotriage.centre.mail.messages import mails_to_users
from iotriage.centre.mail.settings import MailSettings
from iotriage.centre.report.contacts import CONTACTS_UNKNOWN
from iotriage.centre.report.forms.json_form import REPORT
from iotriage.centre.report.log_details import log_details
from iotriage.centre.report.period_report import period_of, report_of
from iotriage.centre.report.section import Cell, Contact, Report, ReportFilter
from iotriage.cli import main

DAY, BEFORE = date(2026, 11, 20), date(2026, 11, 19)
PROCESSES = 400
MANY = 24
"""More users than a report has rows at least."""


def log(uid: int, job_id: int, day: date = DAY, program: str = "plume", share: float = 0.9) -> bytes:
    """One rank writes for all, for this share of 200 s."""
    path, start = "/scratch/out.dat", NOON + (day - DAY).days * 86_400
    written = {
        "POSIX_OPENS": 1,
        "POSIX_WRITES": 8_000,
        "POSIX_BYTES_WRITTEN": 8_000 * 2**20,
        "POSIX_SEQ_WRITES": 7_999,
        "POSIX_CONSEC_WRITES": 7_999,
        "POSIX_SIZE_WRITE_1M_4M": 8_000,
        "POSIX_ACCESS1_ACCESS": 2**20,
        "POSIX_ACCESS1_COUNT": 8_000,
        "POSIX_F_WRITE_TIME": share * 200.0,
    }
    return build(
        Log(
            job=Job(uid, start, end_s=start + 200, nprocs=PROCESSES, job_id=job_id, exe=f"/sw/{program}"),
            names={record_id(path): path},
            modules=(Counters.of("POSIX", {"id": record_id(path), "rank": 0, **written}),),
        )
    )


@pytest.fixture(scope="module")
def warehouse(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Erin (501) has two programs, of which each loses less than Fred's (502) one; the accounting lacks the day before,
    and one of her jobs."""
    logs, root = tmp_path_factory.mktemp("logs"), tmp_path_factory.mktemp("warehouse")
    put(logs, "before.darshan", log(501, 1, BEFORE, "plume"))
    put(logs, "plume.darshan", log(501, 2, DAY, "plume", 0.6))
    put(logs, "channel.darshan", log(501, 3, DAY, "channel", 0.6))
    put(logs, "fred.darshan", log(502, 4, DAY, "plume", 0.9))
    for n in range(MANY):
        put(logs, f"many{n}.darshan", log(600 + n, 100 + n, DAY, "plume", 0.5))
    taken(logs, root)
    (root / "accounting").mkdir()
    jobs = "".join(f"{job}|{user}|astro|2|200\n" for job, user in ((2, "erin"), (4, "fred")))
    (root / "accounting" / f"{DAY}.txt").write_text(f"JobIDRaw|User|Account|NNodes|ElapsedRaw\n{jobs}", "utf-8")
    return root


@pytest.fixture(scope="module")
def report(warehouse: Path) -> Report:
    return report_of(warehouse, period_of(DAY))


def rows(report: Report, id: str) -> Sequence[tuple[Cell, ...]]:
    (section,) = (section for section in report.sections if section.id == id)
    return section.rows


def test_a_user_is_one_where_the_accounting_lacks_a_job_or_a_day(report: Report) -> None:
    assert len(report.choices.users) == MANY + 2
    assert set(report.choices.users) >= {"erin", "fred"}
    (plume,) = (row for row in rows(report, "help") if row[2:4] == ("erin", "plume"))
    assert plume[7:10] == ("2", 2, f"{BEFORE}")


@pytest.mark.parametrize("asked", ["erin", "501"])
def test_a_user_is_found_by_name_and_by_number(warehouse: Path, asked: str) -> None:
    of_erin = report_of(warehouse, period_of(DAY), ReportFilter(user=asked))
    assert {row[2] for row in rows(of_erin, "help")} == {"erin"}
    # The accounting covers the machine, and not one user.
    assert "have a log" not in of_erin.summary
    jobs = next(series for series in of_erin.trend.series if series.id == "jobs")
    assert [value for value in jobs.values if value is not None] == [1, 2]


@pytest.mark.parametrize("written_to", ["erin", "501"])
def test_a_ticket_has_the_name_or_the_number(warehouse: Path, written_to: str) -> None:
    answered = report_of(warehouse, period_of(DAY), contacts=(Contact(written_to, BEFORE, "RT-1", "answered"),))
    assert {row[12] for row in rows(answered, "help") if row[2] == "erin"} == {f"{BEFORE}"}
    assert "erin" not in answered.summary


def test_a_log_is_of_who_its_report_says(warehouse: Path, report: Report) -> None:
    (need,) = (section for section in report.sections if section.id == "help")
    whose = [row[2] for row in need.rows]
    # Who has a name, and of those who are numbers alone, and alike, the first and the last.
    some = [i for i, person in enumerate(whose) if person in ("erin", "fred")]
    assert len(some) == 3
    numbers = [i for i in range(len(whose)) if i not in some]
    for i in (*some, numbers[0], numbers[-1]):
        row, ref = need.rows[i], need.logs[i]
        assert ref is not None
        log = log_details(warehouse, ref.day, ref.log)
        assert log is not None
        assert (log.row.person, log.row.job_id) == (row[2], row[7])


def test_how_much_has_logs_is_said_of_all(report: Report) -> None:
    assert "100 % of the jobs have a log." in report.summary


def test_who_loses_most_with_all_programs_comes_first(report: Report) -> None:
    assert rows(report, "help")[0][2] == "fred"
    assert "those who lose most first: erin, fred, " in report.summary


def test_all_who_are_to_be_called_are_counted_shown_and_written_to(report: Report) -> None:
    assert report.headline.endswith(f"{MANY + 2} users deserve a call.")
    assert len({row[2] for row in rows(report, "help")}) == MANY + 2
    mails = list(mails_to_users(report, MailSettings(users="{user}@example.org")))
    assert {mail.address for mail in mails} == {"erin@example.org", "fred@example.org"}


def test_each_hour_lost_is_of_one_project_one_user_and_one_program(report: Report) -> None:
    """Also of jobs that the accounting lacks: the parts of a centre add up to what its causes take."""
    taken_by = {
        title: [row[1] for row in rows(report, f"losing-{title}")] for title in ("projects", "users", "programs")
    }
    of_causes = sum(float(row[3] or 0) for row in rows(report, "causes"))
    assert sum(float(hours or 0) for hours in taken_by["projects"]) == pytest.approx(of_causes)
    assert sum(float(hours or 0) for hours in taken_by["programs"]) == pytest.approx(of_causes)
    assert len(taken_by["users"]) == 10
    astro, unknown = sorted(rows(report, "losing-projects"), key=lambda row: row[0] is None)
    project, hours, of_run_time, node_hours, nodes_known, jobs, users, rule = astro
    assert (project, jobs, users, rule) == ("astro", 2, 2, rows(report, "causes")[0][0])
    assert float(of_run_time or 0) == pytest.approx(float(hours or 0) / (2 * PROCESSES * 200 / 3600))
    # Each runs on two nodes, by the accounting alone; of the others nobody knows.
    assert float(node_hours or 0) == pytest.approx(float(hours or 0) * 2 / PROCESSES)
    assert (nodes_known, unknown[0], unknown[3], unknown[4]) == (1, None, None, None)


def test_without_an_accounting_nothing_is_said_of_projects(warehouse: Path) -> None:
    assert rows(report_of(warehouse, period_of(BEFORE)), "losing-projects") == ()


def test_who_was_answered_is_unknown_without_the_helpdesks_database(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    logs, warehouse = tmp_path / "logs", tmp_path / "warehouse"
    put(logs, "a.darshan", log(501, 1))
    taken(logs, warehouse)
    monkeypatch.setenv("IOTRIAGE_DATA_DIR", str(tmp_path / "none"))
    with pytest.raises(SystemExit):
        main(["report", "--warehouse", f"{warehouse}", "--date", "2026-11-20", "--period", "week", "--format", "json"])
    report = REPORT.validate_json(capsys.readouterr().out)
    (help,) = (s for s in report.sections if s.id == "help")
    assert CONTACTS_UNKNOWN in help.note
    assert {c.title: c.empty for c in help.columns}["last contact"] == "unknown"
    assert next(s.none for s in report.sections if s.id == "effect") == CONTACTS_UNKNOWN
