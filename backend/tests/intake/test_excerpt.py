"""Lines of a text, read in a child: as its reader saw them, and bounded."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest

from iotriage.intake.disposable import DisposableReading
from iotriage.intake.excerpt import Excerpt, ExcerptLine
from iotriage.intake.reading import LinesQuery, ReadingLimits
from iotriage_parsers.evidence import Failure

LIMITS = ReadingLimits()


def excerpt(reading: DisposableReading, path: Path, data: bytes, first: int, last: int) -> Excerpt | Failure | None:
    source = path / "source"
    source.write_bytes(data)
    return reading.lines(source, LinesQuery(first, last), LIMITS)


def lines(*texts: str, first: int = 1) -> tuple[ExcerptLine, ...]:
    return tuple(ExcerptLine(number, text, False) for number, text in enumerate(texts, first))


TEXT = "".join(f"line {n}\n" for n in range(1, 1001)).encode()


def test_the_lines_asked_for_with_their_numbers(reading: DisposableReading, tmp_path: Path) -> None:
    assert excerpt(reading, tmp_path, TEXT, 500, 501) == Excerpt(lines("line 500", "line 501", first=500), True)
    assert excerpt(reading, tmp_path, TEXT, 1000, 1005) == Excerpt(lines("line 1000", first=1000), False, 1000)
    assert excerpt(reading, tmp_path, TEXT, 1001, 1005) == Excerpt((), False, 1000)


def test_a_compressed_text_is_read_as_its_reader_does(reading: DisposableReading, tmp_path: Path) -> None:
    assert excerpt(reading, tmp_path, gzip.compress(TEXT), 1, 1) == Excerpt(lines("line 1"), True)


@pytest.mark.parametrize(
    ("data", "text"),
    [
        (b"\x1b[31mred\x1b[0m\r\n", "red"),
        ("é ✓\n".encode("utf-16"), "é ✓"),
        (b"caf\xe9\n", "café"),
        ("a\u202eb\x07\u202d\n".encode(), "ab"),
        (b"no line end", "no line end"),
        (b"<script>alert(1)</script>\n", "<script>alert(1)</script>"),
    ],
)
def test_text_is_decoded_and_control_sequences_are_taken_out(
    reading: DisposableReading, tmp_path: Path, data: bytes, text: str
) -> None:
    assert excerpt(reading, tmp_path, data, 1, 1) == Excerpt(lines(text), False, 1)


def test_a_huge_line_is_cut(reading: DisposableReading, tmp_path: Path) -> None:
    found = excerpt(reading, tmp_path, b"x" * 3_000_000 + b"\nafter\n", 1, 2)
    assert isinstance(found, Excerpt)
    huge, after = found.lines
    assert (len(huge.text), huge.cut) == (65536, True)
    assert after == ExcerptLine(2, "after", False)


def test_a_binary_log_has_no_lines(reading: DisposableReading, sample_logs: Path) -> None:
    path = sample_logs / "darshan_log/01-serial-gather/01-serial-gather.darshan"
    assert reading.lines(path, LinesQuery(1, 2), LIMITS) is None
