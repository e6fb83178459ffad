"""darshan-parser's text: the evidence of the log itself, to the digits that are printed; and real texts."""

from __future__ import annotations

import io
from dataclasses import replace
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from budget import some, tries
from darshan_parser_export import parser_text, summary_text
from darshan_text_rows import header, log, row, section, summary
from odd_stream import OddStream
from stats_text import REPOSITORY, codes, extra, message, read

from iotriage_parsers import detect
from iotriage_parsers.evidence import CounterTable, DarshanLog, DarshanPerf, DarshanSummary, Evidence, Failure
from iotriage_parsers.readers.darshan_log.records import ALL_NAMES

LONG = tries({"lustre-one-directory", "lustre-fpp-many-files"}, set[str]())
"""Thousands of files, the same again and again."""
SAMPLES = (REPOSITORY / "sample-logs" / "darshan_log").glob("*/*.darshan")
LOGS = sorted(path for path in SAMPLES if path.stem not in LONG)
PRINTED = 5.1e-7
WRITTEN = {*ALL_NAMES, "LUSTRE", "HEATMAP", "APMPI"}
"""Modules that the exporter writes."""
TABLES = ("posix", "mpiio", "stdio", "h5f", "h5d", "pnetcdf_file", "pnetcdf_var", "dfs", "daos", "bgq")


@cache
def evidence_of(path: Path) -> Evidence | Failure:
    with path.open("rb") as stream:
        return detect.read(stream)


def assert_same_table(found: CounterTable | None, wanted: CounterTable | None) -> None:
    assert (found is None) == (wanted is None)
    if found is None or wanted is None:
        return
    assert (found.module, found.int_names, found.float_names) == (wanted.module, wanted.int_names, wanted.float_names)
    np.testing.assert_array_equal(found.ids, wanted.ids)
    np.testing.assert_array_equal(found.ranks, wanted.ranks)
    assert (found.file_ids is None) == (wanted.file_ids is None)
    if found.file_ids is not None and wanted.file_ids is not None:
        np.testing.assert_array_equal(found.file_ids, wanted.file_ids)
    np.testing.assert_array_equal(found.ints, wanted.ints)
    np.testing.assert_allclose(found.floats, wanted.floats, rtol=1e-15, atol=PRINTED, equal_nan=True)
    assert (found.file_ids is None) == (wanted.file_ids is None)
    if found.file_ids is not None and wanted.file_ids is not None:
        np.testing.assert_array_equal(found.file_ids, wanted.file_ids)
    assert found.ids.dtype == np.uint64
    assert found.ints.dtype == np.int64
    assert not found.ints.flags.writeable


@pytest.mark.fuzz
@pytest.mark.parametrize("path", some(LOGS), ids=lambda p: p.stem)
def test_a_text_made_from_a_log_gives_the_evidence_of_the_log(path: Path) -> None:
    original = evidence_of(path)
    assert isinstance(original, Evidence)
    (wanted,) = original.of(DarshanLog)
    evidence = read(parser_text(wanted))
    assert evidence.reader == "darshan_parser_text"
    (found,) = evidence.of(DarshanLog)
    for name in TABLES:
        assert_same_table(getattr(found, name), getattr(wanted, name))
        table = getattr(found, name)
        if table is not None:
            assert {i: found.names.get(i) for i in table.ids.tolist()} == {
                i: wanted.names.get(i) for i in table.ids.tolist()
            }
    # The text is written with one component a file, and does not say how many OSTs the file system has.
    assert found.lustre == tuple(
        replace(layout, osts_in_fs=None, mdts_in_fs=None, composite=False, extent_start=None, components=())
        for layout in wanted.lustre
    )
    assert [h.layer for h in sorted(found.heatmaps, key=lambda h: h.layer)] == sorted(h.layer for h in wanted.heatmaps)
    for heatmap in wanted.heatmaps:
        (same,) = (h for h in found.heatmaps if h.layer == heatmap.layer)
        assert same.bin_width_s == pytest.approx(heatmap.bin_width_s, abs=PRINTED)
        for field in ("ranks", "read", "written"):
            np.testing.assert_array_equal(getattr(same, field), getattr(heatmap, field))
    job, stated = found.job, wanted.job
    assert (job.job_id, job.uid, job.nprocs) == (stated.job_id, stated.uid, stated.nprocs)
    assert (job.executable, job.command_line) == (stated.executable, stated.command_line)
    assert sorted(m.path for m in job.mounts) == sorted(m.path for m in stated.mounts)
    assert {m.path: m.fs_type for m in job.mounts} == {m.path: m.fs_type for m in stated.mounts}
    assert job.runtime_s == (None if stated.runtime_s is None else pytest.approx(stated.runtime_s, abs=5.1e-5))
    assert found.metadata == wanted.metadata
    assert found.hostnames == wanted.hostnames
    assert found.compression == wanted.compression
    known = [m for m in wanted.modules if m.status in ("read", "partly-read") and m.name in WRITTEN]
    for module in known:
        info = found.module(module.name)
        assert info is not None
        assert (info.version, info.compressed_bytes, info.partial, info.records) == (
            module.version,
            module.compressed_bytes,
            module.partial,
            module.records,
        )


