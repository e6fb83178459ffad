"""What a source holds: the blocks of a text by their lines, and the counters of a log one by one."""

from __future__ import annotations

from pathlib import Path

import pytest
from evidence_by_hand import log, table

from iotriage.analysis.views.blocks import block_count, blocks_between, span_of
from iotriage.analysis.views.counter_cells import CounterQuery, counter_page, modules_of
from iotriage_parsers.detect import read
from iotriage_parsers.evidence import DarshanLog, DxtTrace, Evidence, LustreLayout

SAMPLES = Path(__file__).resolve().parents[3] / "sample-logs"
TEXTS = sorted(p for p in SAMPLES.glob("*/*/*.txt"))
LAST = 2**31


def evidence_of(path: Path) -> Evidence:
    with path.open("rb") as stream:
        found = read(stream)
    assert isinstance(found, Evidence)
    return found


@pytest.mark.parametrize("path", TEXTS, ids=lambda p: p.parent.name)
def test_every_block_of_every_text_has_its_lines(path: Path) -> None:
    evidence, last = evidence_of(path), len(path.read_bytes().splitlines())
    for block in blocks_between(evidence, 1, LAST, 500).blocks:
        assert 1 <= block.first <= block.last <= last
        assert block.read
        assert not block.title.endswith((" 1 times", " 1 lines"))
        assert all(block.first <= run.first <= run.last <= block.last for run in block.read)
    without = [p for p in evidence.parts if span_of(p) is None]
    assert all(isinstance(p, DarshanLog | DxtTrace) for p in without)


def test_the_lines_with_a_figure_are_told_from_those_around() -> None:
    (path,) = (SAMPLES / "mpich_stats/rmw-and-gaps").glob("*.txt")
    lines = path.read_text().splitlines()
    stats = next(b for b in blocks_between(evidence_of(path), 1, LAST, 500).blocks if "STATS" in b.title)
    assert (stats.title, stats.file, stats.whole) == ("MPICH_MPIIO_STATS, write", "hist/glacier_h0.nc", True)
    assert "write access patterns" in lines[stats.first - 1] or lines[stats.first - 1].startswith("+--")
    read_lines = [lines[n - 1] for run in stats.read for n in range(run.first, run.last + 1)]
    assert any("total bytes for writes" in line for line in read_lines)
    assert not any(line.startswith("+--") for line in read_lines)


def test_blocks_are_asked_for_by_lines() -> None:
    (path,) = (SAMPLES / "mpich_stats/rmw-and-gaps").glob("*.txt")
    evidence = evidence_of(path)
    every = blocks_between(evidence, 1, LAST, 500)
    assert every.total == block_count(evidence) == len(every.blocks)
    first, *_, last = every.blocks
    touching = blocks_between(evidence, last.last, last.last, 500).blocks
    assert last in touching
    assert first not in touching
    assert blocks_between(evidence, last.last + 1, LAST, 500).total == 0
    one = blocks_between(evidence, 1, LAST, 1)
    assert (one.total, one.blocks) == (every.total, (first,))


def two_files() -> Evidence:
    posix = table(
        "POSIX",
        (1, 0, {"POSIX_OPENS": 1, "POSIX_BYTES_READ": 2**60, "POSIX_F_READ_TIME": 0.5}),
        (2, 0, {"POSIX_OPENS": 3, "POSIX_F_META_TIME": 2.0}),
        (2, 1, {"POSIX_OPENS": 4, "POSIX_MODE": -1}),
    )
    layout = LustreLayout(record=2, stripe_size=1 << 20, stripe_count=2, osts=(7, 4))
    names = {1: "/s/mesh.nc", 2: "/s/out.dat"}
    return Evidence("darshan_log", (log(posix, names=names, lustre=(layout,), partial=("POSIX",)),))


def cells(**query: object) -> list[tuple[str | None, int, str, object]]:
    found = counter_page(two_files(), CounterQuery(**{"module": "POSIX", **query}), 0, 1000)  # type: ignore[arg-type]
    assert found is not None
    assert found.matched == len(found.cells)
    return [(c.file, c.rank, c.name, c.value) for c in found.cells]


def test_the_counters_that_say_something_record_by_record() -> None:
    assert cells() == [
        ("/s/mesh.nc", 0, "POSIX_OPENS", 1),
        ("/s/mesh.nc", 0, "POSIX_BYTES_READ", str(2**60)),
        ("/s/mesh.nc", 0, "POSIX_F_READ_TIME", 0.5),
        ("/s/out.dat", 0, "POSIX_OPENS", 3),
        ("/s/out.dat", 0, "POSIX_F_META_TIME", 2.0),
        ("/s/out.dat", 1, "POSIX_OPENS", 4),
    ]


def test_counters_are_found_by_name_file_record_and_rank() -> None:
    assert [c[3] for c in cells(words="open")] == [1, 3, 4]
    assert [c[3] for c in cells(words="open", largest_first=True)] == [4, 3, 1]
    assert [c[2] for c in cells(file_words="MESH", words="f_ time")] == ["POSIX_F_READ_TIME"]
    assert [c[3] for c in cells(record=2, rank=1)] == [4]
    assert [c[3] for c in cells(words="mode", rank=1, stated=False)] == [None]
    assert cells(words="no such counter") == []
    assert [c[2:] for c in cells(module="LUSTRE", words="ost_id")] == [("LUSTRE_OST_ID_0", 7), ("LUSTRE_OST_ID_1", 4)]
    assert counter_page(two_files(), CounterQuery("MPI-IO"), 0, 10) is None


def test_pages_of_counters_and_the_records_they_are_of() -> None:
    page = counter_page(two_files(), CounterQuery("POSIX", words="opens"), 1, 1)
    assert page is not None
    assert (page.matched, page.records, [c.value for c in page.cells]) == (3, 3, [3])


def test_the_modules_of_a_log() -> None:
    posix, lustre = modules_of(two_files())
    assert (posix.name, posix.records, posix.files) == ("POSIX", 3, 2)
    assert (lustre.name, lustre.records, lustre.counters[-1]) == ("LUSTRE", 1, "LUSTRE_OST_ID_1")
    (text,) = (SAMPLES / "mpich_stats/rmw-and-gaps").glob("*.txt")
    assert modules_of(evidence_of(text)) == ()
