"""The headers before a tar's member, which state its long name and pax records: what they state is not believed, and
each is read once.
"""

from __future__ import annotations

import io
import tarfile
import tracemalloc
from pathlib import Path

import pytest
from mutants.archives import packed
from stats_text import block

from iotriage_parsers import detect
from iotriage_parsers.evidence import Archive, Evidence

MIB = 2**20
TEXT = block().encode()
FILES = {f"run/{i}.err": TEXT * (i + 1) for i in range(3)}
FILES_TAR = packed(FILES, "ustar")
JOB = packed({"job.err": TEXT}, "ustar")


def archive(data: bytes) -> Archive:
    found = detect.read_or_unpack(io.BytesIO(data))
    assert isinstance(found, Archive), found
    return found


def lost(found: Archive) -> str:
    assert found.left_out is not None
    return found.left_out.message


def head(name: str, kind: bytes, size: int) -> bytes:
    """A tar header by itself."""
    entry = tarfile.TarInfo(name)
    entry.type, entry.size = kind, size
    return entry.tobuf(tarfile.GNU_FORMAT)


def with_content(kind: bytes, content: bytes) -> bytes:
    return head("about what follows", kind, len(content)) + content + bytes(-len(content) % 512)


class Counted(io.BytesIO):
    reads = 0

    def read(self, size: int | None = -1, /) -> bytes:
        self.reads += 1
        return super().read(size)


@pytest.mark.parametrize("kind", [b"L", b"K", b"x", b"X", b"g"])
def test_tar_headers_before_one_file_are_each_read_once_however_many(kind: bytes) -> None:
    many = 2_000
    stream = Counted(with_content(kind, b"10 path=a\n") * many + JOB)
    found = detect.read_or_unpack(stream)
    assert isinstance(found, Archive)
    assert isinstance(found.members[-1].outcome, Evidence)
    assert "the header at byte 0 is damaged" in lost(found)
    assert stream.reads < 4 * many


@pytest.mark.parametrize("kind", [b"L", b"K", b"x", b"g"])
def test_what_a_tar_header_states_of_names_is_not_asked_for(tmp_path: Path, kind: bytes) -> None:
    path = tmp_path / "a.tar"
    path.write_bytes(head("about what follows", kind, 2**45) + FILES_TAR)
    with path.open("rb") as stream:
        found = detect.read_or_unpack(stream)
    assert isinstance(found, Archive)
    assert [m.name for m in found.members] == list(FILES)
    assert "the header at byte 0 is damaged" in lost(found)


def test_what_a_tar_says_of_all_its_files_is_kept_for_none() -> None:
    of_all = b"".join(b"13 %06d=123\n" % i for i in range(50_000))
    one = with_content(b"x", b"19 path=job.errors\n") + JOB[:512]
    data = with_content(b"g", of_all) + one * 300 + bytes(1024)
    tracemalloc.start()
    detect.read_or_unpack(io.BytesIO(data))
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 32 * MIB


@pytest.mark.parametrize(
    "records",
    [
        b"9" * 900_000,
        b"1 " * 400_000 + b"=",
        b"0 a=b\n",
        b"999999999 path=x\n",
        b"11 path=xyz",
        b"12 size=1e9\n",
        b"11 size=-1\n",
    ],
    ids=lambda records: records[:12].decode(),
)
def test_pax_records_that_cannot_be_followed_are_said_and_cost_no_file(records: bytes) -> None:
    found = archive(with_content(b"x", records) + FILES_TAR)
    assert [m.name for m in found.members] == list(FILES)
    assert "the pax records of run/0.err at byte 0 are damaged" in lost(found)


def test_a_name_longer_than_any_costs_itself_alone() -> None:
    found = archive(with_content(b"L", b"n" * (MIB + 1)) + FILES_TAR)
    assert [m.name for m in found.members] == list(FILES)
    assert "is damaged" in lost(found)
