"""Modules read by pydarshan, each in a process of its own, against the ledger of the sample logs."""

from __future__ import annotations

import csv
import json
import subprocess
import sys

import pytest
from darshan_corpus import SAMPLES

from iotriage_parsers.readers.darshan_log import through_pydarshan

PROGRAM = """
import json, sys
from iotriage_parsers.readers.darshan_log.through_pydarshan import read_module
read = read_module(sys.argv[1], sys.argv[2])
table = read.table
print(json.dumps({
    "records": len(table),
    "totals": {name: table.total(name) for name in table.int_names},
    "seconds": {name: float(table.seconds(name).sum()) for name in table.float_names},
    "shapes": [table.ints.shape, table.floats.shape],
    "files": None if read.file_ids is None else sorted({str(one) for one in read.file_ids}),
    "ids": [str(one) for one in table.ids],
    "hosts": read.hosts,
}))
"""

with (SAMPLES / "EXPECTED.tsv").open(encoding="utf-8", newline="") as tsv:
    LEDGER = {row["file"].removesuffix(".darshan"): row for row in csv.DictReader(tsv, delimiter="\t")}


def read(name, module):
    path = SAMPLES / name / f"{name}.darshan"
    run = subprocess.run(
        [sys.executable, "-c", PROGRAM, str(path), module], check=True, capture_output=True, text=True, timeout=60
    )
    return json.loads(run.stdout)


@pytest.mark.parametrize(
    ("name", "module"),
    [("23-hdf5-indep-rows", "H5F"), ("23-hdf5-indep-rows", "H5D"), ("26-pnetcdf-indep-small", "PNETCDF_VAR")],
)
def test_counters_of_the_ledger(name, module):
    row, result = LEDGER[name], read(name, module)
    expected = {
        key: int(row[key]) for key in row if key.startswith(f"{module}_") and "_F_" not in key and row[key] != ""
    }
    assert expected
    assert {key: result["totals"][key] for key in expected} == expected


def test_datasets_name_their_file():
    datasets, files = read("23-hdf5-indep-rows", "H5D"), read("23-hdf5-indep-rows", "H5F")
    assert datasets["files"] == files["ids"]
    assert files["files"] is None


def test_autoperf_mpi_has_one_record_a_rank_and_its_node():
    result = read("47-darshan-main-apmpi", "APMPI")
    assert result["records"] == 8
    assert len(result["hosts"]) == 8
    assert result["shapes"] == [[8, 396], [8, 240]]


def test_a_module_that_the_log_does_not_have_is_an_empty_table():
    result = read("01-serial-gather", "PNETCDF_FILE")
    assert (result["records"], result["totals"]["PNETCDF_FILE_CREATES"]) == (0, None)


def test_a_module_of_ours_is_refused():
    with pytest.raises(ValueError, match="POSIX is not read through pydarshan"):
        through_pydarshan.read_module("x", "POSIX")
