"""The trace that `set -x` leaves in a job's output: `+ srun --ntasks=256 ./app`, each command as the shell ran it.

A line that fills a terminal, and goes on on the next as far as that shows, may have been broken there: its last word is
not believed, nor what it sets, unless the text has a longer line.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import replace
from typing import Final

from iotriage_parsers.evidence import EnvironmentSetting, Launch, Problem
from iotriage_parsers.frozen import frozen
from iotriage_parsers.readers.job_context.branches import Branches
from iotriage_parsers.readers.job_context.launches.launch import LAUNCHERS
from iotriage_parsers.readers.job_context.launches.wrapping import WRAPPERS
from iotriage_parsers.readers.job_context.script import ScriptMachine
from iotriage_parsers.readers.mpich_environment import stats_2_note
from iotriage_parsers.text.blocks import BlockResult, LineResult
from iotriage_parsers.text.lines import Line
from iotriage_parsers.wrapped_lines import OF_TERMINALS

_TRACED: Final = r"\+{1,8} "
"""One + for each shell that another started; PS4 may set another sign, which nothing tells from output."""

_FOLDER: Final = r"(?:/[\w./-]{1,200}/)?"
_BEFORE_LAUNCHES: Final = sorted((*WRAPPERS, "exec", "command"))
_STARTS: Final = (
    rf"(?:{_FOLDER}(?:{'|'.join(map(re.escape, _BEFORE_LAUNCHES))})\s(?:.{{0,1000}}?[\s\"'])?)?"
    rf"{_FOLDER}(?:{'|'.join(map(re.escape, LAUNCHERS))})\s"
)
"""`env NAME=… srun …`, and whatever else starts a launch; what is named otherwise (`echo srun`) is none."""
TRACE_FIRST: Final = rf"{_TRACED}(?:export ['\"]?[A-Za-z_]\w{{0,80}}=|{_STARTS})"
TRACE_ANCHORS: Final = (b"+ /", *(f"+ {name}".encode() for name in (*LAUNCHERS, *_BEFORE_LAUNCHES)))

_LINE: Final = re.compile(rf"{_TRACED}(.*)")


@frozen
class _Full:
    """A line that fills a terminal of this width, and how many launches and settings were known before it."""

    line: Line
    width: int
    launches: int
    settings: int


@frozen
class _Cut:
    """What a line of this many columns says if it was not broken, and the places of what stands in its stead."""

    width: int
    problem: Problem
    launched_at: int
    launches: tuple[Launch, ...]
    set_at: int
    settings: tuple[EnvironmentSetting, ...]


class TraceMachine(ScriptMachine):
    """Lines that begin with the sign, among any others. What a script only asked for stands here as it was: variables
    are filled in, and of several branches there is the one that was taken. It may show a part of the script only;
    without a launch it is ordinary output."""

    source = "trace"

    def __init__(self, line: Line, before: Iterable[Line]) -> None:
        self._full: _Full | None = None
        self._cuts: list[_Cut] = []
        self._longest = max((len(earlier.text.rstrip()) for earlier in before), default=0)
        super().__init__(Line(line.number, "", line.ended), ())
        self._listed.alone = False
        self._branches = Branches(taken=True)
        self._unread: list[Problem] = []
        self._interpreter = True
        self.feed(line)

    def feed(self, line: Line) -> LineResult:
        traced = _LINE.fullmatch(line.text.strip())
        self._longest = max(self._longest, len(line.text.rstrip()))
        full, self._full = self._full, None
        if traced is None:
            if full is not None and line.number == full.line.number + 1 and line.text.strip():
                self._leave_out_the_end(full)
            return LineResult.FOREIGN
        note = stats_2_note(traced.group(1), line.number)
        if note is not None:
            self._unread.append(note)
        own = Line(line.number, traced.group(1), line.ended)
        if (width := len(line.text.rstrip())) in OF_TERMINALS:
            self._full = _Full(own, width, len(self._launches), len(self._environment))
        return super().feed(own)

    def _leave_out_the_end(self, full: _Full) -> None:
        """Reads the launch again without its last word; of what is set there, nothing is known but that it is."""
        number, text, _ = full.line
        launches, settings = tuple(self._launches[full.launches :]), tuple(self._environment[full.settings :])
        if not launches and not settings:
            return
        message = f"line {number} is as long as a terminal is wide, and may go on on the next: its end was left out"
        problem = Problem("torn", message, loses_data=True, line=number)
        del self._launches[full.launches :]
        if launches:
            super().feed(Line(number, text.rpartition(" ")[0], ended=True))
        self._launches[full.launches :] = [replace(one, text=f"{text} …") for one in self._launches[full.launches :]]
        self._environment[full.settings :] = [replace(one, value=f"${one.name}") for one in settings]
        if len(self._launches) - full.launches == len(launches):
            self._cuts.append(_Cut(full.width, problem, full.launches, launches, full.settings, settings))
        else:
            self._unread.append(problem)

    def _put_back(self) -> None:
        """What was left out for a width that the text does not keep to."""
        for cut in self._cuts:
            if self._longest <= cut.width:
                self._unread.append(cut.problem)
                continue
            self._launches[cut.launched_at : cut.launched_at + len(cut.launches)] = cut.launches
            self._environment[cut.set_at : cut.set_at + len(cut.settings)] = cut.settings

    def close(self) -> BlockResult:
        """A line that ends in a backslash goes on in no other: the trace has whole commands."""
        self._pending = None
        self._put_back()
        found = super().close()
        return replace(found, problems=(*self._unread, *found.problems))

    @property
    def _is_script(self) -> bool:
        return bool(self._launches)
