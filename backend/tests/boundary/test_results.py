"""What every reader finds crosses unchanged, whatever stands in its source."""

from __future__ import annotations

import os
import re
from io import BytesIO
from pathlib import Path

import numpy as np
import pytest
from alike import alike
from budget import dice, tries

from iotriage.boundary.decode_error import DecodeError
from iotriage.boundary.results import Result, decode_result, encode_result
from iotriage_parsers.detect import read_or_unpack
from iotriage_parsers.evidence import (
    SEGMENT,
    Archive,
    CounterTable,
    DarshanLog,
    DxtTrace,
    Evidence,
    Failure,
    Heatmap,
    Job,
    Member,
)

REPOSITORY = Path(__file__).parents[3]
CORPUS = Path(os.environ.get("IOTRIAGE_CORPUS", REPOSITORY.parent / "shared"))
GENERATED = {"evidence.json", "metrics.json", "findings.json"}
SAMPLES = sorted(
    p for p in REPOSITORY.glob("sample-logs/*/*/*") if p.is_file() and p.name not in GENERATED and p.suffix != ".md"
)
OTHERS = sorted(p for f in ("logs", "own-logs", "samples") for p in (CORPUS / f).rglob("*") if p.is_file())
TEXTS = [p for p in SAMPLES if p.suffix != ".darshan"]

ODD_NUMBERS = (
    [b"9" * digits for digits in (19, 20, 25, 400)]
    + [b"1e999", b"-1e999", b"1e308", b"nan", b"inf", b"-1", b"18446744073709551616", b"9223372036854775808"]
    + [b"9" * 310 + b".5", b"9" * 17 + b"T", b"99999999P", b"\\ud800", b"\xed\xa0\x80"]
)


def name_of(path: Path) -> str:
    return "/".join(path.parts[-2:])


def read(path: Path) -> Result:
    with path.open("rb") as stream:
        return read_or_unpack(stream)


@pytest.mark.parametrize("path", SAMPLES, ids=name_of)
def test_what_a_sample_holds_comes_back_as_it_was(path: Path) -> None:
    found = read(path)
    assert alike(decode_result(encode_result(found)), found)


@pytest.mark.skipif(not OTHERS, reason="the logs of others are not here")
def test_what_the_logs_of_others_hold_comes_back_as_it_was() -> None:
    for path in OTHERS:
        found = read(path)
        assert alike(decode_result(encode_result(found)), found), path


@pytest.mark.fuzz
@pytest.mark.parametrize("path", TEXTS, ids=name_of)
def test_numbers_that_no_program_can_hold_do_not_cross_and_take_nothing_else_with_them(path: Path) -> None:
    draw = dice(f"numbers {name_of(path)}")
    text = path.read_bytes()
    numbers = list(re.finditer(rb"(?<![\w.])-?\d+(?:\.\d+)?(?![\w.])", text))
    for _ in range(tries(2, 60) if numbers else 0):
        chosen = draw.sample(numbers, min(len(numbers), draw.choice((1, 3, 1 + len(numbers) // 4))))
        odd, at = b"", 0
        for match in sorted(chosen, key=re.Match.start):
            odd += text[at : match.start()] + draw.choice(ODD_NUMBERS)
            at = match.end()
        found = read_or_unpack(BytesIO(odd + text[at:]))
        assert alike(decode_result(encode_result(found)), found)


def test_what_is_in_an_archive_comes_back_too() -> None:
    log = read(REPOSITORY / "sample-logs/darshan_log/39-heat2d-legacy/39-heat2d-legacy.darshan")
    assert isinstance(log, Evidence)
    refused = Failure("damaged", "it cannot be unpacked", "Make the archive again.")
    members = (Member("a", "00", 7, log), Member("b", "", 0, refused), Member("c", "01", 9, log))
    archive = Archive("zip", members, refused)
    assert alike(decode_result(encode_result(archive)), archive)


def table(**changed: object) -> CounterTable:
    plain: dict[str, object] = {
        "module": "POSIX",
        "int_names": ("A", "B"),
        "float_names": ("C",),
        "ids": np.arange(3, dtype=np.uint64),
        "ranks": np.arange(3),
        "ints": np.zeros((3, 2), np.int64),
        "floats": np.zeros((3, 1)),
    }
    return CounterTable(**{**plain, **changed})  # type: ignore[arg-type]


def log_with(*, posix: CounterTable | None = None, heatmaps: tuple[Heatmap, ...] = ()) -> Evidence:
    return Evidence(
        "darshan_log", (DarshanLog("3.41", "little", "zlib", Job(), (), {}, (), posix=posix, heatmaps=heatmaps),)
    )


@pytest.mark.parametrize(
    "changed",
    [
        {"ranks": np.arange(4)},
        {"ints": np.zeros((3, 3), np.int64)},
        {"ints": np.zeros((2, 2), np.int64)},
        {"floats": np.zeros(3)},
        {"ids": np.zeros((3, 1), np.uint64)},
        {"file_ids": np.zeros(2, np.uint64)},
        {"int_names": ("A",)},
    ],
)
def test_a_table_whose_columns_do_not_fit_is_refused(changed: dict[str, object]) -> None:
    assert decode_result(encode_result(log_with(posix=table())))
    message = encode_result(log_with(posix=table(**changed)))
    with pytest.raises(DecodeError):
        decode_result(message)
    member = Member("a", "00", 7, log_with(posix=table(**changed)))
    with pytest.raises(DecodeError):
        decode_result(encode_result(Archive("tar", (member,))))


@pytest.mark.parametrize(("ranks", "read", "written"), [(2, (3, 4), (3, 4)), (3, (3, 4), (3, 5)), (3, (3,), (3,))])
def test_a_heatmap_that_is_no_grid_is_refused(ranks: int, read: tuple[int, ...], written: tuple[int, ...]) -> None:
    grids = (np.zeros(read, np.int64), np.zeros(written, np.int64))
    with pytest.raises(DecodeError):
        decode_result(encode_result(log_with(heatmaps=(Heatmap("POSIX", 0.1, np.arange(ranks), *grids),))))


def test_a_truth_value_that_is_neither_is_refused() -> None:
    calls = np.zeros(3, SEGMENT)
    message = bytearray(encode_result(Evidence("darshan_log", (DxtTrace("POSIX", calls, {}, {}),))))
    assert decode_result(bytes(message))
    at = len(message) - 8 * -(-calls.nbytes // 8) + SEGMENT.itemsize + 16
    message[at] = 1
    assert decode_result(bytes(message))
    message[at] = 2
    with pytest.raises(DecodeError, match="truth"):
        decode_result(bytes(message))
