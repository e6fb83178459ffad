"""What a program, a library or a shell prints when a write finds the quota used up or the file system full: the
system's own words (strerror) for EDQUOT and ENOSPC, as Python, HDF5, Fortran, coreutils and others print them.

Only where these words stand as the reason of an error, behind a colon or an errno: a sentence that mentions them is
none, nor is a comment or a traced command of a script. Which of the job's files it was is not kept: where the words are
of another command than the program, nothing tells.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final, Literal

from iotriage_parsers.evidence import FailedWrites, Part
from iotriage_parsers.text.blocks import BlockReader, BlockResult, LineResult
from iotriage_parsers.text.lines import Line
from iotriage_parsers.text.wording import plural

_WORDS: Final[Mapping[str, tuple[int, Literal["EDQUOT", "ENOSPC"]]]] = {
    "Disk quota exceeded": (122, "EDQUOT"),
    "No space left on device": (28, "ENOSPC"),
}
_REASON: Final = re.compile(
    rf"(?:[:\]]\s{{1,4}}|error message = )['\"]?({'|'.join(_WORDS)})(?=['\"]?\s*(?:$|[:;,.()\[]))"
)
_NO_ERROR: Final = re.compile(
    r"\s*(?:#(?!\d{3}:)|\+{1,8} |echo |//|!)|.*(?:ADIOI_CRAY_(?:READ|WRITE)CONTIG\(|MPICH ERROR)"
)
_BETWEEN: Final = 16
LONGEST_MESSAGE: Final = 512


class FailedWritesMachine:
    """Adds up the lines of each reason; other lines stand between them, as those of a traceback."""

    def __init__(self, line: Line) -> None:
        self._found: dict[str, FailedWrites] = {}
        self._foreign = 0
        self.feed(line)

    def feed(self, line: Line) -> LineResult:
        reason = reason_of(line.text)
        if reason is None:
            self._foreign += 1
            return LineResult.OVER if self._foreign > _BETWEEN else LineResult.FOREIGN
        self._foreign = 0
        errno, name = _WORDS[reason]
        before = self._found.get(reason)
        first = (
            before
            if before is not None
            else FailedWrites(errno, name, line.text.strip()[:LONGEST_MESSAGE], 0, line.number, line.number)
        )
        self._found[reason] = FailedWrites(errno, name, first.message, first.count + 1, first.line, line.number)
        return LineResult.TAKEN

    def close(self) -> BlockResult:
        return BlockResult(tuple(self._found.values()))


def reason_of(text: str) -> str | None:
    """The system's words where they are the reason of an error."""
    found = _REASON.search(text)
    return None if found is None or _NO_ERROR.match(text) else found.group(1)


def _begins(text: str) -> int | None:
    return None if reason_of(text) is None else len(text) - len(text.lstrip())


def _together(parts: tuple[Part, ...], _every: tuple[Part, ...]) -> BlockResult:
    """One part for each reason."""
    found: dict[str, FailedWrites] = {}
    for part in (p for p in parts if isinstance(p, FailedWrites)):
        one = found.get(part.name)
        found[part.name] = (
            part
            if one is None
            else FailedWrites(one.errno, one.name, one.message, one.count + part.count, one.line, part.last_line)
        )
    return BlockResult(tuple(found.values()))


def _describe(parts: tuple[Part, ...]) -> str | None:
    names = [f"{p.name} on {plural(p.count, 'line')}" for p in parts if isinstance(p, FailedWrites)]
    return f"failed writes: {', '.join(names)}" if names else None


reader: Final = BlockReader(
    id="failed_writes",
    title="a program's failed writes",
    anchors=tuple(words.encode() for words in _WORDS),
    begins=_begins,
    start=lambda line, _before: FailedWritesMachine(line),
    describe=_describe,
    finish=_together,
    precedence=5,
)
