"""One file's or directory's layout: which lines are its own, and where it is over."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterable, Iterator
from typing import Final

from iotriage_parsers.evidence import Lines, Problem, StripeField, StripeLayout
from iotriage_parsers.evidence.stripe_layout import LayoutForm
from iotriage_parsers.readers.lfs_getstripe.component import ComponentLines, shown
from iotriage_parsers.text.blocks import BlockResult, LineResult
from iotriage_parsers.text.lines import Line
from iotriage_parsers.text.numbers import count
from iotriage_parsers.text.wrapped_commands import NEXT_COMMAND

_KEY: Final = re.compile(r"(?:-\s+)?(lcm_\w{1,40}|lcme_[\w.]{1,40}|lmm_\w{1,40}):(?:\s+(.*))?")
_ONE_LINE: Final = re.compile(r"(?:\(Default\)\s+)?(?:stripe_count|pattern|pool|stripe_offset|layout_gen):\s")
_PAIR: Final = re.compile(r"(stripe_count|stripe_size|pattern|stripe_offset|pool|layout_gen):\s+([^\s\\]+)")
_UNENDED: Final = re.compile(r"\w+:\s+\d+$")
_MARK: Final = re.compile(r"(?:composite_header|components|sub_layout):")
_OBJECT: Final = re.compile(r"(?:-\s+)?(?:\d{1,6}:\s+\{\s*)?l_ost_idx:\s+(\d{1,9})\b")
_FID: Final = re.compile(r"l_fid:\s")
_TABLE: Final = re.compile(r"obdidx\s+objid\s+objid\s+group")
_ROW: Final = re.compile(r"(\d{1,9})\s+\d{1,20}\s+\S{1,20}\s+\S{1,20}(?:\s+\*)?")
_TORN_ROW: Final = re.compile(
    r"\S{1,40}\s+\S{1,40}\s+0x[0-9a-fA-F]{1,16}(?:\s+\S{1,20})?(?:\s+\*)?|\d{1,9}\s+\d{1,20}(?:\s+0x.{0,80})?"
)
_PROMPT: Final = re.compile(r"\S*[#$%>](?:\s|$)|\[[^\]]*\][#$%>]")
_COMMAND: Final = re.compile(r"\blfs\s+(?:getstripe|find)\s+(.*)")
_TYPED: Final = re.compile(r"(?:^|[\]#$%>;|&(`+:]|\b(?:do|then|sudo|time))\s{0,8}$")
"""What stands before a command that a shell was given, and not a sentence's."""
_SPOKEN: Final = re.compile(r"(?:says?|gives?|shows?|reports?|prints?|returns?|tells?|output|is|was)[:,.]?")
"""What a sentence has after the command's name."""
_SOME_FIGURES: Final = re.compile(r"(?:^|\s)-[dqrRv]*[cSipsgLm]|--(?:stripe-|pool|layout|generation|index)")
"""Options that ask for some of the figures alone."""
_BETWEEN: Final = re.compile(r"```|~~~|(?:head|tail|less|more|cat|grep|sed|awk|cut)\b")
_MOST_BETWEEN: Final = 6
_A_LABEL: Final = re.compile(r"\w{0,40}(?:stripe|layout|pattern)[\w.]{0,20}[:：]")
"""A field of a layout whose letters are changed is no file's name."""
_OF_THE_SHELL: Final = re.compile(r"[$`*?]")

LONGEST_LINE: Final = 4096
MOST_COMPONENTS: Final = 5_000
MOST_OSTS: Final = 200_000


