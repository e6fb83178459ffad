"""What the answers of several tools share: fields that are found by their label, and an end that may be missing."""

from __future__ import annotations

from collections.abc import Iterable

from iotriage_parsers.evidence import Lines, Problem, StorageLayout, StripeField
from iotriage_parsers.text.blocks import BlockResult


def text_of(fields: Iterable[StripeField], label: str) -> str | None:
    """The text of the first field with this label; None where none has it."""
    return next((f.text for f in fields if f.label == label), None)


def result(layout: StorageLayout, what: str, lines: Lines, *, torn: bool) -> BlockResult:
    """With a problem where the answer, `what`, is `torn`: it ends within one of its lines."""
    if not torn:
        return BlockResult((layout,))
    message = f"{what} at lines {lines.first}-{lines.last} is cut off: what stands before is read"
    return BlockResult((layout,), (Problem("unterminated", message, loses_data=True, line=lines.first),))
