"""HDF5, PnetCDF, DAOS and Blue Gene/Q records of every version, packed by hand from Darshan's headers."""

from __future__ import annotations

import pickle
import struct
import subprocess
import sys

import numpy as np
import pydarshan_dump
import pytest
from darshan_corpus import evidence, log_of
from darshan_writer import Log, Raw, build

from iotriage_parsers.readers.darshan_log.records import ALL_NAMES, SHAPES

FILE, OTHER = 0xFEDCBA9876543210, 0x0123456789ABCDEF
NAMES = {FILE: "/scratch/a.h5", OTHER: "/scratch/a.h5:/u"}
FIELDS = {
    "H5F": "h5f",
    "H5D": "h5d",
    "PNETCDF_FILE": "pnetcdf_file",
    "PNETCDF_VAR": "pnetcdf_var",
    "DFS": "dfs",
    "DAOS": "daos",
    "BG/Q": "bgq",
}
STORED = {
    # int64 counters, float64 counters, an id of the file before them, bytes after them
    ("H5F", 1): (1, 2, False, 0),
    ("H5F", 2): (1, 4, False, 0),
    ("H5F", 3): (3, 5, False, 0),
    ("H5D", 1): (94, 17, False, 0),
    ("H5D", 2): (94, 17, True, 0),
    ("PNETCDF_FILE", 1): (2, 2, False, 0),
    ("PNETCDF_FILE", 2): (2, 4, False, 0),
    ("PNETCDF_FILE", 3): (9, 8, False, 0),
    ("PNETCDF_VAR", 1): (120, 17, True, 0),
    ("DFS", 1): (52, 15, False, 32),
    ("DAOS", 1): (64, 15, False, 48),
    ("BG/Q", 1): (12, 1, False, 0),
    ("BG/Q", 2): (11, 1, False, 0),
}
OLD = {
    # what stands in a record of today, by name, where an old record had other counters: from 101 and 0.5 upwards
    ("H5F", 1): {"H5F_OPENS": 101, "H5F_F_OPEN_START_TIMESTAMP": 0.5, "H5F_F_CLOSE_END_TIMESTAMP": 1.5},
    ("H5F", 2): {
        "H5F_OPENS": 101,
        "H5F_F_OPEN_START_TIMESTAMP": 0.5,
        "H5F_F_CLOSE_START_TIMESTAMP": 1.5,
        "H5F_F_OPEN_END_TIMESTAMP": 2.5,
        "H5F_F_CLOSE_END_TIMESTAMP": 3.5,
    },
    ("PNETCDF_FILE", 1): {
        "PNETCDF_FILE_OPENS": 101 + 102,
        "PNETCDF_FILE_F_OPEN_START_TIMESTAMP": 0.5,
        "PNETCDF_FILE_F_CLOSE_END_TIMESTAMP": 1.5,
    },
    ("PNETCDF_FILE", 2): {
        "PNETCDF_FILE_OPENS": 101 + 102,
        "PNETCDF_FILE_F_OPEN_START_TIMESTAMP": 0.5,
        "PNETCDF_FILE_F_CLOSE_START_TIMESTAMP": 1.5,
        "PNETCDF_FILE_F_OPEN_END_TIMESTAMP": 2.5,
        "PNETCDF_FILE_F_CLOSE_END_TIMESTAMP": 3.5,
    },
}


def packed(module, version, mark="<", rank=-1, record=OTHER):
    ints, floats, names_file, tail = STORED[module, version]
    fields = [record, rank, *([FILE] if names_file else []), *range(101, 101 + ints), *(i + 0.5 for i in range(floats))]
    return struct.pack(f"{mark}Qq{'Q' if names_file else ''}{ints}q{floats}d", *fields) + bytes(range(tail))


def expected(module, version):
    int_names, float_names = ALL_NAMES[module]
    if (module, version) in OLD:
        old = OLD[module, version]
        return [old.get(n, -1) for n in int_names], [old.get(n, -1.0) for n in float_names]
    first = 102 if (module, version) == ("BG/Q", 1) else 101
    return list(range(first, first + len(int_names))), [i + 0.5 for i in range(len(float_names))]


def written(module, version, order="little", **kwargs):
    payload = packed(module, version, "<" if order == "little" else ">")
    return build(Log(names=NAMES, modules=(Raw(module, version, payload, **kwargs),), byte_order=order))


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


@pytest.mark.parametrize(("module", "version"), STORED)
def test_pydarshan_says_the_same(tmp_path, module, version):
    path = tmp_path / "written.darshan"
    path.write_bytes(written(module, version))
    subprocess.run(
        [sys.executable, pydarshan_dump.__file__, tmp_path, path], capture_output=True, check=True, timeout=60
    )
    (theirs,) = pickle.loads((tmp_path / "0.pickle").read_bytes())["counters"][module]
    table = getattr(log_of(path.read_bytes()), FIELDS[module])
    assert (table.ids[0], table.ranks[0]) == (theirs["id"], theirs["rank"])
    assert table.ints[0].tolist() == theirs["counters"].tolist()
    assert table.floats[0].tolist() == theirs["fcounters"].tolist()
    if table.file_ids is not None:
        assert table.file_ids[0] == theirs["file_rec_id"]


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


def apmpi(*nodes, mark="<", magic=b"APMPI"):
    head = struct.pack(f"{mark}QqqIxxxxdd", OTHER, 0, int.from_bytes(magic, "big"), 0, 0.0, 0.0)
    return head + b"".join(
        struct.pack(f"{mark}Qq", OTHER, rank) + bytes(8 * 636) + node.ljust(128, b"\0") for rank, node in nodes
    )


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


def test_a_dataset_of_a_file_without_a_name_is_said():
    result = evidence(build(Log(names={OTHER: "/u"}, modules=(Raw("H5D", 2, packed("H5D", 2)),))))
    (problem,) = result.problems
    assert "1 records belong to a file that is not in the name table" in problem.message
    assert not problem.loses_data
