"""The MPI library in a job's text: MPICH_ENV_DISPLAY, the version banner, `cray-mpich/…` in a list of modules.

`MPICH_MPIIO_STATS = 0` in such a display explains a job without statistics. MPICH_MPIIO_STATS=2 writes files of its
own, one a rank, whose layout is not public: that they exist is said, nothing more.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import replace
from typing import Final

from iotriage_parsers.evidence import (
    Lines,
    MpichEnvironment,
    MpichVersion,
    Part,
    Problem,
    Setting,
    SettingsSection,
)
from iotriage_parsers.text.blocks import BlockReader, BlockResult, LineResult, Machine
from iotriage_parsers.text.commented import is_comment
from iotriage_parsers.text.lines import Line
from iotriage_parsers.wrapped_lines import OF_TERMINALS

_SECTION: Final = re.compile(r"PE[ \t]+(\d{1,9}): (MPICH[\w/ ]{0,60}? settings)[ \t]*(?:=+|:)?[ \t]*`?[ \t]*$")
_PROCESSOR: Final = re.compile(r"PE[ \t]+(\d{1,9}): MPICH processor detected:[ \t]*`?[ \t]*$")
_SETTING: Final = re.compile(r"PE[ \t]+(\d{1,9}):[ \t]+([A-Z][A-Z0-9_]{2,80})[ \t]*=(?:[ \t]+(.*))?$")
_FIRST_SETTING: Final = re.compile(r"PE[ \t]+\d{1,9}:[ \t]+(?:MPICH|FI)_[A-Z0-9_]{2,80}[ \t]*=")
_AWAITED: Final = re.compile(r"PE[ \t]+(\d{1,9}):[ \t]+(\S.*)")
"""A processor, below its title: a paste may have lost its indentation."""
_NOTE: Final = re.compile(r"PE[ \t]+(\d{1,9}):[ \t]{2,}(\S.*)")
_BANNER: Final = re.compile(
    r"CRAY MPICH version (\d{1,4}(?:\.\d{1,6}){1,4})(?![\w.])(?: \(([^()]{1,80})\))?", re.IGNORECASE
)
_BUILD: Final = re.compile(r"MPI BUILD INFO *: (.{1,200})")
_MODULE: Final = re.compile(
    r"(?<![\w/.-])cray-mpich(?:-abi|-ucx)?/(\d{1,4}(?:\.\d{1,6}){1,4})(?![\w.])(\s*\([A-Z,]{1,5}\))?"
)
_STATS_2: Final = re.compile(r"\bMPICH_MPIIO_STATS(?:=|[ \t]+=?[ \t]*)[\"']?2\b")

FOREIGN_LINES: Final = 20
"""How many other lines may stand between two lines of one display."""
MOST_RUNS: Final = 200
_VALUE: Final = re.compile(r"\S{0,400}[=:/]\w\S{0,400}")
"""What stands below a setting without a value, and may be that: most of what is empty is so, and a rule or a heading of
the program's own follows it."""
MOST_SETTINGS: Final = 2_000
_MOST_NOTES: Final = 40
_BEGIN: Final = (_SECTION, _PROCESSOR, _FIRST_SETTING, _BANNER, _MODULE, _STATS_2)

STATS_2: Final = (
    "MPICH_MPIIO_STATS=2 is set: MPICH wrote a file for each rank beside this text, and those files are not read; "
    "MPICH_MPIIO_STATS=1 prints a summary for each file here"
)


def stats_2_note(text: str, line: int) -> Problem | None:
    """The note about the files of MPICH_MPIIO_STATS=2, if `text` (a line of a script or a trace) sets it."""
    switched_off = text.lstrip().startswith("#")
    return Problem("note", STATS_2, line=line) if not switched_off and _STATS_2.search(text) else None


def _begins(text: str) -> int | None:
    # What stands before a mention is the sentence that it is in, no launcher's label. What a script does not load is
    # in a comment.
    at = next((m.start() for p in _BEGIN if (m := p.search(text))), None)
    if at is None or _SECTION.search(text) or _PROCESSOR.search(text) or _FIRST_SETTING.search(text):
        return at
    return None if is_comment(text, None) else len(text) - len(text.lstrip())


def _start(line: Line, _before: Iterable[Line]) -> Machine:
    shown = any(p.search(line.text) for p in (_SECTION, _PROCESSOR, _FIRST_SETTING))
    return _DisplayMachine(line) if shown else _MentionMachine(line)


