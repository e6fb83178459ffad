"""Formats a cell of a report as text."""

from __future__ import annotations

from iotriage.centre.report.section import Cell, ColumnUnit
from iotriage.rules.core.words import FEW_HOURS, FEWEST_HOURS, number, printable, ratio_in_column, seconds, share, size


def cell_text(cell: Cell, unit: ColumnUnit) -> str:
    """What is not known is a dash."""
    if cell is None:
        return "-"
    if isinstance(cell, str):
        return printable(cell)
    match unit:
        case "B":
            return size(cell)
        case "B/s":
            return f"{size(cell)}/s"
        case "s":
            return seconds(cell)
        case "share":
            return share(cell)
        case "ratio":
            return ratio_in_column(cell)
        case "number":
            return f"{cell}"
        case "process-hours" | "node-hours":
            return FEW_HOURS if 0 < cell < FEWEST_HOURS else number(cell)
        case _:
            return f"{cell:,}" if isinstance(cell, int) and unit == "count" else number(cell)