def corpus(number: int) -> bytes:
    folder = extra("samples", "text")
    if folder is None:
        pytest.skip("the extra corpora are not here")
    (path,) = folder.glob(f"{number}-*")
    return path.read_bytes()


def corpus_log(name: str) -> DarshanLog:
    folder = extra("logs")
    if folder is None:
        pytest.skip("the extra corpora are not here")
    found = evidence_of(folder / name)
    assert isinstance(found, Evidence)
    return found.of(DarshanLog)[0]


def test_the_writer_of_these_texts_prints_what_darshan_parser_prints() -> None:
    real = corpus(40).decode().split("\n")
    ours = parser_text(corpus_log("mpi-io-test-x86_64-3.4.1.darshan"), job_bytes=619, names_bytes=183).split("\n")
    start = real.index("# description of APMPI counters:")
    stop = next(at for at in range(start, len(real)) if real[at].startswith("#<module>"))
    kept = [line for line in real[stop:] if "_VARIANCE" not in line or not line.startswith("APMPI")]
    assert [*real[:start], *kept] == ours


@pytest.mark.parametrize("number", range(40, 53))
def test_real_texts_are_known_whatever_they_are_called_and_however_they_arrive(number: int) -> None:
    data = corpus(number)
    for stream in (io.BytesIO(data), io.BytesIO(data.replace(b"\n", b"\r\n")), io.BufferedReader(OddStream(data), 509)):
        evidence = detect.read(stream)
        assert isinstance(evidence, Evidence)
        assert evidence.reader == "darshan_parser_text"
        assert evidence.status == "complete"
    guess = detect.detect(data[: 64 * 1024])
    assert guess is not None
    assert guess.reader == "darshan_parser_text"


def test_base_text_of_a_real_log() -> None:
    found = log(corpus(40))
    assert found.posix is not None
    assert found.mpiio is not None
    assert found.stdio is not None
    assert (found.log_version, found.job.nprocs, found.job.runtime_s, found.job.uid) == ("3.41", 4, 0.0372, 1000)
    assert found.job.command_line == "/tmp/test//mpi-io-test -f /tmp/test//mpi-io-test.tmp.dat"
    assert dict(found.metadata) == {"lib_ver": "3.4.1", "h": "romio_no_indep_rw=true;cb_nodes=4"}
    assert len(found.job.mounts) == 52
    assert found.posix.ids.tolist() == [6331129185542144414]
    assert found.names[6331129185542144414] == "/tmp/test/mpi-io-test.tmp.dat"
    assert found.posix.total("POSIX_OPENS") == 16
    assert found.posix.total("POSIX_BYTES_READ") == 67108864
    assert found.posix.total("POSIX_MMAPS") is None
    assert found.posix.seconds("POSIX_F_READ_TIME").tolist() == [0.050913]
    assert found.posix.seconds("POSIX_F_SLOWEST_RANK_TIME").tolist() == [0.030880]
    assert found.mpiio.total("MPIIO_INDEP_WRITES") == 4
    assert found.stdio.total("STDIO_WRITES") == 6
    assert [(h.layer, h.bin_width_s, h.ranks.tolist(), h.read.sum()) for h in found.heatmaps] == [
        ("POSIX", 0.1, [0, 1, 2, 3], 67108864),
        ("MPIIO", 0.1, [0, 1, 2, 3], 67108864),
        ("STDIO", 0.1, [0], 0),
    ]
    assert [(m.name, m.records, m.status) for m in found.modules] == [
        ("POSIX", 1, "read"),
        ("MPI-IO", 1, "read"),
        ("STDIO", 1, "read"),
        ("APMPI", 4, "read"),
        ("HEATMAP", 9, "read"),
    ]
    assert found.hostnames == dict.fromkeys(range(4), "shane-x1-carbon")


