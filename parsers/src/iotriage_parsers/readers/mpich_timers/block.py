"""One block's lines, and what they say."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Final

from iotriage_parsers.evidence import Lines, MpiioTimers, Phase, PhaseSeconds, Problem, Spread, TimersRow
from iotriage_parsers.evidence.mpiio_stats import Direction
from iotriage_parsers.readers.mpich_timers.details import Details
from iotriage_parsers.readers.mpich_timers.rows import (
    COLLECTIVE,
    KIND,
    KNOWN,
    MIB,
    OF_2017,
    OF_EVERY_VERSION,
    OF_LATER_2017,
    ORDER,
    Figures,
    Kind,
    exponent,
    figures,
)
from iotriage_parsers.text.boxed import Row, Segment, losses
from iotriage_parsers.text.broken_titles import own_name
from iotriage_parsers.text.numbers import Count
from iotriage_parsers.text.wording import short

TITLE: Final = re.compile(r"(?:\|[ \t]*)?MPIIO (write|read) by phases, ([a-z][a-z ]{0,30}), for(?: |$)")
RULE: Final = re.compile(r"\+-{20,}+\+?")
MOST_ROWS: Final = 200

_POINT: Final = 1.01
"""Percents are cut to integers, or rounded: up to a point from the figures, and a little for their own rounding."""


@dataclass(slots=True)
class TimersSegment(Segment):
    """`ranks` says whose times they are, as the title has it; `details` are what stands below the box."""

    ranks: str = ""
    details: Details = field(default_factory=Details)

    @property
    def expected(self) -> tuple[str, ...]:
        of_2017 = (self.direction, self.ranks) == ("write", "all ranks") and all(r.label in OF_2017 for r in self.rows)
        return tuple(label for label in OF_2017 if label != OF_LATER_2017) if of_2017 else OF_EVERY_VERSION

    @property
    def clean(self) -> bool:
        collective = COLLECTIVE[self.direction]
        of_calls = {r.label for r in self.rows} & collective
        # Slots make a new class, of which super() without arguments does not know.
        return super(TimersSegment, self).clean and (not of_calls or of_calls == collective or not self._of_8)

    @property
    def _of_8(self) -> bool:
        """Whether it has a row that only version 8 prints."""
        return any(r.label not in OF_2017 for r in self.rows)

    @property
    def in_order(self) -> bool:
        return all(ORDER.index(a.label) < ORDER.index(b.label) for a, b in pairwise(self.rows))


def segment_of(title: re.Match[str], text: str, number: int) -> TimersSegment:
    """The segment that a title line begins; a rule, or a row, that another writer put into the line is cut off."""
    name = text[title.end() :]
    rule = RULE.search(name)
    direction: Direction = "write" if title.group(1) == "write" else "read"
    own = own_name(name[: rule.start()] if rule else name)
    segment = TimersSegment(number, direction, own.strip(), ranks=title.group(2), last=number)
    if own != name:
        segment.torn.append(number)
    return segment


def untrusted_part(segment: TimersSegment, lines: Lines) -> MpiioTimers:
    """The block without any number."""
    return MpiioTimers(segment.direction, segment.ranks, segment.file, 1, lines, complete=False, trusted=False)


def trusted_part(segment: TimersSegment, lines: Lines) -> tuple[MpiioTimers, tuple[Problem, ...]]:
    """The block with the numbers that can be used, and what is wrong with the others."""
    read = {r.label: figures(KIND[r.label], r.text) for r in segment.rows if not r.torn and KIND[r.label] != "scale"}
    total = _int_or_none(read.get("total"))
    scale = segment.row("time scale")
    phases = [*_phases(segment.rows, read), *_unknown_phases(segment.unknown)]
    part = MpiioTimers(
        direction=segment.direction,
        ranks=segment.ranks,
        file=segment.file or None,
        occurrence=1,
        lines=lines,
        complete=not (segment.missing or segment.torn or segment.cut),
        trusted=True,
        active_ranks=_int_or_none(read.get("active ranks")),
        idle_ranks=_int_or_none(read.get("idle ranks")),
        seconds=tuple(_seconds(segment.rows, read)),
        scale_exponent=exponent(scale.text) if scale is not None else None,
        total_ticks=total,
        phases=tuple(sorted(phases, key=lambda p: p.line)),
        data_send_bandwidth=_rate(read.get("data send BW")),
        data_receive_bandwidth=_rate(read.get("data receive BW")),
        raw_bandwidth=_rate(read.get("raw BW")),
        net_bandwidth=_rate(read.get("net BW")),
        rows=tuple(
            TimersRow(r.printed, r.text, r.line) for r in sorted((*segment.rows, *segment.unknown), key=_by_line)
        ),
    )
    problems = (*_row_problems(segment, read), *_percent_problems(part))
    detailed, doubts = segment.details.confirmed(part)
    return detailed, (*problems, *doubts)


def phase_of(label: str, found: Figures, line: int) -> Phase:
    """The phase that the figures of a row, of which none is missing, say."""
    return Phase(label, _spread(found.counts), found.percent, line)


def fits(phase: Phase, total: int | float | None) -> bool:
    """Whether the printed percent is that of the average in the total, as far as both are there."""
    if phase.percent is None or phase.ticks.average is None or not total:
        return True
    return abs(100 * phase.ticks.average / total - phase.percent) <= _POINT


def segment_problems(segment: TimersSegment, lines: Lines, boxed: bool) -> Iterator[Problem]:
    """What the lines of the block lack: ends, rows, or parts of lines."""
    return losses(segment, lines, boxed=boxed, parts="rows", labels=KNOWN[segment.direction])


def known_label(direction: Direction, label: str) -> str | None:
    return KNOWN[direction].get(label)


def _phases(rows: list[Row], read: dict[str, Figures]) -> Iterator[Phase]:
    for row in rows:
        found = read.get(row.label)
        if KIND[row.label] == "ticks" and found is not None and found.counts:
            yield phase_of(row.label, found, row.line)


def _seconds(rows: list[Row], read: dict[str, Figures]) -> Iterator[PhaseSeconds]:
    for row in rows:
        found = read.get(row.label)
        if KIND[row.label] == "seconds" and found is not None and found.counts:
            yield PhaseSeconds(row.label, _spread(found.counts), row.line)


def _unknown_phases(rows: list[Row]) -> Iterator[Phase]:
    """A row that no known layout has is a phase where it has three numbers and a percent, as all phases do."""
    for row in rows:
        found = figures("ticks", row.text)
        if not row.torn and found.percent is not None and all(c.number is not None for c in found.counts):
            yield phase_of(row.printed, found, row.line)


def _spread(counts: tuple[Count, ...]) -> Spread:
    numbers = [c.number for c in counts]
    return Spread(*numbers) if len(numbers) > 1 else Spread(None, None, numbers[0])


def _int_or_none(found: Figures | None) -> int | None:
    number = found.counts[0].number if found is not None and found.counts else None
    return number if isinstance(number, int) else None


def _rate(found: Figures | None) -> float | None:
    """Bytes per second of a rate that is printed in MiB/s."""
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
