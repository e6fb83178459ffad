"""Archives: each file in them read as if it was given by itself, and what hostile ones are answered."""

from __future__ import annotations

import bz2
import gzip
import hashlib
import io
import lzma
import random
import stat
import struct
import tarfile
import tracemalloc
import zipfile
from collections.abc import Callable

import pytest
import zstandard
from hypothesis import given
from hypothesis import strategies as st
from packed_files import Files, tarred, zipped
from stats_text import REPOSITORY, block

from iotriage_parsers import detect
from iotriage_parsers.evidence import Archive, Evidence, Failure, MpiioStats
from iotriage_parsers.reader import Limits

DARSHAN = (REPOSITORY / "sample-logs" / "darshan_log" / "14-balanced" / "14-balanced.darshan").read_bytes()
TEXT = block().encode()
MIB = 2**20


def archive(data: bytes, limits: Limits | None = None) -> Archive:
    found = detect.read_or_unpack(io.BytesIO(data), limits)
    assert isinstance(found, Archive), found
    return found


def failure(data: bytes, limits: Limits | None = None) -> Failure:
    found = detect.read_or_unpack(io.BytesIO(data), limits)
    assert isinstance(found, Failure), found
    return found


def refused(found: Archive, member: int) -> Failure:
    outcome = found.members[member].outcome
    assert isinstance(outcome, Failure)
    return outcome


PACKED: dict[str, Callable[[Files], bytes]] = {
    "zip": zipped,
    "zip, stored": lambda files: zipped(files, zipfile.ZIP_STORED),
    "zip, bzip2": lambda files: zipped(files, zipfile.ZIP_BZIP2),
    "tar": tarred,
    "tar.gz": lambda files: gzip.compress(tarred(files)),
    "tar.bz2": lambda files: bz2.compress(tarred(files)),
    "tar.xz": lambda files: lzma.compress(tarred(files)),
    "tar.zst": lambda files: zstandard.compress(tarred(files)),
}


@pytest.mark.parametrize("pack", PACKED.values(), ids=PACKED)
def test_every_file_is_read_as_if_given_by_itself(pack: Callable[[Files], bytes]) -> None:
    files = [("run/a.darshan", DARSHAN), ("run/job.err", TEXT), ("run/job.err.gz", gzip.compress(TEXT))]
    found = archive(pack(files))
    assert [m.name for m in found.members] == [name for name, _ in files]
    assert [m.sha256 for m in found.members] == [hashlib.sha256(data).hexdigest() for _, data in files]
    assert [m.size_bytes for m in found.members] == [len(data) for _, data in files]
    for member, (_, data) in zip(found.members, files, strict=True):
        alone = detect.read(io.BytesIO(data))
        assert isinstance(alone, Evidence)
        assert isinstance(member.outcome, Evidence)
        assert detect.describe(member.outcome) == detect.describe(alone)
        assert member.outcome.status == "complete"
    assert found.left_out is None


@pytest.mark.parametrize("pack", PACKED.values(), ids=PACKED)
def test_a_file_can_be_had_again_by_its_index(pack: Callable[[Files], bytes]) -> None:
    stream = io.BytesIO(pack([("a", b"first\n"), ("b", TEXT)]))
    for member, data in ((0, b"first\n"), (1, TEXT)):
        with detect.member_of(stream, member, Limits()) as file:
            assert not isinstance(file, Failure)
            assert file is not None
            assert file.read() == data
    with detect.member_of(stream, 2, Limits()) as file:
        assert file is None


def test_what_is_no_archive_is_read_as_before() -> None:
    for data in (DARSHAN, TEXT, gzip.compress(TEXT), bz2.compress(DARSHAN), lzma.compress(TEXT)):
        assert isinstance(detect.read_or_unpack(io.BytesIO(data)), Evidence)
    with detect.member_of(io.BytesIO(TEXT), 0, Limits()) as file:
        assert file is None


