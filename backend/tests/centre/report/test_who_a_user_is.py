"""One person is one user of a report, whatever they are called; several with one number are several."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import closing
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from pathlib import Path

import duckdb
import pytest
from report_cells import column, section
from reported_logs import reported_sample, write_logs

from iotriage.centre.log_files import LogFile
from iotriage.centre.log_rows import LogRead
from iotriage.centre.mail.messages import mails_to_users
from iotriage.centre.mail.settings import MailSettings
from iotriage.centre.report.log_details import log_details
from iotriage.centre.report.people import named
from iotriage.centre.report.period_report import period_of, report_of, trend_of
from iotriage.centre.report.section import Contact, ReportFilter
from iotriage.centre.warehouse.reading import opened
from iotriage_parsers.frozen import frozen

DAY = date(2026, 11, 20)


@frozen
class Ran:
    """A log of a job so many days before `DAY`; `name` and `project` are the accounting's, where it has the job. `job`
    is its number, another for each where it is not given."""

    ago: int
    uid: int
    site: str = "archer2"
    name: str | None = None
    project: str = "astro"
    job: int | None = None


def warehouse_of(folder: Path, jobs: Sequence[Ran]) -> Path:
    root = folder / "warehouse"
    for made in (folder / "spool", root, root / "accounting"):
        made.mkdir()
    read = reported_sample("lustre-fpp-slow-ost")
    logs: list[tuple[LogFile, LogRead]] = []
    texts: dict[date, str] = {}
    for number, job in enumerate(jobs, 1):
        day = DAY - timedelta(days=job.ago)
        start = datetime(day.year, day.month, day.day, 12, tzinfo=UTC).timestamp()
        id = f"{job.job or number}"
        said = replace(read, content=f"{number:064x}", job_id=id, uid=job.uid, site=job.site, start_time=start)
        logs.append((LogFile(f"/logs/{number}.darshan", 1, 1, day), said))
        if job.name is not None:
            texts[day] = f"{texts.get(day, 'JobIDRaw|User|Account')}\n{number}|{job.name}|{job.project}"
    for day, text in texts.items():
        (root / "accounting" / f"{day}.txt").write_text(f"{text}\n", "utf-8")
    write_logs(root, folder / "spool", logs)
    return root


RENAMED = (Ran(9, 501, name="ms"), Ran(5, 501, name="ms"), Ran(1, 501), Ran(0, 501, name="mschmidt"))


ELSEWHERE = Ran(0, 501, "lumi", job=9)


OF_SEVERAL_SYSTEMS = {
    "any system": ((Ran(0, 501, job=7), Ran(0, 501, "generic", job=7)), [("archer2", 7, 2)]),
    "any two systems": ((Ran(0, 501, "generic", job=7), Ran(0, 501, "generic-lustre", job=7)), [("generic", 7, 2)]),
    # The number of a job is one job's at one site, and one user's.
    "two sites": ((Ran(0, 501, job=7), Ran(0, 501, "lumi", job=7)), [("archer2", 7, 1), ("lumi", 7, 1)]),
    "two users": ((Ran(0, 501, job=7), Ran(0, 502, "generic", job=7)), [("archer2", 7, 1), ("generic", 7, 1)]),
    "two jobs": ((Ran(0, 501, job=7), Ran(0, 501, "generic", job=8)), [("archer2", 7, 1), ("archer2", 8, 1)]),
    "elsewhere too": (
        (Ran(0, 501, job=7), Ran(0, 501, "generic", job=7), ELSEWHERE),
        [("archer2", 7, 2), ("lumi", 9, 1)],
    ),
    "of either site": (
        (Ran(0, 501, job=7), Ran(0, 501, "lumi", job=7), Ran(0, 501, "generic", job=7)),
        [("archer2", 7, 1), ("generic", 7, 1), ("lumi", 7, 1)],
    ),
}


def test_a_job_is_one_whatever_system_its_logs_name(tmp_path: Path) -> None:
    """On one day, each of other users and jobs: a warehouse and a report for each take long."""
    of_each = {name: 10 * number for number, name in enumerate(OF_SEVERAL_SYSTEMS)}
    logs = [
        replace(ran, uid=ran.uid + beyond, job=(ran.job or 0) + beyond)
        for name, beyond in of_each.items()
        for ran in OF_SEVERAL_SYSTEMS[name][0]
    ]
    root = warehouse_of(tmp_path, logs)
    with closing(opened(root, [DAY], {})) as connection:
        query = "SELECT site, uid, job_id, steps FROM jobs ORDER BY site, uid, job_id"
        jobs = connection.execute(query).fetchall()
    found: dict[str, list[tuple[str, int, int]]] = {name: [] for name in OF_SEVERAL_SYSTEMS}
    for site, uid, job, steps in jobs:
        name = list(OF_SEVERAL_SYSTEMS)[(uid - 501) // 10]
        found[name].append((site if site != "generic-lustre" else "generic", int(job) - of_each[name], steps))
    assert found == {name: expected for name, (_, expected) in OF_SEVERAL_SYSTEMS.items()}
    report = report_of(root, period_of(DAY))
    (of_day,) = [s.values for s in trend_of(root, DAY, 1, ReportFilter()).series if s.id == "jobs"]
    whole = section(report, "completeness")
    counted = dict(zip(column(whole, "what"), column(whole, "logs"), strict=True))
    assert (of_day[-1], counted["jobs"]) == (len(jobs), len(jobs))


@pytest.mark.parametrize(
    ("jobs", "users"),
    [
        (RENAMED, ["mschmidt"]),
        # What nobody shows to be one person stays two.
        ((Ran(5, 501, name="ms"), Ran(0, 501, name="mb", project="ocean")), ["ms", "mb"]),
        ((Ran(6, 501, name="ms"), Ran(3, 501, name="mb"), Ran(0, 501, name="ms")), ["ms", "mb"]),
        ((Ran(0, 501, name="ms"), Ran(0, 501, name="mb"), Ran(0, 501)), ["ms", "mb", "501"]),
        # In a container everybody is root.
        ((Ran(5, 0, name="ms"), Ran(1, 0), Ran(0, 0, name="mb")), ["ms", "0", "mb"]),
        # A number is one person's at one site; a profile for any system is no site.
        ((Ran(0, 501), Ran(0, 501, site="lumi")), ["501 (archer2)", "501 (lumi)"]),
        ((Ran(0, 501), Ran(0, 501, site="generic")), ["501"]),
        ((Ran(2, 501, name="ms"), Ran(0, 501, site="generic"), Ran(0, 501)), ["ms"]),
        ((Ran(2, 501, name="ms"), Ran(0, 501, site="lumi")), ["ms", "501 (lumi)"]),
        ((Ran(0, 501), Ran(0, 501, site="lumi"), Ran(0, 501, site="generic")), ["501", "501 (archer2)", "501 (lumi)"]),
    ],
    ids=[
        "renamed", "of two projects", "by turns", "on one day", "root", "two sites", "any system", "named elsewhere",
        "named at one", "at none",
    ],
)  # fmt: skip
def test_who_is_one_user(jobs: Sequence[Ran], users: list[str]) -> None:
    with closing(duckdb.connect()) as connection:
        connection.execute(
            "CREATE TABLE logs (day DATE, site VARCHAR, uid VARCHAR, accounted VARCHAR, project VARCHAR, "
            'job_id VARCHAR, "row" VARCHAR)'
        )
        for number, job in enumerate(jobs):
            day = DAY - timedelta(days=job.ago)
            project = None if job.name is None else job.project
            row = (day, job.site, f"{job.uid}", job.name, project, f"{number}", f"{number}")
            connection.execute("INSERT INTO logs VALUES (?, ?, ?, ?, ?, ?, ?)", row)
        found = connection.execute(f"SELECT DISTINCT person, known_as FROM {named('logs', 'logs')}").fetchall()
    assert sorted({person for person, _ in found}) == sorted(users)
    # Each is found by the name under which it can be chosen.
    assert all(person in known_as for person, known_as in found)


def test_who_was_renamed_is_found_by_either_name_and_was_written_to_under_either(tmp_path: Path) -> None:
    root = warehouse_of(tmp_path, RENAMED)
    for asked in ("ms", "mschmidt", "501"):
        found = report_of(root, period_of(DAY, "month"), ReportFilter(user=asked))
        assert column(section(found, "users"), "jobs") == [4]
    trend = trend_of(root, DAY, 30, ReportFilter(user="ms"))
    assert sum(value or 0 for value in trend.series[0].values) == 4
    for contact in (Contact("ms", DAY, "RT-1", "answered"), Contact("501", DAY, "RT-1", "answered", "archer2")):
        month = report_of(root, period_of(DAY, "month"), contacts=(contact,))
        assert column(section(month, "help"), "ticket") == ["RT-1"]
    (row, *_) = section(report_of(root, period_of(DAY)), "users").logs
    assert row is not None
    log = log_details(root, row.day, row.log)
    assert log is not None
    assert log.row.person == "mschmidt"


def test_a_number_that_was_written_to_at_one_site_was_not_at_another(tmp_path: Path) -> None:
    root = warehouse_of(tmp_path, (Ran(0, 501), Ran(0, 501, site="lumi")))
    report = report_of(root, period_of(DAY))
    assert "user 501 (archer2) and user 501 (lumi)" in report.summary
    assert list(mails_to_users(report, MailSettings(users="{user}@example.org"))) == []
    for system, told in ((None, ["RT-1", "RT-1"]), ("lumi", [None, "RT-1"])):
        contacts = (Contact("501", DAY, "RT-1", "answered", system),)
        help = section(report_of(root, period_of(DAY), contacts=contacts), "help")
        by_user = dict(zip(column(help, "user"), column(help, "ticket"), strict=True))
        assert [by_user[user] for user in ("501 (archer2)", "501 (lumi)")] == told
