"""A report as mails: to the centre's staff, and to users whose jobs have a finding of high severity."""

from __future__ import annotations

import re
from collections.abc import Iterator
from email.message import EmailMessage
from typing import Final

from iotriage.centre.mail.settings import MailSettings
from iotriage.centre.report.contacts import users_to_call
from iotriage.centre.report.forms.html_form import as_report_html
from iotriage.centre.report.forms.text_form import as_report_text
from iotriage.centre.report.people import is_number
from iotriage.centre.report.section import Cell, Period, Report
from iotriage.reports.escaping import escape_line
from iotriage.reports.wrapped import MAIL, wrapped
from iotriage.rules.core.words import hours, plural
from iotriage_parsers.frozen import frozen

_NAME: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}")
"""A name that stands in an address as it is: what an accounting has may be anything."""


@frozen
class Mail:
    """`issue` is what it is about: nobody is written to about one twice in a week."""

    address: str
    issue: str
    message: EmailMessage


def mails_to_staff(report: Report, settings: MailSettings) -> Iterator[Mail]:
    for address in settings.to:
        message = _message(settings, address, f"I/O of {report.period.said}: {report.headline}")
        message.set_content(as_report_text(report, MAIL))
        name = f"iotriage-{report.period.kind}-{report.period.first}.html"
        message.add_attachment(as_report_html(report, settings.rules_url), subtype="html", filename=name)
        yield Mail(address, f"report of the {report.period.kind} {report.period.first}", message)


def mails_to_users(report: Report, settings: MailSettings) -> Iterator[Mail]:
    """One for each user who is to be called and rule, that of the program with most time lost; who has a number and no
    name is left out."""
    mailed = set()
    need = next((section for section in report.sections if section.id == "help"), None)
    called = () if need is None else users_to_call(need, report.period)
    for row in need.rows if need is not None else ():
        takes, saved, user, program, rule, finding, jobs, job, *_ = row
        address = _address(user, settings)
        if address is None or user not in called or (user, rule) in mailed:
            continue
        mailed.add((user, rule))
        message = _message(settings, address, f"I/O of your jobs of {program}: {rule}")
        message.set_content(_to_user(report, settings, (takes, saved, program, rule, finding, jobs, job)))
        yield Mail(address, f"{rule}", message)


def _to_user(report: Report, settings: MailSettings, row: tuple[Cell, ...]) -> str:
    takes, saved, program, rule, finding, jobs, job = row
    most = "" if job is None else f", as job {job} shows"
    paragraphs = [
        f"{plural(float(jobs or 0), 'job')} of yours ran {program} {_on_day(report.period)} and waited longer for I/O "
        f"than need be{most}. What takes most:",
        f"{finding or rule}",
        _took(takes, saved),
        f"What it means and what to do: {settings.rules_url.rstrip('/')}/rules/{rule}" if settings.rules_url else "",
        "An answer to this mail reaches the helpdesk, which can look into it with you. You are not written to about "
        "this again within a week.",
    ]
    return "\n\n".join("\n".join(wrapped(paragraph, MAIL)) for paragraph in paragraphs if paragraph) + "\n"


def _on_day(period: Period) -> str:
    return f"{'on' if period.kind == 'day' else 'in'} {period.said}"


def _took(takes: Cell, saved: Cell) -> str:
    """Of all findings that are meant; nothing where no log says how long they took."""
    if takes is None:
        return ""
    could = "" if saved is None else f", of which cures could save {_at_most(float(saved))}"
    return f"All findings of high severity together took {_few(float(takes))} of waiting{could}."


def _few(process_hours: float) -> str:
    text = hours(process_hours, "process")
    return f"less than {text[2:]}" if text.startswith("< ") else text


def _at_most(process_hours: float) -> str:
    text = _few(process_hours)
    return text if text.startswith("less") else f"at most {text}"


def _address(user: Cell, settings: MailSettings) -> str | None:
    if settings.users is None or not isinstance(user, str) or is_number(user) or not _NAME.fullmatch(user):
        return None
    return settings.users.replace("{user}", user)


def _message(settings: MailSettings, address: str, subject: str) -> EmailMessage:
    message = EmailMessage()
    message["From"] = settings.sender
    message["To"] = address
    message["Subject"] = escape_line(subject)[:200]
    message["Auto-Submitted"] = "auto-generated"
    return message
