"""The sample logs against their own ledger: EXPECTED.tsv says what each program did and Darshan recorded."""

from __future__ import annotations

import csv
import gzip
import io

import numpy as np
import pytest
from darshan_corpus import SAMPLES, evidence, log_of

from iotriage_parsers.evidence import DxtTrace
from iotriage_parsers.readers.darshan_log import reader

with (SAMPLES / "EXPECTED.tsv").open(encoding="utf-8", newline="") as tsv:
    EXPECTED = list(csv.DictReader(tsv, delimiter="\t"))

CASES = [pytest.param(row, id=row["file"].removesuffix(".darshan")) for row in EXPECTED]
TABLES = {"POSIX": "posix", "MPIIO": "mpiio", "STDIO": "stdio"}


def sample(name: str) -> bytes:
    return (SAMPLES / name / f"{name}.darshan").read_bytes()


@pytest.mark.parametrize("row", CASES)
def test_counters_of_the_ledger(row):
    log = log_of(sample(row["file"].removesuffix(".darshan")))
    checked = 0
    for prefix, attribute in TABLES.items():
        table = getattr(log, attribute)
        if table is not None and row["spec"] == "p":
            # For programs without MPI the ledger leaves out what the interpreter and the libraries opened.
            of_program = [log.names[int(key)].startswith("/scratch/proj01/run/") for key in table.ids]
            table = table.rows(np.array(of_program))
        for name in (key for key in row if key.startswith(f"{prefix}_") and row[key] != ""):
            if "_F_" in name:
                rounding = 0.5e-6 * (len(table) + 1)
                assert float(np.nansum(table.seconds(name))) == pytest.approx(float(row[name]), abs=rounding), name
            else:
                assert table.total(name) == int(row[name]), name
            checked += 1
    assert checked


@pytest.mark.parametrize("row", CASES)
def test_job_and_modules_of_the_ledger(row):
    log = log_of(sample(row["file"].removesuffix(".darshan")))
    assert log.job.nprocs == int(row["nprocs"])
    assert log.job.command_line == row["command"]
    if float(row["run_time_s"]) > 0:
        assert log.job.runtime_s == pytest.approx(float(row["run_time_s"]), abs=1e-3)
    assert [m.name for m in log.modules if m.partial] == row["partial"].split()
    counted = dict(entry.split("=") for entry in row["records"].split())
    ours = {m.name: m.records for m in log.modules if m.records is not None and not m.name.startswith("DXT")}
    assert ours == {name: int(counted[name]) for name in ours}


@pytest.mark.parametrize(
    ("other", "version", "compression"),
    [
        ("39-heat2d-legacy", "3.41", "zlib"),
        ("40-heat2d-tuned", "3.41", "zlib"),
        ("49-bzip2-heat2d-tuned", "3.41", "bzip2"),
    ],
)
def test_container_facts(other, version, compression):
    log = log_of(sample(other))
    assert (log.log_version, log.compression, log.byte_order) == (version, compression, "little")


def test_the_bzip2_copy_holds_the_same_as_its_original():
    original, copy = log_of(sample("40-heat2d-tuned")), log_of(sample("49-bzip2-heat2d-tuned"))
    assert copy.job == original.job
    assert dict(copy.names) == dict(original.names)
    for attribute in TABLES.values():
        one, other = getattr(original, attribute), getattr(copy, attribute)
        assert np.array_equal(one.ints, other.ints)
        assert np.array_equal(one.floats, other.floats)


def test_the_truncated_copy_says_so_and_keeps_the_whole_modules():
    original, cut = log_of(sample("39-heat2d-legacy")), evidence(sample("50-truncated-heat2d-legacy"))
    log, trace = cut.parts
    assert cut.problems[0].code == "truncated"
    assert np.array_equal(log.posix.ints, original.posix.ints)
    assert np.array_equal(log.mpiio.ints, original.mpiio.ints)
    assert {m.name for m in log.modules if m.status == "damaged"} == {"DXT_MPIIO", "HEATMAP"}
    assert log.module("DXT_POSIX").status == "partly-read"
    (whole, _) = evidence(sample("39-heat2d-legacy")).of(DxtTrace)
    assert trace.partial
    assert 0 < len(trace) < len(whole)
    assert np.array_equal(trace.segments, whole.segments[: len(trace)])


def test_the_raw_log_of_one_killed_rank():
    name = "51-killed-rank0-mmap-raw"
    result = evidence(gzip.decompress((SAMPLES / name / f"{name}.darshan.gz").read_bytes()))
    (log,) = result.parts
    assert log.compression == "none"
    assert log.job.runtime_s is None
    assert log.posix.ranks.tolist() == [0]
    assert [h.layer for h in log.heatmaps] == ["POSIX"]
    assert result.status == "partial"
    assert any("rank 0 alone" in p.message for p in result.problems)


@pytest.mark.parametrize(
    ("head", "expected"),
    [
        (sample("01-serial-gather")[:65536], 1.0),
        (b"3.41\0\0\0\0" + (6567223).to_bytes(8, "big"), 1.0),
        (b"3.41\0\0\0\0", 0.5),
        (b"\x1f\x8b\x08\0", 0.0),
        (b"BZh9", 0.0),
        (b"", 0.0),
        (b"3.41 is a version", 0.0),
    ],
)
def test_recognises(head, expected):
    assert reader.recognises(head) == expected


def test_the_reader_leaves_the_name_of_the_stream_alone():
    data = sample("02-fpp-posix")

    class Named(io.BytesIO):
        name = "report.txt"

    one, other = reader.read(io.BytesIO(data), _limits()), reader.read(Named(data), _limits())
    assert one.parts[0].job == other.parts[0].job
    assert np.array_equal(one.parts[0].posix.ints, other.parts[0].posix.ints)


def _limits():
    from iotriage_parsers.reader import Limits

    return Limits()
