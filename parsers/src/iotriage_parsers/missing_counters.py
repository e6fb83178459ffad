"""Which counters that records lack were read for a result.

A formula that adds up a column cannot tell the records that have no such counter from those that have 0, and one that
reads four columns would have to ask of each. Instead a table notes it whenever such a column is read, as a spreadsheet
knows the cells of a formula: what was worked out of it is then known to lack something, however many functions stand
between.
"""

from __future__ import annotations

from collections.abc import Iterable
from threading import local
from typing import TYPE_CHECKING, Final, Literal

from iotriage_parsers.frozen import frozen

if TYPE_CHECKING:
    from iotriage_parsers.evidence.darshan import CounterTable


@frozen
class MissingCounter:
    """A column of a table that some of its records, or all, do not have."""

    table: CounterTable
    counter: str


NONE_MISSING: Final[frozenset[MissingCounter]] = frozenset()

Notes = set[MissingCounter] | Literal["nobody asks"] | None


class _OfThread(local):
    """The notes of the result that the thread works out: none yet where it is None."""

    notes: Notes = "nobody asks"


_thread = _OfThread()


def begin_notes() -> Notes:
    """From here on what is missing is noted for a result of its own. What is returned belongs to `end_notes`."""
    outer, _thread.notes = _thread.notes, None
    return outer


def end_notes(outer: Notes) -> frozenset[MissingCounter]:
    """What was noted since `begin_notes`. Of the outer result nothing of it is noted, unless by `note_missing`."""
    found, _thread.notes = _thread.notes, outer
    return frozenset(found) if isinstance(found, set) else NONE_MISSING


def note_missing(counters: Iterable[MissingCounter]) -> None:
    """Notes them for the result that is worked out, if one is."""
    notes = _thread.notes
    if isinstance(notes, set):
        notes.update(counters)
    elif notes is None:
        _thread.notes = set(counters)