@pytest.mark.parametrize(
    ("number", "name"),
    [
        (40, "mpi-io-test-x86_64-3.4.1.darshan"),
        (45, "mpi-io-test-x86_64-3.3.1.darshan"),
        (50, "empty_log.darshan"),
    ],
)
def test_real_texts_give_what_their_log_gives(number: int, name: str) -> None:
    found, wanted = log(corpus(number)), corpus_log(name)
    for table in TABLES:
        assert_same_table(getattr(found, table), getattr(wanted, table))


def test_a_darshan_parser_that_was_built_without_a_module_prints_nothing_of_it() -> None:
    info = log(corpus(45)).module("APMPI")
    assert info is not None
    assert (info.status, info.records) == ("unsupported", None)


def test_all_in_one_text_gives_the_records_and_the_stripes() -> None:
    found = log(corpus(44))
    (layout,) = found.lustre
    assert (layout.record, layout.stripe_size, layout.stripe_count, layout.osts) == (
        17455793042334241652,
        2**20,
        1,
        (4,),
    )
    assert layout.pool is None
    assert found.posix is not None
    assert found.posix.total("POSIX_BYTES_WRITTEN") == 67108864
    assert found.stdio is not None
    assert found.stdio.total("STDIO_BYTES_WRITTEN") == 344


def test_totals() -> None:
    found = summary(corpus(41))
    posix, stdio = found.of("POSIX"), found.of("STDIO")
    assert posix is not None
    assert posix.totals is not None
    assert stdio is not None
    assert stdio.totals is not None
    assert posix.totals.value("POSIX_OPENS") == 16
    assert posix.totals.value("POSIX_BYTES_READ") == 67108864
    assert posix.totals.value("POSIX_MMAPS") is None
    assert posix.totals.value("POSIX_F_READ_TIME") == 0.042569
    assert stdio.totals.value("STDIO_WRITES") == 7
    assert posix.totals.counters[0].line == posix.lines.first == 95
    assert found.job.nprocs == 4
    assert [m.name for m in found.modules] == ["POSIX", "MPI-IO", "LUSTRE", "STDIO", "APMPI", "HEATMAP"]


def test_performance_since_3_4() -> None:
    found = summary(corpus(42)).of("POSIX")
    assert found is not None
    assert found.perf is not None
    assert found.perf.total_bytes == 134217728
    assert found.perf.agg_time_by_slowest_s == 0.065048
    assert found.perf.agg_perf_by_slowest == pytest.approx(1967.792691 * 2**20)
    assert found.perf.shared_by_slowest_s == 0.065048
    assert found.perf.unique_slowest_rank == 0
    assert found.perf.agg_perf_by_cumul is None


def test_performance_before_3_4() -> None:
    found = summary(corpus(46)).of("MPI-IO")
    assert found is not None
    assert found.perf is not None
    assert found.perf.shared_by_slowest_s == 0.030535
    assert found.perf.agg_perf_by_cumul == pytest.approx(5403.616482 * 2**20)
    assert found.perf.agg_perf_by_open_lastio == pytest.approx(3959.867471 * 2**20)
    assert found.perf.agg_perf_by_slowest == pytest.approx(4191.847839 * 2**20)
    assert found.perf.agg_time_by_slowest_s is None
    assert [(f.kind, f.files, f.total_bytes) for f in found.files[:2]] == [("total", 1, 134217728), ("read_only", 0, 0)]


PERFORMANCE = """\
# darshan log version: 3.41
# exe: ./a.out
# uid: 1000
# jobid: 12
# start_time: 1746769033
# end_time: 1746769043
# nprocs: {ranks}
# run time: 10{point}0721

# POSIX module data

# performance
# -----------
# total_bytes: 134217728
# agg_time_by_slowest: 0{point}065048 # seconds
# agg_perf_by_slowest: {thousands}967{point}792691 # MiB/s
"""


def test_figures_that_a_locale_changed_are_left_out_and_told() -> None:
    plain = read(PERFORMANCE.format(ranks=1024, point=".", thousands="1"))
    assert "unrecognised-number" not in codes(plain)
    evidence = read(PERFORMANCE.format(ranks=1024, point=",", thousands="1."))
    (found,) = evidence.of(DarshanSummary)
    assert found.job.runtime_s is None
    (posix,) = found.summaries
    assert posix.perf == DarshanPerf(total_bytes=134217728)
    messages = [p.message for p in evidence.problems if p.code == "unrecognised-number" and p.loses_data]
    assert len(messages) == 2
    assert "run time '10,0721'" in messages[0]
    assert messages[1].startswith("2 figures are not numbers (first: '0,065048' on line 15)")
    (lost,) = (p for p in read(PERFORMANCE.format(ranks="1,024", point=".", thousands="1")).problems if p.loses_data)
    assert "nprocs '1,024'" in lost.message


