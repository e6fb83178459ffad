"""The case document as plain text of at most 72 columns, for a mail or a ticket. Commands are never broken."""

from __future__ import annotations

from collections.abc import Iterable

from iotriage.analysis.document import CaseDocument
from iotriage.reports.blocks import Block, Command, Heading, Link, Paragraph, Points, Table, report_blocks
from iotriage.reports.escaping import escape_line, safe_url
from iotriage.reports.wrapped import MAIL, wrapped


def as_plain_text(document: CaseDocument) -> str:
    """The report of a case. A line is longer than 72 columns only where a command or one word is."""
    return render_plain_text(report_blocks(document))


def render_plain_text(blocks: Iterable[Block]) -> str:
    return "\n\n".join("\n".join(_written(block)) for block in blocks) + "\n"


def _written(block: Block) -> list[str]:
    match block:
        case Heading(level, text):
            lines = _wrapped(text)
            return [*lines, {1: "=", 2: "-"}[level] * max(map(len, lines))] if level < 3 else lines
        case Paragraph(text):
            return _wrapped(text)
        case Points(items):
            return [line for item in items for line in _wrapped(item, "- ", "  ")]
        case Command(lines):
            return [f"    {line}" for line in lines]
        case Link(text, address):
            return [*_wrapped(text), safe_url(address)]
        case Table(head, rows):
            return _two_columns(rows) if len(head) == 2 else _records(head, rows)


def _two_columns(rows: tuple[tuple[str, ...], ...]) -> list[str]:
    wide = max((len(row[0]) for row in rows), default=0) + 2
    return [line for name, value in rows for line in _wrapped(value, f"{name}:".ljust(wide), " " * wide)]


def _records(head: tuple[str, ...], rows: tuple[tuple[str, ...], ...]) -> list[str]:
    """A row under its first cell: columns side by side would not fit."""
    lines = []
    for row in rows:
        lines += _wrapped(row[0], "- ", "  ")
        for name, value in zip(head[1:], row[1:], strict=True):
            lines += _wrapped(value, f"  {name.lower()}: ", "    ")
    return lines


def _wrapped(text: str, first: str = "", then: str = "") -> list[str]:
    return wrapped(escape_line(text), MAIL, first, then)
