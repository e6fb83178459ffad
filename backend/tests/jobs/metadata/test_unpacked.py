"""Files that come out of an archive: nobody writes fewer of them, but they need not be written there."""

from __future__ import annotations

import pytest
from described import KIB, MIB, Part, Work, document, in_steps


def unpacked(archive: Part | None, ranks: int = 128) -> str:
    """Each rank makes ten small files; all advice about them."""
    files = (
        Part(f"/scratch/w{{}}/f{k:03}.xml", range(ranks), writes=1, size=9 * KIB, write_s=0.1, meta_s=2.5)
        for k in range(10)
    )
    found = document(Work((*files, *(() if archive is None else (archive,))), ranks, 100.0, nodes=4))
    assert found.headline.rule == "many-small-files"
    (mine,) = (f for f in found.findings if f.rule == "many-small-files" and f.verdict == "triggered")
    return " ".join(one.text for one in mine.advice)


def packed(name: str, *, reads: int = 400, writes: int = 0, layer: str = "POSIX") -> Part:
    path = f"/scratch/{name}"
    return Part(path, range(128), layer, reads=reads, writes=writes, size=100 * KIB, read_s=1.0, reach=40 * MIB)


@pytest.mark.parametrize("name", ["data.tar", "data.tar.gz", "data.TGZ", "data.zip"])
@pytest.mark.parametrize("layer", ["POSIX", "STDIO"])
def test_what_comes_out_of_an_archive_is_read_in_it_or_unpacked_on_the_node(name: str, layer: str) -> None:
    said = unpacked(packed(name, layer=layer))
    assert f"If they come out of {name}, read them where they lie in it" in said
    assert "Write fewer files" not in said


@pytest.mark.parametrize(
    "archive",
    [None, packed("data.txt"), packed("data.tar", reads=0, writes=400), packed("data.tar", writes=1)],
    ids=["none", "no archive", "written", "added to"],
)
def test_of_others_fewer_are_written(archive: Part | None) -> None:
    said = unpacked(archive)
    assert "Write fewer files" in said
    assert "come out of" not in said


def test_chunks_that_are_read_become_fewer_by_their_library_where_all_files_of_the_job_are_meant() -> None:
    """Of 1 MiB each, which are not small."""
    chunks = (
        Part(f"/scratch/a.zarr/{k}.{{}}", range(4), reads=1, size=MIB, read_s=0.01, meta_s=0.02) for k in range(1000)
    )
    found = document(Work(tuple(chunks), 4, 60.0, nodes=1, program="/sw/bin/python3"))
    assert found.headline.rule == "metadata-bound"
    assert (found.headline.action or "").startswith("Each chunk of a Zarr array is a file.")


def test_what_a_step_packs_and_a_later_one_reads_was_not_unpacked() -> None:
    packs, reads = (
        Work((packed("data.tar", **did),), 128, 100.0, nodes=4) for did in ({"reads": 0, "writes": 400}, {})
    )
    assert in_steps((reads, 0.0), (reads, 200.0)).metrics["file.archive"].value == "/scratch/data.tar"
    assert in_steps((packs, 0.0), (reads, 200.0)).metrics["file.archive"].value is None