class _MentionMachine:
    """A version, or MPICH_MPIIO_STATS=2, on one line; after a banner, its build line."""

    def __init__(self, line: Line) -> None:
        self._line = line
        self._banner = _BANNER.search(line.text)
        self._build: str | None = None

    def feed(self, line: Line) -> LineResult:
        build = _BUILD.search(line.text)
        if self._banner is None or build is None:
            return LineResult.OVER
        self._build = build.group(1).strip()
        return LineResult.LAST

    def close(self) -> BlockResult:
        number, text = self._line.number, self._line.text
        note = stats_2_note(text, number)
        version = self._version(number, text)
        if version is None:
            return BlockResult((), (note,) if note else ())
        last = number + 1 if self._build else number
        part = MpichEnvironment((version,), (), (), Lines(number, last))
        return BlockResult((part,), (note,) if note else ())

    def _version(self, number: int, text: str) -> MpichVersion | None:
        if self._banner is not None:
            return MpichVersion(self._banner.group(1), "banner", number, self._banner.group(2), self._build)
        if not self._line.ended:
            return None
        modules = [(m.group(1), "L" in (m.group(2) or "")) for m in _MODULE.finditer(text)]
        if "=>" in text:
            modules = modules[-1:]
        loaded = {version for version, marked in modules if marked} or {version for version, _ in modules}
        # Several versions on one line are what is available, not what is loaded.
        return MpichVersion(loaded.pop(), "module", number) if len(loaded) == 1 else None


class _DisplayMachine:
    """`PE 0: … settings ===`, its settings, the next section, and so on."""

    def __init__(self, line: Line) -> None:
        self._first = self._last = line.number
        self._rank: int | None = None
        self._sections: list[SettingsSection] = []
        self._settings: list[Setting] = []
        self._notes: list[str] = []
        self._processor: tuple[str, int] | None = None
        self._awaits_processor = False
        self._cut = _FIRST_SETTING.search(line.text) is not None
        self._foreign = 0
        self._full = False
        self._broken: list[Problem] = []
        self.feed(line)

    def feed(self, line: Line) -> LineResult:
        text = line.text.strip()
        if (section := _SECTION.match(text)) is not None:
            return self._section(section, line)
        if (processor := _PROCESSOR.match(text)) is not None:
            if self._settings or self._processor:
                return LineResult.OVER
            self._awaits_processor = True
            return self._take(processor, line)
        setting = _SETTING.match(text)
        note = None if setting else (_AWAITED if self._awaits_processor else _NOTE).match(text)
        row = setting or note
        if row is None or (self._rank is not None and int(row.group(1)) != self._rank):
            if row is None and self._foreign == 0 and text and line.number == self._last + 1:
                self._leave_out_a_broken_one(text)
            self._foreign += 1
            return LineResult.OVER if self._foreign > FOREIGN_LINES else LineResult.FOREIGN
        if not line.ended:
            self._cut = True
            return self._take(row, line)
        if setting is not None and len(self._settings) < MOST_SETTINGS:
            title = self._sections[-1].title if self._sections else None
            self._settings.append(Setting(setting.group(2), (setting.group(3) or "").strip(), line.number, title))
            self._full = len(line.text.rstrip()) in OF_TERMINALS
        elif note is not None and self._awaits_processor:
            self._processor, self._awaits_processor = (note.group(2).strip(), line.number), False
        elif note is not None and len(self._notes) < _MOST_NOTES:
            self._notes.append(note.group(2).strip())
        return self._take(row, line)

    def close(self) -> BlockResult:
        if not self._settings and self._processor is None:
            return BlockResult()
        part = MpichEnvironment(
            versions=(),
            sections=tuple(self._sections),
            settings=tuple(self._settings),
            lines=Lines(self._first, self._last),
            complete=not self._cut and not self._broken,
            processor=self._processor[0] if self._processor else None,
            processor_line=self._processor[1] if self._processor else None,
            notes=tuple(self._notes),
            rank=self._rank,
            displays=1,
        )
        problems = [*self._broken]
        if self._cut:
            message = f"the MPICH settings at line {self._first} are cut off: {len(self._settings)} were read"
            problems.append(Problem("unterminated", message, loses_data=True, line=self._first))
        stats = part.setting("MPICH_MPIIO_STATS")
        if stats is not None and stats.value == "2":
            problems.append(Problem("note", STATS_2, line=stats.line))
        return BlockResult((part,), tuple(problems))

    def _leave_out_a_broken_one(self, following: str) -> None:
        """The last setting, where its value may stand on the next line, or go on there."""
        last = self._settings[-1] if self._settings else None
        goes_on = self._full if last is not None and last.value else _VALUE.fullmatch(following) is not None
        if last is None or last.line != self._last or not goes_on:
            return
        del self._settings[-1]
        message = f"the value of {last.name} on line {last.line} may stand on the next line, or go on there: left out"
        self._broken.append(Problem("torn", message, loses_data=True, line=last.line))

    def _section(self, section: re.Match[str], line: Line) -> LineResult:
        title = section.group(2)
        if any(s.title == title for s in self._sections):
            return LineResult.OVER
        self._sections.append(SettingsSection(title, line.number))
        return self._take(section, line)

    def _take(self, match: re.Match[str], line: Line) -> LineResult:
        self._rank = int(match.group(1))
        self._foreign = 0
        self._last = line.number
        return LineResult.TAKEN


