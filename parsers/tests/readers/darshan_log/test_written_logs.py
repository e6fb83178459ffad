"""Logs of every version, byte order and compression, written here with chosen values and read back."""

from __future__ import annotations

import struct

import numpy as np
import pytest
from darshan_corpus import evidence, log_of
from darshan_writer import (
    SHAPES,
    Counters,
    HeatmapRow,
    HeatmapRows,
    Job,
    Log,
    Lustre,
    LustreFile,
    Raw,
    Stripes,
    build,
    record_id,
    with_job,
)
from possible_values import possible_counts

from iotriage_parsers.evidence import LustreComponent, LustreLayout, Mount
from iotriage_parsers.readers.darshan_log.records import NAMES

SHARED_FILE, OWN_FILE = "/scratch/shared.dat", "/scratch/own.dat"
SHARED, OWN = record_id(SHARED_FILE), record_id(OWN_FILE)
FORMATS = ("3.00", "3.10", "3.20", "3.21", "3.41")
ORDERS = ("little", "big")


def posix(version=4, **kwargs):
    return Counters.of(
        "POSIX",
        {"id": SHARED, "rank": -1, "POSIX_WRITES": 40, "POSIX_BYTES_WRITTEN": 2**33 + 7, "POSIX_F_WRITE_TIME": 2.5},
        {"id": OWN, "rank": 3, "POSIX_READS": 5, "POSIX_BYTES_READ": 4096, "POSIX_F_META_TIME": 0.125},
        version=version,
        **kwargs,
    )


def log(**changes):
    return Log(**({"names": {SHARED: SHARED_FILE, OWN: OWN_FILE}, "modules": (posix(),)} | changes))


@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("version", FORMATS)
@pytest.mark.parametrize("compression", ["zlib", "bzip2", "none"])
def test_every_format_order_and_compression(version, order, compression):
    data = build(log(version=version, byte_order=order, compression=compression))
    result = evidence(data)
    (read,) = result.parts
    assert result.problems == ()
    assert (read.log_version, read.byte_order, read.compression) == (version, order, compression)
    assert dict(read.names) == {SHARED: SHARED_FILE, OWN: OWN_FILE}
    assert read.job.nprocs == 4
    assert read.job.mounts == (Mount("/scratch", "lustre"), Mount("/", "ext4"))
    assert read.posix.ids.tolist() == [SHARED, OWN]
    assert read.posix.ranks.tolist() == [-1, 3]
    assert read.posix.count("POSIX_BYTES_WRITTEN").tolist() == [2**33 + 7, 0]
    assert read.posix.count("POSIX_BYTES_READ").tolist() == [0, 4096]
    assert read.posix.seconds("POSIX_F_WRITE_TIME").tolist() == [2.5, 0.0]
    assert read.posix.ints.dtype == np.int64
    assert read.posix.ints.dtype.isnative
    assert read.posix.floats.dtype.isnative
    assert read.module("POSIX").records == 2


@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize(("module", "version"), SHAPES)
def test_every_module_version_keeps_its_counters_by_name(module, version, order):
    int_names, float_names = SHAPES[module, version]
    row = {name: 1000 + index for index, name in enumerate(int_names)}
    row |= {name: index + 0.5 for index, name in enumerate(float_names)}
    if "POSIX_FOPENS" in row:
        row["POSIX_FOPENS"] = 0
    records = Counters.of(module, {"id": SHARED, "rank": 2, **row}, version=version)
    read = log_of(build(log(job=Job(nprocs=2000), byte_order=order, modules=(records,))))
    table = {"POSIX": read.posix, "MPI-IO": read.mpiio, "STDIO": read.stdio}[module]
    now_ints, now_floats = NAMES[module]
    assert (table.int_names, table.float_names) == (now_ints, now_floats)
    absent = {"POSIX_RENAMED_FROM": 0}
    assert dict(zip(now_ints, table.ints[0].tolist(), strict=True)) == {
        name: row.get(name, absent.get(name, -1)) for name in now_ints
    }
    assert dict(zip(now_floats, table.floats[0].tolist(), strict=True)) == {
        name: row.get(name, -1.0) for name in now_floats
    }


