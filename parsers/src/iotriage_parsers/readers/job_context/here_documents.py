"""Files that a script writes with here-documents, as in `cat << EOF > select_gpu`, and may start later."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Final, NamedTuple

from iotriage_parsers.evidence import EnvironmentSetting, Lines
from iotriage_parsers.readers.job_context.environment import OwnExports
from iotriage_parsers.readers.job_context.launches.wrapping import unwrapped
from iotriage_parsers.readers.job_context.shell import commands
from iotriage_parsers.text.blocks import LineResult
from iotriage_parsers.text.lines import Line

_BEGINS: Final = re.compile(r"(?<!<)<<-?\s*(?:'([^']{1,80})'|[\\\"]?([A-Za-z_]\w{0,80})\"?)")
_WRITTEN_TO: Final = re.compile(r"(?<![0-9&>])>\|?\s*[\"']?([\w./~${}-]{1,400})")
_ITS_LINE: Final = re.compile(r'\\?"?\\?\$(?:@|\*|\{@\}|\{\*\})\\?"?')
"""What a script was called with; within a document that is not quoted, the `$` stands behind a backslash."""
_SUBMITTERS: Final = frozenset(("sbatch", "qsub", "bsub", "msub", "pjsub", "oarsub", "ccc_msub"))
SUBMITTED: Final = ""
"""Used as the name of a here-document that is submitted as a job directly, without being written to a file."""

MOST_LINES: Final = 20_000
MOST_DOCUMENTS: Final = 5_000
MOST_KEPT: Final = 2_000
LONGEST_KEPT: Final = 1_000
LONGEST_COMMAND: Final = 16_384


class _Begun(NamedTuple):
    """A document that a command line begins: the word that ends it, whether that is quoted, and the name of the file
    that it is written to, or `SUBMITTED`."""

    ends_at: str
    is_quoted: bool
    file: str | None


def _begun_by(text: str) -> list[_Begun]:
    """Those of the line, of which the last is what the command reads."""
    found = [one for one in _BEGINS.finditer(text) if text[: one.start()].count('"') % 2 == 0]
    if not found:
        return []
    last = found[-1]
    if any(submits(words) for words in commands(f"{text[: found[0].start()]} {text[last.end() :]}")):
        file: str | None = SUBMITTED
    else:
        written = _WRITTEN_TO.search(text[: last.start()]) or _WRITTEN_TO.search(text[last.end() :])
        file = None if written is None else _name(written.group(1))
    return [
        _Begun(one[1] or one[2], any(sign in one[0] for sign in "'\"\\"), file if one is last else None)
        for one in found
    ]


def goes_on(text: str) -> bool:
    """Whether the line continues on the next one: it ends in a backslash that is not escaped."""
    return (len(text) - len(text.rstrip("\\"))) % 2 == 1


def submits(words: Sequence[str]) -> bool:
    """Whether the command submits a script to a scheduler."""
    return bool(words) and _name(words[0]) in _SUBMITTERS


class HereDocuments:
    """Those of a script. `ends_at` is the word that ends the one whose lines are read now, and None between them;
    `opened` is the line that began it, or the last; `read` are the lines of all that have ended; `hidden_end` is the
    line of the first end, or 0, that a shell would not take for one: a backslash stands before it."""

    def __init__(self) -> None:
        self.ends_at: str | None = None
        self.opened = 0
        self.read: list[Lines] = []
        self.files = WrittenFiles()
        self._file: str | None = None
        self._waiting: list[_Begun] = []
        self._held = 0
        self._is_quoted = self._goes_on = False
        self.hidden_end = 0

    def begin(self, command: str, number: int) -> None:
        """Begins those that the command line has, one after the other."""
        self._waiting = _begun_by(command)
        self._begin_next(number)

    def _begin_next(self, number: int) -> None:
        if self._waiting:
            self.ends_at, self._is_quoted, self._file = self._waiting.pop(0)
            self._held, self.opened, self._goes_on = 0, number, False
            self.files.begin(self._file)

    def feed(self, number: int, text: str) -> LineResult:
        """A line of it, which its own word on a line ends."""
        self._held += 1
        is_hidden, self._goes_on = self._goes_on, not self._is_quoted and goes_on(text)
        if text == self.ends_at:
            # The shell joins the lines of one that is not quoted before it looks for the end.
            self.hidden_end = self.hidden_end or (number if is_hidden else 0)
            self.ends_at = None
            if len(self.read) < MOST_DOCUMENTS:
                self.read.append(Lines(self.opened, number))
            self._begin_next(number)
            return LineResult.TAKEN
        if self._held > MOST_LINES:
            return LineResult.OVER
        self.files.add(self._file, number, text)
        return LineResult.HELD

    def joined(self, lines: Iterable[tuple[int, str]]) -> Iterator[Line]:
        """The lines of a script that one of them was, each with those that it goes on in, and without the documents
        that the caller begins at one of them."""
        own, before, began = self.ends_at, "", 0
        for number, text in lines:
            if self.ends_at != own:
                self.ends_at = own if text == self.ends_at else self.ends_at
                continue
            began = began if before else number
            whole = f"{before} {text.removesuffix(chr(92))}".strip().replace("\\$", "$")
            is_cut = text.endswith("\\") and not whole.startswith("#") and len(whole) <= LONGEST_COMMAND
            before = whole if is_cut else ""
            if not is_cut:
                yield Line(began, whole)
        if before:
            yield Line(began, before)
        self.ends_at = own

    @property
    def is_submitted(self) -> bool:
        return self._file == SUBMITTED


class WrittenFiles:
    """The lines of such files, as far as they are short and few. `wrappers` says of each whether it runs what stands
    behind it on its line."""

    def __init__(self) -> None:
        self._kept = 0
        self._started: set[str] = set()
        self._programs: dict[str, str] = {}
        self.wrappers: dict[str, bool] = {}
        self._lines: dict[str, list[tuple[int, str]]] = {}
        self._exports: dict[str, OwnExports] = {}

    def begin(self, name: str | None) -> None:
        if name is not None:
            self._lines[name], self._exports[name] = [], OwnExports()
            self._started.discard(name)
            self.wrappers[name] = False

    def add(self, name: str | None, number: int, text: str) -> None:
        if name is not None and self._kept < MOST_KEPT and len(text) <= LONGEST_KEPT:
            self._lines[name].append((number, text))
            self._kept += 1
            if name != SUBMITTED:
                self._exports[name].note(text, number)
                for words in commands(text):
                    self._note_what_it_runs(name, unwrapped(words[words[0] == "exec" :]))

    def started(self, word: str) -> tuple[tuple[int, str], ...]:
        """The numbered lines of the file that a command of this name runs, once each time that it was written."""
        name = _name(word.lstrip("<"))
        if name in self._started:
            return ()
        self._started.add(name)
        return tuple(self._lines.get(name, ()))

    def set_by(self, command: Sequence[str]) -> Iterator[EnvironmentSetting]:
        """What such files among the words of a launch export, on no condition, to what they hand on to."""
        for name in map(_name, command):
            if self.wrappers.get(name) or name in self._programs:
                yield from self._exports[name].found

    def program_of(self, word: str | None) -> str | None:
        """The program that the file of this name hands its line on to; the word itself where it is no such file."""
        return self._programs.get(_name(word), word) if word is not None else None

    def _note_what_it_runs(self, name: str, words: list[str]) -> None:
        if words and _ITS_LINE.fullmatch(words[0]):
            self.wrappers[name] = True
        elif any(_ITS_LINE.fullmatch(word) for word in words[1:]):
            self._programs[name] = words[0]


def _name(path: str) -> str:
    return path.strip("\"'").rpartition("/")[2]
