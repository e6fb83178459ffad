"""`df`, with or without -i: what of a file system is used up, whatever it is. What has room is not kept."""

from __future__ import annotations

import re
from typing import Final, Literal

from iotriage_parsers.evidence import UsedUp
from iotriage_parsers.text.blocks import BlockResult, LineResult
from iotriage_parsers.text.lines import Line

FIRST: Final = (
    r"Filesystem\s+(?:Type\s+)?(?:Size|Inodes|\S{1,5}-blocks)\s+I?Used\s+(?:Avail|Available|IFree)\s+I?Use%\s+"
    r"Mounted on"
)

_INODES: Final = re.compile(r"Filesystem\s+(?:Type\s+)?Inodes\s")
_ROW: Final = re.compile(
    r"(\S{1,400})\s+(?:[a-z]\S{0,20}\s+)?[\d.]{1,18}[KMGTPE]?\s+([\d.]{1,18}[KMGTPE]?)\s+-?([\d.]{1,18}[KMGTPE]?)\s+"
    r"(?:\d{1,3}%|-)\s+(/\S{0,400})"
)
_NAME_ALONE: Final = re.compile(r"\S{1,400}")
_IMAGE: Final = re.compile(r"/dev/loop\d|squashfs$|cvmfs")
"""Read-only images are always full."""
MOST_ROWS: Final = 1000


class DfMachine:
    """Over with the first line that is no row. A long name has a line of its own."""

    def __init__(self, line: Line) -> None:
        self._of: Literal["space", "files"] = "files" if _INODES.match(line.text.strip()) else "space"
        self._name = ""
        self._rows = 0
        self._found: list[UsedUp] = []
        self._have_room: list[str] = []

    def feed(self, line: Line) -> LineResult:
        text = line.text.strip()
        row = _ROW.fullmatch(f"{self._name} {text}".strip())
        if row is None and not self._name and _NAME_ALONE.fullmatch(text):
            self._name = text
            return LineResult.TAKEN
        if row is None or self._rows >= MOST_ROWS:
            return LineResult.OVER
        self._name, self._rows = "", self._rows + 1
        name, used, left, mount = row.groups()
        if left.strip("0.KMGTPE"):
            self._have_room.append(mount)
        elif used.strip("0.KMGTPE") and _IMAGE.match(name) is None:
            self._found.append(UsedUp(self._of, "df", mount, name, used, line.number))
        return LineResult.TAKEN

    def close(self) -> BlockResult:
        """What lies on a mount that has room, below one that is full, is not where nothing is left."""
        below = tuple(f"{mount.rstrip('/')}/" for mount in self._have_room)
        return BlockResult(
            tuple(f for f in self._found if not any(m.startswith(f"{f.mount.rstrip('/')}/") for m in below))
        )
