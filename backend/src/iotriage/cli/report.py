"""`iotriage report --date DAY`: what a centre's jobs did to its file systems, from its warehouse; written or mailed."""

from __future__ import annotations

import argparse
import sys
from datetime import UTC, date, datetime, timedelta
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

from pydantic import ValidationError

from iotriage.cli import DONE, NOTHING_READ, refuse
from iotriage.cli.ingest import WITHOUT_DUCKDB, declare_warehouse
from iotriage.cli.output import declare_output, opened
from iotriage.cli.places import is_there, typed_path
from iotriage.cli.warehouse_days import NoDaysError, days_of
from iotriage.reports.anonymous.key_of_names import ANONYMISE_KEY, key_of_names, key_refused, key_that_is_set

if TYPE_CHECKING:
    from collections.abc import Sequence

    from iotriage.centre.report.section import Contact, Report

_FORMS = ("text", "mail", "html", "csv", "json")


def declare(command: argparse.ArgumentParser) -> None:
    command.add_argument(
        "--date", default="yesterday", metavar="DAY", help="2026-11-20, today or yesterday (default), in UTC"
    )
    command.add_argument(
        "--period", choices=("day", "week", "month"), default="day", help="the day (default), or its week or month"
    )
    declare_warehouse(command)
    command.add_argument(
        "--format",
        choices=_FORMS,
        default="text",
        help="text (default), mail (72 columns), html (one file), csv, or json for a program",
    )
    command.add_argument(
        "--sacct",
        metavar="FILE",
        type=typed_path,
        help="`sacct -P` of the day: what share of it left a log is said first",
    )
    for name, of in (("file-system", "mount point"), ("project", "name"), ("user", "name"), ("application", "name")):
        words = f"only the logs of one {name.replace('-', ' ')}"
        command.add_argument(f"--{name}", metavar=of.upper().replace(" ", "_"), help=words)
    command.add_argument(
        "--anonymise",
        action="store_true",
        help="give users, projects, programs, jobs and files other names, for readers who are not to see whose they "
        "are; where IOTRIAGE_ANONYMISE_KEY is set, the same in each report",
    )
    command.add_argument("--mail", action="store_true", help="send it to IOTRIAGE_MAIL_TO instead of writing it")
    command.add_argument(
        "--mail-users",
        action="store_true",
        help="with --mail: write to users with a high finding too, by IOTRIAGE_MAIL_USERS",
    )
    command.add_argument(
        "--dry-run", action="store_true", help="with --mail: print what would be sent, and send nothing"
    )
    declare_output(command)
    command.set_defaults(run=run)


def run(chosen: argparse.Namespace) -> int:
    without_use = _without_use(chosen)
    if without_use is not None:
        return refuse("report", without_use)
    from iotriage.centre.report.section import FIRST_DAY, LAST_DAY, ReportFilter, mount_point

    day = _day(chosen.date, datetime.now(UTC).date())
    if day is None:
        return refuse("report", f"{chosen.date!r} is not a day: give it as 2026-11-20, today or yesterday")
    if not FIRST_DAY <= day <= LAST_DAY:
        return refuse("report", f"{day}: days are from {FIRST_DAY} to {LAST_DAY}")
    if find_spec("duckdb") is None:
        return refuse("report", WITHOUT_DUCKDB)
    if chosen.anonymise and key_that_is_set() is None:
        sys.stderr.write(f"iotriage report: {ANONYMISE_KEY} is not set: the next report has other names than this\n")
    from iotriage.centre.report.accounting import BadAccountingError
    from iotriage.centre.report.period_report import period_of, report_of
    from iotriage.centre.report.without_names import OtherNames
    from iotriage.centre.warehouse.manifest import BadManifestError

    warehouse = chosen.warehouse.absolute()
    try:
        days = days_of(warehouse)
    except NoDaysError as why:
        return refuse("report", f"{why}")
    filter = ReportFilter(mount_point(chosen.file_system), chosen.project, chosen.user, chosen.application)
    with opened(chosen.output) as output:
        if output.refused is not None:
            return refuse("report", output.refused)
        try:
            names = OtherNames(key_of_names(key_that_is_set())) if chosen.anonymise else None
            period = period_of(day, chosen.period)
            report = report_of(warehouse, period, filter, _contacts(), chosen.sacct, names=names)
        except (BadManifestError, BadAccountingError) as bad:
            return refuse("report", f"{bad}")
        unsent = _mailed(report, warehouse, chosen) if chosen.mail else None
        if unsent is not None:
            return refuse("report", unsent)
        unwritten = None if chosen.mail else output.write(_written(report, chosen, output.columns))
    if unwritten is not None:
        return refuse("report", unwritten)
    if not any(report.period.first <= known <= report.period.last for known in days):
        message = (
            f"there are no logs of {report.period.said}; {_nearest(days, report.period.first, report.period.last)}"
        )
        return refuse("report", message, NOTHING_READ)
    return DONE