def test_of_a_word_processors_document_there_is_its_text() -> None:
    lines = "".join(f"<w:p><w:t>{line}</w:t></w:p>" for line in TEXT.decode().splitlines())
    beside = ["[Content_Types].xml", "_rels/.rels", "docProps/core.xml", "word/styles.xml", "word/theme/theme1.xml"]
    files = [*((name, b"<a/>") for name in beside), ("word/document.xml", f"<w:body>{lines}</w:body>".encode())]
    (member,) = archive(zipped(files)).members
    assert isinstance(member.outcome, Evidence)
    (stats,) = member.outcome.of(MpiioStats)
    assert stats.complete


def test_of_an_open_document_there_is_its_text() -> None:
    lines = "".join(f"<text:p>{line}</text:p>" for line in TEXT.decode().splitlines())
    beside = ["mimetype", "META-INF/manifest.xml", "styles.xml", "settings.xml", "meta.xml", "Thumbnails/thumbnail.png"]
    files = [*((name, b"<a/>") for name in beside), ("content.xml", f"<office:text>{lines}</office:text>".encode())]
    (member,) = archive(zipped(files)).members
    assert isinstance(member.outcome, Evidence)


def test_folders_links_and_what_a_desktop_adds_are_left_out() -> None:
    link = zipfile.ZipInfo("latest")
    link.create_system = 3
    link.external_attr = (stat.S_IFLNK | 0o777) << 16
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as z:
        z.writestr("run/", b"")
        z.writestr(link, b"/etc/passwd")
        z.writestr("__MACOSX/run/._job.err", b"x")
        z.writestr("run/.DS_Store", b"x")
        z.writestr("run/job.err", TEXT)
    assert [m.name for m in archive(packed.getvalue()).members] == ["run/job.err"]

    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w") as t:
        for name, kind in (("run", tarfile.DIRTYPE), ("l", tarfile.SYMTYPE), ("h", tarfile.LNKTYPE)):
            entry = tarfile.TarInfo(name)
            entry.type = kind
            entry.linkname = "/etc/passwd"
            t.addfile(entry)
    assert failure(packed.getvalue()).code == "empty"


@pytest.mark.parametrize("pack", [zipped, tarred], ids=["zip", "tar"])
def test_names_are_shown_and_nothing_else(pack: Callable[[Files], bytes]) -> None:
    names = ["../../../etc/cron.d/x", "/etc/shadow", "..\\..\\win.ini", "a\u202eb\x1b[31m", "d/" * 300 + "out.err"]
    found = archive(pack([(name, TEXT) for name in names]))
    shown = [m.name for m in found.members]
    assert shown[:3] == names[:3]
    assert shown[3] == "a\ufffdb\ufffd[31m"
    assert len(shown[4]) == 200
    assert shown[4].endswith("/d/out.err")
    assert all(isinstance(m.outcome, Evidence) for m in found.members)


def test_an_archive_in_an_archive_is_not_looked_into() -> None:
    inner = zipped([("job.err", TEXT)])
    for pack in (zipped, tarred):
        found = archive(pack([("inner.zip", inner), ("inner.tar.gz", gzip.compress(tarred([("a", TEXT)])))]))
        assert [refused(found, i).code for i in range(2)] == ["unsupported", "unsupported"]
        assert "a zip archive" in refused(found, 0).message
        assert "tar" in refused(found, 1).message


def test_an_encrypted_member_is_named_as_such() -> None:
    data = bytearray(zipped([("secret.err", TEXT), ("open.err", TEXT)]))
    for magic, flags in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        data[data.index(magic) + flags] |= 1
    found = archive(bytes(data))
    assert refused(found, 0).message == "it is encrypted"
    assert isinstance(found.members[1].outcome, Evidence)


def test_a_method_that_allocates_what_the_archive_says_is_not_used() -> None:
    found = archive(zipped([("a.err", TEXT)], zipfile.ZIP_LZMA))
    assert "zip method 14" in refused(found, 0).message


