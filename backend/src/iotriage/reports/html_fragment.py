"""Blocks as HTML that a mail or a ticket shows: elements and attributes that every client keeps, and no style sheet."""

from __future__ import annotations

from collections.abc import Iterable

from iotriage.reports.blocks import Block, Command, Heading, Link, Paragraph, Points, Table
from iotriage.reports.escaping import escape_html, safe_url


def render_html(blocks: Iterable[Block]) -> str:
    """A fragment. Names are escaped."""
    return "\n".join(_written(block) for block in blocks) + "\n"


def _written(block: Block) -> str:
    match block:
        case Heading(level, text):
            return f"<h{level}>{escape_html(text)}</h{level}>"
        case Paragraph(text):
            return f"<p>{escape_html(text)}</p>"
        case Points(items):
            return f"<ul>{''.join(f'<li>{escape_html(item)}</li>' for item in items)}</ul>"
        case Command(lines):
            # Each line by itself: what makes a line printable takes line ends for controls.
            printable = "\n".join(escape_html(line) for line in lines)
            return f"<pre>{printable}</pre>"
        case Link(text, address):
            return f'<p><a href="{escape_html(safe_url(address))}">{escape_html(text)}</a></p>'
        case Table(head, rows):
            cells = "".join(f"<th>{escape_html(c)}</th>" for c in head)
            body = "".join(f"<tr>{''.join(f'<td>{escape_html(c)}</td>' for c in row)}</tr>" for row in rows)
            return f"<table><tr>{cells}</tr>{body}</table>"
