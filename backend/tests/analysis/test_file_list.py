"""The list of all files: the same files as in the document, filtered, sorted, summed and put together."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from evidence_by_hand import block, log, table
from hypothesis import given, settings
from hypothesis import strategies as st

from iotriage.analysis.document import FileRow
from iotriage.analysis.engine import diagnose
from iotriage.analysis.inputs import ReadSource
from iotriage.analysis.views.file_detail import file_detail
from iotriage.analysis.views.file_list import (
    COLUMNS,
    FileList,
    FileQuery,
    Sort,
    file_list,
    job_of,
    matching,
    row,
    sort_of,
)
from iotriage.analysis.views.file_pages import Sum, group_page, page
from iotriage.metrics.tables.files.elapsed import elapsed
from iotriage.reports.files_csv import csv_lines
from iotriage_parsers.detect import read
from iotriage_parsers.evidence import DarshanLog, Evidence, Lines, LustreLayout, Part, Problem

SAMPLES = Path(__file__).resolve().parents[3] / "sample-logs" / "darshan_log"

NAMES = {1: "/s/chk_0001.h5", 2: "/s/chk_0002.h5", 3: "/s/mesh.nc", 4: "/s/log.txt"}
WRITTEN = {1: 4_000, 2: 6_000}
NO_FILES = (np.empty(0), np.empty(0, np.int64), np.empty(0, np.int64))


def given_parts(*parts: Part) -> list[ReadSource]:
    return [ReadSource("log", "0" * 64, 1, Evidence("darshan_log", parts))]


def lacking(*parts: Part) -> list[ReadSource]:
    """The same from a log that is not whole: what it lacks another source may tell of."""
    lost = Problem("truncated", "it ends early", loses_data=True)
    return [ReadSource("log", "0" * 64, 1, Evidence("darshan_log", parts, (lost,)))]


def run() -> DarshanLog:
    """Two checkpoints written by a rank each, a mesh that rank 0 reads, and a file that is opened and left."""
    checkpoints = [
        (i, i - 1, {"POSIX_BYTES_WRITTEN": n, "POSIX_F_WRITE_TIME": 0.5 * i, "POSIX_F_META_TIME": 0.25})
        for i, n in WRITTEN.items()
    ]
    mesh = (3, 0, {"POSIX_BYTES_READ": 700, "POSIX_F_READ_TIME": 3.0, "POSIX_READS": 7})
    return log(table("POSIX", *checkpoints, mesh, (4, 0, {"POSIX_OPENS": 1})), names=NAMES, nprocs=2)


def run_list() -> FileList:
    return file_list(given_parts(run()))


def paths(query: FileQuery, sort: str = "path") -> list[str]:
    found = page(run_list(), query, sort_of(sort), 0, 100)
    assert found.matched == len(found.files)
    return [file.path.removeprefix("/s/") for file in found.files]


def test_the_files_are_those_of_the_document() -> None:
    for name in ("03-fpp-many-small-files", "12-subfile-per-node", "24-hdf5-collective", "lustre-small-overstriped"):
        with (SAMPLES / name / f"{name}.darshan").open("rb") as stream:
            given = [ReadSource(name, "0" * 64, 1, read(stream))]
        document, files = diagnose(given), file_list(given)
        assert len(files) == document.files_total
        assert [row(files, i) for i in range(len(document.files))] == list(document.files)


def test_files_are_found_by_words_pattern_layer_and_what_was_moved() -> None:
    assert paths(FileQuery()) == ["chk_0001.h5", "chk_0002.h5", "log.txt", "mesh.nc"]
    assert paths(FileQuery(words="CHK 2")) == ["chk_0002.h5"]
    assert paths(FileQuery(words="file-per-process")) == ["chk_0001.h5", "chk_0002.h5"]
    assert paths(FileQuery(pattern="serial")) == ["log.txt", "mesh.nc"]
    assert paths(FileQuery(layer="MPI-IO")) == []
    assert paths(FileQuery(moved="written")) == ["chk_0001.h5", "chk_0002.h5"]
    assert paths(FileQuery(moved="read")) == ["mesh.nc"]
    assert paths(FileQuery(moved="neither")) == ["log.txt"]
    assert paths(FileQuery(moved="both")) == []
    assert paths(FileQuery(group="g1")) == ["chk_0001.h5", "chk_0002.h5"]
    assert paths(FileQuery(group="g99")) == []


def test_what_is_not_recorded_stands_last_either_way() -> None:
    stats = block(file="/s/only-in-the-text.dat", total_bytes=5)
    files = file_list(lacking(run(), stats))
    for sort in (Sort("time_s", True), Sort("time_s", False)):
        found = page(files, FileQuery(), sort, 0, 100).files
        assert found[-1].path == "/s/only-in-the-text.dat"
        assert found[-1].time_s is None
    slowest_first = [f.time_s for f in page(files, FileQuery(), Sort("time_s", True), 0, 3).files]
    assert slowest_first == [3.0, 1.25, 0.75]


def test_sums_are_of_what_was_asked_for_and_say_how_many_files_state_them() -> None:
    stats = block(file="/s/only-in-the-text.dat", total_bytes=5)
    sums = page(file_list(lacking(run(), stats)), FileQuery(), Sort(), 0, 1).sums
    assert sums.bytes_written == Sum(10_005, 5)
    assert sums.time_s == Sum(3.75, 4)
    only_text = page(file_list(given_parts(stats)), FileQuery(), Sort(), 0, 1).sums
    assert only_text.time_s == Sum(None, 0)


def test_files_of_like_names_are_put_together() -> None:
    found = group_page(run_list(), FileQuery(), sort_of("-bytes_written"), 0, 100)
    assert (found.matched, found.groups_matched) == (4, 3)
    checkpoints = found.groups[0]
    assert (checkpoints.template, checkpoints.files, checkpoints.pattern) == ("/s/chk_####.h5", 2, "file-per-process")
    assert (checkpoints.bytes_written, checkpoints.time_s, checkpoints.slowest_s) == (10_000, 1.25, 1.25)
    assert checkpoints.ranks == 1
    one = group_page(run_list(), FileQuery(words="0001"), Sort(), 0, 100)
    assert [(g.files, g.bytes_written) for g in one.groups] == [(1, 4_000)]


@pytest.mark.parametrize(
    ("names", "template"),
    [
        (["/s/out/0002", "/s/out/0000", "/s/out/0001"], "/s/out/0000 … 0002"),
        (["/s/out/9", "/s/out/10", "/s/out/11"], "/s/out/9 … 11"),
        (["/s/out/71", "/s/out/13"], "/s/out/71 and others"),
        (["/s/out/01.02", "/s/out/01.03"], "/s/out/01.##"),
        (["/s/out/01.02", "/s/out/03.04"], "/s/out/01.02 and others"),
        (["/s/1/out.dat", "/s/2/out.dat"], "/s/#/out.dat"),
    ],
)
def test_names_that_are_nothing_but_numbers_stand_as_the_first_and_the_last(names: list[str], template: str) -> None:
    stats = [block(file=name, total_bytes=9 - i) for i, name in enumerate(names)]
    (group,) = group_page(file_list(given_parts(*stats)), FileQuery(), Sort(), 0, 9).groups
    assert group.template == template


def test_a_group_has_no_sum_of_what_one_of_its_files_does_not_state() -> None:
    stats = [block(file=f"/s/plume.{n}.dat", total_bytes=total) for n, total in ((1, 5), (2, None))]
    (group,) = group_page(file_list(given_parts(*stats)), FileQuery(), Sort(), 0, 9).groups
    assert (group.files, group.bytes_written, group.time_s) == (2, None, None)


def test_files_that_took_longest_are_the_groups_of_the_list() -> None:
    for name in ("03-fpp-many-small-files", "12-subfile-per-node", "24-hdf5-collective", "lustre-imports"):
        with (SAMPLES / name / f"{name}.darshan").open("rb") as stream:
            given = [ReadSource(name, "0" * 64, 1, read(stream))]
        document, groups = diagnose(given), group_page(file_list(given), FileQuery(), sort_of("-time_s"), 0, 10).groups
        assert [(one.together.path, one.files) for one in document.longest] == [(g.one, g.files) for g in groups]
        for one, group in zip(document.longest, groups, strict=True):
            row = one.together
            assert (row.bytes_written, row.ranks, row.stripe_count) == (
                group.bytes_written,
                group.ranks,
                group.stripe_count,
            )
            assert (row.time_s, row.mean_metadata_s) == (group.time_s, group.mean_metadata_s)
            assert row.mean_metadata_s is None or row.time_s is None or row.mean_metadata_s <= row.time_s * 1.001


@given(st.lists(st.tuples(st.floats(0, 1e6), st.integers(-1, 3), st.integers(0, 2)), max_size=30))
def test_files_of_single_ranks_are_used_side_by_side_and_shared_ones_in_turn(
    files: list[tuple[float, int, int]],
) -> None:
    seconds, one_rank, group = (np.array(column) for column in zip(*files, strict=True)) if files else NO_FILES
    took = elapsed(seconds, one_rank, group, 3)
    for each in range(3):
        shared = [s for s, rank, of in files if of == each and rank < 0]
        own = [sum(s for s, r, of in files if of == each and r == rank) for rank in range(4)]
        assert took[each] == pytest.approx(sum(shared) + max(own))


def test_a_file_without_a_time_leaves_its_group_without() -> None:
    took = elapsed(np.array([1.0, np.nan, 2.0, 3.0]), np.array([0, 0, -1, 1]), np.array([0, 0, 1, 1]), 2)
    assert np.isnan(took[0])
    assert took[1] == 5.0


def test_no_files_are_an_empty_list() -> None:
    files = file_list([])
    assert page(files, FileQuery(words="x"), Sort(), 0, 10).files == ()
    assert group_page(files, FileQuery(), Sort(), 0, 10).groups == ()


def test_an_unknown_column_is_refused() -> None:
    with pytest.raises(ValueError, match="the columns are"):
        sort_of("-password")


@given(st.sampled_from(COLUMNS), st.booleans(), st.sampled_from(["", "s", "chk", "nothing"]), st.integers(1, 3))
@settings(deadline=None)
def test_pages_put_one_after_another_are_the_whole(column: str, descending: bool, words: str, limit: int) -> None:
    files, query = run_list(), FileQuery(words=words)
    sort = sort_of(f"{'-' if descending else ''}{column}")
    whole = page(files, query, sort, 0, 100)
    paged = [f for offset in range(0, 8, limit) for f in page(files, query, sort, offset, limit).files]
    assert paged == list(whole.files)
    assert whole.matched == len(matching(files, query))
    grouped = group_page(files, query, sort, 0, 100)
    assert sum(g.files for g in grouped.groups) == whole.matched


def test_one_file_has_its_counters_layout_and_the_texts_about_it() -> None:
    layout = LustreLayout(record=1, stripe_size=1 << 20, stripe_count=2, osts=(7, 4))
    both = log(
        table("POSIX", *((1, rank, {"POSIX_BYTES_WRITTEN": 10, "POSIX_WRITES": 2}) for rank in (0, 1))),
        names={1: "/s/out.dat"},
        lustre=(layout,),
    )
    given = given_parts(both, block(file="out.dat", lines=Lines(40, 58)), block(file="other.dat"))
    found = file_detail(file_list(given), job_of(given), "/s/out.dat")
    assert found is not None
    (posix,) = found.modules
    values = {c.name: c.value for c in posix.counters}
    assert (posix.records, posix.rank, posix.record) == (2, None, "1")
    assert (values["POSIX_BYTES_WRITTEN"], values["POSIX_WRITES"]) == (20, 4)
    assert [s.osts for s in found.stripes] == [(7, 4)]
    assert [(m.title, m.where.at) for m in found.mentions] == [("MPICH_MPIIO_STATS, write", Lines(40, 58))]
    assert file_detail(file_list(given), job_of(given), "/s/elsewhere") is None


def test_a_name_that_a_spreadsheet_would_run_is_text() -> None:
    numbers = (None,) * 11
    rows = [FileRow(path, "g1", None, ("MPI-IO", "POSIX"), *numbers) for path in ('=cmd|"x"!A1', "@sum", "/s/a,b")]
    head, *lines = csv_lines(rows)
    assert head.startswith("path,group,pattern,layers,bytes_read")
    assert [line.split(",g1,")[0] for line in lines] == ['"\'=cmd|""x""!A1"', "'@sum", '"/s/a,b"']
    assert lines[0].endswith("g1,,MPI-IO POSIX" + "," * 11 + "\r\n")
