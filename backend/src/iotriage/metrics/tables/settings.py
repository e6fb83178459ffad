"""MPI-IO hints and settings of the MPI library: as asked for in the job script, as displayed when files were opened.

A displayed hint was set; whether the library could follow it is another matter. A hint of the job script counts where
no display of the file says otherwise. Plain ROMIO's, IOR's and an application's own lists count too: they say what the
program passed.
"""

from __future__ import annotations

import fnmatch
import math
import re
from collections import deque
from collections.abc import Iterable, Iterator, Mapping, Sequence

from iotriage.metrics.core.metric import Where
from iotriage.metrics.core.selection import LogRows, Selection, StatsBlock, base_name
from iotriage.metrics.core.selection_cache import cached_per_selection
from iotriage_parsers.evidence import (
    EnvironmentSetting,
    JobContext,
    Lines,
    MpichEnvironment,
    MpiioHints,
    MpiioStats,
)
from iotriage_parsers.frozen import frozen

HINT_VARIABLE = "MPICH_MPIIO_HINTS"
"""The variable that has hints for files by pattern, of Cray MPICH."""

CURLY = "‘’“”"


@frozen
class KnownSetting:
    """A hint or setting with the place it is known from; `requested` where the job script or environment asks for it.
    `cut_off` is what a blank cut off from a hint string of the script."""

    value: str
    where: Where
    requested: bool
    cut_off: str | None = None

    @property
    def meant(self) -> str:
        """The value with what was cut off from it."""
        return self.value if self.cut_off is None else f"{self.value} {self.cut_off}"


@frozen
class HintPattern:
    """One `pattern:key=value` of MPICH_MPIIO_HINTS. A key without a pattern before it has the pattern None."""

    pattern: str | None
    key: str
    value: str


QUOTES = CURLY + "\"'"
_WELL_FORMED = re.compile(rf"[^\s{QUOTES}$`]+")


def patterns_of(text: str) -> tuple[HintPattern, ...]:
    """The hints of an MPICH_MPIIO_HINTS string as they were meant, without quotes and blanks:
    `pattern:key=value[:key=value…][,pattern:…]`."""
    return tuple(_hints_in(re.sub(rf"[\s{QUOTES}]", "", text)))


def read_by_library(text: str) -> tuple[HintPattern, ...]:
    """The hints of such a string that the library can understand: one with a quote or a blank in its pattern, its name
    or its value names no file and no hint, and is dropped without a word. What a variable of the shell that is not
    known stands for is nobody's to say."""
    return tuple(
        hint
        for hint in _hints_in(text)
        if hint.pattern is not None and all(map(_WELL_FORMED.fullmatch, (hint.pattern, hint.key, hint.value)))
    )


def _hints_in(text: str) -> Iterator[HintPattern]:
    for entry in _entries(text):
        pattern: str | None = None
        for piece in _matches(_PIECE, entry.strip()):
            key, equals, value = piece.partition("=")
            if equals:
                enclosed = _ENCLOSED.fullmatch(value)
                yield HintPattern(pattern, key, value if enclosed is None else enclosed[1])
            else:
                pattern = piece or None


def variables_among(text: str) -> tuple[str, ...]:
    """Entries of such a string that are a variable of the shell, by which a script adds to what it was started with:
    `$MPICH_MPIIO_HINTS,*.nc:cb_nodes=4`."""
    entries = (entry.strip(f" {QUOTES}") for entry in _entries(text))
    return tuple(entry for entry in entries if _VARIABLE.fullmatch(entry))


def _entries(text: str) -> Iterator[str]:
    return _matches(_ENTRY, _ADDED.sub(r"\2${\1}\3", text))


_ADDED = re.compile(r"\$\{([A-Za-z_]\w*):?\+(,?)\$\{?\1\}?(,?)\}")
"""What a variable has, with the comma that goes before or after it: nothing where it is not set, as one adds to PATH,
`${MPICH_MPIIO_HINTS:+$MPICH_MPIIO_HINTS,}*.nc:cb_nodes=4`."""
_VARIABLE = re.compile(r"\$(?:[A-Za-z_]\w*|\{[A-Za-z_]\w*\})")
_ENCLOSED = re.compile(r"#([^#]*)#")
_ENTRY, _PIECE = re.compile(r"((?:#[^#]*#|[^,])*)(?:,|$)"), re.compile(r"((?:#[^#]*#|[^:])*)(?::|$)")
"""What stands between two `#` is one value, as `cb_config_list=#*:2#` (ALCF's guide to DAOS on Aurora, MPI-IO)."""


def _matches(part: re.Pattern[str], text: str) -> Iterator[str]:
    return (found[1] for found in part.finditer(text))


