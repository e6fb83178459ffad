"""Layouts of GPFS, BeeGFS, DAOS and of Lustre's directories: values by hand, cut, several, and of others."""

from __future__ import annotations

import io

import pytest
from stats_text import REPOSITORY, codes, extra, read

from iotriage_parsers import detect
from iotriage_parsers.evidence import Failure, Lines, StorageLayout

SAMPLE = REPOSITORY / "sample-logs" / "storage_layout" / "four-file-systems"
FOUND = extra("samples", "found")
MIB = 2**20


def text(name: str) -> str:
    return (SAMPLE / name).read_text(encoding="utf-8")


def layouts(of: str) -> tuple[StorageLayout, ...]:
    return read(of).of(StorageLayout)


def said(layout: StorageLayout) -> tuple[str, str | None, int | None, int | None, str | None, bool]:
    return layout.file_system, layout.path, layout.unit_bytes, layout.targets, layout.pattern, layout.complete


def test_gpfs_has_the_block_size_of_the_pools_with_data() -> None:
    (found,) = layouts(text("mmlsfs-fjordfs.txt"))
    assert codes(read(text("mmlsfs-fjordfs.txt"))) == []
    assert said(found) == ("gpfs", "/gpfs/fjord", 16 * MIB, 6, "scatter", True)
    assert found.lines == Lines(2, 20)
    assert [(f.text, f.line) for f in found.fields if f.label == "-B"] == [("1048576", 12), ("16777216", 13)]
    assert (found.line_of("-T"), found.line_of("-d")) == (20, 18)


def test_beegfs_has_the_targets_of_a_file_or_those_that_new_ones_get() -> None:
    found = layouts(text("beegfs-fjord.txt"))
    assert codes(read(text("beegfs-fjord.txt"))) == []
    assert [said(f) for f in found] == [
        ("beegfs", "/beegfs/fjord/auser/out", 512 * 1024, 4, "RAID0", True),
        ("beegfs", "/beegfs/fjord/auser/out/sea.nc", MIB, 3, "RAID0", True),
    ]
    assert [f.lines for f in found] == [Lines(2, 9), Lines(12, 18)]


OTHER_FORMS = REPOSITORY / "sample-logs" / "storage_layout" / "machine-readable"


def test_mmlsfs_in_fields_has_the_same_as_its_table() -> None:
    evidence = read((OTHER_FORMS / "mmlsfs-Y-fjord.txt").read_text(encoding="utf-8"))
    assert [said(f) for f in evidence.of(StorageLayout)] == [
        ("gpfs", "/gpfs/fjord", 16 * MIB, 4, "scatter", True),
        ("gpfs", "/gpfs/home", 256 * 1024, 1, "cluster", True),
    ]
    assert codes(evidence) == []
    assert [(f.text, f.line) for f in evidence.of(StorageLayout)[0].fields if f.label == "blockSize"] == [
        ("1048576", 8),
        ("16777216", 9),
    ]


def test_the_fields_of_mmlsfs_that_break_off() -> None:
    whole = (OTHER_FORMS / "mmlsfs-Y-fjord.txt").read_text(encoding="utf-8")
    evidence = read(whole[: whole.index("%2Ffjord")])
    (found,) = evidence.of(StorageLayout)
    assert (said(found), codes(evidence)) == (("gpfs", None, 16 * MIB, 4, "scatter", False), ["unterminated"])


def test_beegfs_8_prints_a_table() -> None:
    evidence = read((OTHER_FORMS / "beegfs-8-fjord.txt").read_text(encoding="utf-8"))
    assert [said(f) for f in evidence.of(StorageLayout)] == [
        ("beegfs", "/auser/out", 512 * 1024, 4, "RAID0", True),
        ("beegfs", "/auser/out/sea.nc", MIB, 3, "RAID0", True),
        ("beegfs", "/auser/out/run 2.log", 512 * 1024, 1, "RAID0", True),
    ]
    assert [f.lines for f in evidence.of(StorageLayout)] == [Lines(2, 3), Lines(2, 4), Lines(2, 5)]
    assert codes(evidence) == []


def test_the_retro_form_of_beegfs_8_is_that_of_7() -> None:
    (found,) = layouts(
        "$ beegfs entry info --verbose --retro /beegfs/fjord/sea.nc\nEntry type: file\nEntryID: 9-6A21B0D7-1\n"
        "ParentID: root\nStripe pattern details:\n+ Type: RAID0\n+ Chunksize: 512K\n"
        "+ Number of storage targets: desired: 4; actual: 3\n+ Storage targets:\n  + 301 @ fj_1 [ID: 1]\n"
        "Inlined inode: yes\n"
    )
    assert said(found)[2:] == (512 * 1024, 3, "RAID0", True)


def test_daos_has_a_container_and_its_pool() -> None:
    found = layouts(text("daos-fjord.txt"))
    assert codes(read(text("daos-fjord.txt"))) == []
    assert [said(f) for f in found] == [
        ("daos", "sea", 2 * MIB, None, "EC_8P1GX", True),
        ("daos", "9e2f11c4-0b6a-4d7c-8f8b-5a41c2d3e7f6", None, 128, None, True),
    ]
    assert [f.lines for f in found] == [Lines(2, 12), Lines(14, 14)]


@pytest.mark.parametrize(("printed", "chunk"), [("1048576", MIB), ("4 MB", 4 * 10**6), ("large", None)])
def test_chunk_sizes_of_daos(printed: str, chunk: int | None) -> None:
    assert layouts(text("daos-fjord.txt").replace("2.0 MiB", printed))[0].unit_bytes == chunk


