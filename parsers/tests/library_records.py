"""HDF5, PnetCDF, DAOS, Blue Gene/Q and AUTOPERF records, packed by hand from the headers of Darshan and AutoPerf."""

from __future__ import annotations

import struct

from darshan_writer import Job, Log, Raw, build

from iotriage_parsers.readers.darshan_log.records import ALL_NAMES

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
    job = Job(nprocs=1000)
    return build(Log(job=job, names=NAMES, modules=(Raw(module, version, payload, **kwargs),), byte_order=order))


def apmpi(*nodes, mark="<", magic=b"APMPI"):
    head = struct.pack(f"{mark}QqqIxxxxdd", OTHER, 0, int.from_bytes(magic, "big"), 0, 0.0, 0.0)
    return head + b"".join(
        struct.pack(f"{mark}Qq", OTHER, rank) + bytes(8 * 636) + node.ljust(128, b"\0") for rank, node in nodes
    )


def apxc(*routers, mark="<", magic=b"AUTOPERF"):
    """Routers by group, chassis, blade and node, then counters from 1 upwards."""
    head = struct.pack(f"{mark}Qq6qQ", OTHER, 0, int.from_bytes(magic, "big"), 2, 1, 1, 1, 2, 77)
    counters = range(1, 393)
    return head + b"".join(struct.pack(f"{mark}Qq4q392Q", OTHER, -1, *place, *counters) for place in routers)