@pytest.mark.parametrize("seconds", ["-3.0000", "-3"])
def test_a_run_time_below_zero_is_a_number(seconds: str) -> None:
    text = PERFORMANCE.format(ranks=1024, point=".", thousands="1").replace(
        "# run time: 10.0721", f"# run time: {seconds}"
    )
    for one in (text, text.replace("end_time: 1746769043", "end_time: 1746769030")):
        assert "unrecognised-number" not in codes(read(one))
        assert "s before it begins, so its run time is unknown" in message(read(one), "out-of-range")
    without = "".join(line for line in text.splitlines(keepends=True) if not line.startswith("# start_time"))
    assert "3 s before it begins" in message(read(without), "out-of-range")


def test_one_figure_that_is_no_number_is_one() -> None:
    text = PERFORMANCE.format(ranks=1024, point=".", thousands="1").replace("0.065048", "0,065048")
    assert (
        message(read(text), "unrecognised-number") == "a figure is not a number ('0,065048' on line 15): it is left out"
    )


def test_totals_and_performance_of_3_1_4() -> None:
    found = summary(corpus(47)).of("MPI-IO")
    assert found is not None
    assert found.perf is not None
    assert found.totals is not None
    assert found.perf.unique_slowest_rank == 0
    assert found.perf.agg_perf_by_slowest == pytest.approx(2518.380681 * 2**20)
    assert found.totals.value("MPIIO_F_OPEN_TIMESTAMP") == 0.000198
    assert found.totals.value("MPIIO_F_META_TIME") == 0.009280


def test_file_counts() -> None:
    found = summary(corpus(43))
    posix, mpiio = found.of("POSIX"), found.of("MPI-IO")
    assert posix is not None
    assert mpiio is not None
    assert (posix.files[0].total_bytes, posix.files[0].max_offset_bytes, posix.files[0].line) == (
        134217728,
        67108863,
        75,
    )
    assert mpiio.files[0].max_offset_bytes is None
    assert [f.kind for f in posix.files] == ["total", "read_only", "write_only", "read_write", "unique", "shared"]


def test_modules_that_only_darshan_knows_have_their_totals_too() -> None:
    found = summary(corpus(52)).of("DFS")
    assert found is not None
    assert found.totals is not None
    assert found.totals.value("DFS_BYTES_WRITTEN") == 16777216


@pytest.mark.parametrize("number", [48, 49])
def test_darshan_2_is_taken_over_where_it_means_the_same(number: int) -> None:
    evidence = read(corpus(number))
    (found,) = evidence.of(DarshanLog)
    assert (found.log_version, found.compression, found.job.nprocs, found.job.runtime_s) == ("2.06", None, 1, 1.0)
    assert found.posix is not None
    assert found.mpiio is not None
    assert found.stdio is None
    posix, mpiio = found.posix, found.mpiio
    assert posix.total("POSIX_OPENS") == 4
    assert posix.total("POSIX_BYTES_READ") == 16777216
    assert posix.total("POSIX_SIZE_READ_10M_100M") == 1
    assert posix.seconds("POSIX_F_READ_TIME").tolist() == [0.026355]
    assert mpiio.total("MPIIO_INDEP_OPENS") == 2
    assert mpiio.total("MPIIO_SIZE_WRITE_AGG_10M_100M") == 1
    assert mpiio.seconds("MPIIO_F_WRITE_TIME").tolist() == [0.019346]
    assert mpiio.seconds("MPIIO_F_SLOWEST_RANK_TIME").tolist() == [0.046408]
    assert mpiio.total("MPIIO_BYTES_READ") is None
    assert posix.seconds("POSIX_F_SLOWEST_RANK_TIME").tolist() == [-1.0]
    assert posix.total("POSIX_MODE") is None
    assert found.names == {13525867493470965549: "...amples/test.out"}
    info = found.module("MPI-IO")
    assert info is not None
    assert info.status == "partly-read"
    assert mpiio.partial


def test_the_summary_of_a_log_is_that_of_its_records() -> None:
    path = next(p for p in LOGS if p.stem.startswith("05-"))
    original = evidence_of(path)
    assert isinstance(original, Evidence)
    (whole,) = original.of(DarshanLog)
    found = summary(summary_text(whole)).of("POSIX")
    assert whole.posix is not None
    assert found is not None
    assert found.totals is not None
    assert found.perf is not None
    assert found.totals.value("POSIX_BYTES_WRITTEN") == whole.posix.total("POSIX_BYTES_WRITTEN") == 134217728
    assert found.perf.total_bytes == 134217728
    assert found.files[0].files == 1