class LayoutMachine:
    """A plain layout is over with its last object, a directory's default with its line; a composite one with the next
    command or layout."""

    def __init__(self, line: Line, before: Iterable[Line]) -> None:
        self._first = self._last = line.number
        self._head: dict[str, StripeField] = {}
        self._components: list[ComponentLines] = []
        self._osts = 0
        self._problems: list[Problem] = []
        self._cut = not line.ended
        self._path: str | None = None
        self._path_line: int | None = None
        self._path_printed = self._some_figures = False
        above = self._look_back(before)
        for earlier in reversed(above):
            self._first = min(self._first, earlier.number)
            self._take(earlier)
        self._over = self._take(line) is LineResult.LAST

    def feed(self, line: Line) -> LineResult:
        if self._over:
            return LineResult.OVER
        text = line.text.strip()
        if not text or len(text) > LONGEST_LINE:
            return LineResult.FOREIGN
        answer = self._take(line)
        if answer in (LineResult.TAKEN, LineResult.LAST):
            self._last = line.number
            self._cut = not line.ended
        elif answer is LineResult.FOREIGN and self._components and self._components[-1].full and _leads_on(text):
            return LineResult.OVER
        return answer

    def close(self) -> BlockResult:
        components = [c for c in self._components if c.fields or c.osts]
        if not components and not (self._composite and self._path is not None):
            return BlockResult()
        if not self._composite and not self._tells_enough(components[0]):
            return BlockResult()
        lines = Lines(self._first, self._last)
        entries = self._number("entry_count")
        name = f"the layout of {shown(self._path)} (lines {lines.first}-{lines.last})"
        missing = list(self._missing(components, entries, name))
        layout = StripeLayout(
            form=self._form(components),
            path=self._path,
            path_line=self._path_line,
            lines=lines,
            complete=not missing,
            components=tuple(c.component() for c in components if c.placed),
            layout_generation=self._number("layout_gen"),
            mirror_count=self._number("mirror_count"),
            entry_count=entries,
        )
        wrong = (p for c in components for p in c.problems())
        return BlockResult((layout,), (*self._problems, *missing, *wrong))

    @property
    def _composite(self) -> bool:
        return bool(self._head) or any(c.composite for c in self._components)

    def _form(self, components: list[ComponentLines]) -> LayoutForm:
        if components and all(c.default for c in components):
            return "directory-default"
        return "composite" if self._composite else "plain"

    def _number(self, label: str) -> int | None:
        field = self._head.get(label)
        number = None if field is None else count(field.text).number
        return number if isinstance(number, int) else None

    def _tells_enough(self, only: ComponentLines) -> bool:
        """Whether it is a layout, and not the few figures that options like `-c -S` print."""
        return bool(only.osts) or only.has("stripe_size") or self._path_printed

    def _missing(self, components: list[ComponentLines], entries: int | None, name: str) -> Iterator[Problem]:
        if entries is not None and len(components) < entries:
            message = (
                f"{name} shows {len(components)} of {entries} components: the others were not asked for "
                "(lfs getstripe -I, --component-…), or the text was cut off"
            )
            yield Problem("unterminated", message, loses_data=True, line=self._first)
        elif (any(not c.full for c in components) and not self._some_figures) or self._cut or self._lacks(components):
            yield Problem("unterminated", f"{name} was cut off", loses_data=True, line=self._first)

    def _lacks(self, components: list[ComponentLines]) -> bool:
        return any(c.is_cut or not c.placed for c in components)

    def _look_back(self, before: Iterable[Line]) -> list[Line]:
        """The lines of the layout above its first one (nearest first), and the path above them. Between a command and
        what it printed may stand a code fence, and the rest of a pipeline that a terminal or a mail has wrapped."""
        own: list[Line] = []
        between = 0
        for line in before:
            text = line.text.strip()
            if len(text) > LONGEST_LINE:
                break
            if _KEY.fullmatch(text) or _MARK.fullmatch(text):
                own.append(line)
                continue
            command = _COMMAND.search(text)
            if command is not None:
                typed = _TYPED.search(text, 0, command.start()) is not None
                self._path = _requested_path(command.group(1), typed=typed)
                self._path_line = line.number if self._path else None
                self._some_figures = bool(_SOME_FIGURES.search(command.group(1)))
                break
            if text and _is_path(text):
                self._path, self._path_line, self._path_printed = text, line.number, True
                self._first = line.number
                break
            between += 1
            if own or between > _MOST_BETWEEN or (text and not _BETWEEN.match(text)):
                break
        return own

    def _take(self, line: Line) -> LineResult:
        text = line.text.strip()
        key = _KEY.fullmatch(text)
        if key is not None:
            value = (key.group(2) or "").strip().removesuffix("\\").strip()
            if not line.ended and value.isdecimal():
                return LineResult.TAKEN  # Its last digits may be lost with what follows.
            return self._keyed(key.group(1), value, line)
        if _ONE_LINE.match(text):
            return self._on_one_line(text if line.ended else _UNENDED.sub("", text), line.number)
        if (found := _OBJECT.match(text)) is not None:
            return self._object(int(found.group(1)), line.number, table=False)
        if _FID.match(text) or _MARK.fullmatch(text):
            return LineResult.TAKEN
        if _TABLE.match(text):
            if self._components and self._components[-1].in_table:
                return LineResult.OVER
            self._current(line.number).in_table = True
            return LineResult.TAKEN
        if self._components and self._components[-1].in_table and (row := _ROW.fullmatch(text)) is not None:
            return self._object(int(row.group(1)), line.number, table=True)
        if self._components and self._components[-1].in_table and _TORN_ROW.fullmatch(text):
            self._components[-1].torn.append(line.number)
            return LineResult.TAKEN
        return LineResult.FOREIGN

    def _keyed(self, key: str, text: str, line: Line) -> LineResult:
        number = line.number
        family, _, label = key.partition("_")
        if family == "lcm":
            if label in self._head or (self._components and label != "entry_count"):
                return LineResult.OVER
            self._head[label] = StripeField(label, text, number)
            return LineResult.TAKEN
        if family == "lcme" and self._components and not self._composite:
            return LineResult.OVER
        if family == "lcme" and label == "id":
            if len(self._components) >= MOST_COMPONENTS:
                return LineResult.FOREIGN
            self._components.append(ComponentLines(number, composite=True))
        component = self._current(number)
        if component.has(label):
            return LineResult.OVER
        component.add(label, text, number, len(line.text.rstrip()))
        return LineResult.TAKEN

    def _on_one_line(self, text: str, number: int) -> LineResult:
        pairs = _PAIR.findall(text)
        if not pairs:
            return LineResult.FOREIGN
        component = self._current(number)
        if any(component.has(label) for label, _ in pairs):
            return LineResult.OVER
        component.default = True
        for label, value in pairs:
            component.add(label, value, number)
        return LineResult.LAST if component.full and not self._composite else LineResult.TAKEN

    def _object(self, ost: int, number: int, table: bool) -> LineResult:
        if self._osts >= MOST_OSTS:
            return LineResult.FOREIGN
        self._osts += 1
        component = self._current(number)
        component.osts.append(ost)
        over = table and component.has("stripe_count") and component.full
        return LineResult.LAST if over else LineResult.TAKEN

    def _current(self, number: int) -> ComponentLines:
        if not self._components:
            self._components.append(ComponentLines(number, composite=False))
        return self._components[-1]


def _requested_path(arguments: str, *, typed: bool) -> str | None:
    """The file that a command line asks for: its last word, if that is no option and nothing of the shell's; of a
    sentence that has the command in it, the last word that is a path."""
    command = NEXT_COMMAND.split(arguments.removesuffix("\\"), maxsplit=1)[0]
    try:
        words = shlex.split(command)
    except ValueError:
        words = command.split()
    named = [w for w in words if not w.startswith("-")]
    if not typed or (named and _SPOKEN.fullmatch(named[-1])):
        named = [path for w in named if "/" in (path := w.rstrip("`:,."))]
    return named[-1] if named and not _OF_THE_SHELL.search(named[-1]) else None


def _is_path(text: str) -> bool:
    """A line that is nothing but a path: absolute, or one word that no prompt or sentence ends."""
    if text.startswith("/"):
        return True
    one_word = not any(c.isspace() for c in text) and _A_LABEL.match(text) is None
    return one_word and not text.endswith((":", "$", "#", ">", "\\", "`")) and text not in ("---", "~~~")


def _leads_on(text: str) -> bool:
    """Whether a line that is none of the layout's begins something else: a prompt, a command, another path."""
    return bool(_PROMPT.match(text)) or text.startswith("/") or "lfs " in text
