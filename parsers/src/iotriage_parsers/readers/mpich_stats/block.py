"""One block's lines, and what they say."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Final

from iotriage_parsers.evidence import AggregatorsActive, Lines, MpiioStats, PflComponent, Problem, StatsField
from iotriage_parsers.evidence.mpiio_stats import Direction
from iotriage_parsers.evidence.problem import ProblemCode
from iotriage_parsers.text.boxed import Row, Segment, losses, printed_label
from iotriage_parsers.text.numbers import Count, count
from iotriage_parsers.text.wording import short

_ACTIVE: Final = "aggregators active"
_AFTER_ACTIVE: Final = "total bytes for accesses"
_AVERAGES: Final = frozenset(("ave system access size", "ave access gap size"))
_IN_BYTES: Final = frozenset((_AFTER_ACTIVE, "stripe size", "read-modify-write bytes", *_AVERAGES))
# `|(?!)`: until Python 3.11.5 a possessive group whose last try failed halfway went on from there.
# https://github.com/python/cpython/issues/106052
_IN_LARGER_UNITS: Final = re.compile(
    r"(?:\s{1,8}=\s{1,8}-?[\d.]{1,20}\s{1,8}[KMGTPE]i?B|(?!))++(?:\s{1,8}=(?:\s{1,8}-?[\d.]{1,20}(?:\s{1,8}[KMGTPE]?i?)?)?)?|\s{1,8}="
)
"""What stands behind a number of bytes: `= 41943040 MiB = 40960 GiB`. Of which fields differs between versions. A mail
may have broken the line in it, or a terminal cut it."""
_CUT_AGAIN: Final = re.compile(r"(?<=\d)\s{1,8}=\s{1,8}[\d.]{1,20}(?:\s{1,8}[KMGTPE]?i?)?")
"""The same where a terminal cut it before its first unit."""
_IN_GROUPS: Final = re.compile(r"\d{1,3}(\.\d{3})+")
"""What a person's spreadsheet makes of a count: whether it is one or a fraction cannot be told."""

LABELS: Final[tuple[tuple[str, str | None, str], ...]] = (
    ("ranks in communicator", "ranks in communicator", "ranks in communicator"),
    ("independent writes", "independent reads", "independent accesses"),
    ("collective writes", "collective reads", "collective accesses"),
    ("independent writers", "independent readers", "independent accessors"),
    ("aggregators", "aggregators", "aggregators"),
    ("stripe count", "stripe count", "stripe count"),
    ("stripe size", "stripe size", "stripe size"),
    ("system writes", "system reads", "system accesses"),
    ("stripe sized writes", "stripe sized reads", "stripe sized accesses"),
    (_ACTIVE, None, _ACTIVE),
    ("total bytes for writes", "total bytes for reads", "total bytes for accesses"),
    ("ave system write size", "ave system read size", "ave system access size"),
    ("read-modify-write count", None, "read-modify-write count"),
    ("read-modify-write bytes", None, "read-modify-write bytes"),
    ("number of write gaps", "number of read gaps", "number of access gaps"),
    ("ave write gap size", "ave read gap size", "ave access gap size"),
)
"""As printed for writes, as printed for reads (None: not printed), and with the direction taken out."""

_OPTIONAL: Final = frozenset(("ranks in communicator", "stripe sized accesses", _ACTIVE))
"""Not in every layout; version 8.1 prints the aggregators that were active only where there were collective calls."""

KNOWN: Final[dict[Direction, dict[str, str]]] = {
    "write": {write: plain for write, _, plain in LABELS},
    "read": {read: plain for _, read, plain in LABELS if read is not None},
}
EXPECTED: Final[dict[Direction, tuple[str, ...]]] = {
    direction: tuple(plain for plain in known.values() if plain not in _OPTIONAL) for direction, known in KNOWN.items()
}
"""The fields that every known layout has."""

PRINTED: Final[dict[Direction, tuple[str, ...]]] = {
    direction: tuple(printed for printed, plain in known.items() if plain not in _OPTIONAL)
    for direction, known in KNOWN.items()
}
"""The same as they are printed."""

OTHER: Final[dict[Direction, Direction]] = {"write": "read", "read": "write"}


_ACTIVE_VALUE: Final = re.compile(r"(\S+?)\s*,\s*(\S+?)\s*,\s*(\S+?)\s*,\s*(\S+)\s+\(1, <= \S+, > \S+, (\S+)\)")


@dataclass(slots=True)
class StatsSegment(Segment):
    """`pfl` are the lines above the box that tell the components of its file's layout."""

    pfl: list[PflComponent] = field(default_factory=list)

    @property
    def expected(self) -> tuple[str, ...]:
        expected = EXPECTED[self.direction]
        calls = self.row("collective accesses")
        if self.direction == "read" or (calls is not None and count(calls.text).number == 0):
            return expected
        at = expected.index(_AFTER_ACTIVE)
        return (*expected[:at], _ACTIVE, *expected[at:])

    @property
    def at_end(self) -> bool:
        """Whether its last field is there: no more of its lines can come."""
        return self.row(self.expected[-1]) is not None

    @property
    def in_order(self) -> bool:
        order = tuple(KNOWN[self.direction].values())
        places = [order.index(r.label) for r in self.rows]
        return places == sorted(places)


def is_known(printed: str) -> bool:
    """Whether some known layout prints this label, in either direction."""
    return printed in KNOWN["write"] or printed in KNOWN["read"]


