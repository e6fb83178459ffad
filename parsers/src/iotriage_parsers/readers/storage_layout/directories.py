"""`lfs getdirstripe`: over which metadata targets Lustre spreads directories."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final

from iotriage_parsers.evidence import Lines, Problem, StorageLayout, StripeField
from iotriage_parsers.text.blocks import BlockResult, LineResult
from iotriage_parsers.text.lines import Line
from iotriage_parsers.text.wrapped_commands import NEXT_COMMAND

FIRST: Final = re.compile(r"lmv_stripe_count:\s+\d")
_PAIR: Final = re.compile(r"(lmv_\w{1,40}):\s+(\S{1,100})")
_TABLE: Final = re.compile(r"mdtidx\s+FID|\d{1,6}\s+\[?0x[0-9a-f]+:.*")
_COMMAND: Final = re.compile(r"\blfs\s+getdirstripe\s+(.{1,4000})")
_PATH: Final = re.compile(r"/\S{1,4000}")
MOST: Final = 10_000


class DirectoriesMachine:
    """The directories that one command asked for, in its order; over with the first line of another shape."""

    def __init__(self, line: Line, before: Iterable[Line]) -> None:
        self._last = line.number
        self._rows: list[tuple[int, str | None, list[StripeField]]] = []
        self._asked: list[str] = []
        self._path: str | None = None
        self._torn = False
        for earlier in before:
            text = earlier.text.strip()
            command = _COMMAND.search(text)
            if command is not None:
                self._asked = _paths(command.group(1))
            elif _PATH.fullmatch(text):
                self._path = text
                continue
            if text:
                break
        absolute = bool(self._asked) and all(one.startswith("/") for one in self._asked)
        if absolute and self._path is not None and not _is_below(self._path, self._asked):
            # The command goes on there: a terminal or a mail broke it.
            self._asked.append(self._path)
            self._path = None
        self.feed(line)

    def feed(self, line: Line) -> LineResult:
        text = line.text.strip()
        pairs = _PAIR.findall(text)
        if pairs and len(self._rows) < MOST:
            if pairs[0][0] == "lmv_stripe_count":
                self._rows.append((line.number, self._path, []))
                self._path = None
            self._torn = not line.ended
            whole = pairs[:-1] if self._torn else pairs
            self._rows[-1][2].extend(StripeField(label, value, line.number) for label, value in whole)
            self._last = line.number
            return LineResult.TAKEN
        if _TABLE.match(text):
            self._last = line.number
            return LineResult.TAKEN
        if _PATH.fullmatch(text):
            self._path = text
            return LineResult.TAKEN
        return LineResult.OVER if text else LineResult.FOREIGN

    def close(self) -> BlockResult:
        if not self._rows:
            return BlockResult()
        ends = [*(number - 1 for number, _, _ in self._rows[1:]), self._last]
        in_order = len(self._asked) == len(self._rows)
        found = tuple(
            self._layout(at, fields, Lines(number, end), path or (self._asked[at] if in_order else None))
            for at, ((number, path, fields), end) in enumerate(zip(self._rows, ends, strict=True))
        )
        if not self._torn:
            return BlockResult(found)
        message = f"the answer of lfs getdirstripe is cut off in line {self._last}: what stands before is read"
        return BlockResult(found, (Problem("unterminated", message, loses_data=True, line=self._last),))

    def _layout(self, at: int, fields: list[StripeField], lines: Lines, path: str | None) -> StorageLayout:
        text = next((f.text for f in fields if f.label == "lmv_stripe_count"), "")
        targets = int(text) if text.isascii() and text.isdigit() and len(text) < 10 else None
        pattern = next((f.text for f in fields if f.label == "lmv_hash_type"), None)
        complete = not self._torn or at < len(self._rows) - 1
        return StorageLayout(
            tool="lfs getdirstripe",
            file_system="lustre",
            lines=lines,
            complete=complete,
            path=path,
            unit_bytes=None,
            targets=targets or None,
            pattern=pattern,
            fields=tuple(fields),
        )


def _is_below(path: str, asked: Iterable[str]) -> bool:
    return any(path == one or path.startswith(f"{one.rstrip('/')}/") for one in asked)


def _paths(arguments: str) -> list[str]:
    command = NEXT_COMMAND.split(arguments, maxsplit=1)[0]
    return [w for w in command.split() if not w.startswith("-")]
