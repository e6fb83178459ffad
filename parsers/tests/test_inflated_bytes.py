"""One budget of inflated bytes for one input: whatever holds what, and however many, all of it draws on the same."""

from __future__ import annotations

import base64
import bz2
import gzip
import io
import random
import zlib
from collections.abc import Callable
from email.message import EmailMessage

import pytest
from darshan_writer import Counters, Log, Raw, build, record_id
from packed_files import Files, tarred, zipped
from stats_text import block

from iotriage_parsers import detect
from iotriage_parsers.archives import open_archive
from iotriage_parsers.evidence import Archive, DarshanLog, Evidence, Failure
from iotriage_parsers.reader import Limits
from iotriage_parsers.readers.darshan_log import reader
from iotriage_parsers.readers.darshan_log.content_digest import content_digest
from iotriage_parsers.readers.darshan_log.inflate import inflate

MIB = 2**20
TEXT = block().encode()
NOISE = random.Random(7).randbytes(MIB)


def mailed(files: Files) -> bytes:
    mail = EmailMessage()
    mail["From"] = "a@example.org"
    mail.set_content("The logs.")
    for name, data in files:
        mail.add_attachment(data, maintype="application", subtype="octet-stream", filename=name)
    return mail.as_bytes()


def darshan(inflated_bytes: int) -> bytes:
    """A log with one record, and a module beside it that inflates to so much."""
    name = record_id("/f")
    posix = Counters.of("POSIX", {"id": name, "rank": 0, "POSIX_OPENS": 1})
    return build(Log(names={name: "/f"}, modules=(posix, Raw("DXT_POSIX", 1, bytes(inflated_bytes)))))


def read(data: bytes, limits: Limits) -> Archive:
    found = detect.read_or_unpack(io.BytesIO(data), limits)
    assert isinstance(found, Archive), found
    return found


def unread(found: Archive) -> list[str]:
    """The files that were beyond the limit."""
    return [m.name for m in found.members if isinstance(m.outcome, Failure) and m.outcome.code == "too-large"]


PACKED: dict[str, Callable[[Files], bytes]] = {
    "zip": zipped,
    "tar": tarred,
    "tar.gz": lambda files: gzip.compress(tarred(files)),
    "mail": mailed,
    "mail with a tar.gz": lambda files: mailed([("logs.tgz", gzip.compress(tarred(files)))]),
}


@pytest.mark.parametrize("pack", PACKED.values(), ids=PACKED)
def test_compressed_files_of_an_archive_share_what_may_be_inflated(pack: Callable[[Files], bytes]) -> None:
    bomb = gzip.compress(bytes(2 * MIB))
    bombs = [(f"bomb{i}.gz", bomb) for i in range(50)]
    limits = Limits(inflated_bytes=7 * MIB)
    found = read(pack([("job.err", TEXT), *bombs]), limits)
    lost = unread(found)
    assert len(found.members) == 51
    assert 46 <= len(lost) <= 48
    assert isinstance(found.members[0].outcome, Evidence)
    assert found.left_out is not None
    assert found.left_out.code == "too-large"
    first, largest = lost[0], found.members[1].name
    said = found.left_out.message
    assert said.startswith("what is inflated of one input is at most 7 MiB: ")
    assert f"{len(lost)} of 51 files were not read, or not whole, {first} first" in said
    assert f"{largest} alone took 2 MiB" in said
    assert largest in found.left_out.next_step
    # The budget was that of this input alone.
    assert limits.spent.inflated_bytes == 0


def test_what_was_beyond_the_limit_says_so_and_costs_next_to_nothing() -> None:
    limits = Limits(inflated_bytes=4 * MIB)
    bomb = gzip.compress(bytes(3 * MIB))
    bombs = tarred([(f"bomb{i}.gz", bomb) for i in range(40)])
    with open_archive.opened(io.BytesIO(bombs), limits, lambda _: True) as archive:
        assert isinstance(archive, open_archive.OpenArchive)
        outcomes = [detect._read_member(archive, entry).outcome for entry in archive.entries]
    assert limits.spent.inflated_bytes < 4 * MIB + 40 * 2**18
    for outcome in outcomes[1:]:
        assert isinstance(outcome, Failure)
        assert "at most 4 MiB, and this file is beyond that: it was not read" in outcome.message


