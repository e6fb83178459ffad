"""Cut, flipped and lying logs: nothing crashes, nothing is short without a word, and damage stays where it is."""

from __future__ import annotations

import struct
import subprocess
import sys
import zlib
from functools import cache

import numpy as np
import pytest
from budget import dice, tries
from darshan_corpus import SAMPLES, evidence, read_bytes
from darshan_writer import (
    SHAPES,
    Counters,
    Job,
    Layout,
    Log,
    Raw,
    build,
    record_id,
    region,
    with_flipped_bit,
    with_region,
)
from possible_values import possible_counts, possible_times

from iotriage_parsers.evidence import CounterTable, DarshanLog, Evidence, Failure
from iotriage_parsers.reader import Limits

FILES = {record_id(f"/f{i}"): f"/f{i}" for i in range(400)}


def table(module, seed, **kwargs):
    size = {"POSIX": (69, 17, 4), "MPI-IO": (51, 17, 3), "STDIO": (14, 15, 2)}[module]
    rng = np.random.default_rng(seed)
    ids = np.array(list(FILES), np.uint64)
    int_names, float_names = SHAPES[module, size[2]]
    ints = possible_counts(int_names, rng.integers(0, 10**6, (len(ids), size[0])))
    floats = possible_times(float_names, rng.random((len(ids), size[1])))
    return Counters(module, ids, np.arange(len(ids)) % 4, ints, floats, size[2], **kwargs)


@cache
def whole(streams: int = 1) -> bytes:
    modules = (table("POSIX", 1, streams=streams), table("MPI-IO", 2), table("STDIO", 3))
    return build(Log(names=FILES, modules=modules))


def statuses(result):
    return {m.name: m.status for m in result.parts[0].modules}


def test_the_whole_log_is_complete():
    result = evidence(whole())
    assert result.status == "complete"
    assert statuses(result) == {"POSIX": "read", "MPI-IO": "read", "STDIO": "read"}


