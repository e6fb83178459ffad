"""Which lines are complaints, and what a run of them comes to."""

from __future__ import annotations

import re
from collections.abc import Iterable
from itertools import pairwise
from typing import Final

from iotriage_parsers.evidence import DvsStripeWarning, InternalError, MpichAbort, Problem
from iotriage_parsers.readers.mpich_warnings.lines import (
    ABORT,
    ASSERTION,
    BROKEN_PLACE,
    DVS,
    DVS_HELP,
    INTERNAL,
    IO_ERROR,
    IO_ERROR_TAIL,
    LONGEST_MESSAGE,
    OF_ANOTHER_CALL,
    ROMIO_ERROR,
    Assertion,
    assertion,
    io_error,
    placeless,
    romio_assertion,
    romio_error,
)
from iotriage_parsers.readers.mpich_warnings.sums import (
    IoErrorSums,
    abort_sums,
    dvs_sums,
    explained,
    internal_error,
    internal_sums,
)
from iotriage_parsers.text.blocks import BlockResult, LineResult, Machine
from iotriage_parsers.text.lines import Line, plain_lines
from iotriage_parsers.text.prefix import without_shared_prefix

FOREIGN_LINES: Final = 8
"""How many other lines may stand between two complaints of one run. More only make it two runs."""
WRAPPED_LINES: Final = 4
_MOST_UNSUMMED: Final = 4096
_MOST_JOINED: Final = 32
"""In so many ways a broken place and the lines below it are joined."""

_ADIO: Final = "ADIOI_CRAY_"
_OTHER_COMPLAINTS: Final = ("MPIIO WARNING", "MPICH ERROR")
_OF_ROMIO: Final = "Error in ADIOI_"
_FAILED: Final = "Assertion failed in file"
_BEGIN: Final = (
    (_ADIO, IO_ERROR),
    (_ADIO, INTERNAL),
    (_FAILED, ASSERTION),
    (_FAILED, BROKEN_PLACE),
    (_OF_ROMIO, ROMIO_ERROR),
    ("MPIIO WARNING", DVS),
    ("MPICH ERROR", ABORT),
)
"""Patterns, each with words that are cheap to look for first."""


def begins(text: str) -> int | None:
    """Where a complaint stands in `text`; the start of the line for the end of one that was wrapped."""
    found = next((m.start() for words, pattern in _BEGIN if words in text and (m := pattern.search(text))), None)
    if found is not None:
        return found
    return len(text) - len(text.lstrip()) if IO_ERROR_TAIL.search(text) and " errno=" in text else None


def start(line: Line, before: Iterable[Line]) -> Machine:
    """The machine for a run of complaints that begins with `line`."""
    if any(words in line.text and pattern.search(line.text) for words, pattern in _BEGIN):
        return WarningsMachine(line)
    return TailMachine(line, before)


class TailMachine:
    """The rest of an error line that a terminal or a paste broke, where the first part had a launcher label and
    the rest has none."""

    def __init__(self, line: Line, before: Iterable[Line]) -> None:
        self._sums = IoErrorSums()
        above = next(iter(before), None)
        head = IO_ERROR.search(above.text) if above is not None and above.number == line.number - 1 else None
        if above is not None and head is not None:
            rest = without_shared_prefix(line.text, above.text[: head.start()])
            error = io_error(above.text[head.start() :] + rest, above.number, line.ended, line.number)
            if error.call.complete:
                self._sums.add(error)

    def feed(self, line: Line) -> LineResult:  # noqa: ARG002
        return LineResult.OVER

    def close(self) -> BlockResult:
        return BlockResult(self._sums.parts())


def _cut_width(line: int) -> Problem:
    message = f"line {line} ends with the text, within or behind a DVS stripe width: it was not counted"
    return Problem("truncated", message, loses_data=True, line=line)


