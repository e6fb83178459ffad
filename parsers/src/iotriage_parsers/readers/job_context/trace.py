"""The trace that `set -x` leaves in a job's output: `+ srun --ntasks=256 ./app`, each command as the shell ran it."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Final

from iotriage_parsers.evidence import Problem
from iotriage_parsers.readers.job_context.branches import Branches
from iotriage_parsers.readers.job_context.launches.launch import LAUNCHERS
from iotriage_parsers.readers.job_context.script import ScriptMachine
from iotriage_parsers.readers.mpich_environment import stats_2_note
from iotriage_parsers.text.blocks import BlockResult, LineResult
from iotriage_parsers.text.lines import Line

_TRACED: Final = r"\+{1,8} "
"""One + for each shell that another started; PS4 may set another sign, which nothing tells from output."""

TRACE_FIRST: Final = (
    rf"{_TRACED}(?:export [A-Za-z_]\w{{0,80}}=|(?:/[\w./-]{{1,200}}/)?(?:{'|'.join(map(re.escape, LAUNCHERS))})\s)"
)
TRACE_ANCHORS: Final = (b"+ /", *(f"+ {name}".encode() for name in LAUNCHERS))

_LINE: Final = re.compile(rf"{_TRACED}(.*)")


class TraceMachine(ScriptMachine):
    """Lines that begin with the sign, among any others. What a script only asked for stands here as it was: variables
    are filled in, and of several branches there is the one that was taken. It may show a part of the script only;
    without a launch it is ordinary output."""

    source = "trace"

    def __init__(self, line: Line) -> None:
        super().__init__(Line(line.number, "", line.ended), ())
        self._settings_alone = False
        self._branches = Branches(taken=True)
        self._unread: list[Problem] = []
        self._interpreter = True
        self.feed(line)

    def feed(self, line: Line) -> LineResult:
        traced = _LINE.fullmatch(line.text.strip())
        if traced is None:
            return LineResult.FOREIGN
        note = stats_2_note(traced.group(1), line.number)
        if note is not None:
            self._unread.append(note)
        return super().feed(Line(line.number, traced.group(1), line.ended))

    def close(self) -> BlockResult:
        """A line that ends in a backslash goes on in no other: the trace has whole commands."""
        self._pending = None
        found = super().close()
        return replace(found, problems=(*self._unread, *found.problems))

    @property
    def _is_script(self) -> bool:
        return bool(self._launches)