def test_posix_version_1_leaves_stdio_records_to_stdio():
    rows = Counters.of(
        "POSIX",
        {"id": SHARED, "rank": 0, "POSIX_FOPENS": 1, "POSIX_FWRITES": 9},
        {"id": OWN, "rank": 0, "POSIX_OPENS": 1, "POSIX_FSYNCS": 2},
        version=1,
    )
    read = log_of(build(log(version="3.00", modules=(rows,))))
    assert read.posix.ids.tolist() == [OWN]
    assert read.posix.count("POSIX_FSYNCS").tolist() == [2]


@pytest.mark.parametrize("compression", ["zlib", "bzip2"])
def test_a_region_of_several_streams(compression):
    ids = np.array([record_id(f"/f{i}") for i in range(300)], np.uint64)
    ints = possible_counts(SHAPES["POSIX", 4][0], np.arange(300 * 69).reshape(300, 69))
    many = Counters("POSIX", ids, np.zeros(300), ints, np.zeros((300, 17)), 4, streams=40)
    names = {int(key): f"/f{i}" for i, key in enumerate(ids)}
    result = evidence(build(log(modules=(many,), names=names, name_streams=7, compression=compression)))
    (read,) = result.parts
    assert result.problems == ()
    assert np.array_equal(read.posix.ints, ints)
    assert dict(read.names) == names


def test_module_indices_shift_with_the_format():
    modules = (posix(), Raw("BG/Q", 9, b"x" * 120), Lustre((LustreFile(SHARED),)), Raw("DXT_POSIX", 1, b""))
    for version in FORMATS:
        read = log_of(build(log(version=version, modules=modules)))
        assert [m.name for m in read.modules] == ["POSIX", "BG/Q", "LUSTRE"]
        assert read.module("BG/Q").status == "unsupported"


def test_a_module_without_a_reader_is_listed_with_its_size_and_its_records_are_missing():
    data = build(log(modules=(posix(), Raw("MDHIM", 1, bytes(400)))))
    result = evidence(data)
    info = result.parts[0].module("MDHIM")
    assert [(p.code, p.loses_data, p.where) for p in result.problems] == [("unsupported", True, "MDHIM")]
    assert "no reader for this module" in result.problems[0].message
    assert (info.status, info.version, info.records) == ("unsupported", 1, None)
    assert info.compressed_bytes > 0
    assert result.status == "partial"


def test_partial_flags():
    result = evidence(build(log(modules=(posix(partial=True),))))
    (read,) = result.parts
    assert read.posix.partial
    assert read.module("POSIX").partial
    assert [p.code for p in result.problems] == ["partial-module"]
    assert result.status == "partial"


def test_job_fields():
    job = Job(
        uid=7,
        start_s=1_700_000_000,
        start_ns=250_000_000,
        end_s=1_700_000_010,
        end_ns=500_000_000,
        nprocs=96,
        job_id=55,
        exe="/opt/app/sim -n 3",
        mounts=(("/work", "lustre"),),
        metadata=(("lib_ver", "3.4.4"), ("h", "a=b")),
    )
    read = log_of(build(log(job=job)))
    assert (read.job.uid, read.job.job_id, read.job.nprocs) == (7, "55", 96)
    assert read.job.runtime_s == 10.25
    assert read.job.start_time == 1_700_000_000.25
    assert read.job.executable == "/opt/app/sim"
    assert read.job.command_line == "/opt/app/sim -n 3"
    assert read.metadata == (("lib_ver", "3.4.4"), ("h", "a=b"))
    assert read.job.nnodes is None


def test_a_blank_behind_the_last_word_is_none_of_the_command_line():
    # /proc/self/cmdline ends each word, of which Darshan makes blanks; darshan-parser's text is read without.
    read = log_of(build(log(job=Job(exe="/usr/bin/cp a b ", mounts=(("/work", "lustre"),)))))
    assert read.job.command_line == "/usr/bin/cp a b"
    assert read.job.mounts == (Mount("/work", "lustre"),)
    assert log_of(build(log(job=Job(exe="  ", mounts=())))).job.command_line is None


