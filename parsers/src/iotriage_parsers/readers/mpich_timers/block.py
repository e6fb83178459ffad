"""One block's lines, and what they say."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import Final

from iotriage_parsers.evidence import Lines, MpiioTimers, Phase, Problem, Spread, TimersRow
from iotriage_parsers.evidence.mpiio_stats import Direction
from iotriage_parsers.readers.mpich_timers.rows import KIND, KNOWN, LAYOUT, MIB, ORDER, Figures, Kind, exponent, figures
from iotriage_parsers.text.boxed import Row, Segment, losses, short
from iotriage_parsers.text.numbers import Count

TITLE: Final = re.compile(r"(?:\|[ \t]*)?MPIIO (write|read) by phases, ([a-z][a-z ]{0,30}), for ")
RULE: Final = re.compile(r"\+-{20,}+\+?")
MOST_ROWS: Final = 200

_POINT: Final = 1.01
"""Percents are cut to integers, or rounded: up to a point from the figures, and a little for their own rounding."""


@dataclass(slots=True)
class TimersSegment(Segment):
    """`ranks` says whose times they are, as the title has it."""

    ranks: str = ""

    @property
    def seen_layout(self) -> bool:
        """Whether it is of the one layout that was ever seen, so that rows can be missed."""
        return (self.direction, self.ranks) == ("write", "all ranks")

    @property
    def expected(self) -> tuple[str, ...]:
        """What a layout that was never seen has is not known; it is taken to have a total, and to end alike."""
        return ORDER if self.seen_layout else ("total", ORDER[-1])

    @property
    def in_order(self) -> bool:
        return all(ORDER.index(a.label) < ORDER.index(b.label) for a, b in pairwise(self.rows))


def segment_of(title: re.Match[str], text: str, number: int) -> TimersSegment:
    """The segment that a title line begins; a rule that another writer put into the line is cut off."""
    name = text[title.end() :]
    rule = RULE.search(name)
    direction: Direction = "write" if title.group(1) == "write" else "read"
    segment = TimersSegment(
        number, direction, (name[: rule.start()] if rule else name).strip(), ranks=title.group(2), last=number
    )
    if rule:
        segment.torn.append(number)
    return segment


def untrusted_part(segment: TimersSegment, lines: Lines) -> MpiioTimers:
    """The block without any number."""
    return MpiioTimers(segment.direction, segment.ranks, segment.file, 1, lines, complete=False, trusted=False)


def trusted_part(segment: TimersSegment, lines: Lines) -> tuple[MpiioTimers, tuple[Problem, ...]]:
    """The block with the numbers that can be used, and what is wrong with the others."""
    read = {r.label: figures(KIND[r.label], r.text) for r in segment.rows if not r.torn and KIND[r.label] != "scale"}
    total = _whole(read.get("total"))
    scale = segment.row("time scale")
    phases = [*_phases(segment.rows, read), *_unknown_phases(segment.unknown)]
    spread = read.get("open/close/trunc time")
    part = MpiioTimers(
        direction=segment.direction,
        ranks=segment.ranks,
        file=segment.file,
        occurrence=1,
        lines=lines,
        complete=not segment.missing and not segment.torn,
        trusted=True,
        active_ranks=_whole(read.get("active ranks")),
        idle_ranks=_whole(read.get("idle ranks")),
        open_close_trunc_s=_spread(spread.counts) if spread is not None and spread.counts else None,
        scale_exponent=exponent(scale.text) if scale is not None else None,
        total_ticks=total,
        phases=tuple(sorted(phases, key=lambda p: p.line)),
        data_send_bandwidth=_rate(read.get("data send BW")),
        raw_bandwidth=_rate(read.get("raw BW")),
        net_bandwidth=_rate(read.get("net BW")),
        rows=tuple(
            TimersRow(r.printed, r.text, r.line) for r in sorted((*segment.rows, *segment.unknown), key=_by_line)
        ),
    )
    return part, (*_row_problems(segment, read), *_percent_problems(part))


def fits(phase: Phase, total: int | None) -> bool:
    """Whether the printed percent is that of the average in the total, as far as both are there."""
    if phase.percent is None or phase.ticks.average is None or not total:
        return True
    return abs(100 * phase.ticks.average / total - phase.percent) <= _POINT


def segment_problems(segment: TimersSegment, lines: Lines, boxed: bool) -> Iterator[Problem]:
    """What the lines of the block lack: ends, rows, or parts of lines."""
    yield from losses(segment, lines, boxed=boxed, printed=printed_label)
    if not boxed or segment.closed or segment.missing:
        return
    name = f'the block of "{short(segment.file)}" (lines {lines.first}-{lines.last})'
    if segment.seen_layout:
        yield Problem("unterminated", f"{name} has all its rows but no closing line", line=segment.line)
    else:
        yield Problem("unterminated", f"{name} has no closing line", loses_data=True, line=segment.line)


def printed_label(direction: Direction, label: str) -> str:
    """The label as MPICH prints it for this direction."""
    return next(write if direction == "write" else read for known, _, write, read in LAYOUT if known == label)


def known_label(direction: Direction, label: str) -> str | None:
    return KNOWN[direction].get(label)


def _phases(rows: list[Row], read: dict[str, Figures]) -> Iterator[Phase]:
    for row in rows:
        found = read.get(row.label)
        if KIND[row.label] == "ticks" and found is not None and found.counts:
            yield Phase(row.label, _spread(found.counts), found.percent, row.line)


def _unknown_phases(rows: list[Row]) -> Iterator[Phase]:
    """A row that no known layout has is a phase where it has three numbers and a percent, as all phases do."""
    for row in rows:
        found = figures("ticks", row.text)
        if not row.torn and found.percent is not None and all(c.number is not None for c in found.counts):
            yield Phase(row.printed, _spread(found.counts), found.percent, row.line)


def _spread(counts: tuple[Count, ...]) -> Spread:
    numbers = [c.number for c in counts]
    return Spread(*numbers) if len(numbers) > 1 else Spread(None, None, numbers[0])


def _whole(found: Figures | None) -> int | None:
    number = found.counts[0].number if found is not None and found.counts else None
    return number if isinstance(number, int) else None


def _rate(found: Figures | None) -> float | None:
    """B/s of the printed MiB/s."""
    number = found.counts[0].number if found is not None and found.counts else None
    return None if number is None else number * float(MIB)


def _row_problems(segment: TimersSegment, read: dict[str, Figures]) -> Iterator[Problem]:
    for row in segment.unknown:
        message = f'"{row.printed}" is a row that no known layout has: kept as it stands, judged by nothing'
        yield Problem("unknown-field", message, where=row.printed, line=row.line)
    for row in segment.rows:
        kind = KIND[row.label]
        if row.torn:
            continue
        if kind == "scale":
            if exponent(row.text) is None:
                yield _wrong(row, Count(None, "unrecognised-number", "unrecognised number: left out"), kind)
            continue
        found = read[row.label]
        if not found.counts:
            yield _wrong(row, Count(None, "unrecognised-number", "not as many numbers as this row has"), kind)
        for count in found.wrong():
            yield _wrong(row, count, kind)


def _wrong(row: Row, count: Count, kind: Kind) -> Problem:
    """A rate over no time at all is not a number, and nothing is lost with it."""
    loses = count.number is None and not (kind == "rate" and count.code == "not-a-number")
    assert count.code is not None
    message = f'"{row.printed}" is {short(row.text)} on line {row.line}: {count.why}'
    return Problem(count.code, message, loses, line=row.line)


def _percent_problems(part: MpiioTimers) -> Iterator[Problem]:
    for phase in part.phases:
        if not fits(phase, part.total_ticks):
            message = f'"{phase.label}" is printed as {phase.percent} % on line {phase.line}, which its ticks are not'
            yield Problem("note", message, line=phase.line)


def _by_line(row: Row) -> int:
    return row.line