@pytest.mark.parametrize("pack", [zipped, lambda files: gzip.compress(tarred(files))], ids=["zip", "tar.gz"])
def test_a_bomb_costs_bounded_memory(pack: Callable[[Files], bytes]) -> None:
    bomb = pack([("job.err", TEXT), ("bomb", bytes(80 * MIB))])
    tracemalloc.start()
    found = detect.read_or_unpack(io.BytesIO(bomb))
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 32 * MIB
    said = found if isinstance(found, Failure) else refused(found, 1) if isinstance(found, Archive) else None
    assert said is not None
    assert said.code == "too-large"


def test_of_many_small_bombs_one_is_unpacked() -> None:
    bombs = [(f"{i}.err", bytes(48 * MIB)) for i in range(4)]
    found = archive(zipped([*bombs, ("job.err", TEXT)]))
    assert [refused(found, i).code for i in range(4)] == ["unrecognised", *["too-large"] * 3]
    assert refused(found, 1).message.startswith("48,")
    assert isinstance(found.members[4].outcome, Evidence)
    assert [bool(member.sha256) for member in found.members] == [True, False, False, False, True]


def test_the_cap_holds_over_all_files_together() -> None:
    noise = random.Random(1).randbytes(MIB)
    found = archive(zipped([(f"{i}", noise) for i in range(4)]), Limits(inflated_bytes=2 * MIB + 100))
    assert [m.outcome.code == "too-large" for m in found.members if isinstance(m.outcome, Failure)] == [
        False,
        False,
        True,
        True,
    ]


def test_members_that_share_bytes_are_refused() -> None:
    """Many entries of the central directory over one compressed kernel: 42.zip's successor."""
    data = zipped([("a", b"x" * 100_000), ("b", b"y")])
    directory = data.index(b"PK\x01\x02")
    second = data.index(b"PK\x01\x02", directory + 4)
    # The second entry is made to point at the first one's bytes.
    lying = bytearray(data)
    lying[second + 42 : second + 46] = struct.pack("<I", 0)
    assert "share the same bytes" in failure(bytes(lying)).message


@pytest.mark.parametrize("stated", [1, 10, 2**31])
def test_sizes_are_counted_and_not_believed(stated: int) -> None:
    data = bytearray(zipped([("job.err", TEXT), ("next.err", TEXT)]))
    for magic, at in ((b"PK\x03\x04", 22), (b"PK\x01\x02", 24)):
        place = data.index(magic) + at
        data[place : place + 4] = struct.pack("<I", stated)
    found = archive(bytes(data))
    assert len(found.members) == 2
    assert found.members[0].size_bytes <= len(TEXT)
    assert isinstance(found.members[1].outcome, Evidence)


def test_a_member_with_wrong_bytes_costs_itself_alone() -> None:
    data = bytearray(zipped([("a", random.Random(2).randbytes(500)), ("b", TEXT)], zipfile.ZIP_STORED))
    data[60] ^= 0xFF
    found = archive(bytes(data))
    assert refused(found, 0).code == "damaged"
    assert isinstance(found.members[1].outcome, Evidence)


@pytest.mark.parametrize("pack", [zipped, tarred], ids=["zip", "tar"])
def test_of_very_many_files_the_first_are_read(pack: Callable[[Files], bytes]) -> None:
    found = archive(pack([(f"{i}.err", b"x") for i in range(10_000)]), Limits(members=20))
    assert len(found.members) == 20
    assert found.left_out is not None
    assert "more than 20 files" in found.left_out.message


def test_a_directory_larger_than_any_real_one_is_not_loaded() -> None:
    data = bytearray(zipped([("a", TEXT)]))
    end = data.rindex(b"PK\x05\x06")
    data[end + 12 : end + 16] = struct.pack("<I", 2**31)
    assert failure(bytes(data)).code == "too-large"


