"""The forms in which a report is taken away; what they say is the report's."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Final, Literal

from iotriage.centre.report.forms.csv_form import as_report_csv
from iotriage.centre.report.forms.html_form import as_report_html
from iotriage.centre.report.forms.json_form import as_report_json
from iotriage.centre.report.forms.text_form import as_report_text
from iotriage.centre.report.section import Report
from iotriage.reports.wrapped import MAIL
from iotriage_parsers.frozen import frozen

ReportForm = Literal["text", "mail", "html", "csv", "json"]


@frozen
class WrittenForm:
    write: Callable[[Report], str]
    media_type: str
    extension: str


REPORT_FORMS: Final[Mapping[ReportForm, WrittenForm]] = {
    "text": WrittenForm(as_report_text, "text/plain", "txt"),
    "mail": WrittenForm(partial(as_report_text, width=MAIL), "text/plain", "txt"),
    "html": WrittenForm(as_report_html, "text/html", "html"),
    "csv": WrittenForm(as_report_csv, "text/csv", "csv"),
    "json": WrittenForm(as_report_json, "application/json", "json"),
}
