"""The case document as Markdown (CommonMark with tables, as issue trackers read it)."""

from __future__ import annotations

import re
from collections.abc import Iterable

from iotriage.analysis.document import CaseDocument
from iotriage.reports.blocks import Block, Command, Heading, Link, Paragraph, Points, Table, report_blocks
from iotriage.reports.escaping import escape_markdown, safe_url


def as_markdown(document: CaseDocument) -> str:
    """The report of a case. What could be markup or HTML in a name is escaped; a command is fenced."""
    return render_markdown(report_blocks(document))


def render_markdown(blocks: Iterable[Block]) -> str:
    return "\n\n".join(_written(block) for block in blocks) + "\n"


def _written(block: Block) -> str:
    match block:
        case Heading(level, text):
            return f"{'#' * level} {escape_markdown(text)}"
        case Paragraph(text):
            return escape_markdown(text)
        case Points(items):
            return "\n".join(f"- {escape_markdown(item)}" for item in items)
        case Command(lines):
            fence = "`" * max(3, 1 + max((len(run) for line in lines for run in re.findall("`+", line)), default=0))
            return "\n".join((fence, *lines, fence))
        case Link(text, address):
            return f"[{escape_markdown(text)}](<{safe_url(address)}>)"
        case Table(head, rows):
            return "\n".join(_row(cells) for cells in (head, tuple("---" for _ in head), *rows))


def _row(cells: tuple[str, ...]) -> str:
    return f"| {' | '.join(c if c == '---' else escape_markdown(c) for c in cells)} |"
