"""The case document in Jira's wiki markup."""

from __future__ import annotations

import re

from iotriage.analysis.document import CaseDocument
from iotriage.reports.blocks import Block, Command, Heading, Paragraph, Points, Table, report_blocks

_ALWAYS = re.compile(r"([\\{}\[\]|])")
_AT_A_WORD = re.compile(r"(?<!\w)([-*_+^~?!#])(?=\S)|(?<=\S)([-*_+^~?!])(?!\w)")
"""What begins or ends emphasis, strikes out or embeds, where it touches one side of a word only."""


def as_jira(document: CaseDocument) -> str:
    """The report of a case. What could be markup in a name is escaped; a command stands in {noformat}."""
    return "\n\n".join(_written(block) for block in report_blocks(document)) + "\n"


def _written(block: Block) -> str:
    match block:
        case Heading(level, text):
            return f"h{level}. {_escaped(text)}"
        case Paragraph(text):
            return _escaped(text)
        case Points(items):
            return "\n".join(f"* {_escaped(item)}" for item in items)
        case Command(lines):
            # The word itself would end the block early.
            kept = (line.replace("{noformat}", "{no format}") for line in lines)
            return "\n".join(("{noformat}", *kept, "{noformat}"))
        case Table(head, rows):
            return "\n".join((_cells(head, "||"), *(_cells(row, "|") for row in rows)))


def _cells(cells: tuple[str, ...], edge: str) -> str:
    return edge + edge.join(f" {_escaped(c)} " for c in cells) + edge


def _escaped(text: str) -> str:
    return _AT_A_WORD.sub(lambda found: f"\\{found[0]}", _ALWAYS.sub(r"\\\1", text))