def test_old_formats_count_whole_seconds_at_both_ends():
    read = log_of(build(log(version="3.21", job=Job(start_s=1_700_000_000, end_s=1_700_000_010))))
    assert read.job.runtime_s == 11.0


@pytest.mark.parametrize(
    ("changes", "field", "word"),
    [
        ({"end_s": 0}, "runtime_s", "no end time"),
        ({"end_s": 1_700_000_000}, "runtime_s", "before it begins"),
        ({"start_s": 2**62}, "start_time", "cannot be true"),
        ({"nprocs": 0}, "nprocs", "0 ranks"),
        ({"nprocs": -5}, "nprocs", "-5 ranks"),
        ({"nprocs": 0x5555555555555556}, "nprocs", "ranks"),
        ({"uid": -1}, "uid", "negative"),
    ],
)
def test_what_cannot_be_true_of_a_job_is_absent_and_said(changes, field, word):
    result = evidence(build(with_job(log(), **changes)))
    assert getattr(result.parts[0].job, field) is None
    assert any(word in p.message and p.where == "job record" for p in result.problems)
    assert result.parts[0].posix is not None


def test_bad_nanoseconds_do_not_spoil_the_times():
    result = evidence(build(with_job(log(), start_ns=5 * 10**18, end_ns=-3)))
    assert result.parts[0].job.runtime_s == 100.0
    assert [p.code for p in result.problems] == ["out-of-range", "out-of-range"]


def test_a_command_line_that_fills_the_record_is_kept_and_reported():
    job = Job(exe="x" * 5000, mounts=())
    raw = job.encode("3.41", "little")[:4096]
    result = evidence(build(log(job=Job(raw=raw))))
    assert result.parts[0].job.command_line == "x" * (4096 - 56 - 1024)
    assert any("fill the job record" in p.message for p in result.problems)


def test_bytes_that_are_not_utf8_stand_as_escapes():
    data = build(log(job=Job(exe=b"./caf\xe9 a"), names={SHARED: b"/data/\xe9t\xe9", OWN: "/ü"}))
    read = log_of(data)
    assert read.names[SHARED] == "/data/\\xe9t\\xe9"
    assert read.names[OWN] == "/ü"
    assert read.job.executable == "./caf\\xe9"


def test_mount_and_metadata_lines_without_a_separator_are_left_out():
    raw = struct.pack("<7q", 1, 1_700_000_000, 0, 1_700_000_009, 0, 4, 9) + b"a=b\nnovalue\n".ljust(1024, b"\0")
    raw += b"./x\next4\t/\nnotab\n\0"
    result = evidence(build(log(job=Job(raw=raw))))
    assert result.parts[0].job.mounts == (Mount("/", "ext4"),)
    assert result.parts[0].metadata == (("a", "b"),)
    assert {p.code for p in result.problems} == {"damaged"}


def test_ids_with_zero_bytes_and_empty_names():
    names = {0: "/zero", 256: "", 2**63: "/high", 0x0000_00FF_0000_0001: "/mixed"}
    read = log_of(build(log(names=names, modules=())))
    assert dict(read.names) == names


def test_the_name_table_of_format_3_00_counts_lengths():
    names = {SHARED: "/a b\0c", OWN: ""}
    read = log_of(build(log(version="3.00", names=names, modules=())))
    assert dict(read.names) == {SHARED: "/a b\0c", OWN: ""}


def test_a_name_without_end_is_reported_and_the_others_kept():
    tail = struct.pack("<Q", SHARED) + b"/whole\0" + struct.pack("<Q", OWN) + b"/cut"
    result = evidence(build(log(names=tail)))
    assert dict(result.parts[0].names) == {SHARED: "/whole"}
    assert any(p.where == "name table" and p.loses_data for p in result.problems)


def test_a_very_long_name_is_cut():
    result = evidence(build(log(names={SHARED: "/" + "n" * 2**21, OWN: OWN_FILE})))
    assert len(result.parts[0].names[SHARED]) == 64 * 1024
    assert result.problems[0].code == "line-too-long"