def _written(report: Report, chosen: argparse.Namespace, columns: int) -> str:
    from iotriage.centre.report.forms.report_forms import REPORT_FORMS
    from iotriage.centre.report.forms.text_form import as_report_text

    if chosen.format == "text":
        return as_report_text(report, columns)
    return REPORT_FORMS[chosen.format].write(report)


def _without_use(chosen: argparse.Namespace) -> str | None:
    """What was asked for that would not be done."""
    if not chosen.mail and (chosen.mail_users or chosen.dry_run):
        return f"{'--mail-users' if chosen.mail_users else '--dry-run'} is of mails: give --mail with it"
    if chosen.mail and (chosen.output is not None or chosen.format != "text"):
        return "--mail sends the report as text with the page attached: leave out --format and -o, or --mail"
    if chosen.anonymise and chosen.mail_users:
        return "--mail-users writes to users by their names: leave it out, or --anonymise"
    return key_refused() if chosen.anonymise else None


def _nearest(days: Sequence[date], first: date, last: date) -> str:
    """The days of the warehouse before and after."""
    before = max((day for day in days if day < first), default=None)
    after = min((day for day in days if day > last), default=None)
    near = [f"{day}" for day in (before, after) if day is not None]
    return f"the nearest that the warehouse has {'are' if len(near) > 1 else 'is'} {' and '.join(near)}"


def _mailed(report: Report, warehouse: Path, chosen: argparse.Namespace) -> str | None:
    """None where all went that was to go; else why not."""
    from iotriage.centre.mail.messages import mails_to_staff, mails_to_users
    from iotriage.centre.mail.sending import UnmailableError, due, mails_sent, send
    from iotriage.centre.mail.settings import MailSettings
    from iotriage.cli.unknown_settings import unknown_settings
    from iotriage.settings import settings_error

    for unknown in unknown_settings():
        sys.stderr.write(f"iotriage report: {unknown}\n")
    try:
        settings = MailSettings()
    except ValidationError as wrong:
        return settings_error(wrong, "IOTRIAGE_MAIL_")
    if not settings.to and not chosen.mail_users:
        return "IOTRIAGE_MAIL_TO names nobody: it has the addresses of those who get the report, separated by commas"
    mails = [*mails_to_staff(report, settings), *(mails_to_users(report, settings) if chosen.mail_users else ())]
    try:
        if chosen.dry_run:
            for mail in due(mails, mails_sent(warehouse), datetime.now(UTC)):
                body = mail.message.get_body(("plain",))
                text = "" if body is None else body.get_content()
                sys.stdout.write(f"To: {mail.address}\nSubject: {mail.message['Subject']}\n\n{text}\n")
            return None
        sys.stderr.write(f"iotriage report: {send(warehouse, mails, settings)} of {len(mails)} mails sent\n")
    except UnmailableError as why:
        return f"{why}"
    return None


def _contacts() -> Sequence[Contact] | None:
    """Whom the helpdesk wrote to; None where this host has not its database."""
    from sqlalchemy.exc import SQLAlchemyError

    from iotriage.helpdesk.contacts import contacts
    from iotriage.settings import Settings
    from iotriage.store.database import Database, UnusableDatabaseError

    try:
        settings = Settings()
        if settings.database_file is not None and not is_there(settings.database_file):
            return None
        database = Database(settings.database)
        try:
            with database.reading() as session:
                return contacts(session)
        finally:
            database.close()
    except (SQLAlchemyError, UnusableDatabaseError, ValidationError):
        sys.stderr.write("iotriage report: the helpdesk's database cannot be read; last contacts are not known\n")
        return None


def _day(text: str, today: date) -> date | None:
    if text in ("today", "yesterday"):
        return today - timedelta(days=text == "yesterday")
    try:
        return date.fromisoformat(text)
    except ValueError:
        return None