@pytest.mark.parametrize("module", ["POSIX", "MPI-IO", "STDIO"])
def test_a_flipped_bit_in_one_module_takes_no_other(module):
    start, length = region(whole(), module)
    result = evidence(with_flipped_bit(whole(), start + length // 2, 3))
    assert statuses(result) == {"POSIX": "read", "MPI-IO": "read", "STDIO": "read"} | {module: "damaged"}
    assert result.status == "partial"
    assert {p.where for p in result.problems} == {module}


def test_values_that_fail_their_checksum_are_never_used():
    start, length = region(whole(), "POSIX")
    result = evidence(with_flipped_bit(whole(), start + length - 1))
    assert result.parts[0].posix is None
    assert "checksum" in result.parts[0].module("POSIX").reason


def test_streams_before_a_damaged_one_are_kept():
    data = whole(8)
    start, length = region(data, "POSIX")
    result = evidence(with_flipped_bit(data, start + length - 1))
    (log,) = result.parts
    assert log.module("POSIX").status == "partly-read"
    assert log.posix.partial
    intact = evidence(data).parts[0].posix
    assert len(log.posix) == 350
    assert np.array_equal(log.posix.ints, intact.ints[:350])


def test_a_truncated_region_gives_the_records_before_the_cut():
    data = whole()
    start, length = region(data, "STDIO")
    result = evidence(data[: start + length // 2])
    (log,) = result.parts
    assert statuses(result) == {"POSIX": "read", "MPI-IO": "read", "STDIO": "partly-read"}
    assert 0 < len(log.stdio) < 400
    assert log.stdio.partial
    intact = evidence(data).parts[0].stdio
    assert np.array_equal(log.stdio.floats, intact.floats[: len(log.stdio)])
    first = result.problems[0]
    assert first.code == "truncated"
    assert "truncated" in first.message
    assert "STDIO" in first.message


def test_a_log_cut_between_its_regions_says_what_is_missing():
    data = whole()
    result = evidence(data[: region(data, "MPI-IO")[0]])
    assert statuses(result) == {"POSIX": "read", "MPI-IO": "damaged", "STDIO": "damaged"}
    assert "truncated" in result.problems[0].message


@pytest.mark.parametrize("size", [1, 8, 15, 200, 1327, 1328, 1400])
def test_a_log_cut_before_its_job_record_ends_is_a_failure(size):
    result = read_bytes(whole()[:size])
    assert isinstance(result, Failure)
    assert result.code == "damaged"
    assert result.next_step


def test_an_empty_file():
    assert read_bytes(b"").code == "empty"


def test_a_newer_format_is_unsupported():
    result = read_bytes(b"3.99" + whole()[4:])
    assert (result.code, "3.99" in result.message) == ("unsupported", True)


def test_a_newer_module_version_is_unsupported_and_loses_data():
    result = evidence(build(Log(names=FILES, modules=(Raw("POSIX", 9, bytes(704)), table("STDIO", 1)))))
    assert statuses(result) == {"POSIX": "unsupported", "STDIO": "read"}
    assert [(p.code, p.loses_data) for p in result.problems] == [("unsupported", True)]


def test_a_damaged_job_record_leaves_the_modules():
    result = evidence(with_flipped_bit(whole(), 1328 + 20, 2))
    (log,) = result.parts
    assert log.job.nprocs is None
    assert statuses(result) == {"POSIX": "read", "MPI-IO": "read", "STDIO": "read"}
    assert [p.where for p in result.problems if p.loses_data] == ["job record"]


def test_a_damaged_name_table_leaves_records_without_names():
    start, length = region(whole(), "names")
    result = evidence(with_flipped_bit(whole(), start + length // 2))
    (log,) = result.parts
    assert dict(log.names) == {}
    assert len(log.posix) == 400
    assert [p.where for p in result.problems] == ["name table"]


@pytest.mark.parametrize(
    ("start", "length", "word"),
    [
        (0, 100, "header itself"),
        (2**63, 100, "truncated"),
        (2**64 - 1, 2**64 - 1, "truncated"),
        (None, 2**32, "next region"),
        (None, 5, "ends inside a compressed stream"),
    ],
)
def test_a_map_entry_that_lies(start, length, word):
    data = whole()
    true_start, _ = region(data, "POSIX")
    result = evidence(with_region(data, "POSIX", true_start if start is None else start, length))
    assert any(word in p.message for p in result.problems if p.where == "POSIX")
    assert statuses(result)["MPI-IO"] == "read"
    assert result.status == "partial"


def test_a_map_entry_that_is_gone_leaves_a_gap_that_is_said():
    result = evidence(with_region(whole(), "MPI-IO", 0, 0))
    assert statuses(result) == {"POSIX": "read", "STDIO": "read", "MPI-IO": "damaged"}
    assert "belong to no region" in result.problems[0].message
    assert result.status == "partial"


@pytest.mark.parametrize("nothing", [zlib.compress(b""), zlib.compress(b"") * 1000])
def test_a_region_that_inflates_to_nothing_is_no_module_without_records(nothing):
    data = whole()
    result = evidence(with_region(data + nothing, "MPI-IO", len(data), len(nothing)))
    assert statuses(result)["MPI-IO"] == "damaged"
    assert any(f"its {len(nothing):,} bytes inflate to nothing" in p.message for p in result.problems)


def test_two_entries_of_one_place_are_both_refused():
    data = whole()
    result = evidence(with_region(data, "MPI-IO", *region(data, "POSIX")))
    assert statuses(result)["POSIX"] == statuses(result)["MPI-IO"] == "damaged"


def test_a_name_map_that_points_into_the_job_record():
    data = whole()
    result = evidence(with_region(data, "names", 1328, region(data, "names")[1]))
    assert dict(result.parts[0].names) == {}
    assert result.parts[0].job.nprocs == 4
    assert len(result.parts[0].posix) == 400
    assert any(p.where == "name table" and p.loses_data for p in result.problems)


@pytest.mark.parametrize("code", [1, 2, 3, 255])
def test_a_wrong_compression_code_is_seen_through(code):
    result = evidence(whole()[:16] + bytes([code]) + whole()[17:])
    assert result.parts[0].compression == "zlib"
    assert statuses(result)["POSIX"] == "read"
    assert any("compression" in p.message for p in result.problems)


def test_a_module_version_that_lies_is_refused():
    data = bytearray(whole())
    struct.pack_into("<I", data, Layout.of("3.41").version_at("MPI-IO"), 2)
    result = evidence(bytes(data))
    assert statuses(result)["MPI-IO"] == "damaged"
    assert "whole number of records" in result.parts[0].module("MPI-IO").reason


def test_a_region_with_a_rest_keeps_its_whole_records():
    posix = table("POSIX", 1)
    result = evidence(build(Log(names=FILES, modules=(Raw("POSIX", 4, posix.encode("little") + b"rest"),))))
    assert len(result.parts[0].posix) == 400
    assert result.parts[0].module("POSIX").status == "partly-read"


def test_what_inflates_without_end_stops_at_the_limit():
    bomb = Raw("STDIO", 2, bytes(16 * 2**20))
    data = build(Log(names=FILES, modules=(table("POSIX", 1), bomb), level=9))
    assert len(data) < 2**20
    result = read_bytes(data, Limits(inflated_bytes=2**20))
    assert isinstance(result, Evidence)
    assert statuses(result)["POSIX"] == "read"
    problem = next(p for p in result.problems if p.code == "limit")
    assert problem.loses_data
    assert problem.where == "STDIO"


def test_a_module_beyond_the_memory_of_the_process_takes_no_other():
    """A hundred thousand copies of a record, and a heatmap of 2^23 bins, in a process that may have 150 MB more."""
    copies = Raw("STDIO", 2, struct.pack("<Qq", record_id("/f0"), 1) + bytes(232), streams=1)
    heat = struct.pack("<Qqdq16x", 16592106915301738621, 0, 0.1, 2**23) + bytes(2**27)
    data = build(
        Log(names=FILES, modules=(table("POSIX", 1), Raw("STDIO", 2, copies.payload * 2**17), Raw("HEATMAP", 1, heat)))
    )
    program = """
import io, json, resource, sys
import numpy
from iotriage_parsers.reader import Limits
from iotriage_parsers.readers.darshan_log import reader
data = sys.stdin.buffer.read()
used = int(open("/proc/self/statm").read().split()[0]) * resource.getpagesize()
resource.setrlimit(resource.RLIMIT_AS, (used + (150 << 20), used + (150 << 20)))
result = reader.read(io.BytesIO(data), Limits())
print(json.dumps({m.name: [m.status, m.records] for m in result.parts[0].modules}), result.status)
print([(p.code, p.where) for p in result.problems if p.loses_data])
"""
    run = subprocess.run([sys.executable, "-c", program], input=data, capture_output=True, check=True, timeout=120)
    modules, problems = run.stdout.decode().splitlines()
    assert '"POSIX": ["read", 400]' in modules
    assert '"STDIO": ["read", 1]' in modules
    assert "('limit', 'HEATMAP')" in problems
    assert modules.endswith("partial")


def test_bytes_behind_the_last_stream_are_damage():
    data = whole()
    start, length = region(data, "STDIO")
    result = evidence(with_region(data + b"garbage", "STDIO", start, length + 7))
    assert len(result.parts[0].stdio) == 400
    assert statuses(result)["STDIO"] == "partly-read"


def test_the_memory_mapped_log_of_one_rank_says_so():
    rows = Counters.of("POSIX", {"id": record_id("/f0"), "rank": 2, "POSIX_OPENS": 1})
    result = evidence(build(Log(job=Job(nprocs=8, end_s=0), names=FILES, modules=(rows,), compression="none")))
    assert any("rank 2 alone, one of 8" in p.message and p.loses_data for p in result.problems)


def same(one: DarshanLog, other: DarshanLog) -> bool:
    return repr(digest(one)) == repr(digest(other))


def digest(log: DarshanLog):
    """Everything of a log that a later room may use. Paddings and checks of the container are no part of it."""
    tables = [None if t is None else table_digest(t) for t in (log.posix, log.mpiio, log.stdio)]
    maps = [(h.layer, h.bin_width_s, h.ranks.tobytes(), h.read.tobytes(), h.written.tobytes()) for h in log.heatmaps]
    names = sorted(log.names.items())
    return log.job, log.metadata, names, [(m.name, m.status, m.records) for m in log.modules], tables, log.lustre, maps


def table_digest(t: CounterTable):
    arrays = tuple(zlib.crc32(np.ascontiguousarray(a).tobytes()) for a in (t.ids, t.ranks, t.ints, t.floats))
    return len(t), arrays, t.partial


DAMAGED_SAMPLES = [
    "01-serial-gather",
    "12-subfile-per-node",
    "40-heat2d-tuned",
    "44-darshan-3.1.8",
    "lustre-ssf-striped",
]


def says_so_or_is_the_same(intact: DarshanLog, result: Evidence | Failure) -> bool:
    if isinstance(result, Failure):
        return True
    return result.status == "partial" or same(intact, result.parts[0])


@pytest.mark.parametrize("name", DAMAGED_SAMPLES)
def test_twenty_cuts(name):
    data = (SAMPLES / name / f"{name}.darshan").read_bytes()
    intact = evidence(data).parts[0]
    for step in range(20):
        size = len(data) * step // 20
        result = read_bytes(data[:size])
        assert isinstance(result, Failure) or result.status == "partial", size
        if isinstance(result, Evidence):
            assert any(p.code == "truncated" and "truncated" in p.message for p in result.problems), size
    assert same(intact, evidence(data).parts[0])


@pytest.mark.fuzz
@pytest.mark.parametrize("name", DAMAGED_SAMPLES)
def test_flipped_bytes(name):
    data = (SAMPLES / name / f"{name}.darshan").read_bytes()
    intact = evidence(data).parts[0]
    chance = dice(name)
    for _ in range(tries(8, 200)):
        position, change = chance.randrange(len(data)), chance.randrange(1, 256)
        broken = data[:position] + bytes([data[position] ^ change]) + data[position + 1 :]
        assert says_so_or_is_the_same(intact, read_bytes(broken)), (position, change)


@pytest.mark.fuzz
def test_every_bit_of_a_header():
    """The header has no checksum of its own: a flip there must not change figures in silence. One bit of each byte, and
    all of them where there is time."""
    rows = Counters.of("POSIX", {"id": record_id("/f0"), "rank": 2, "POSIX_OPENS": 1})
    data = build(Log(names={record_id("/f0"): "/f0"}, modules=(rows, table("STDIO", 1)), version="3.21"))
    intact = evidence(data).parts[0]
    silent = [
        (position, bit)
        for position in range(Layout.of("3.21").header_bytes)
        for bit in tries((position % 8,), range(8))
        if not says_so_or_is_the_same(intact, read_bytes(with_flipped_bit(data, position, bit)))
    ]
    assert silent == []