class WarningsMachine:
    """Takes complaints of every kind, and sums them up as they come."""

    def __init__(self, line: Line) -> None:
        self._errors = IoErrorSums()
        self._dvs: list[DvsStripeWarning] = []
        self._internal: list[InternalError] = []
        self._aborts: list[MpichAbort] = []
        self._open = Line(0, "")
        self._pieces = 0
        self._placeless: list[Line] = []
        self._foreign = 0
        self._cut: int | None = None
        self._take(line)

    def feed(self, line: Line) -> LineResult:
        if self._completes(line) or self._completes_the_place(line) or self._take(line):
            self._foreign = 0
            return LineResult.TAKEN
        self._foreign += 1
        return LineResult.OVER if self._foreign > FOREIGN_LINES else LineResult.FOREIGN

    def take(self, data: bytes, start: int, end: int, number: int) -> int:
        """Whole lines of errors that stand one below the other, as where thousands of ranks have them."""
        at = start
        for text, following in () if self._pieces else plain_lines(data, start, end):
            alone = text.startswith((_ADIO, _OF_ROMIO)) and text.find(_ADIO, 1) < 0
            if not alone or any(other in text for other in _OTHER_COMPLAINTS):
                break
            if text.startswith(_OF_ROMIO):
                if not self._romio_line(text, number):
                    break
            elif not self._errors.counts(text, number):
                error = io_error(text, number, ended=True)
                if not error.call.complete:
                    break
                self._errors.add(error)
            self._foreign = 0
            at, number = following, number + 1
        return at

    def close(self) -> BlockResult:
        self._give_up()
        self._give_up_the_place()
        self._sum_up()
        problems = () if self._cut is None else (_cut_width(self._cut),)
        return BlockResult((*self._dvs, *self._errors.parts(), *self._internal, *self._aborts), problems)

    def _take(self, line: Line) -> bool:
        text = line.text
        taken = False
        if (_ADIO in text or _FAILED in text) and (broken := BROKEN_PLACE.search(text)) is not None:
            self._placeless = [line._replace(text=broken.group().rstrip())]
            # Another rank's error may stand before it on the line.
            text, taken = text[: broken.start()], True
            line = line._replace(text=text)
        if _ADIO in text:
            failed = self._io_errors(line)
            taken = taken or failed
            if not failed and (match := INTERNAL.search(text)) is not None:
                taken = True
                self._internal_line(assertion(match), _message(text, match), line.number)
        if _FAILED in text and (match := ASSERTION.search(text)) is not None:
            taken = True
            self._internal_line(romio_assertion(match), _message(text, match), line.number)
        if _OF_ROMIO in text and self._romio_line(text, line.number):
            taken = True
        if "MPIIO WARNING" in text:
            for widths in DVS.finditer(text):
                taken = True
                if not line.ended and widths.end() == len(text):
                    self._cut = line.number
                    continue
                requested, given = (int(n) for n in widths.groups())
                self._dvs.append(DvsStripeWarning(requested, given, 1, line.number, line.number))
        abort = "MPICH ERROR" in text and not OF_ANOTHER_CALL.search(text)
        if abort and (match := ABORT.search(text)) is not None:
            taken = True
            self._aborts.append(_abort(match, line.number))
        if max(len(self._dvs), len(self._internal), len(self._aborts)) > _MOST_UNSUMMED:
            self._sum_up()
        return taken or ("See MPICH" in text and bool(DVS_HELP.search(text) or IO_ERROR_TAIL.match(text.lstrip())))

    def _internal_line(self, line: Assertion, shown: str, number: int) -> None:
        """Adds a line of an internal error. One that only explains belongs to the last one of its function."""
        if line.source is None and self._internal and self._internal[-1].function == line.function:
            self._internal[-1] = explained(self._internal[-1], shown, number)
        else:
            self._internal.append(internal_error(line, shown, number))

    def _completes_the_place(self, line: Line) -> bool:
        """Whether `line` has the rest of the place in the library's source at which an internal error was broken. The
        next error has not, and may explain this one; another line may be a further piece of it, or nothing of it."""
        if not self._placeless:
            return False
        if _ADIO in line.text or _FAILED in line.text:
            self._give_up_the_place()
            return False
        pieces = list[Line]()
        for held in self._placeless:
            for between in ("", " "):
                joined = held._replace(text=f"{held.text}{between}{line.text.strip()}")
                found = _at_its_place(joined.text)
                if found is not None:
                    self._placeless = []
                    self._internal_line(found, joined.text[:LONGEST_MESSAGE], held.number)
                    return True
                if BROKEN_PLACE.fullmatch(joined.text):
                    pieces.append(joined)
        self._placeless = [*self._placeless, *pieces][:_MOST_JOINED]
        return False

    def _give_up_the_place(self) -> None:
        """An error whose place stays broken is one nonetheless."""
        held, self._placeless = self._placeless, []
        broken = BROKEN_PLACE.fullmatch(held[0].text) if held else None
        found = None if broken is None else placeless(broken)
        if found is not None:
            self._internal.append(internal_error(found, held[0].text[:LONGEST_MESSAGE], held[0].number))

    def _romio_line(self, text: str, number: int) -> bool:
        match = ROMIO_ERROR.search(text)
        if match is None:
            return False
        self._internal.append(internal_error(romio_error(match), _message(text, match), number))
        if len(self._internal) > _MOST_UNSUMMED:
            self._internal = internal_sums(self._internal)
        return True

    def _sum_up(self) -> None:
        self._dvs = dvs_sums(self._dvs)
        self._internal = internal_sums(self._internal)
        self._aborts = abort_sums(self._aborts)

    def _io_errors(self, line: Line) -> bool:
        """Two ranks' errors may stand on one line, where one tore the other's."""
        starts = [m.start() for m in IO_ERROR.finditer(line.text)]
        for begin, end in pairwise([*starts, len(line.text)]):
            last = end == len(line.text)
            error = io_error(line.text[begin:end], line.number, line.ended or not last)
            if error.call.complete:
                self._errors.add(error)
            elif last:
                self._give_up()
                self._open, self._pieces = Line(line.number, line.text[begin:], line.ended), 1
            else:
                self._errors.add(error)
        return bool(starts)

    def _completes(self, line: Line) -> bool:
        """Whether `line` is the end of an error line that was wrapped."""
        if not self._pieces:
            return False
        if IO_ERROR.search(line.text) or self._pieces >= WRAPPED_LINES:
            self._give_up()
            return False
        joined = self._open.text + line.text
        error = io_error(joined, self._open.number, line.ended, line.number)
        if error.call.complete:
            self._errors.add(error)
            self._open, self._pieces = Line(0, ""), 0
            return True
        self._open, self._pieces = self._open._replace(text=joined[:8192], ended=line.ended), self._pieces + 1
        return False

    def _give_up(self) -> None:
        """What was left open is a torn line: its first line says what it can."""
        if self._pieces:
            self._errors.add(io_error(self._open.text, self._open.number, self._open.ended))
            self._open, self._pieces = Line(0, ""), 0


def _at_its_place(text: str) -> Assertion | None:
    """The internal error of a line that has file and line number."""
    if (match := ASSERTION.match(text)) is not None:
        return romio_assertion(match)
    found = None if (match := INTERNAL.match(text)) is None else assertion(match)
    return None if found is None or found.source is None else found


def _abort(match: re.Match[str], line: int) -> MpichAbort:
    rank, job, node, code, message = match.groups()
    return MpichAbort(int(code), message.strip()[:LONGEST_MESSAGE], job, 1, 1, (int(rank),), (node,), line, line)


def _message(text: str, match: re.Match[str]) -> str:
    return text[match.start() :].rstrip()[:LONGEST_MESSAGE]
