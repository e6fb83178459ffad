"""A day of ten users with five causes planted, and an OST that is slow for six of them: each stands in its row, and
nothing else does. The logs are samples, diagnosed; whose they are and when they ran is invented."""

from __future__ import annotations

import json
import socketserver
import threading
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from pathlib import Path

import pytest
from pydantic import ValidationError
from report_cells import column, section
from reported_logs import reported_sample, write_logs

from iotriage.centre.log_files import LogFile
from iotriage.centre.log_rows import LogRead
from iotriage.centre.mail.messages import mails_to_staff, mails_to_users
from iotriage.centre.mail.sending import UnmailableError, mails_sent, send
from iotriage.centre.mail.settings import MailSettings
from iotriage.centre.report.contacts import ROWS_SHOWN, WORTH_A_CALL
from iotriage.centre.report.forms.csv_form import as_report_csv
from iotriage.centre.report.forms.html_form import as_report_html
from iotriage.centre.report.forms.text_form import as_report_text
from iotriage.centre.report.period_report import period_of, report_of, trend_of
from iotriage.centre.report.section import Contact, Report, ReportFilter
from iotriage.reports.wrapped import MAIL

pytestmark = pytest.mark.fuzz
DAY = date(2026, 11, 20)
FAULTLESS = "14-balanced"
SLOW_OST = "lustre-fpp-slow-ost"
PLANTED = {
    1: "06-shared-indep-1000b-unaligned",
    2: "lustre-ssf-one-stripe",
    3: "03-fpp-many-small-files",
    4: "lustre-shared-log",
    5: "17-stdio-flush-per-line",
}
MEETS_SLOW_OST = (5, 6, 7, 8, 9, 10)
USERS = range(1, 11)


class Writer:
    def __init__(self, root: Path, scratch: Path) -> None:
        self._root, self._scratch = root, scratch
        self._logs: list[tuple[LogFile, LogRead]] = []

    def log(self, name: str, user: int, day: date, ended: bool = True) -> None:
        number = len(self._logs) + 1
        start = datetime(day.year, day.month, day.day, 12, tzinfo=UTC).timestamp() + number
        read = replace(
            reported_sample(name), content=f"{number:064x}", uid=20_000 + user, job_id=f"{number}", start_time=start
        )
        if not ended:
            read = replace(read, end_time=None, runtime_s=None)
        self._logs.append((LogFile(f"/logs/{number}.darshan", 1, 1, day), read))

    def end(self) -> None:
        write_logs(self._root, self._scratch, self._logs)


