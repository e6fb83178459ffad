"""Complaints of one kind added up: by line, by run, and over the whole text."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice
from typing import Final

from iotriage_parsers.evidence import DvsStripeWarning, FailedCall, InternalError, IoError, MpichAbort, Part
from iotriage_parsers.readers.mpich_warnings.lines import (
    ERRNO_NAMES,
    WHOLE,
    Assertion,
    Complaint,
    Operation,
    operation_of,
)

MOST_SHOWN: Final = 20
"""So many calls, files, nodes and lines of text a part shows."""
MOST_RANKS: Final = 64
_MOST_DISTINCT: Final = 1_000_000
_LEAST_OF_A_COPY: Final = 4
"""Calls, of two ranks at least, that are seldom told twice in one order but where their lines were copied."""

_Key = tuple[Operation, int | None]


@dataclass(slots=True)
class _Sum:
    message: str | None = None
    count: int = 0
    length_bytes: int = 0
    last: int = 0
    ranks: set[int] = field(default_factory=set)
    files: dict[str, None] = field(default_factory=dict)
    calls: list[FailedCall] = field(default_factory=list)


class IoErrorSums:
    """Failed calls by operation and errno. Those of torn lines are kept one by one, until `parts`."""

    def __init__(self) -> None:
        self._sums: dict[_Key, _Sum] = {}

    def add(self, error: Complaint) -> None:
        """Counts the error of one line."""
        call = error.call
        held = self._sums.setdefault((error.operation, error.errno), _Sum(error.message))
        held.message = held.message or error.message
        held.count += 1
        held.length_bytes += call.length_bytes or 0
        held.last = max(held.last, call.last_line)
        if call.rank is not None and len(held.ranks) < _MOST_DISTINCT:
            held.ranks.add(call.rank)
        if call.file is not None and len(held.files) < _MOST_DISTINCT:
            held.files[call.file] = None
        if len(held.calls) < MOST_SHOWN or not call.complete:
            held.calls.append(call)

    def counts(self, text: str, line: int) -> bool:
        """Counts a whole line of a kind of which no more calls are shown; False where it is none, or is to be shown."""
        whole_line = WHOLE.match(text)
        held = None if whole_line is None else self._sums.get((operation_of(text), int(whole_line[4])))
        if whole_line is None or held is None or len(held.calls) < MOST_SHOWN:
            return False
        held.count += 1
        held.length_bytes += int(whole_line[8])
        held.last = max(held.last, line)
        if len(held.ranks) < _MOST_DISTINCT:
            held.ranks.add(int(whole_line[5]))
        if len(held.files) < _MOST_DISTINCT:
            held.files[whole_line[2]] = None
        return True

    def parts(self) -> tuple[IoError, ...]:
        """One part a kind, with all ranks and files: `whole` bounds them."""
        return tuple(_part(key, held) for key, held in self._sums.items())


def _part(key: _Key, held: _Sum) -> IoError:
    operation, errno = key
    return IoError(
        operation=operation,
        errno=errno,
        name=None if errno is None else ERRNO_NAMES.get(errno),
        message=held.message,
        count=held.count,
        rank_count=len(held.ranks),
        ranks=tuple(sorted(held.ranks)),
        file_count=len(held.files),
        files=tuple(held.files),
        length_bytes=held.length_bytes,
        calls=tuple(held.calls),
        line=held.calls[0].line,
        last_line=held.last,
    )


def whole(parts: Sequence[Part]) -> tuple[Part, ...]:
    """The parts of all runs, one for each kind, bounded. A torn error line whose rest was found is counted once."""
    errors = [p for p in parts if isinstance(p, IoError)]
    copies = {id(p) for p in copied_runs(errors)}
    errors = [p for p in errors if id(p) not in copies]
    found = wrapped_lines(errors)
    kept: list[IoError] = []
    for part in errors:
        calls = tuple(c for c in part.calls if c.complete or c.line not in found)
        dropped = len(part.calls) - len(calls)
        if part.count > dropped:
            # The file of a dropped line is named by the whole one too.
            kept.append(replace(part, count=part.count - dropped, calls=calls))
    internal = internal_sums(p for p in parts if isinstance(p, InternalError))
    aborts = abort_sums(p for p in parts if isinstance(p, MpichAbort))
    return (
        *dvs_sums(p for p in parts if isinstance(p, DvsStripeWarning)),
        *_merged_errors(kept),
        *(replace(p, ranks=p.ranks[:MOST_RANKS]) for p in internal),
        *(replace(p, ranks=p.ranks[:MOST_RANKS], nodes=p.nodes[:MOST_SHOWN]) for p in aborts),
    )


def copied_runs(parts: Iterable[IoError]) -> tuple[IoError, ...]:
    """Those of which one earlier one has the same calls, as where a mail quotes what stands in it. What stands there
    more often fails so at each step."""
    alike: dict[IoError, list[IoError]] = {}
    for part in parts:
        calls = tuple(replace(call, line=0, last_line=0) for call in part.calls)
        if len(calls) >= _LEAST_OF_A_COPY and part.rank_count > 1 and all(call.complete for call in calls):
            alike.setdefault(replace(part, calls=calls, line=0, last_line=0), []).append(part)
    return tuple(found[1] for found in alike.values() if len(found) == 2)


def wrapped_lines(parts: Iterable[IoError]) -> frozenset[int]:
    """Where messages begin of which the rest was found on the lines below."""
    return frozenset(c.line for p in parts for c in p.calls if c.complete and c.last_line > c.line)


def _merged_errors(parts: Iterable[IoError]) -> tuple[IoError, ...]:
    groups: dict[_Key, list[IoError]] = {}
    for part in parts:
        groups.setdefault((part.operation, part.errno), []).append(part)
    return tuple(_merged_group(group) for group in groups.values())


def _merged_group(group: Sequence[IoError]) -> IoError:
    ranks = sorted({r for p in group for r in p.ranks})
    files = tuple(dict.fromkeys(f for p in group for f in p.files))
    calls = sorted((c for p in group for c in p.calls), key=lambda c: c.line)
    return replace(
        group[0],
        message=next((p.message for p in group if p.message), None),
        count=sum(p.count for p in group),
        rank_count=len(ranks),
        ranks=tuple(ranks[:MOST_RANKS]),
        file_count=len(files),
        files=files[:MOST_SHOWN],
        length_bytes=sum(p.length_bytes for p in group),
        calls=tuple(calls[:MOST_SHOWN]),
        line=min(p.line for p in group),
        last_line=max(p.last_line for p in group),
    )


def dvs_sums(parts: Iterable[DvsStripeWarning]) -> list[DvsStripeWarning]:
    """One part for each pair of widths."""
    groups: dict[tuple[int, int], list[DvsStripeWarning]] = {}
    for part in parts:
        groups.setdefault((part.requested_width, part.set_width), []).append(part)
    return [
        replace(g[0], count=sum(p.count for p in g), last_line=max(p.last_line for p in g)) for g in groups.values()
    ]


def internal_sums(parts: Iterable[InternalError]) -> list[InternalError]:
    """One part for each place in the library's source; all ranks are kept."""
    groups: dict[tuple[str, str | None, int | None], list[InternalError]] = {}
    for part in parts:
        groups.setdefault((part.function, part.source, part.source_line), []).append(part)
    return [_internal_sum(group) for group in groups.values()]


