"""What a centre's report shows, by section and column."""

from __future__ import annotations

from iotriage.centre.report.section import Cell, Report, Section


def section(report: Report, id: str) -> Section:
    (found,) = (s for s in report.sections if s.id == id)
    return found


def column(section: Section, title: str) -> list[Cell]:
    """The cells below the title, in the order of the rows."""
    at = [c.title for c in section.columns].index(title)
    return [row[at] for row in section.rows]
