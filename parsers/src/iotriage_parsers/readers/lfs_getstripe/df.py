"""`df`, with or without -i: what of a file system is used up, whatever it is. What has room is not kept."""

from __future__ import annotations

import re
from typing import Final, Literal

from iotriage_parsers.evidence import UsedUp
from iotriage_parsers.text.blocks import BlockResult, LineResult
from iotriage_parsers.text.lines import Line

MOUNTED: Final = (
    "Mounted on", "Eingehängt auf", "Monté sur", "Montado en", "Montado em", "Montato su", "マウント位置", "挂载点",
)  # fmt: skip
"""What the last column is called, in the languages of GNU's coreutils that centres' users set most."""
_NAMES: Final = (
    "Filesystem", "Dateisystem", "Sys. de fichiers", "S.ficheros", "Sist. Arq.", "File system", "ファイルシス",
    "文件系统",
)  # fmt: skip
_INODES_IN: Final = ("Inodes", "Inœuds", "Inodos", "Inode", "Iノード")
FIRST: Final = rf"(?:{'|'.join(map(re.escape, _NAMES))})\s[^%]{{5,120}}%\s+(?:{'|'.join(MOUNTED)})"

_INODES: Final = re.compile(rf".{{0,60}}\s(?:{'|'.join(_INODES_IN)})\s")
_FIGURE: Final = r"[\d.,]{1,18}[KMGTPE]?"
_ROW: Final = re.compile(
    rf"(\S{{1,400}})\s+(?:[a-z]\S{{0,20}}\s+)?{_FIGURE}\s+({_FIGURE})\s+-?({_FIGURE})\s+"
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
        if left.strip("0.,KMGTPE"):
            self._have_room.append(mount)
        elif used.strip("0.,KMGTPE") and _IMAGE.match(name) is None:
            self._found.append(UsedUp(self._of, "df", mount, name, used, line.number))
        return LineResult.TAKEN

    def close(self) -> BlockResult:
        """What lies on a mount that has room, below one that is full, is not where nothing is left."""
        below = tuple(f"{mount.rstrip('/')}/" for mount in self._have_room)
        return BlockResult(
            tuple(f for f in self._found if not any(m.startswith(f"{f.mount.rstrip('/')}/") for m in below))
        )
