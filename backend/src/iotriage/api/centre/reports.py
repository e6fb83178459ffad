"""What a centre's jobs did in a day, a week or a month, and how a year went."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import date
from typing import Annotated

from fastapi import Depends, Path, Query, Response

from iotriage.api.centre.warehouse import Warehouse
from iotriage.api.exports import Anonymise, attachment, server_key
from iotriage.api.guard.policies import HELPDESK_READS
from iotriage.api.problems import ProblemError
from iotriage.api.routers import api_router
from iotriage.api.services import Here, Services
from iotriage.centre.report.forms.report_forms import REPORT_FORMS, ReportForm
from iotriage.centre.report.section import FIRST_DAY, LAST_DAY, PeriodKind, Report, ReportFilter, Trend, mount_point
from iotriage.centre.report.without_names import OtherNames
from iotriage.helpdesk.contacts import contacts
from iotriage.reports.anonymous.key_of_names import key_of_names

router = api_router("/centre", tag="centre")

Chosen = Annotated[str | None, Query(max_length=4096, pattern=r"^[^\x00]+$")]
Kind = Annotated[PeriodKind, Query(description="The day, or the week or month that it is in.")]
Day = Annotated[date, Path(ge=FIRST_DAY, le=LAST_DAY)]
LONGEST_TREND_DAYS = 366


def _chosen(
    file_system: Chosen = None, project: Chosen = None, user: Chosen = None, application: Chosen = None
) -> ReportFilter:
    return ReportFilter(mount_point(file_system), project, user, application)


ChosenLogs = Annotated[ReportFilter, Depends(_chosen)]
"""Of one file system (its mount point), project, user or application alone, where these are given."""


@router.get("/reports/{day}", dependencies=[HELPDESK_READS])
def get_report(
    day: Day,
    warehouse: Warehouse,
    services: Here,
    chosen: ChosenLogs,
    period: Kind = "day",
) -> Report:
    """The report of a day in UTC, or of its week or month; of the logs of one file system (its
    mount point), project, user or application alone, where these are given."""
    return report(services, warehouse, day, period, chosen)


@router.get(
    "/reports/{day}/{form}",
    response_class=Response,
    responses={200: {"content": {"text/plain": {}}}},
    dependencies=[HELPDESK_READS],
)
def export_report(
    day: Day,
    form: ReportForm,
    warehouse: Warehouse,
    services: Here,
    chosen: ChosenLogs,
    period: Kind = "day",
    anonymise: Anonymise = False,
) -> Response:
    """The report as an attachment: `text`, `mail` in 72 columns, `html` that opens from a disk, `csv`, `json`. With
    `anonymise`, users, projects, programs, jobs and files have other names."""
    written = REPORT_FORMS[form]
    names = OtherNames(key_of_names(server_key(services))) if anonymise else None
    content = written.write(report(services, warehouse, day, period, chosen, names))
    return attachment(content, written.media_type, f"{period}-{day}.{written.extension}")


@router.get("/trend", dependencies=[HELPDESK_READS])
def get_trend(
    last: Annotated[date, Query(ge=FIRST_DAY, le=LAST_DAY)],
    warehouse: Warehouse,
    chosen: ChosenLogs,
    days: Annotated[int, Query(ge=2, le=LONGEST_TREND_DAYS)] = 365,
) -> Trend:
    """Figures over a number of days that end with the given one."""
    from iotriage.centre.report.period_report import trend_of

    with readable():
        return trend_of(warehouse, last, days, chosen)


def report(
    services: Services,
    warehouse: Warehouse,
    day: date,
    period: PeriodKind,
    filter: ReportFilter,
    names: OtherNames | None = None,
) -> Report:
    from iotriage.centre.report.period_report import period_of, report_of

    with services.database.reading() as session:
        contacted = contacts(session)
    with readable():
        return report_of(warehouse, period_of(day, period), filter, contacted, names=names)


@contextmanager
def readable() -> Iterator[None]:
    """A problem where the warehouse's files cannot be determined."""
    from iotriage.centre.warehouse.manifest import BadManifestError

    try:
        yield
    except BadManifestError as bad:
        raise ProblemError(503, "bad-warehouse", "The warehouse cannot be read", f"{bad}.") from None