def abort_sums(parts: Iterable[MpichAbort]) -> list[MpichAbort]:
    """One part for each code; all ranks and nodes are kept."""
    groups: dict[int, list[MpichAbort]] = {}
    for part in parts:
        groups.setdefault(part.code, []).append(part)
    return [_abort_sum(group) for group in groups.values()]


def internal_error(line: Assertion, shown: str, number: int) -> InternalError:
    """The evidence of one line."""
    ranks = () if line.rank is None else (line.rank,)
    return InternalError(
        line.function, line.source, line.source_line, line.message, 1, len(ranks), ranks, (shown,), number, number
    )


def explained(part: InternalError, shown: str, number: int) -> InternalError:
    """`part` with one more line of its text."""
    return replace(part, text=(*part.text, shown)[:MOST_SHOWN], last_line=number)


def _internal_sum(group: Sequence[InternalError]) -> InternalError:
    ranks = tuple(sorted({r for p in group for r in p.ranks}))
    return replace(
        group[0],
        count=sum(p.count for p in group),
        rank_count=len(ranks),
        ranks=ranks,
        text=tuple(islice((text for p in group for text in p.text), MOST_SHOWN)),
        last_line=max(p.last_line for p in group),
    )


def _abort_sum(group: Sequence[MpichAbort]) -> MpichAbort:
    ranks = tuple(sorted({r for p in group for r in p.ranks}))
    return replace(
        group[0],
        count=sum(p.count for p in group),
        rank_count=len(ranks),
        ranks=ranks,
        nodes=tuple(dict.fromkeys(n for p in group for n in p.nodes)),
        last_line=max(p.last_line for p in group),
    )