@pytest.mark.parametrize("order", ORDERS)
def test_lustre_version_1(order):
    files = (
        LustreFile(SHARED, (Stripes(size=4 << 20, osts=(7, 8, 9)),), osts_in_fs=248, mdts_in_fs=5),
        LustreFile(OWN, (Stripes(osts=(2,)),), osts_in_fs=0),
    )
    read = log_of(build(log(version="3.21", byte_order=order, modules=(Lustre(files, version=1),))))
    assert read.lustre == (
        LustreLayout(SHARED, 4 << 20, 3, (7, 8, 9), osts_in_fs=248, mdts_in_fs=5),
        LustreLayout(OWN, 1 << 20, 1, (2,), osts_in_fs=None, mdts_in_fs=4),
    )


@pytest.mark.parametrize("order", ORDERS)
def test_lustre_version_2_with_a_composite_layout(order):
    progressive = (
        Stripes(size=1 << 20, osts=(4,), start=0, end=1 << 22),
        Stripes(size=1 << 22, osts=(5, 6, 7, 8), start=1 << 22, end=1 << 28, pool="flash"),
        Stripes(size=1 << 24, osts=(), start=1 << 28, end=-1),
    )
    files = (LustreFile(SHARED, progressive), LustreFile(OWN, (Stripes(size=65536, osts=(1, 0)),)))
    read = log_of(build(log(byte_order=order, modules=(Lustre(files, streams=3),))))
    assert read.lustre == (
        LustreLayout(
            SHARED,
            1 << 22,
            4,
            (5, 6, 7, 8),
            composite=True,
            pool="flash",
            extent_start=1 << 22,
            components=(
                LustreComponent(0, 1 << 22, 1 << 20, (4,)),
                LustreComponent(1 << 22, 1 << 28, 1 << 22, (5, 6, 7, 8)),
                LustreComponent(1 << 28, None, 1 << 24, ()),
            ),
        ),
        LustreLayout(OWN, 65536, 2, (1, 0)),
    )
    assert read.module("LUSTRE").records == 2


@pytest.mark.parametrize(
    ("version", "file"),
    [
        (1, LustreFile(OWN, (Stripes(osts=(1,), count=-1),))),
        (1, LustreFile(OWN, (Stripes(osts=(1,), count=10**8),))),
        (2, LustreFile(OWN, declared_stripes=-10)),
        (2, LustreFile(OWN, declared_components=2**60)),
        (2, LustreFile(OWN, declared_components=-1)),
        (2, LustreFile(OWN, (Stripes(osts=(1,), count=5000),))),
        (2, LustreFile(OWN, (Stripes(osts=(1,), count=-1),))),
    ],
)
def test_lustre_counts_that_cannot_be_are_refused(version, file):
    modules = (posix(), Lustre((LustreFile(SHARED), file), version=version))
    result = evidence(build(log(modules=modules)))
    (read,) = result.parts
    assert [layout.record for layout in read.lustre] == [SHARED]
    assert read.module("LUSTRE").status == "partly-read"
    assert [p.where for p in result.problems if p.loses_data] == ["LUSTRE"]
    assert read.module("POSIX").status == "read"


HEAT_POSIX, HEAT_STDIO = 16592106915301738621, 3989511027826779520
HEAT_NAMES = {HEAT_POSIX: "heatmap:POSIX", HEAT_STDIO: "heatmap:STDIO"}


@pytest.mark.parametrize("names", [HEAT_NAMES, {}])
@pytest.mark.parametrize("order", ORDERS)
def test_heatmaps_by_layer_with_or_without_names(order, names):
    rows = (
        HeatmapRow(HEAT_POSIX, 1, 0.1, written=(1, 2, 3), read=(4, 5, 6)),
        HeatmapRow(HEAT_STDIO, 0, 0.1, written=(7, 0, 0), read=(0, 0, 8)),
        HeatmapRow(HEAT_POSIX, 0, 0.1, written=(0, 0, 9), read=(0, 0, 0)),
    )
    read = log_of(build(log(byte_order=order, names=names, modules=(HeatmapRows(rows),))))
    posix_map, stdio_map = read.heatmaps
    assert (posix_map.layer, posix_map.bin_width_s) == ("POSIX", 0.1)
    assert posix_map.ranks.tolist() == [0, 1]
    assert posix_map.written.tolist() == [[0, 0, 9], [1, 2, 3]]
    assert posix_map.read.tolist() == [[0, 0, 0], [4, 5, 6]]
    assert stdio_map.layer == "STDIO"
    assert read.module("HEATMAP").records == 3


