"""Lines of code that advice has: what every compiler takes."""

from __future__ import annotations

import re

import pytest
from declared import context

from iotriage.rules import all_rules
from iotriage.rules.advice import calls, snippets
from iotriage.rules.core.action import EditCode

OF_THE_STANDARD = {
    *("access", "action", "asynchronous", "blank", "decimal", "delim", "encoding", "err", "file", "form", "iomsg"),
    *("iostat", "newunit", "pad", "position", "recl", "round", "sign", "status", "unit"),
}
"""Specifiers of OPEN in Fortran 2018; compilers refuse those of others."""


def fortran_of(found: object) -> list[str]:
    if isinstance(found, EditCode):
        return [found.fortran]
    values = found.values() if isinstance(found, dict) else found if isinstance(found, tuple | list) else ()
    return [code for value in values for code in fortran_of(value)]


CODE = [code for module in (snippets, calls) for found in vars(module).values() for code in fortran_of(found)]
OPENS = sorted(
    {line.partition("!")[0].strip() for code in CODE for line in code.splitlines() if line.startswith("open(")}
)


@pytest.mark.parametrize("line", OPENS)
def test_fortran_opens_a_file_as_the_standard_has_it(line: str) -> None:
    assert set(re.findall(r"(\w+)=", line)) <= OF_THE_STANDARD


@pytest.mark.parametrize(
    ("file", "api", "line"),
    [
        ("/s/o.h5", "MPI-IO", "H5Pset_alignment(file_access, 65536, 4194304);"),
        ("/s/run_hdf5_chk_0001", "HDF5", "H5Pset_alignment(file_access, 65536, 4194304);"),
        ("/s/o.nc", "PnetCDF", 'MPI_Info_set(info, "nc_var_align_size", "4194304");'),
        ("/s/o.nc", "MPI-IO", "nc_set_alignment(65536, 4194304);"),
        ("/s/o.dat", "MPI-IO", None),
        ("/s/o.dat", None, None),
    ],
)
def test_the_library_that_writes_the_file_is_told_to_begin_on_its_stripes_and_no_other(file, api, line):
    values = {"file.stripe_size": 4 * 2**20, "balance.storage_file": file}
    for rule in ("system-writes-not-stripe-sized", "aggregator-skew"):
        said = all_rules()[rule].advise(context(values, file=file, api=api))[0]
        assert said.command is None if line is None else said.command.startswith(line)
        assert "stripe boundary" in said.text
