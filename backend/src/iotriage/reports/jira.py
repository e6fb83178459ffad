"""The case document in Jira's wiki markup."""

from __future__ import annotations

from collections.abc import Iterable

from iotriage.analysis.document import CaseDocument
from iotriage.reports.blocks import Block, Command, Heading, Link, Paragraph, Points, Table, report_blocks
from iotriage.reports.escaping import escape_jira, safe_url


def as_jira(document: CaseDocument) -> str:
    """The report of a case. What could be markup in a name is escaped; a command stands in {noformat}."""
    return render_jira(report_blocks(document))


def render_jira(blocks: Iterable[Block]) -> str:
    return "\n\n".join(_written(block) for block in blocks) + "\n"


def _written(block: Block) -> str:
    match block:
        case Heading(level, text):
            return f"h{level}. {escape_jira(text)}"
        case Paragraph(text):
            return escape_jira(text)
        case Points(items):
            return "\n".join(f"* {escape_jira(item)}" for item in items)
        case Command(lines):
            # The word itself would end the block early.
            kept = (line.replace("{noformat}", "{no format}") for line in lines)
            return "\n".join(("{noformat}", *kept, "{noformat}"))
        case Link(text, address):
            return f"[{escape_jira(text)}|{safe_url(address)}]"
        case Table(head, rows):
            return "\n".join((_cells(head, "||"), *(_cells(row, "|") for row in rows)))


def _cells(cells: tuple[str, ...], edge: str) -> str:
    return edge + edge.join(f" {escape_jira(c)} " for c in cells) + edge