@pytest.fixture(scope="module")
def warehouse(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("warehouse")
    writer = Writer(root, tmp_path_factory.mktemp("scratch"))
    for user in USERS:
        for day in (DAY - timedelta(days=1), DAY):
            writer.log(FAULTLESS, user, day)
    for user, name in PLANTED.items():
        writer.log(name, user, DAY)
    for user in MEETS_SLOW_OST:
        writer.log(SLOW_OST, user, DAY)
    writer.end()
    accounting = "".join(f"{job}|user{job}|astro|2|3600\n" for job in (21, 22))
    (root / "accounting").mkdir()
    (root / "accounting" / f"{DAY}.txt").write_text(
        f"JobIDRaw|User|Account|NNodes|ElapsedRaw\n{accounting}999|x|y|2|60\n"
    )
    return root


@pytest.fixture(scope="module")
def report(warehouse: Path) -> Report:
    told = (Contact("20003", DAY - timedelta(days=2), "RT-7", "waiting"),)
    return report_of(warehouse, period_of(DAY), contacts=told)


def test_each_cause_is_in_its_row_and_no_other_is(report: Report) -> None:
    planted = {"independent": ["user21"], "aggregators": ["user22"], "metadata": ["20003"], "small": ["20004"]}
    for id in ("independent", "aggregators", "read-modify-write", "metadata", "small"):
        assert column(section(report, id), "user") == planted.get(id, []), id
    assert column(section(report, "independent"), "rule") == ["independent-shared"]
    assert column(section(report, "aggregators"), "rule") == ["single-aggregator"]
    assert column(section(report, "streams"), "user") == ["20005"]
    assert set(column(section(report, "causes"), "rule")) == {
        *("independent-shared", "single-aggregator", "many-small-files", "shared-log", "sync-heavy", "slow-ost"),
        "stdio-heavy",  # what remains of the streams that are flushed: their opens and closes
    }


def test_the_slow_ost_is_the_machines(report: Report) -> None:
    (row,) = section(report, "slow-osts").rows
    told = dict(zip((c.title for c in section(report, "slow-osts").columns), row, strict=True))
    assert (told["users"], told["logs"], told["began"]) == (6, 6, str(DAY))
    assert told["who"] == "the machine: several users met it"
    assert section(report, "slow-mounts").rows == ()
    assert "1 OST is slow for several users." in report.summary


def test_every_row_leads_to_a_log_of_the_day(report: Report) -> None:
    for one in report.sections:
        assert len(one.logs) in (0, len(one.rows))
        assert all(log is None or log.day == DAY for log in one.logs)


def test_who_was_written_to_lately_is_not_called_again(report: Report) -> None:
    need = section(report, "help")
    contacts = dict(zip(column(need, "user"), column(need, "last contact"), strict=True))
    assert contacts["20003"] == "2026-11-18"
    called = {user for user, contact in contacts.items() if contact is None}
    assert called == {"user21", "user22", "20005"}
    hours = dict(zip(column(need, "user"), column(need, "process-hours"), strict=True))
    little = hours["user21"]
    assert isinstance(little, float)
    assert little < WORTH_A_CALL
    assert report.headline.endswith("1 OST is slow for several users; one user deserves a call.")


def test_nobody_is_called_for_an_ost_that_is_slow_for_several(warehouse: Path, tmp_path: Path) -> None:
    """Nor in a report of one of them alone; where it may be what they do, they are."""
    alone = report_of(warehouse, period_of(DAY), ReportFilter(user="20006"))
    assert column(section(alone, "slow-osts"), "who") == ["the machine: several users met it"]
    assert section(alone, "help").rows == ()
    # They had one, of the OST.
    assert section(alone, "help").none.endswith("that is theirs to mend.")
    assert list(mails_to_users(alone, MailSettings(users="{user}@example.org"))) == []
    writer = Writer(tmp_path / "warehouse", tmp_path)
    for user in MEETS_SLOW_OST[:2]:
        writer.log(SLOW_OST, user, DAY)
    writer.end()
    report = report_of(tmp_path / "warehouse", period_of(DAY))
    assert column(section(report, "help"), "user") == ["20005", "20006"]
    assert report.headline == "Two users deserve a call."


def test_all_who_are_to_be_called_stand_in_the_table(tmp_path: Path) -> None:
    writer = Writer(tmp_path / "warehouse", tmp_path)
    for user in range(ROWS_SHOWN + 3):
        writer.log(PLANTED[2], user, DAY)
    writer.end()
    # Those who lose as much and stand first were written to.
    told = [Contact(f"{20_000 + user}", DAY, f"RT-{user}", "answered") for user in range(ROWS_SHOWN)]
    for contacts, called in (((), "23"), (told, "hree")):
        report = report_of(tmp_path / "warehouse", period_of(DAY), contacts=contacts)
        assert len(section(report, "help").rows) == ROWS_SHOWN + 3
        assert f"{called} users deserve a call" in report.headline


def test_what_a_contact_changed_is_told_by_runs_that_ended(tmp_path: Path) -> None:
    """A log that was not ended has findings, and no hours that they are a share of."""
    writer = Writer(tmp_path / "warehouse", tmp_path)
    before, contact = DAY - timedelta(days=20), DAY - timedelta(days=10)
    for day in (before, DAY):
        writer.log(SLOW_OST, 1, day)
    writer.log(SLOW_OST, 1, DAY, ended=False)
    writer.end()
    week = report_of(
        tmp_path / "warehouse", period_of(DAY, "week"), contacts=(Contact("20001", contact, "1", "answered"),)
    )
    (change,) = column(section(week, "effect"), "after over before")
    assert change == pytest.approx(1.0)


def test_accounting_names_users_and_projects(report: Report, warehouse: Path) -> None:
    assert section(report, "coverage").rows[0][:3] == ("jobs", 3, 2)
    assert report.choices.projects == ("astro",)
    of_project = report_of(warehouse, period_of(DAY), ReportFilter(project="astro"))
    assert set(column(section(of_project, "users"), "user")) == {"user21", "user22"}
    assert section(of_project, "slow-osts").rows == ()


def test_a_week_has_the_days_and_what_became_of_contacts(warehouse: Path) -> None:
    week = report_of(warehouse, period_of(DAY, "week"), contacts=(Contact("20001", DAY, "1", "answered"),))
    assert (week.period.first, week.period.last) == (date(2026, 11, 16), date(2026, 11, 22))
    jobs = next(s for s in week.trend.series if s.id == "jobs")
    assert [v for v in jobs.values if v is not None] == [10, 21]
    assert section(week, "effect").rows == ()
    year = trend_of(warehouse, DAY, 365, ReportFilter())
    assert year.series[0].values[-2:] == (10, 21)
    # Beside the last day stands the median of those before it.
    assert year.series[0].usual == 10


def test_forms_say_what_the_report_says(report: Report) -> None:
    page, table, text = as_report_html(report), as_report_csv(report), as_report_text(report, MAIL)
    for written in (page, table, text):
        assert "independent-shared" in written
        assert "user22" in written
    assert "<script" not in page
    assert "default-src 'none'" in page
    assert page.count("<section>") == len(report.sections) + len(report.histograms) + 2
    assert max(map(len, text.splitlines())) <= MAIL


def test_the_page_of_the_mail_leads_from_each_row_to_its_log(report: Report) -> None:
    """Opened from a disk, where no server is known, it leads nowhere."""
    page = as_report_html(report, "https://io.example.org/")
    rows = [log for one in report.sections for log in one.logs if log is not None]
    assert len(rows) > 20
    assert page.count('<a href="https://io.example.org/centre/') == len(rows)
    assert all(f'<a href="https://io.example.org/centre/{log.day}/logs/{log.log}">' in page for log in rows)
    assert '<a href="https://io.example.org/rules/independent-shared">independent-shared</a>' in page
    assert "<a " not in as_report_html(report)


class Post(socketserver.StreamRequestHandler):
    """As much of SMTP as takes a mail."""

    taken: list[str]

    def handle(self) -> None:
        self.wfile.write(b"220 here\r\n")
        for line in self.rfile:
            word = line[:4].upper()
            if word == b"RCPT" and b"left@" in line:
                self.wfile.write(b"550 nobody here\r\n")
                continue
            if word == b"QUIT":
                self.wfile.write(b"221 bye\r\n")
                return
            if word == b"DATA":
                self.wfile.write(b"354 go on\r\n")
                content = b"".join(iter(self.rfile.readline, b".\r\n"))
                self.taken.append(content.decode())
            self.wfile.write(b"250 yes\r\n")


@pytest.fixture
def post() -> Iterator[tuple[int, list[str]]]:
    taken: list[str] = []
    handler = type("Here", (Post,), {"taken": taken})
    with socketserver.TCPServer(("127.0.0.1", 0), handler) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield server.server_address[1], taken
        server.shutdown()
        thread.join()


def test_nobody_gets_two_mails_about_one_thing_in_a_week(
    report: Report, tmp_path: Path, post: tuple[int, list[str]]
) -> None:
    port, taken = post
    settings = MailSettings(
        host="127.0.0.1", port=port, to="staff@x.org", users="{user}@x.org", rules_url="https://io.x"
    )
    mails = [*mails_to_staff(report, settings), *mails_to_users(report, settings)]
    now = datetime(2026, 11, 21, 7, tzinfo=UTC)
    assert send(tmp_path, mails, settings, now) == 2
    assert {mail.address for mail in mails} == {"staff@x.org", "user22@x.org"}
    assert len(taken) == 2
    assert send(tmp_path, mails, settings, now + timedelta(days=6)) == 0
    assert send(tmp_path, mails, settings, now + timedelta(days=8)) == 2
    assert len(json.loads((tmp_path / "mails.json").read_text())) == len(mails_sent(tmp_path)) == 2
    assert any("https://io.x/rules/single-aggregator" in mail for mail in taken)


def test_who_has_left_keeps_nobody_elses_mail(report: Report, tmp_path: Path, post: tuple[int, list[str]]) -> None:
    port, taken = post
    settings = MailSettings(host="127.0.0.1", port=port, to="a@x.org, left@x.org, b@x.org")
    mails = list(mails_to_staff(report, settings))
    with pytest.raises(UnmailableError, match=r"^2 mails sent; the mail to left@x\.org was not taken: .*nobody here"):
        send(tmp_path, mails, settings)
    assert len(taken) == 2
    assert {sent.address for sent in mails_sent(tmp_path)} == {"a@x.org", "b@x.org"}


@pytest.mark.parametrize("said", ["x y <", "nobody", "<>", "a@x.org b@x.org", "@x.org"])
def test_an_address_that_is_none_is_said(said: str) -> None:
    with pytest.raises(ValidationError, match="is no address of a mail"):
        MailSettings(to=said)
    with pytest.raises(ValidationError, match="is no address of a mail"):
        MailSettings(sender=said)
    assert MailSettings(to="I/O <io@x.org>,b@x.org").to == ("I/O <io@x.org>", "b@x.org")
