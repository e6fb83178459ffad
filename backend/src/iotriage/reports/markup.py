"""Blocks as HTML that a mail or a ticket shows: elements and attributes that every client keeps, and no style sheet."""

from __future__ import annotations

from collections.abc import Iterable

from iotriage.reports.blocks import Block, Command, Heading, Link, Paragraph, Points, Table
from iotriage.reports.escaping import in_address, in_markup


def blocks_in_markup(blocks: Iterable[Block]) -> str:
    """A fragment. Names are escaped."""
    return "\n".join(_written(block) for block in blocks) + "\n"


def _written(block: Block) -> str:
    match block:
        case Heading(level, text):
            return f"<h{level}>{in_markup(text)}</h{level}>"
        case Paragraph(text):
            return f"<p>{in_markup(text)}</p>"
        case Points(items):
            return f"<ul>{''.join(f'<li>{in_markup(item)}</li>' for item in items)}</ul>"
        case Command(lines):
            # Each line by itself: what makes a line printable takes line ends for controls.
            printable = "\n".join(in_markup(line) for line in lines)
            return f"<pre>{printable}</pre>"
        case Link(text, address):
            return f'<p><a href="{in_markup(in_address(address))}">{in_markup(text)}</a></p>'
        case Table(head, rows):
            cells = "".join(f"<th>{in_markup(c)}</th>" for c in head)
            body = "".join(f"<tr>{''.join(f'<td>{in_markup(c)}</td>' for c in row)}</tr>" for row in rows)
            return f"<table><tr>{cells}</tr>{body}</table>"