def test_a_file_that_stands_in_the_archive_as_it_is_is_read_behind_a_bomb() -> None:
    files = [("bomb.gz", gzip.compress(bytes(9 * MIB))), ("job.err", TEXT)]
    found = read(tarred(files), Limits(inflated_bytes=MIB))
    assert unread(found) == ["bomb.gz"]
    assert isinstance(found.members[1].outcome, Evidence)


def test_darshan_logs_of_an_archive_share_what_may_be_inflated() -> None:
    logs = tarred([(f"{i}.darshan", darshan(2 * MIB)) for i in range(6)])
    whole = read(logs, Limits())
    assert whole.left_out is None
    found = read(logs, Limits(inflated_bytes=5 * MIB))
    assert [isinstance(m.outcome, Evidence) for m in found.members] == [True] * 3 + [False] * 3
    third = found.members[2].outcome
    assert isinstance(third, Evidence)
    assert [p.where for p in third.problems if p.code == "limit"] == ["DXT_POSIX"]
    assert unread(found) == ["3.darshan", "4.darshan", "5.darshan"]
    assert found.left_out is not None
    assert "4 of 6 files were not read, or not whole, 2.darshan first" in found.left_out.message


def test_a_log_draws_on_what_its_compressed_file_left() -> None:
    log = darshan(0)[:-1] + NOISE
    packed = gzip.compress(darshan(3 * MIB) + NOISE)
    assert isinstance(detect.read(io.BytesIO(log), Limits()), Evidence)
    for most, whole in ((5 * MIB, True), (3 * MIB + MIB // 2, False)):
        found = detect.read(io.BytesIO(packed), Limits(inflated_bytes=most))
        assert isinstance(found, Evidence)
        assert isinstance(found.parts[0], DarshanLog)
        assert ("limit" in {p.code for p in found.problems}) is not whole


@pytest.mark.parametrize("compression", ["zlib", "bzip2"])
def test_what_a_region_gave_before_it_failed_is_spent(compression) -> None:
    pack = zlib.compress if compression == "zlib" else bz2.compress
    region = bytearray(pack(bytes(3 * MIB)))
    region[-2] ^= 1
    found = inflate(memoryview(region), compression, 100 * MIB, only_first=False)
    assert (found.data, found.stop) == (b"", "corrupt")
    assert 2 * MIB < found.spent_bytes <= 3 * MIB
    found = inflate(memoryview(region), compression, MIB, only_first=False)
    assert found.spent_bytes == MIB + 1


def test_each_input_has_a_budget_of_its_own() -> None:
    limits = Limits(inflated_bytes=3 * MIB)
    archive = zipped([("noise", NOISE), ("job.err", TEXT)])
    log = darshan(2 * MIB)
    for _ in range(2):
        assert read(archive, limits).left_out is None
        with detect.member_of(io.BytesIO(archive), 0, limits) as file:
            assert file is not None
            assert not isinstance(file, Failure)
        assert content_digest(io.BytesIO(log), limits.for_another()) is not None
        found = detect.read(io.BytesIO(log), limits)
        assert isinstance(found, Evidence)
        assert "limit" not in {p.code for p in found.problems}
    assert isinstance(reader.read(io.BytesIO(log), limits), Evidence)
    assert limits.room_bytes < MIB + MIB // 2


def test_many_honest_logs_are_read() -> None:
    log, text = darshan(40_000), gzip.compress(TEXT)
    logs = [(f"{i}.darshan", log) for i in range(30)]
    texts = [(f"{i}.err.gz", text) for i in range(30)]
    for pack in PACKED.values():
        found = read(pack([*logs, *texts]), Limits())
        assert len(found.members) == 60
        assert found.left_out is None
        assert all(isinstance(m.outcome, Evidence) for m in found.members)


def test_stored_texts_cost_what_the_archive_around_them_inflates_to() -> None:
    """A compressed tar of texts is inflated once, and may take all of it."""
    text = base64.b64encode(NOISE) + b"\n" + TEXT
    files = [(f"{i}.err", text) for i in range(3)]
    packed = gzip.compress(tarred(files))
    assert read(packed, Limits(inflated_bytes=len(tarred(files)))).left_out is None