def as_library_reads(value: str) -> str:
    """A hint's value as it stands in such a string; what the shell puts there stays as it is."""
    return f"#{value}#" if "$" not in value and any(sign in value for sign in ":,") else value


def mended_string(text: str) -> str:
    """The hint string as it was meant: without quotes and blanks, with `*` where the pattern was lost, and each pattern
    once: whether the library looks at a second entry of it, no document says."""
    by_pattern: dict[str, list[str]] = {}
    for h in patterns_of(text):
        by_pattern.setdefault(h.pattern or "*", []).append(f"{h.key}={as_library_reads(h.value)}")
    return ",".join((*variables_among(text), *(":".join([pattern, *hints]) for pattern, hints in by_pattern.items())))


@cached_per_selection
def settings(s: Selection, name: str) -> tuple[KnownSetting, ...]:
    """An environment variable or MPICH setting of the job: as displayed, then as the script sets it."""
    shown = [
        KnownSetting(setting.value, Where(i, Lines(setting.line, setting.line)), requested=False)
        for i, part in s.whole.of(MpichEnvironment)
        if (setting := part.setting(name)) is not None
    ]
    scripted = [
        KnownSetting(
            setting.value, Where(i, Lines(setting.line, setting.line)), requested=True, cut_off=setting.cut_off
        )
        for i, part in s.whole.of(JobContext)
        for setting in _in_force(part, name, [*(x.line for x in part.launches), *_printed_by_mpich(s).get(i, ())])
        if setting.value is not None
    ]
    return (*shown, *scripted)


def _in_force(context: JobContext, name: str, used_at: Sequence[int]) -> Iterator[EnvironmentSetting]:
    """The variable as it is set where a program is started, or prints, at these lines; a launch may set it itself. A
    script may start it in a function above, or set it in one of two branches: there only what is unset again before
    anything starts is out, and what the only launch sets otherwise."""
    found = [setting for setting in context.environment if setting.name == name]
    for at, setting in enumerate(found):
        following = found[at + 1] if at + 1 < len(found) else None
        until = math.inf if following is None else following.line
        used = any(setting.line <= line < until for line in used_at)
        unset = following is not None and following.value is None and any(line > until for line in used_at)
        taken_back = following is not None and following.at_launch and len(context.launches) == 1
        if used or (context.source != "trace" and not unset and not taken_back):
            yield setting


@cached_per_selection
def _printed_by_mpich(s: Selection) -> Mapping[int, Sequence[int]]:
    """The first lines of what Cray MPICH prints of files, by source: a text may have thousands of jobs' accounts, which
    each ask."""
    found = dict[int, list[int]]()
    for i, part in s.whole.parts:
        if isinstance(part, MpiioStats | MpiioHints):
            found.setdefault(i, []).append(part.lines.first)
    return found


@cached_per_selection
def shows_hints(s: Selection) -> bool:
    """Whether any source shows hints at all: most jobs have none that does, and a dozen are asked for."""
    return bool(settings(s, HINT_VARIABLE)) or any(True for _ in _lists(s))


@cached_per_selection
def displayed(s: Selection, key: str) -> tuple[KnownSetting, ...]:
    """A hint as the lists of the selection's files show it, those of Cray MPICH first."""
    return _shown_in(_lists(s), key)


@cached_per_selection
def displayed_by_file(s: Selection, key: str) -> tuple[tuple[str, KnownSetting], ...]:
    """A hint as it is shown first of each file that a list names, those of Cray MPICH before others."""
    files = dict.fromkeys(base_name(part.file) for _, part in _lists(s) if part.file is not None)
    shown = ((file, displayed_for(s, key, file)) for file in files)
    return tuple((file, found[0]) for file, found in shown if found)


def displayed_for(s: Selection, key: str, file: str) -> tuple[KnownSetting, ...]:
    """A hint as the lists show it that name the file, or no file, those of Cray MPICH first."""
    name = base_name(file)
    return _shown_in(((i, part) for i, part in _lists(s) if part.file is None or base_name(part.file) == name), key)


def _shown_in(lists: Iterable[tuple[int, MpiioHints]], key: str) -> tuple[KnownSetting, ...]:
    found = [
        (
            part.printed_by != "cray-mpich",
            KnownSetting(hint.value, Where(i, Lines(hint.line, hint.line)), requested=False),
        )
        for i, part in lists
        if (hint := part.hint(key)) is not None
    ]
    return tuple(known for _, known in sorted(found, key=lambda f: f[0]))