def test_a_tar_that_ends_early_is_read_up_to_there() -> None:
    whole = tarred([("a.err", TEXT), ("b.err", TEXT * 20)])
    found = archive(whole[: len(whole) // 2])
    first = found.members[0].outcome
    assert isinstance(first, Evidence)
    assert len(first.of(MpiioStats)) == 1
    assert refused(found, 1).code == "damaged" if len(found.members) > 1 else found.left_out is not None


def test_a_tar_that_leads_backwards_ends() -> None:
    data = bytearray(tarred([("a.err", TEXT), ("b.err", TEXT)]))
    data[124:136] = b"\xff" * 8 + struct.pack(">i", -2048)
    data[148:156] = b" " * 8
    data[148:156] = f"{sum(data[:512]):06o}\0 ".encode()
    assert isinstance(detect.read_or_unpack(io.BytesIO(bytes(data))), Archive | Failure)


def test_an_empty_archive() -> None:
    assert failure(zipped([])).code == "empty"
    assert failure(tarred([("a", TEXT)])[:512].replace(b"a", b"b", 1)).code in ("damaged", "empty")


@given(st.integers(0, 2000), st.binary(min_size=1, max_size=40), st.sampled_from(["zip", "tar", "tar.gz"]))
def test_any_damage_gets_an_answer(at: int, junk: bytes, packing: str) -> None:
    data = bytearray(PACKED[packing]([("a.err", TEXT), ("b.darshan", DARSHAN[:2000])]))
    at %= len(data)
    data[at : at + len(junk)] = junk
    assert isinstance(detect.read_or_unpack(io.BytesIO(bytes(data))), Evidence | Archive | Failure)
    for cut in (data[:at], data[at:]):
        assert isinstance(detect.read_or_unpack(io.BytesIO(bytes(cut))), Evidence | Archive | Failure)


FIVE = [(f"run/{i}.err", TEXT * (i + 1)) for i in range(5)]


def heads_of(data: bytes) -> list[int]:
    """Where the members of a plain tar begin."""
    return [i - 257 for i in range(257, len(data), 512) if data[i : i + 5] == b"ustar"]


def lost(found: Archive) -> str:
    assert found.left_out is not None
    assert found.left_out.code == "damaged"
    return found.left_out.message


def test_a_flipped_tar_header_costs_its_file_and_no_other() -> None:
    data = bytearray(tarred(FIVE))
    at = heads_of(bytes(data))[2]
    data[at + 20] ^= 4
    found = archive(bytes(data))
    assert [m.name for m in found.members] == [name for i, (name, _) in enumerate(FIVE) if i != 2]
    assert f"the header at byte {at:,} is damaged" in lost(found)


def test_a_first_tar_header_that_is_damaged_leaves_the_others() -> None:
    for at in (5, 258, 150):
        data = bytearray(tarred(FIVE))
        data[at] ^= 2
        found = archive(bytes(data))
        assert [m.name for m in found.members] == [name for name, _ in FIVE[1:]]
        assert "the header at byte 0 is damaged" in lost(found)


def test_a_tar_header_with_a_damaged_byte_behind_its_checksum_is_said() -> None:
    data = bytearray(tarred(FIVE))
    at = heads_of(bytes(data))[2]
    data[at + 155] ^= 2
    found = archive(bytes(data))
    assert [m.name for m in found.members] == [name for name, _ in FIVE]
    assert f"the header of {FIVE[2][0]} at byte {at:,} is damaged" in lost(found)


@pytest.mark.parametrize("short", [0, 1, 200, 512])
def test_a_tar_cut_at_or_in_a_header_is_said_to_end_early(short: int) -> None:
    data = tarred(FIVE)
    found = archive(data[: heads_of(data)[3] + short])
    assert len(found.members) == 3 + (short == 512)
    assert "byte" in lost(found)


def test_a_tar_ends_in_two_blocks_of_zeros_and_nothing_else() -> None:
    data = tarred(FIVE).rstrip(b"\0")
    whole = data + bytes(-len(data) % 512)
    assert archive(whole + bytes(1024)).left_out is None
    for end in (b"", bytes(512), bytes(1024) + b"x" * 512):
        assert "byte" in lost(archive(whole + end))


def test_a_tar_behind_a_tar_is_read_and_said() -> None:
    found = archive(tarred(FIVE[:2]) + tarred(FIVE[2:]))
    assert len(found.members) == 5
    assert "behind its end" in lost(found)


def test_a_tar_without_a_magic_number_is_one_by_its_checksum() -> None:
    data = bytearray(tarred(FIVE))
    for at in heads_of(bytes(data)):
        data[at + 257 : at + 265] = bytes(8)
        data[at + 148 : at + 156] = b" " * 8
        data[at + 148 : at + 156] = f"{sum(data[at : at + 512]):06o}\0 ".encode()
    assert len(archive(bytes(data)).members) == 5


def test_a_failed_checksum_around_a_tar_is_said_of_every_file_in_it() -> None:
    data = bytearray(gzip.compress(tarred(FIVE)))
    data[-6] ^= 1
    found = archive(bytes(data))
    assert len(found.members) == 5
    assert "fails its checksum" in lost(found)
    for member in found.members:
        assert isinstance(member.outcome, Evidence)
        assert member.outcome.status == "partial"


@pytest.mark.parametrize("pack", [gzip.compress, bz2.compress], ids=["gzip", "bzip2"])
def test_what_follows_compressed_data_is_named(pack: Callable[[bytes], bytes]) -> None:
    assert "followed by something else" in lost(archive(pack(tarred(FIVE)) + b"junk"))
    found = detect.read(io.BytesIO(pack(TEXT) + b"junk"))
    assert isinstance(found, Evidence)
    assert found.status == "partial"
    assert archive(pack(tarred(FIVE[:2])) + pack(b"")).left_out is None


def test_a_zip_whose_directory_does_not_list_all_is_not_whole() -> None:
    data = zipped(FIVE)
    directory = data.index(b"PK\x01\x02")
    last, end = data.rindex(b"PK\x01\x02"), data.rindex(b"PK\x05\x06")
    fields = list(struct.unpack("<4s4H2IH", data[end : end + 22]))
    fields[3] = fields[4] = 4
    fields[5] = last - directory
    found = archive(data[:last] + struct.pack("<4s4H2IH", *fields))
    assert len(found.members) == 4
    assert "run/4.err begins there" in lost(found)


@pytest.mark.parametrize(
    ("field", "said"),
    [(8, "several"), (10, "counts"), (12, "does not lead to"), (16, "does not lead to"), (20, "comment")],
)
def test_a_number_of_the_end_record_that_disagrees_is_said(field: int, said: str) -> None:
    data = bytearray(zipped(FIVE))
    at = data.rindex(b"PK\x05\x06") + field
    data[at] = (data[at] + 1) % 256
    found = detect.read_or_unpack(io.BytesIO(bytes(data)))
    if isinstance(found, Archive):
        assert said in lost(found)
    assert not isinstance(found, Evidence)


@pytest.mark.parametrize("field", [6, 8, 14, 18, 22])
def test_two_headers_of_a_zipped_file_that_differ_are_said_of_it(field: int) -> None:
    data = bytearray(zipped(FIVE))
    data[field] ^= 2
    found = archive(bytes(data))
    outcome = found.members[0].outcome
    assert isinstance(outcome, Failure) or outcome.status == "partial"
    assert all(isinstance(m.outcome, Evidence) and m.outcome.status == "complete" for m in found.members[1:])


@pytest.mark.parametrize("changed", [b"run/\0.err", b"run/0.er/"])
def test_a_file_that_is_named_as_a_folder_is_not_passed_over(changed: bytes) -> None:
    """Python ends a name at its first NUL, and takes what ends in a slash for a folder."""
    data = zipped(FIVE)
    listed = data.rindex(b"run/0.err")
    found = archive(data[:listed] + changed + data[listed + len(changed) :])
    assert len(found.members) == len(FIVE)
    assert isinstance(found.members[0].outcome, Failure)
    assert all(isinstance(m.outcome, Evidence) and m.outcome.status == "complete" for m in found.members[1:])