def segment_problems(segment: StatsSegment, lines: Lines, boxed: bool) -> Iterator[Problem]:
    """What the lines of the block lack: ends, fields, or parts of lines."""
    return losses(segment, lines, boxed=boxed, parts="fields", labels=KNOWN[segment.direction])


def _fields(segment: StatsSegment) -> tuple[tuple[StatsField, ...], tuple[Problem, ...]]:
    fields: list[StatsField] = []
    problems: list[Problem] = []
    for row in sorted((*segment.rows, *segment.unknown), key=lambda r: r.line):
        unknown = row in segment.unknown
        if unknown:
            message = f'"{row.label}" is a field that no known layout has: kept as it stands, used nowhere'
            problems.append(Problem("unknown-field", message, where=row.label, line=row.line))
        if row.torn or row.label == _ACTIVE:
            fields.append(StatsField(row.label, row.text, None, row.line))
            if row.label == _ACTIVE and not row.torn and _active(row.text) is None:
                problems.append(
                    _wrong(segment, row, "unrecognised-number", "unrecognised number: left out", loses_data=True)
                )
            continue
        read = _count(row, bool(segment.cut))
        fields.append(StatsField(row.label, row.text, read.number, row.line))
        if read.code is not None and not unknown:
            loses = read.number is None and not (read.code == "not-a-number" and row.label in _AVERAGES)
            problems.append(_wrong(segment, row, read.code, read.why, loses))
    return tuple(fields), tuple(problems)


def may_go_on(row: Row, ends_there: bool) -> bool:
    """Whether figures of a row may stand behind the column at which all lines are cut: behind the first number of
    bytes it is only said again."""
    if row.label == _ACTIVE:
        return _active(row.text) is None
    return ends_there and (row.label not in _IN_BYTES or " " not in row.text)


def _count(row: Row, cut: bool) -> Count:
    text = _without_larger_units(row.text) if row.label in _IN_BYTES else row.text
    if cut and row.label in _IN_BYTES:
        text = _CUT_AGAIN.sub("", text)
    if row.label not in _AVERAGES and _IN_GROUPS.fullmatch(text):
        return Count(None, "unrecognised-number", "unrecognised number: left out")
    return count(text)


def _without_larger_units(text: str) -> str:
    """The number alone, where the rest of the line only says it again; the whole text where it says anything else."""
    number = re.match(r"\S+", text)
    return number.group() if number is not None and _IN_LARGER_UNITS.fullmatch(text, number.end()) else text


def _wrong(segment: StatsSegment, row: Row, code: ProblemCode, why: str, loses_data: bool) -> Problem:
    label = printed_label(row.label, KNOWN[segment.direction])
    return Problem(code, f'"{label}" is {short(row.text)} on line {row.line}: {why}', loses_data, line=row.line)


def untrusted_part(segment: StatsSegment, lines: Lines, with_text: bool) -> MpiioStats:
    """The block without any number; its lines as text only where they can be told from those of others."""
    rows = sorted((*segment.rows, *segment.unknown), key=lambda r: r.line)
    fields = tuple(StatsField(r.label, r.text, None, r.line) for r in rows) if with_text else ()
    return MpiioStats(segment.direction, segment.file, 1, lines, complete=False, trusted=False, fields=fields)


def trusted_part(segment: StatsSegment, lines: Lines) -> tuple[MpiioStats, tuple[Problem, ...]]:
    """The block with the numbers that can be used, and what is wrong with the others."""
    fields, problems = _fields(segment)
    return _part(segment, fields, lines), problems


def _part(segment: StatsSegment, fields: tuple[StatsField, ...], lines: Lines) -> MpiioStats:
    numbers = {f.label: f.number for f in reversed(fields)}

    def whole(label: str) -> int | None:
        number = numbers.get(label)
        if isinstance(number, float):
            return int(number) if label in _AVERAGES else None
        return number

    active = segment.row(_ACTIVE)
    return MpiioStats(
        direction=segment.direction,
        file=segment.file,
        occurrence=1,
        lines=lines,
        complete=not (segment.missing or segment.torn or segment.cut),
        trusted=True,
        ranks_in_communicator=whole("ranks in communicator"),
        independent_accesses=whole("independent accesses"),
        collective_accesses=whole("collective accesses"),
        independent_accessors=whole("independent accessors"),
        aggregators=whole("aggregators"),
        stripe_count=whole("stripe count"),
        stripe_size_bytes=whole("stripe size"),
        system_accesses=whole("system accesses"),
        stripe_sized_accesses=whole("stripe sized accesses"),
        aggregators_active=_active(active.text) if active is not None and not active.torn else None,
        total_bytes=whole("total bytes for accesses"),
        average_system_access_bytes=whole("ave system access size"),
        rmw_count=whole("read-modify-write count"),
        rmw_bytes=whole("read-modify-write bytes"),
        gap_count=whole("number of access gaps"),
        average_gap_bytes=whole("ave access gap size"),
        pfl=tuple(segment.pfl),
        fields=fields,
    )


def _active(text: str) -> AggregatorsActive | None:
    match = _ACTIVE_VALUE.fullmatch(text)
    if match is None:
        return None
    numbers = [count(number).number for number in match.groups()]
    whole = [n for n in numbers if isinstance(n, int)]
    # Of no aggregators at all, nothing is a share.
    return AggregatorsActive(*whole) if len(whole) == len(numbers) and whole[-1] > 0 else None
