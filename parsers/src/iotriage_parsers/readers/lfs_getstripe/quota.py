"""`lfs quota`, `quota` of other file systems, `mmlsquota` of GPFS: what of a person, group or project is used up.

Of what is below its limits that alone is kept, and nothing of single targets (`-v`), which get their shares of a limit
by and by.
"""

from __future__ import annotations

import re
from typing import Final, Literal

from iotriage_parsers.evidence import QuotaRoom, UsedUp
from iotriage_parsers.text.blocks import BlockResult, LineResult
from iotriage_parsers.text.lines import Line

FIRST: Final = r"Disk quotas for (?:usr|user|grp|group|prj|project) \S"
FIRST_OF_GPFS: Final = r"Block Limits\s+\|\s+File Limits"

_FIRST: Final = re.compile(r"Disk quotas for ((?:usr|user|grp|group|prj|project) \S{1,200}) \(\wid \d{1,12}\)")
_HEADER: Final = re.compile(r"Filesystem\s+\S+\s+quota\s+limit\s+grace\s+files\s+quota\s+limit\s+grace")
_USED: Final = re.compile(r"\[?(\d{1,18}(?:\.\d{1,6})?)([kKMGTPE]?)\]?(\*?)")
_GRACE: Final = re.compile(r"-|none|expired|\d{1,4}\s?d\S{0,20}|\d{1,3}:\d\d|\d{1,3}[wdhms]\S{0,20}")
_POOL: Final = re.compile(r"Pool: \S{1,100}")
_HEADER_OF_GPFS: Final = re.compile(r"Filesystem\s+(?:Fileset\s+)?type\s.*\|\s*files\s+quota\s+limit\s+in_doubt.*")
_PART_OF_ONE: Final = re.compile(r"\S{1,200}_UUID\b")
_POWERS: Final = " KMGTPE"
_OVER: Final = ("none", "expired", "-", "")
MOST_ROWS: Final = 1000


class QuotaMachine:
    """Over with the first line that is neither header nor row. The name of a file system that is long has a line of its
    own."""

    def __init__(self, line: Line) -> None:
        text = line.text.strip()
        first = _FIRST.match(text)
        self._whose = first[1] if first is not None else text.removeprefix("Disk quotas for ").split(" (")[0]
        self._tool: Literal["lfs quota", "quota"] = "lfs quota" if self._whose[:4] in _OF_LUSTRE else "quota"
        self._mount: str | None = None
        self._headed = False
        self._rows = 0
        self._found: list[UsedUp | QuotaRoom] = []

    def feed(self, line: Line) -> LineResult:
        text = line.text.strip()
        if not self._headed and _POOL.fullmatch(text):
            return LineResult.TAKEN
        if not self._headed:
            self._headed = _HEADER.match(text) is not None
            return LineResult.TAKEN if self._headed else LineResult.OVER
        words = text.split()
        if words and self._mount is None and _USED.fullmatch(words[0]) is None:
            self._mount = words.pop(0)
            if not words:
                return LineResult.TAKEN
        if self._rows < MOST_ROWS and self._mount is not None and self._row(self._mount, words, line.number):
            self._mount, self._rows = None, self._rows + 1
            return LineResult.TAKEN
        return LineResult.OVER

    def close(self) -> BlockResult:
        return BlockResult(tuple(self._found))

    def _row(self, mount: str, words: list[str], number: int) -> bool:
        space, words = _taken(words)
        files, words = _taken(words)
        if space is None or files is None or words:
            return False
        if _PART_OF_ONE.fullmatch(mount) is None:
            used_up = [(of, row) for of, row in (("space", space), ("files", files)) if _nothing_left(row)]
            for of, row in used_up:
                self._found.append(UsedUp(_OF[of], self._tool, mount, self._whose, row[0].rstrip("*"), number))
            if not space[0].endswith("*") and not files[0].endswith("*"):
                self._found.append(QuotaRoom(self._tool, mount, self._whose, number))
        return True


class GpfsQuotaMachine:
    """Rows with two halves, before and behind a bar: the used, the quota, the limit, what is not accounted for yet
    (which may be in use too), and the time of grace. Over with the first line that has not."""

    def __init__(self, _line: Line) -> None:
        self._headed = False
        self._found: list[UsedUp | QuotaRoom] = []

    def feed(self, line: Line) -> LineResult:
        text = line.text.strip()
        if not self._headed:
            self._headed = _HEADER_OF_GPFS.fullmatch(text) is not None
            return LineResult.TAKEN if self._headed else LineResult.OVER
        blocks, bar, files = (half.split() for half in text.partition("|"))
        row = _ROW_OF_GPFS.fullmatch(" ".join(blocks))
        counted = files[:5]
        if row is None or not bar or len(counted) < 5 or len(self._found) >= MOST_ROWS:
            return LineResult.OVER
        name, whose, *space = row.groups()
        halves = (("space", space), ("files", counted))
        used_up = [(of, half[0]) for of, half in halves if _nothing_left_of_gpfs(*half)]
        for of, used in used_up:
            self._found.append(UsedUp(_OF[of], "mmlsquota", name, _WHOSE.get(whose, whose), used, line.number))
        if not used_up and {half[-1] for _, half in halves} <= {"none", "-"}:
            self._found.append(QuotaRoom("mmlsquota", name, _WHOSE.get(whose, whose), line.number))
        return LineResult.TAKEN

    def close(self) -> BlockResult:
        return BlockResult(tuple(self._found))


_ROW_OF_GPFS: Final = re.compile(
    r"(\S{1,100})(?: \S{1,100})?? (USR|GRP|FILESET) ([\d.]{1,20}[KMGTP]?) ([\d.]{1,20}[KMGTP]?) ([\d.]{1,20}[KMGTP]?)"
    r" ([\d.]{1,20}[KMGTP]?) (\S{1,20}(?: days?| hours?)?)"
)
_WHOSE: Final = {"USR": "the user", "GRP": "the group", "FILESET": "the fileset"}


def _nothing_left_of_gpfs(used: str, quota: str, limit: str, in_doubt: str, grace: str) -> bool:
    have, soft, most = _number(used) + _number(in_doubt), _number(quota), _number(limit)
    return 0 < most <= have or (grace == "expired" and 0 < soft < have)


_OF_LUSTRE: Final = ("usr ", "grp ", "prj ")
_OF: Final[dict[str, Literal["space", "files"]]] = {"space": "space", "files": "files"}


def _taken(words: list[str]) -> tuple[list[str] | None, list[str]]:
    """What is used, quota and limit, and the time of grace, which `quota` leaves out where there is none; and what
    stands behind them."""
    if len(words) < 3 or not all(_USED.fullmatch(word) for word in words[:3]):
        return None, words
    row, rest = words[:3], words[3:]
    has_grace = bool(rest) and _GRACE.fullmatch(rest[0]) is not None
    return [*row, rest[0] if has_grace else ""], rest[1:] if has_grace else rest


def _nothing_left(row: list[str]) -> bool:
    """More than a quota may be used until the time of grace is over, never more than a limit."""
    used, _, limit, grace = row
    if not used.endswith("*"):
        return False
    most = _number(limit)
    return grace in _OVER or (most > 0 and _number(used) >= most)


def _number(text: str) -> float:
    """The number, in the unit of its row where it names none."""
    found = _USED.fullmatch(text)
    return 0.0 if found is None else float(found[1]) * 1024.0 ** _POWERS.index(found[2].upper() or " ")