def test_a_heatmap_row_one_bin_short_ends_in_an_empty_bin():
    rows = (
        HeatmapRow(HEAT_POSIX, 0, 0.1, written=(1, 2, 3), read=(4, 5, 6)),
        HeatmapRow(HEAT_POSIX, 1, 0.1, written=(7, 8), read=(9, 9)),
    )
    result = evidence(build(log(modules=(HeatmapRows(rows),), names=HEAT_NAMES)))
    (one,) = result.parts[0].heatmaps
    assert one.written.tolist() == [[1, 2, 3], [7, 8, 0]]
    assert one.read.tolist() == [[4, 5, 6], [9, 9, 0]]
    assert [p.code for p in result.problems] == ["note"]


def test_many_heatmap_rows_of_several_layers_and_lengths_are_each_ranks_own():
    rows = [
        HeatmapRow(
            (HEAT_POSIX, HEAT_STDIO)[n % 2], n // 2, 0.1, written=(n,) * (3 - n // 400), read=(n + 1,) * (3 - n // 400)
        )
        for n in range(600)
    ]
    refused = HeatmapRow(HEAT_POSIX, 1, 0.1, (-1, 0, 0), (0, 0, 0))
    result = evidence(
        build(log(job=Job(nprocs=400), modules=(HeatmapRows((*rows[:90], refused, *rows[90:])),), names=HEAT_NAMES))
    )
    posix_map, stdio_map = result.parts[0].heatmaps
    assert posix_map.ranks.tolist() == stdio_map.ranks.tolist() == list(range(300))
    assert stdio_map.written.tolist() == [[n] * 3 if n < 400 else [n, n, 0] for n in range(1, 600, 2)]
    assert posix_map.read.tolist() == [[n + 1] * 3 if n < 400 else [n + 1, n + 1, 0] for n in range(0, 600, 2)]
    assert [p.message for p in result.problems if p.loses_data] == [
        "HEATMAP: 1 records have bins of less than 0 bytes; they are left out."
    ]


@pytest.mark.parametrize("bins", [-1, -(2**62), 2**27, 10**12])
def test_heatmap_bins_that_cannot_be_are_refused(bins):
    rows = (
        HeatmapRow(HEAT_POSIX, 0, 0.1, written=(1,), read=(1,)),
        HeatmapRow(HEAT_POSIX, 1, 0.1, written=(1,), read=(1,), declared_bins=bins),
    )
    result = evidence(build(log(modules=(posix(), HeatmapRows(rows)), names=HEAT_NAMES | {SHARED: "/a", OWN: "/b"})))
    assert result.parts[0].heatmaps[0].ranks.tolist() == [0]
    assert f"{bins} bins" in next(p.message for p in result.problems if p.loses_data)


@pytest.mark.parametrize(
    "row",
    [
        HeatmapRow(HEAT_POSIX, 4, 0.1, (1,), (1,)),
        HeatmapRow(HEAT_POSIX, 1, float("nan"), (1,), (1,)),
        HeatmapRow(HEAT_POSIX, 1, 0.1, (-2,), (1,)),
        HeatmapRow(99, 1, 0.1, (1,), (1,)),
    ],
)
def test_heatmap_rows_that_cannot_be_true_are_left_out(row):
    good = HeatmapRow(HEAT_POSIX, 0, 0.1, (1,), (1,))
    result = evidence(build(log(modules=(HeatmapRows((row, good)),), names=HEAT_NAMES)))
    assert result.parts[0].heatmaps[0].ranks.tolist() == [0]
    assert result.status == "partial"
