"""A report as JSON."""

from __future__ import annotations

from typing import Final

from pydantic import TypeAdapter

from iotriage.centre.report.section import Report

REPORT: Final = TypeAdapter(Report)


def as_report_json(report: Report) -> str:
    return REPORT.dump_json(report, indent=1).decode() + "\n"
