"""What MPICH_MPIIO_TIMERS=2 prints below the box, behind two bars: each collective call's waiting, and the ranks that
were late, slow and quick by number.

`Time` of a late arriver is the least that anybody waited in that call: who came last waited least. `Rank = 0` with no
time at all names nobody. Lines of another block may stand among these, so each is believed only where its time is one
that the block itself prints.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Final

from iotriage_parsers.evidence import MpiioTimers, NamedRank, Phase, Problem, Spread, TimersRow
from iotriage_parsers.evidence.mpiio_timers import RankRole
from iotriage_parsers.readers.mpich_timers.rows import figures, is_header
from iotriage_parsers.text.lines import Line
from iotriage_parsers.text.numbers import ONLY_FIGURES, count

BARS: Final = "||"
MOST_LINES: Final = 100_000

_LEVEL: Final = re.compile(r"Level (\d{1,3}) details (\S.{0,80})")
_NAMED: Final = re.compile(r"(\S.{0,80}?)\s+Time\s*=\s*(\d{1,19})\s+Rank\s*=\s*(\d{1,19})")
_CALL: Final = re.compile(r"\.(\d{1,9})$")
_WAIT: Final = re.compile(r"wait for coll\.\d{1,9}")
_ROLES: Final[tuple[tuple[re.Pattern[str], RankRole], ...]] = (
    (re.compile(r"Late arriver among [a-z ]{1,30} waitforcoll\.\d+"), "late arriver"),
    (re.compile(r"Slow (?:writer file write|reader file read)"), "slowest access"),
    (re.compile(r"Quick (?:writer file write|reader file read)"), "quickest access"),
    (re.compile(r"Slow group unlock (?:writer|reader)"), "slowest group unlock"),
    (re.compile(r"Quick group unlock (?:writer|reader)"), "quickest group unlock"),
)


@dataclass(slots=True)
class Details:
    """The lines below one box as they come; `rows` are all that say something."""

    level: int | None = None
    rows: list[TimersRow] = field(default_factory=list)
    phases: list[Phase] = field(default_factory=list)
    named: list[NamedRank] = field(default_factory=list)
    unknown: list[TimersRow] = field(default_factory=list)
    torn: list[int] = field(default_factory=list)
    _open: Line | None = None
    """What stands on the last line, without its bars."""

    def take(self, line: Line) -> None:
        """`line` begins with the bars."""
        body = line.text.strip().removeprefix(BARS).strip()
        self._open = line._replace(text=body)
        self._take(line, body)

    def goes_on(self, line: Line) -> bool:
        """Whether the last line was broken and this is the rest of it: by a mail program at a blank, which makes it
        whole, or by a terminal within a figure, which makes it none."""
        above, rest = self._open, line.text.strip()
        self._open = None
        if above is None or line.number != above.number + 1 or not (line.ended and rest):
            return False
        joined = f"{above.text} {rest}"
        if not _is_whole(above.text) and _is_whole(joined):
            self.leave_out(lambda number: number == above.number)
            self._take(above, joined)
            return True
        if above.text[-1:].isdigit() and ONLY_FIGURES.fullmatch(rest):
            self.leave_out(lambda number: number == above.number)
            self.torn.append(above.number)
            return True
        return False

    def _take(self, line: Line, body: str) -> None:
        level = _LEVEL.match(body)
        if level is not None:
            self.level = int(level.group(1))
            return
        if is_header(body) or len(self.rows) >= MOST_LINES:
            return
        if not line.ended:
            self.torn.append(line.number)
            return
        named = _NAMED.fullmatch(body)
        if named is not None:
            self._name(named, line.number)
            return
        label, equals, text = body.partition("=")
        row = TimersRow(" ".join(label.split()), text.strip(), line.number)
        self.rows.append(row)
        if not equals or not self._phase(row):
            self.unknown.append(row)

    def leave_out(self, is_cut: Callable[[int], bool]) -> None:
        """Lines that end where all of the block are cut have no figures."""
        self.rows = [row for row in self.rows if not is_cut(row.line)]
        self.phases = [phase for phase in self.phases if not is_cut(phase.line)]
        self.named = [named for named in self.named if not is_cut(named.line)]
        self.unknown = [row for row in self.unknown if not is_cut(row.line)]

    def confirmed(self, block: MpiioTimers) -> tuple[MpiioTimers, tuple[Problem, ...]]:
        """The block with the details that are its own, and what is wrong with the others."""
        problems = [
            Problem("torn", f"line {n} of the details is cut off: left out", loses_data=True, line=n) for n in self.torn
        ]
        for row in self.unknown:
            message = f'"{row.label}" is a detail that no known layout has: kept as it stands, judged by nothing'
            problems.append(Problem("unknown-field", message, where=row.label, line=row.line))
        with_phases = replace(
            block, detail_level=self.level, details=tuple(self.phases), rows=(*block.rows, *self.rows)
        )
        waits: dict[str, Spread] = {}
        for phase in self.phases:
            waits.setdefault(phase.label, phase.ticks)
        own: list[NamedRank] = []
        for named in self.named:
            if named.ticks in _printed_ticks(with_phases, waits, named):
                own.append(named)
            else:
                message = (
                    f"line {named.line} names rank {named.rank} for a time that its block does not print: left out"
                )
                problems.append(Problem("torn", message, loses_data=True, line=named.line))
        return replace(with_phases, named_ranks=tuple(own)), tuple(problems)

    def _name(self, match: re.Match[str], number: int) -> None:
        printed = " ".join(match.group(1).split())
        self.rows.append(TimersRow(printed, f"Time = {match.group(2)} Rank = {match.group(3)}", number))
        ticks, rank = (count(text).number for text in match.group(2, 3))
        if not isinstance(ticks, int) or not isinstance(rank, int):
            self.torn.append(number)
            return
        role: RankRole = next((role for pattern, role in _ROLES if pattern.fullmatch(printed)), "unknown")
        if role == "unknown":
            self.unknown.append(self.rows[-1])
        call = _CALL.search(printed)
        self.named.append(NamedRank(role, printed, int(call.group(1)) if call else None, ticks, rank, number))

    def _phase(self, row: TimersRow) -> bool:
        found = figures("ticks", row.text)
        numbers = tuple(c.number for c in found.counts)
        if _WAIT.fullmatch(row.label) is None or len(numbers) != 3 or None in numbers:
            return False
        self.phases.append(Phase(row.label, Spread(*numbers), found.percent, row.line))
        return True


def _is_whole(body: str) -> bool:
    """Whether it names a rank with its time, or has all columns of a call's waiting."""
    label, _, text = body.partition("=")
    found = figures("ticks", text)
    waited = _WAIT.fullmatch(" ".join(label.split())) is not None and len(found.counts) > 1
    return _NAMED.fullmatch(body) is not None or (waited and found.percent is not None)


def _printed_ticks(block: MpiioTimers, waits: Mapping[str, Spread], named: NamedRank) -> Iterator[int | float | None]:
    """The times of the block that this rank's must be one of; its own where the block has none to compare. `waits` are
    those of its calls, by label."""
    match named.role:
        case "late arriver":
            spread = waits.get(f"wait for coll.{named.call}")
            yield named.ticks if spread is None else spread.minimum
        case "slowest access":
            access = block.phase("file access")
            yield named.ticks if access is None else access.ticks.maximum
        case "quickest access":
            access = block.phase("file access")
            yield named.ticks if access is None else access.ticks.minimum
        case "slowest group unlock" | "quickest group unlock" | "unknown":
            yield named.ticks