def _lists(s: Selection) -> Iterator[tuple[int, MpiioHints]]:
    """Lists that name a file of the selection, and those that name none and so speak for all."""
    yield from s.of(MpiioHints)
    if s.scope == "group":
        yield from ((i, part) for i, part in s.whole.of(MpiioHints) if part.file is None)


@cached_per_selection
def requested_settings(s: Selection, key: str) -> tuple[KnownSetting, ...]:
    """A hint as MPICH_MPIIO_HINTS asks for it, for patterns that fit a file of the selection."""
    return tuple(
        KnownSetting(hint.value, known.where, requested=True)
        for known in settings(s, HINT_VARIABLE)
        for hint in read_by_library(known.value)
        if hint.key == key and hint.pattern is not None and _fits(s, hint.pattern)
    )


def requested_for(s: Selection, key: str, block: StatsBlock) -> tuple[KnownSetting, ...]:
    """A hint as each MPICH_MPIIO_HINTS in force asks for it last, for patterns that fit the block's file. Where the
    output that has the block shows how it was set, that is the last before the block; of other sources, nothing says
    which program of theirs printed it."""
    return _requested_before(s, key, block.block.file, block.source, block.block.lines.first)


def _requested_before(s: Selection, key: str, file: str | None, source: int, line: int) -> tuple[KnownSetting, ...]:
    found: list[KnownSetting] = []
    for known in _before(source, line, settings(s, HINT_VARIABLE)):
        found += deque(_requested_in(known, key, file), maxlen=1)
    return tuple(found)


def requested_of_file(s: Selection, key: str, file: str) -> tuple[KnownSetting, ...]:
    """A hint as each MPICH_MPIIO_HINTS of the job asks for it, for patterns that fit the file."""
    return tuple(one for known in settings(s, HINT_VARIABLE) for one in _requested_in(known, key, file))


def _requested_in(variable: KnownSetting, key: str, file: str | None) -> Iterator[KnownSetting]:
    """The hint wherever this MPICH_MPIIO_HINTS asks for it, for patterns that fit the file."""
    for hint in read_by_library(variable.value):
        if hint.key == key and hint.pattern is not None and is_meant(hint.pattern, file):
            yield KnownSetting(hint.value, variable.where, requested=True)


def _before(source: int, line: int, every: Iterable[KnownSetting]) -> Iterator[KnownSetting]:
    """Of those that stand in this source the last before the line, and all of others."""
    before: dict[int, KnownSetting] = {}
    for known in every:
        if known.where.source != source or not isinstance(known.where.at, Lines):
            yield known
        elif known.where.at.first < line:
            before[known.where.at.first] = known
    if before:
        yield before[max(before)]


@frozen
class RequestedAndDisplayed:
    """A hint that was requested and is also displayed: `requested` are the values that each MPICH_MPIIO_HINTS in force
    may have asked for, `displayed` is the value that a list of the file's hints shows."""

    requested: tuple[KnownSetting, ...]
    displayed: KnownSetting

    @property
    def followed(self) -> bool:
        return self.displayed.value.lower() in {one.value.lower() for one in self.requested}


def requested_beside_displayed(s: Selection, key: str) -> tuple[RequestedAndDisplayed, ...]:
    """Of each list that shows the hint, what is asked for of its file, as `requested_for` has it of a block. Lists of
    Cray MPICH stand first."""
    found = []
    for i, part in _lists(s):
        hint = part.hint(key)
        requested = _requested_before(s, key, part.file, i, part.lines.first)
        if hint is not None and requested:
            displayed = KnownSetting(hint.value, Where(i, Lines(hint.line, hint.line)), requested=False)
            found.append((part.printed_by != "cray-mpich", RequestedAndDisplayed(requested, displayed)))
    return tuple(both for _, both in sorted(found, key=lambda one: one[0]))


def is_meant(pattern: str, file: str | None) -> bool:
    """Whether hints with the pattern are for the file; where its name is not known they may be."""
    return file is None or fnmatch.fnmatch(base_name(file), base_name(pattern))


def _fits(s: Selection, pattern: str) -> bool:
    return s.scope == "job" or any(fnmatch.fnmatch(name, base_name(pattern)) for name in _base_names(s))


@cached_per_selection
def _base_names(s: Selection) -> frozenset[str]:
    names = {base_name(p.file) for _, p in s.of(MpiioHints) if p.file} | {base_name(b.block.file) for b in s.stats}
    return frozenset(names | {base_name(n) for rows in s.logs for n in _names(rows)})


def _names(rows: LogRows) -> Iterator[str]:
    for table in (rows.posix, rows.mpiio):
        if table is not None:
            yield from (name for record in table.ids.tolist() if (name := rows.name_of(record)) is not None)