def test_a_directory_that_is_not_spread_has_no_number_of_targets() -> None:
    found = layouts(text("getdirstripe-fjord.txt"))
    assert [said(f) for f in found] == [
        ("lustre", "/scratch/fjord/auser/many", None, 2, "crush", True),
        ("lustre", "/scratch/fjord/auser/few", None, None, "none", True),
    ]
    assert [f.lines for f in found] == [Lines(2, 5), Lines(6, 6)]


def test_directories_that_are_cut_off_in_their_first_line_or_a_later_one_say_so() -> None:
    whole = text("getdirstripe-fjord.txt")
    for printed in (whole.partition(" lmv_stripe_offset")[0], whole.rpartition(" lmv_hash_type")[0]):
        found = read(printed)
        *before, last = found.of(StorageLayout)
        assert before == list(layouts(whole)[: len(before)])
        assert (last.targets, last.pattern, last.complete) == (None, None, False)
        assert codes(found) == ["unterminated"]


def test_paths_are_not_guessed_where_the_command_asked_for_another_number() -> None:
    asked = text("getdirstripe-fjord.txt").replace(" /scratch/fjord/auser/few", "")
    assert [f.path for f in layouts(asked)] == [None, None]


def test_a_command_that_a_mail_broke_names_each_directory_by_itself() -> None:
    whole = text("getdirstripe-fjord.txt")
    at_a_blank = whole.replace("/many /scratch", "/many\n/scratch")
    assert [f.path for f in layouts(at_a_blank)] == [f.path for f in layouts(whole)]
    within_a_word = whole.replace("auser/few", "auser\n/few")
    assert [f.path for f in layouts(within_a_word)] == [None, None]


@pytest.mark.parametrize(
    ("name", "until"),
    [
        ("mmlsfs-fjordfs.txt", "-d                 d01;d02"),
        ("beegfs-fjord.txt", "+ Chunksize: 5"),
        ("daos-fjord.txt", "Chunk Size                  : 2"),
        ("daos-fjord.txt", "ntarget=1"),
    ],
)
def test_a_layout_that_was_cut_says_so_and_no_cut_number_is_used(name: str, until: str) -> None:
    whole = text(name)
    found = read(whole[: whole.index(until) + len(until)])
    last = found.of(StorageLayout)[-1]
    assert codes(found) == ["unterminated"]
    assert not last.complete
    assert last.targets is None
    assert last.unit_bytes in (None, 16 * MIB)


@pytest.mark.parametrize("sentence", ["the flag value description is odd\n", "Pool is closed\n", "EntryID is 5\n"])
def test_sentences_are_no_layouts(sentence: str) -> None:
    assert layouts(text("beegfs-fjord.txt") + sentence) == layouts(text("beegfs-fjord.txt"))


@pytest.mark.skipif(FOUND is None, reason="no extra corpora")
@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("beegfs-getentryinfo-abci.txt", [("beegfs", None, 4 * MIB, 8, "RAID0", True)]),
        ("mmlsfs_fs1.txt", [("gpfs", "/gpfs/fs1", 8 * MIB, 4, "scatter", True)]),
        (
            "getstripe-getdirstripe-demo.txt",
            [("lustre", "testdir1", None, None, "none", True), ("lustre", "testdir2", None, None, "none", True)],
        ),
    ],
)
def test_what_others_have(name: str, expected: list[tuple[str, str | None, int | None, int | None, str, bool]]) -> None:
    assert FOUND is not None
    found = read((FOUND / name).read_text(encoding="utf-8"))
    assert [said(f) for f in found.of(StorageLayout)] == expected
    assert codes(found) == []


def test_the_first_line_of_a_table_that_is_cut_off_behind_its_last_word() -> None:
    """What stands behind it is blank, and may be gone when the line is read."""
    for cut in (b"PATH     ENTRY ID      TYPE     ", b"PATH     ENTRY ID      TYPE"):
        assert isinstance(detect.read_or_unpack(io.BytesIO(cut)), Failure)


@pytest.mark.parametrize("blank", ["", " "])
def test_a_table_of_mmlsfs_that_lost_its_blanks(blank: str) -> None:
    lost = "".join(
        (" ".join(line.split()) if blank else line.strip()) + "\n" for line in text("mmlsfs-fjordfs.txt").splitlines()
    )
    (found,) = layouts(lost)
    assert said(found) == ("gpfs", "/gpfs/fjord", 16 * MIB, 6, "scatter", True)


@pytest.mark.parametrize("case", ["four-file-systems", "machine-readable"])
def test_empty_lines_between_all_others_lose_nothing(case: str) -> None:
    for path in (SAMPLE.parent / case).glob("*.txt"):
        plain = path.read_text(encoding="utf-8")
        told, whole = layouts(plain.replace("\n", "\n\n")), layouts(plain)
        assert [said(layout) for layout in told] == [said(layout) for layout in whole]
        assert [[f.text for f in layout.fields] for layout in told] == [[f.text for f in w.fields] for w in whole]


def test_disks_of_a_table_that_is_cut_are_not_counted() -> None:
    whole = text("mmlsfs-fjordfs.txt")
    row = next(line for line in whole.splitlines() if line.strip().startswith("-d "))
    known = layouts(whole)[0].targets
    for end in range(row.index("-d") + 25, len(row), 7):
        assert layouts(whole.replace(row, row[:end]))[0].targets in (None, known)
