"""A report as JSON."""

from __future__ import annotations

from typing import Final

from pydantic import TypeAdapter

from iotriage.centre.report.section import DayReport

REPORT: Final = TypeAdapter(DayReport)


def as_report_json(report: DayReport) -> str:
    return REPORT.dump_json(report, indent=1).decode() + "\n"
