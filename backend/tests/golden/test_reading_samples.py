"""What every reader owes to bytes from strangers, tried on every sample: the same answer however the bytes arrive,
and an honest one where they are damaged."""

from __future__ import annotations

import copy
import io
from functools import cache

import pytest
from budget import dice, tries
from digest import JsonObject, evidence_digest
from odd_stream import OddStream
from samples import Case, cases

from iotriage_parsers import detect

TRUNCATIONS = tries(5, 100)
FLIPS = tries(3, 100)
ODD_SIZES = (1, 7, 4093, 13, 65537, 251)
CHECKED = {"darshan_log"}
"""Formats whose bytes carry lengths and checksums, so that damage shows."""


def said_of(data: bytes) -> JsonObject:
    return evidence_digest(detect.read(io.BytesIO(data)))


def figures_of(said: JsonObject) -> JsonObject:
    """Without the versions in the module map: the header of a log has no checksum, and of a module whose records are
    not read the version decides nothing."""
    said = copy.deepcopy(said)
    for part in said.get("parts", []):
        modules = part.get("modules", [])
        # Of a long list, as a damaged header's, the digest has the first.
        for module in modules["first"] if isinstance(modules, dict) else modules:
            module.pop("version", None)
    return said


def first_source(case: Case) -> bytes:
    return case.sources[0].read_bytes()


@cache
def whole_of(case: Case) -> JsonObject:
    """What is said of the undamaged source; not to be changed."""
    return said_of(first_source(case))


@pytest.mark.parametrize("case", cases(), ids=str)
def test_how_the_bytes_arrive_changes_nothing(case: Case) -> None:
    data = first_source(case)
    stream = io.BufferedReader(OddStream(data, ODD_SIZES), buffer_size=509)
    assert evidence_digest(detect.read(stream)) == whole_of(case)


@pytest.mark.parametrize("case", cases(), ids=str)
def test_the_name_changes_nothing(case: Case, tmp_path) -> None:
    renamed = tmp_path / "a report (2).txt.docx"
    renamed.write_bytes(first_source(case))
    with renamed.open("rb") as source:
        assert evidence_digest(detect.read(source)) == whole_of(case)


@pytest.mark.parametrize("case", cases(), ids=str)
def test_a_cut_source_gives_what_can_be_read_and_says_so(case: Case) -> None:
    data = first_source(case)
    whole = whole_of(case)
    for step in range(TRUNCATIONS):
        said = said_of(data[: len(data) * step // TRUNCATIONS])
        honest = said["status"] in ("partial", "failed", "nothing") or said == whole
        assert honest or case.format not in CHECKED, f"cut at {step}/{TRUNCATIONS}"


@pytest.mark.fuzz
@pytest.mark.parametrize("case", cases(), ids=str)
def test_a_flipped_byte_never_crashes_a_reader_nor_deceives_where_the_format_has_checksums(case: Case) -> None:
    data = first_source(case)
    whole = figures_of(whole_of(case))
    chance = dice(case.name)
    for _ in range(FLIPS):
        at = chance.randrange(len(data))
        damaged = data[:at] + bytes([data[at] ^ chance.randrange(1, 256)]) + data[at + 1 :]
        said = figures_of(said_of(damaged))
        honest = said["status"] in ("partial", "failed", "nothing") or said == whole
        assert honest or case.format not in CHECKED, f"byte {at}"
