"""Results of IOR in the comments of a script, as a note of what an earlier run gave: of which run, nothing tells."""

from __future__ import annotations

import re
from typing import Final

from iotriage_parsers.evidence import Problem
from iotriage_parsers.text.blocks import BlockResult, LineResult
from iotriage_parsers.text.lines import Line

COMMENTED: Final = re.compile(r"#[ \t#]{0,8}(?:access[ \t]+bw\(MiB/s\)|Max (?:Write|Read):[ \t]+[\d.]+ MiB/sec)")
_ROW: Final = re.compile(
    r"#[ \t#]{0,8}(?:(?:write|read|remove)[ \t]+[\d-]|-{4,}[ \t]+-{4}|access[ \t]|Max (?:Write|Read):)"
)


class CommentedMachine:
    """Over with the first line that is no such comment."""

    def __init__(self, line: Line) -> None:
        self._first = self._last = line.number

    def feed(self, line: Line) -> LineResult:
        if _ROW.match(line.text.lstrip()) is None:
            return LineResult.OVER
        self._last = line.number
        return LineResult.TAKEN

    def close(self) -> BlockResult:
        message = (
            f"lines {self._first}-{self._last} are results of IOR in comments, of which nothing says what run they are "
            "of: they are not read. Give what that run printed"
        )
        return BlockResult((), (Problem("note", message, line=self._first),))
