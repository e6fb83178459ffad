"""Lines of a text that have one of some cues, each once, however many stand on it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import BinaryIO, Final

from iotriage_parsers.text.anchors import Search
from iotriage_parsers.text.lines import LineSource

_MOST: Final = 10_000
"""Where there are more, they are the program's own."""


def cued_lines(cues: Search, stream: BinaryIO, line_bytes: int) -> Iterator[tuple[int, bytes]]:
    """The number and the bytes of each, of the whole text; no more than are looked at."""
    stream.seek(0)
    looked_at = 0
    for chunk in LineSource(stream, line_bytes):
        data, done, number = chunk.data, 0, chunk.first
        for at in cues(data):
            if at < done:
                continue
            looked_at += 1
            if looked_at > _MOST:
                return
            begin, end = data.rfind(b"\n", 0, at) + 1, data.find(b"\n", at)
            end = len(data) if end < 0 else end
            number += data.count(b"\n", done, begin)
            yield number, data[begin:end]
            done, number = end + 1, number + 1
