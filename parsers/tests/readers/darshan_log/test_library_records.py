"""HDF5, PnetCDF, DAOS and Blue Gene/Q records of every version, packed by hand from Darshan's headers."""

from __future__ import annotations

import struct
from dataclasses import replace

import numpy as np
import pytest
from darshan_corpus import evidence, log_of
from darshan_writer import Job, Log, Raw, build
from library_records import FIELDS, FILE, NAMES, OTHER, STORED, apmpi, apxc, expected, packed, written

from iotriage_parsers.readers.darshan_log import apmpi as apmpi_reader
from iotriage_parsers.readers.darshan_log import apxc as apxc_reader
from iotriage_parsers.readers.darshan_log.records import SHAPES


def test_every_version_that_the_reader_knows_is_tested():
    assert {(m, v) for m, versions in SHAPES.items() for v in versions if m in FIELDS} == set(STORED)


@pytest.mark.parametrize("order", ["little", "big"])
@pytest.mark.parametrize(("module", "version"), STORED)
def test_every_version_in_the_shape_of_today(module, version, order):
    result = evidence(written(module, version, order))
    (log,) = result.parts
    table = getattr(log, FIELDS[module])
    ints, floats = expected(module, version)
    assert result.problems == ()
    assert log.module(module).records == 1
    assert (table.ids.tolist(), table.ranks.tolist()) == ([OTHER], [-1])
    assert table.ints[0].tolist() == ints
    assert table.floats[0].tolist() == floats
    assert table.ints.dtype.isnative
    if module in ("H5D", "PNETCDF_VAR"):
        assert table.file_ids.tolist() == [0 if (module, version) == ("H5D", 1) else FILE]
    else:
        assert table.file_ids is None


@pytest.mark.parametrize("module", FIELDS)
def test_a_cut_region_gives_its_whole_records(module):
    version = max(v for m, v in STORED if m == module)
    three = b"".join(packed(module, version, rank=rank) for rank in range(3))
    data = build(Log(names=NAMES, modules=(Raw(module, version, three),), compression="none"))
    result = evidence(data[:-5])
    table = getattr(result.parts[0], FIELDS[module])
    assert table.ranks.tolist() == [0, 1]
    assert table.partial
    assert result.parts[0].module(module).status == "partly-read"
    assert result.status == "partial"


@pytest.mark.parametrize("module", FIELDS)
def test_another_version_is_refused_and_costs_nothing_else(module):
    data = build(Log(names=NAMES, modules=(Raw(module, 9, bytes(4096)),)))
    result = evidence(data)
    assert getattr(result.parts[0], FIELDS[module]) is None
    assert result.parts[0].module(module).status == "unsupported"


def test_records_stay_beside_their_files_where_some_are_taken_out():
    rows = b"".join(packed("H5D", 2, rank=rank) for rank in (0, 77, 1, 1))
    table = log_of(build(Log(names=NAMES, modules=(Raw("H5D", 2, rows),)))).h5d
    assert table.ranks.tolist() == [0, 1]
    assert table.file_ids.tolist() == [FILE, FILE]
    assert table.rows(np.array([True, False])).file_ids.tolist() == [FILE]


@pytest.mark.parametrize("order", ["little", "big"])
def test_nodes_of_autoperf_mpi(order):
    payload = apmpi((0, b"nid1"), (1, b"nid1"), (3, b"n" * 128), mark="<" if order == "little" else ">")
    result = evidence(build(Log(names=NAMES, modules=(Raw("APMPI", 1, payload),), byte_order=order)))
    assert result.problems == ()
    assert dict(result.parts[0].hostnames) == {0: "nid1", 1: "nid1", 3: "n" * 128}
    assert result.parts[0].module("APMPI").records == 3


def test_nodes_of_damaged_autoperf_records():
    cut = evidence(build(Log(modules=(Raw("APMPI", 1, apmpi((0, b"a"), (9, b"b"), (1, b"c"))[:-1]),))))
    assert dict(cut.parts[0].hostnames) == {0: "a"}
    assert [p.loses_data for p in cut.problems] == [True, True]
    other = evidence(build(Log(modules=(Raw("APMPI", 1, apmpi((0, b"a"), magic=b"OTHER")),))))
    assert dict(other.parts[0].hostnames) == {}
    assert other.parts[0].module("APMPI").status == "damaged"


def calls_of(rank, counts, times, *, waits=0):
    """One AUTOPERF log with one record: `counts` and `times` by index in the record."""
    head = struct.pack("<QqqIxxxxdd", OTHER, 0, int.from_bytes(b"APMPI", "big"), waits, 0.0, 0.0)
    integers, floats = [0] * 396, [0.0] * 240
    for index, value in counts.items():
        integers[index] = value
    for index, value in times.items():
        floats[index] = value
    body = struct.pack("<Qq396q240d128s", OTHER, rank, *integers, *floats, b"nid7")
    (log, *_) = evidence(build(Log(modules=(Raw("APMPI", 1, head + body),)))).parts
    return log.apmpi