def test_a_log_without_records() -> None:
    evidence = read(corpus(50))
    (found,) = evidence.of(DarshanLog)
    assert evidence.status == "complete"
    assert (found.modules, found.posix, found.job.nprocs) == ((), None, 4)


def test_mpi_calls_by_autoperf_are_those_of_the_log() -> None:
    """The variances of its header are no record of a rank; times of waiting stand only where they were taken."""
    whole = evidence_of(REPOSITORY / "sample-logs/darshan_log/47-darshan-main-apmpi/47-darshan-main-apmpi.darshan")
    assert isinstance(whole, Evidence)
    (log,) = whole.of(DarshanLog)
    text = parser_text(log)
    header = "APMPI\t0\t7713204788897956166\tMPI_TOTAL_COMM_TIME_VARIANCE\t0.000058\t\t\t\n"
    first = text.index("APMPI\t0\t")
    found = read((text[:first] + header + text[first:]).encode())
    (of_text,) = found.of(DarshanLog)
    assert of_text.apmpi is not None
    assert log.apmpi is not None
    assert of_text.apmpi.ranks.tolist() == list(range(8))
    assert of_text.apmpi.ids.tolist() == log.apmpi.ids.tolist()
    assert of_text.apmpi.ints.tolist() == log.apmpi.ints.tolist()
    assert of_text.hostnames == log.hostnames
    counted = log.apmpi.seconds("MPI_TOTAL_COMM_TIME")
    assert of_text.apmpi.seconds("MPI_TOTAL_COMM_TIME") == pytest.approx(counted, abs=5e-7)
    assert (of_text.apmpi.seconds("MPI_TOTAL_COMM_SYNC_TIME") < 0).all()
    assert found.status == "complete"


def test_digits_of_another_script_are_no_numbers_and_raise_nothing() -> None:
    arabic = "\u0661\u0662"
    for cell in (0, 1, 2, 4):
        cells = row("POSIX", 0, 5, "POSIX_READS", 12).split("\t")
        cells[cell] = arabic
        text = header("POSIX:4") + section("POSIX", "\t".join(cells))
        found = detect.read(io.BytesIO(text.encode()))
        assert not (isinstance(found, Evidence) and found.status == "complete")


FILE_LIST = """# darshan log version: 3.41
# compression method: ZLIB
# exe: /scratch/fjord/auser/bin/sea
# uid: 20417
# jobid: 7204411
# start_time: 1762074845
# end_time: 1762074905
# nprocs: 64
# run time: 61

# log file regions
# -------------------------------------------------------
# header: 360 bytes (uncompressed)
# job data: 120 bytes (compressed)
# record table: 90 bytes (compressed)
# POSIX module: 400 bytes (compressed), ver=4

# mounted file systems (mount point and fs type)
# -------------------------------------------------------
# mount entry:\t/scratch/fjord\tlustre

# *******************************************************
# POSIX module data
# *******************************************************

# Per-file summary of I/O activity.
# -----
# <record_id>: darshan record id for this file

# <record_id>\t<file_name>\t<nprocs>\t<slowest>\t<avg>
7146724260063322621\t/scratch/fjord/auser/out of sea.nc\t64\t2.631567\t1.250000
"""


def test_a_list_of_files_is_no_log_that_was_cut_off() -> None:
    found = read(FILE_LIST)
    (summary_of_none,) = found.of(DarshanSummary)
    assert (found.status, [p.code for p in found.problems], found.of(DarshanLog)) == ("complete", ["note"], ())
    assert (summary_of_none.summaries, summary_of_none.job.nprocs) == ((), 64)
    assert detect.describe(found) == ("darshan-parser --file-list: no counters",)


def test_a_list_of_files_before_the_records_of_the_log() -> None:
    evidence = evidence_of(LOGS[0])
    assert isinstance(evidence, Evidence)
    records = parser_text(evidence.of(DarshanLog)[0])
    found = read(FILE_LIST + records)
    assert [type(p) for p in found.parts].count(DarshanLog) == 1
    assert found.status == "complete"
    assert read(records).of(DarshanLog)[0].job == found.of(DarshanLog)[0].job


def test_a_mount_that_a_mail_broke_before_its_type_is_none() -> None:
    sent = FILE_LIST.replace(
        "/scratch/fjord\tlustre", "-1840281194896177828\t/scratch/fjord\nlustre\n# mount entry:\t/\tnfs"
    )
    (found,) = read(sent).of(DarshanSummary)
    assert [(mount.path, mount.fs_type) for mount in found.job.mounts] == [("/", "nfs")]