def _finish(parts: tuple[Part, ...], _every: tuple[Part, ...]) -> BlockResult:
    """Puts versions and displays of the same run together, in the order in which they stand; a display that comes
    again, as that of the next step of a job does, is counted, not kept."""
    runs: list[MpichEnvironment] = []
    for part in parts:
        if not isinstance(part, MpichEnvironment):
            continue
        same = next((n for n, run in enumerate(runs) if _shows_the_same(run, part)), None)
        if same is not None:
            runs[same] = replace(runs[same], displays=runs[same].displays + part.displays)
        elif runs and (joined := _joined(runs[-1], part)) is not None:
            runs[-1] = joined
        elif len(runs) < MOST_RUNS:
            runs.append(part)
        else:
            message = f"more than {MOST_RUNS} different versions and displays: the others were left out"
            return BlockResult(tuple(runs), (Problem("limit", message, loses_data=True, line=part.lines.first),))
    return BlockResult(tuple(runs))


def _shows_the_same(run: MpichEnvironment, part: MpichEnvironment) -> bool:
    if not part.settings:
        version = part.version
        return version is not None and any(
            (v.source, v.version) == (version.source, version.version) for v in run.versions
        )
    shown = [(s.name, s.value) for s in part.settings]
    return part.processor == run.processor and shown == [(s.name, s.value) for s in run.settings]


def _joined(run: MpichEnvironment, part: MpichEnvironment) -> MpichEnvironment | None:
    """Both as one, where they can be: a display and the versions around it, a module and the banner of its library."""
    if part.displays:
        return replace(part, versions=run.versions) if not run.displays else None
    version = part.version
    if version is None or any(not _agree(v, version) for v in run.versions):
        return None
    lines = run.lines if run.displays else Lines(run.lines.first, part.lines.last)
    return replace(run, versions=(*run.versions, version), lines=lines)


def _agree(one: MpichVersion, other: MpichVersion) -> bool:
    """Whether they can be of one library: 8.1.25 the module, 8.1.25.17 the banner."""
    if one.source == other.source:
        return one.version == other.version
    short, long = sorted((one.version, other.version), key=len)
    return f"{long}.".startswith(f"{short}.")


def _suffices(parts: tuple[Part, ...]) -> bool:
    """A module's version alone says nothing of a run."""
    return any(isinstance(p, MpichEnvironment) and (p.displays or p.banner) for p in parts)


def _describe(parts: tuple[Part, ...]) -> str | None:
    runs = [p for p in parts if isinstance(p, MpichEnvironment)]
    versions = dict.fromkeys(run.version.version for run in runs if run.version is not None)
    settings = sum(len(run.settings) for run in runs)
    contents = [f"Cray MPICH {', '.join(versions)}"] if versions else []
    contents += [f"{settings:,} MPICH settings"] if settings else []
    return "; ".join(contents) or None


reader: Final = BlockReader(
    id="mpich_environment",
    title="MPICH environment display",
    anchors=(
        b": MPICH processor detected",
        b" settings",
        b":   MPICH_",
        b":   FI_",
        b"CRAY MPICH version ",
        b"cray-mpich",
        b"MPICH_MPIIO_STATS",
    ),
    begins=_begins,
    start=_start,
    in_comments=False,
    describe=_describe,
    finish=_finish,
    suffices=_suffices,
    precedence=20,
)