def test_mpi_calls_of_autoperf():
    """Places by hand from the header: 12 point-to-point operations of 8 counters, 10 of 1, two barriers, then BCAST;
    times are threes; the last operation is WIN_SYNC."""
    assert (len(apmpi_reader.COUNTERS), len(apmpi_reader.TIMES), len(apmpi_reader.SYNC_TIMES)) == (396, 222, 16)
    counts = {0: 3, 1: 300, 7: 1, 96: 5, 106: 9, 108: 2, 109: 64, 395: 4}
    table = calls_of(1, counts, {0: 1.5, 1: 0.1, 2: 0.9, 66: 2.5, 72: 0.25, 221: 0.5, 222: 8.0, 238: 6.0, 239: 7.0})
    assert table.ranks.tolist() == [1]
    known = {n: v for n, v in zip(table.int_names, table.ints[0].tolist(), strict=True) if v}
    assert known == {
        "MPI_SEND_CALL_COUNT": 3,
        "MPI_SEND_TOTAL_BYTES": 300,
        "MPI_SEND_MSG_SIZE_AGG_1M_PLUS": 1,
        "MPI_PROBE_CALL_COUNT": 5,
        "MPI_BARRIER_CALL_COUNT": 9,
        "MPI_BCAST_CALL_COUNT": 2,
        "MPI_BCAST_TOTAL_BYTES": 64,
        "MPI_WIN_SYNC_CALL_COUNT": 4,
    }
    seconds = {n: v for n, v in zip(table.float_names, table.floats[0].tolist(), strict=True) if v > 0}
    assert seconds == {
        "MPI_SEND_TOTAL_TIME": 1.5,
        "MPI_SEND_MIN_TIME": 0.1,
        "MPI_SEND_MAX_TIME": 0.9,
        "MPI_BARRIER_TOTAL_TIME": 2.5,
        "MPI_BCAST_TOTAL_TIME": 0.25,
        "MPI_WIN_SYNC_MAX_TIME": 0.5,
        "MPI_TOTAL_COMM_TIME": 6.0,
    }


def test_the_wait_in_collectives_is_absent_where_it_was_not_timed():
    times = {222: 8.0, 238: 6.0, 239: 7.0}
    without, timed = calls_of(0, {}, times), calls_of(0, {}, times, waits=1)
    assert np.isnan(without.seconds("MPI_BARRIER_TOTAL_SYNC_TIME")).all()
    assert np.isnan(without.seconds("MPI_TOTAL_COMM_SYNC_TIME")).all()
    assert timed.seconds("MPI_BARRIER_TOTAL_SYNC_TIME").tolist() == [8.0]
    assert timed.seconds("MPI_TOTAL_COMM_SYNC_TIME").tolist() == [7.0]
    assert calls_of(0, {}, {238: float("inf")}).seconds("MPI_TOTAL_COMM_TIME").tolist() != [float("inf")]


def test_a_rank_that_has_two_records_counts_once():
    payload = apmpi((0, b"a"), (0, b"b"), (1, b"c"))
    found = evidence(build(Log(modules=(Raw("APMPI", 1, payload),))))
    assert found.parts[0].apmpi.ranks.tolist() == [0, 1]
    assert found.status == "partial"


@pytest.mark.parametrize("order", ["little", "big"])
def test_routers_of_autoperf_cray_xc(order):
    payload = apxc((0, 1, 2, 3), (0, 1, 2, 4), mark="<" if order == "little" else ">")
    result = evidence(build(Log(modules=(Raw("APXC", 1, payload),), byte_order=order)))
    assert (result.problems, result.status) == ((), "complete")
    table = result.parts[0].apxc
    assert result.parts[0].module("APXC").records == 2
    assert [table.count(name).tolist() for name in apxc_reader.PLACE] == [[0, 0], [1, 1], [2, 2], [3, 4]]
    assert table.ints[1, 4:].tolist() == list(range(1, 393))
    assert table.count("APXC_AR_RTR_0_0_INQ_PRF_ROWBUS_STALL_CNT").tolist() == [9, 9]
    assert table.count("APXC_AR_RTR_PT_5_0_INQ_PRF_INCOMING_FLIT_VC0").tolist() == [361, 361]
    assert "APXC" in result.parts[0].tables


def test_damaged_records_of_routers():
    cut = evidence(build(Log(modules=(Raw("APXC", 1, apxc((0, 0, 0, 1), (0, 0, 0, 2))[:-8]),))))
    assert cut.parts[0].apxc.count("APXC_NODE").tolist() == [1]
    assert (cut.parts[0].module("APXC").status, cut.status) == ("partly-read", "partial")
    other = evidence(build(Log(modules=(Raw("APXC", 1, apxc((0, 0, 0, 1), magic=b"APMPI")),))))
    assert other.parts[0].apxc is None
    assert other.parts[0].module("APXC").status == "damaged"


def test_a_dataset_of_a_file_without_a_name_is_said():
    result = evidence(build(Log(job=Job(nprocs=1000), names={OTHER: "/u"}, modules=(Raw("H5D", 2, packed("H5D", 2)),))))
    (problem,) = result.problems
    assert "1 records belong to a file that is not in the name table" in problem.message
    assert not problem.loses_data


def test_totals_are_exact_beyond_int64_and_leave_out_what_is_not_available():
    payload = b"".join(packed("DFS", 1, rank=rank) for rank in range(4))
    table = log_of(build(Log(names=NAMES, modules=(Raw("DFS", 1, payload),)))).dfs
    large = np.full_like(table.ints, 2**62)
    large[1] = -1
    counted = replace(table, ints=large)
    assert counted.total("DFS_OPENS") == 3 * 2**62
    assert replace(table, ints=np.full_like(large, -1)).total("DFS_OPENS") is None
