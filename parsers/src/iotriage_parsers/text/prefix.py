"""What launchers, batch systems and ticket systems put before each line of a block.

`srun -l` writes ` 1: `, PALS `mpiexec --label` a node and a rank, Blue Gene `stdout[0]`, others `[1,0]<stderr>:`,
GitLab's runner a time and `01O`; a pipe writes times; a mail writes `> `; `cat -n` and `grep -n` number the lines. A
prefix is learnt from the first line of a block, where what follows it is known, and then expected in the same shape,
digits apart, on the following lines.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Final, Literal

from iotriage_parsers.frozen import frozen
from iotriage_parsers.text.numbers import ONLY_FIGURES

PrefixKind = Literal["quote", "label", "timestamp", "node", "number", "comment", "prefix"]

LONGEST_PREFIX: Final = 128

# `|(?!)`: until Python 3.11.5 a possessive group whose last try failed halfway went on from there.
# https://github.com/python/cpython/issues/106052
_QUOTE: Final = re.compile(r"(?:\s*[>|]|(?!))++\s*`?|\s*`")
_MONTHS: Final = frozenset(["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"])
_DAYS: Final = frozenset(["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"])
_TIME: Final = re.compile(
    r"\d{4}[-/]\d\d[-/]\d\d(?:[T_]\d\d:\d\d(?::\d\d)?(?:[.,]\d{1,9})?(?:Z|[+-]\d\d:?\d\d)?)?"
    r"|\d{1,2}\.\d{1,2}\.\d{4}"
    r"|\d{1,2}:\d\d(?::\d\d)?(?:[.,]\d{1,9})?(?:Z|[+-]\d\d:?\d\d)?|\d{1,10}\.\d{1,9}"
)
_LABEL: Final = re.compile(r"\d{1,9}(?:[,:]\d{1,9})*(?:\]?<\w{1,10}>)?|std(?:out|err)\[\d{1,9}|\d\d[OE]\+?")
_COMMENT: Final = re.compile(r"#+")
_NODE: Final = re.compile(r"[A-Za-z][\w.-]*\d[\w.-]*(?::\d{1,9})?")


_NUMBER: Final = re.compile(r"(?:\s*>|(?!))*+\s*\[?(\d{1,9})\]?(?:[\t :|.)]\s*)?")
_NUMBERED: Final = re.compile(r"(?:\s*>|(?!))*+\s*\[?(\d{1,9})(?:\][\t :|]?|[\t :|.)])\s*")
RUNNING: Final = 3
"""Number of consecutively numbered lines that distinguish line numbers from ranks."""
ALIKE: Final = 20
"""Number of leading characters that are compared: the title of a box up to its file name."""
LINE_NUMBER: Final = "line number"
"""The writer of all numbered lines."""


_WORD: Final = re.compile(r"\s*\S+")


@frozen
class Prefix:
    """`kinds` says of what it is made, `key` names the writer (times taken out, so that it is the same on all of
    the writer's lines), `shape` is a pattern for the prefixes of all writers like it."""

    text: str
    kinds: tuple[PrefixKind, ...]
    key: str
    shape: str

    @property
    def quoted_code(self) -> bool:
        return "`" in self.text


def known_prefix(text: str) -> Prefix | None:
    """`text` as a prefix, if it is made of quoting, times, node names, rank labels and the sign of a comment
    only. One that closes a parenthesis which it did not open is the pattern of a `case`: `0) export A=1;;`."""
    if len(text) > LONGEST_PREFIX or text.count(")") > text.count("("):
        return None
    quote = _QUOTE.match(text)
    kinds: list[PrefixKind] = ["quote"] if quote else []
    words = [word.strip("[](){}:,|") for word in text[quote.end() if quote else 0 :].split()]
    for word in words:
        if not word:
            continue
        kind = _kind(word)
        if kind is None:
            return None
        if kind not in kinds:
            kinds.append(kind)
    return Prefix(text, tuple(kinds), writer(text), _shape(text)) if kinds else None


def numbered(text: str, rest: str, before: Iterable[str], *, every: bool) -> Prefix | None:
    """`text` as the number of a line, if nothing but that and quoting stands in it, and `every` line of the text has
    one or the lines `before`, the nearest first: as many as tell, or the one with a box's rule, which its title's
    writer writes too. `rest` is what stands behind it."""
    found = _NUMBER.fullmatch(text)
    if found is None or not (every or _runs_on(int(found[1]), rest[:ALIKE], before)):
        return None
    return Prefix(text, ("number",), LINE_NUMBER, _shape(text))


def _runs_on(number: int, begins: str, before: Iterable[str]) -> bool:
    """Whether the preceding lines have the preceding numbers, no line has this number or a later one, and none begins
    alike, as lines of ranks that write in turn do."""
    told = False
    for back, line in enumerate(before, 1):
        above = _NUMBERED.match(line)
        if back == 1 and above is not None and line.startswith(begins, above.end()):
            return False
        if above is not None and int(above[1]) >= number:
            return False
        if not told and (above is None or int(above[1]) != number - back):
            return False
        if above is None:
            break
        told = told or back == RUNNING or (back == 1 and line[above.end() :].startswith("+-"))
    return told


def numbers_lines(first: Sequence[str]) -> bool:
    """Whether the first lines of a text are numbered one after the other."""
    found = [_NUMBERED.match(line) for line in first]
    numbers = [int(one[1]) for one in found if one is not None]
    return len(numbers) == len(first) > RUNNING and numbers == list(range(numbers[0], numbers[0] + len(numbers)))


def any_prefix(text: str) -> Prefix | None:
    """`text` as a prefix, whatever it contains: used where a second line has shown that it repeats."""
    return Prefix(text, ("prefix",), writer(text), _shape(text)) if len(text) <= LONGEST_PREFIX else None


def writer(prefix: str) -> str:
    """The writer of the line: the prefix without its times."""
    return " ".join(word for word in prefix.split() if _word_kind(word) != "timestamp")


def without_shared_prefix(text: str, prefix: str) -> str:
    """`text` without what stands at its beginning too of `prefix`, that of the line before: quoting, times and labels,
    digits apart. What broke that line may have put them before the rest, and not all of them."""
    at = 0
    for word in _WORD.finditer(prefix):
        found = re.compile(_shape(word[0].strip())).match(text, at)
        known = found is not None and known_prefix(found.group()) is not None
        if found is None or not known:
            break
        at = found.end()
    return text[at:].lstrip(" ") if at else text.removeprefix(" " * (len(prefix) - len(prefix.lstrip(" "))))


def rest_of_broken(text: str, prefix: Prefix | None) -> str | None:
    """What of `text` may be the rest of the line above, which has this prefix: what broke that at its width put a mark
    of quoting before the rest, and neither a label nor the blanks behind the mark. None where it is none."""
    quote = _QUOTE.match(prefix.text) if prefix is not None else None
    mark = quote.group().strip() if quote is not None else ""
    if mark and prefix is not None and text.lstrip().startswith(mark):
        rest = text.lstrip().removeprefix(mark)
        return rest if prefix.kinds == ("quote",) or ONLY_FIGURES.fullmatch(rest.strip()) else None
    return text if ONLY_FIGURES.fullmatch(text) and not _is_prefix_alone(text, prefix) else None


def _is_prefix_alone(text: str, prefix: Prefix | None) -> bool:
    """Whether it is what stands before the lines of a writer, as `ts %.s` writes its time before a blank line too."""
    if prefix is None or len(text.strip()) != len(prefix.text.strip()):
        return False
    return re.fullmatch(prefix.shape.rstrip(" "), text.rstrip()) is not None


def _word_kind(word: str) -> PrefixKind | None:
    return _kind(word.strip("[](){}:,|"))


def _kind(word: str) -> PrefixKind | None:
    if word in _MONTHS or word in _DAYS or _TIME.fullmatch(word):
        return "timestamp"
    if _LABEL.fullmatch(word):
        return "label"
    if _COMMENT.fullmatch(word):
        return "comment"
    return "node" if _NODE.fullmatch(word) else None


def _shape(text: str) -> str:
    """A pattern for similar prefixes: any digits for digits, any number of blanks for blanks, but at the end as many as
    here."""
    body = text.rstrip(" ")
    pattern = re.sub(r"(?:\\ )+", " +", re.escape(body.lstrip(" ")))
    pattern = re.sub(r"\d+", r"\\d+", pattern)
    pattern = re.sub(r" \+(?=\\d\+)", " *", pattern)
    return " *" + pattern + " " * (len(text) - len(body))
